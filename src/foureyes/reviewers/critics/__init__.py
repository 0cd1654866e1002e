"""Critics: programs that judge a work by rules and never change it."""
