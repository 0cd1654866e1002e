"""Promises of the doors: permissions, blindness, and robustness against any input."""
