"""Killable child processes for work on hostile input: parsers, critics and proofs never run in the server itself."""

from foureyes.app.children.errors import ChildError, CutOff, Died, Overloaded, Raised
from foureyes.app.children.pool import REQUESTS, Children, shared

__all__ = ["REQUESTS", "ChildError", "Children", "CutOff", "Died", "Overloaded", "Raised", "shared"]
