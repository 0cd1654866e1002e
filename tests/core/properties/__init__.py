"""Properties that hold for every review, whatever the actors do."""
