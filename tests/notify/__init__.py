"""Who is told of what, in which words, and how it gets there."""
