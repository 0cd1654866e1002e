"""Every change of the record is noticed."""
