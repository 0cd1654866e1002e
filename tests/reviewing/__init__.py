"""Rounds of review on one machine."""
