"""How does a store of an older version become one of this version? By these steps, one after the other.

A new step goes behind the others and is never changed once released; `tables.py` stays what version 1 had. A new store
takes the same way, so that there is one truth about what a table looks like.
"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.store import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One version to the next: the statements for each database, run in one transaction."""

    why: str
    sqlite: tuple[str, ...]
    postgres: tuple[str, ...]


STEPS: tuple[Step, ...] = (Step(why="the first tables", sqlite=tables.SQLITE, postgres=tables.POSTGRES),)
