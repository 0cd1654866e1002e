"""Tests of what the bytes tell of their risk."""
