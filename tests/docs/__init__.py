"""The documentation is correct."""
