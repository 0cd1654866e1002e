"""The contract of every store: how events are written and kept."""
