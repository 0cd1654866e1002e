"""Secrets are found, and never shown."""
