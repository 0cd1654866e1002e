"""The risk computed from the bytes."""
