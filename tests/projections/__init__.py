"""What follows the log is a function of it: the same bytes, however often and in whatever helpings it is read."""
