"""The core keeps its rules."""
