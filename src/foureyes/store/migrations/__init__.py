"""The steps that migrate a store of an older version to this one, in order.

A new step goes behind the others and is never changed once released; `tables.py` stays what version 1 had. A new store
runs the same steps, so that there is one definition of what a table looks like.
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
