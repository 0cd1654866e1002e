"""Tests: sentences, in process, without sleeps, network or mocks of our own code."""
