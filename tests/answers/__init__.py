"""What agents and models are asked, and what of their answers counts."""
