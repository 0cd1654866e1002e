"""The four-eyes principle for AI agents: nothing goes live until others have reviewed exactly that version."""

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
