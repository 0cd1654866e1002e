"""The plain pages, as a browser meets them."""
