"""Everything written down comes back as it was."""
