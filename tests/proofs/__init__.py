"""Proofs that a change is harmless, and changes that only look so."""
