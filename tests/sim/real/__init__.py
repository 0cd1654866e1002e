"""The simulator's worlds against a real gate, store and engine, with faults."""
