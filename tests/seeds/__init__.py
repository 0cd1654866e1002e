"""Every requirement by its id, and the tests that prove them."""
