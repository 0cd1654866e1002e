"""The HTTP door: it parses, authenticates, makes the call and renders."""
