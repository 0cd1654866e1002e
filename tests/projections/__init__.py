"""Projections are a function of the log: the same bytes for any number and size of reads."""
