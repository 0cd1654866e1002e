"""Prompts of reviewers and the shape of their answers."""
