"""The critics find what they should, and nothing else."""
