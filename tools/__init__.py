"""Scripts that make runs: standard library only, not part of the product."""
