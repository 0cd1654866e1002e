"""Reviewers are asked with care, and answer in one shape."""
