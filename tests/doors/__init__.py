"""What the doors promise: who may do what, nothing hidden shows, nothing sent breaks them."""
