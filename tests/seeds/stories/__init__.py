"""The story of each source document, from its first call to every end, on a started server."""
