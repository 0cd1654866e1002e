"""What can be asked at any door."""
