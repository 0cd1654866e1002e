"""Reviewers that look at a work: programs, the agents on this machine, and models, all behind one port."""
