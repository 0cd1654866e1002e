"""What can be asked at any door? Each call once: what it takes, who may, what it does; the doors only carry it."""
