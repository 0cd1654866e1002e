"""Rows found in use (U-…): each is played through the doors of a started server with a shipped policy."""
