"""What changed, according to git? Nothing of the repository is run, and nothing outside it is read."""
