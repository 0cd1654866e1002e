"""A policy file is read as it says, and everything that it must not say is refused."""
