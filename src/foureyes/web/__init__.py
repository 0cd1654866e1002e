"""The plain web pages: sign in, see what waits, read a review, decide, and manage accounts. They use no script."""
