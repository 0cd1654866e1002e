"""What make runs: standard library scripts, no part of the product."""
