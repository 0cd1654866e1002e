"""The gate: the only door to the core, and what it needs from the world outside."""
