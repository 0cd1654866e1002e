"""A real PostgreSQL for the tests: its server, its faults, and what our store does on it."""
