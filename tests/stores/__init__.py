"""How events are written down and kept: one contract for every store."""
