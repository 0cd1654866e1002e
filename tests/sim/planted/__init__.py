"""Planted bugs: each breaks one function of the real core, and the simulator's checker must notice."""
