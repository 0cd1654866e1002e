"""Logs that earlier versions wrote are still read as they were meant."""
