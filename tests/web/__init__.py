"""The plain pages, as a browser gets them."""
