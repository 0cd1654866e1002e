"""The tests of reading changes from git."""
