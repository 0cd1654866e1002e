"""Tests of how findings are matched."""
