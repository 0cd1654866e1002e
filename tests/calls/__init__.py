"""The calls that every door offers."""
