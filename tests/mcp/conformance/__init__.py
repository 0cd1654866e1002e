"""The protocol's own conformance checks."""
