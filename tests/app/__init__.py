"""The gate keeps its promises on every store."""
