"""Agents on this machine review safely: only what they were given, and nothing left behind."""
