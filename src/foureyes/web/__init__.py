"""The plain pages: sign in, see what waits, read a review, decide, and look after accounts. No script anywhere."""
