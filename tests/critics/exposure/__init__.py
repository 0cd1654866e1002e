"""The critic for configuration files: every rule, its readers, and hostile input."""
