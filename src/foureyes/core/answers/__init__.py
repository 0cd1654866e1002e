"""Command handlers: how each command becomes events, one module per party."""
