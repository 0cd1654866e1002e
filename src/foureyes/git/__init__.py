"""Reads changes from git repositories, paths and stdin; runs nothing of the repository, reads nothing outside it."""
