"""A real PostgreSQL for the tests: its server, its faults, and the store on it."""
