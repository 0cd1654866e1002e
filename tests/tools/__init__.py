"""Tests of the scripts that build and test this project."""
