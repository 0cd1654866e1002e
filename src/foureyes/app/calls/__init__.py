"""The calls that every door offers, each described once: what it takes, who may make it and what it does."""
