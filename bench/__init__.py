"""Benchmarks: run by hand, never by the tests."""
