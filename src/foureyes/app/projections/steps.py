"""Advances projections: reads new events, computes the rows outside the write transaction, writes them in one step.

The computed rows count only if the cursor is still where it was read; so two processes that follow at the same time
never count an event twice, and a crash between two steps leaves nothing half done.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

from foureyes.app.ports import Reading, Writing
from foureyes.app.projections.projection import VERSION_KEY, Happened, Projection, slot_of
from foureyes.app.rows import Cursor, Stored
from foureyes.app.shelf import dated
from foureyes.codec import canonical
from foureyes.codec.shapes import shape
from foureyes.core.events import ReviewEvent
from foureyes.core.evolve import evolve, fold
from foureyes.core.local import is_local
from foureyes.core.model import Review

#: Events per step: enough to be quick, few enough that other writers do not wait long.
BATCH = 500
FOLDED_MAX = 256

#: Cached, because the events of one command have one time.
_when: Callable[[str], datetime] = lru_cache(maxsize=16)(shape(datetime)[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A projection and where its rows are written; it counts local reviews only in the store that is for them."""

    projection: Projection
    slot: str
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The rows that bring a projection from one cursor to the next."""

    target: Target
    begin: Cursor
    end: Cursor
    rows: dict[str, str | None]
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A review as it was after one of its events."""

    review: Review
    version: int
    opened: datetime


class Folds:
    """Reviews folded so far, the latest at hand: the log never changes, so what was folded stays true."""

    def __init__(self, size: int = FOLDED_MAX) -> None:
        """Keep at most this many reviews."""
        self._size = size
        self._folded: OrderedDict[str, Folded] = OrderedDict()

    def happened(self, reading: Reading, stored: Stored) -> Happened:
        """Return an event with its review before and after it."""
        ((event, at),) = dated((stored,))
        when = _when(at)
        if not stored.stream.startswith("review/"):
            return Happened(stored=stored, event=event, at=when, opened=when)
        before = self._before(reading, stored)
        after = Folded(
            review=evolve(before.review if before else None, cast("ReviewEvent", event)),
            version=stored.version,
            opened=before.opened if before else when,
        )
        self._keep(stored.stream, after)
        return Happened(
            stored=stored,
            event=event,
            at=when,
            opened=after.opened,
            before=before.review if before else None,
            after=after.review,
        )

    def _before(self, reading: Reading, stored: Stored) -> Folded | None:
        known = self._folded.get(stored.stream)
        if stored.version == 1:
            return None
        if known is not None and known.version == stored.version - 1:
            return known
        past = tuple(one for one in reading.events(stored.stream) if one.version < stored.version)
        review = fold(cast("ReviewEvent", event) for event, _ in dated(past))
        return Folded(review=review, version=past[-1].version, opened=_when(past[0].at))

    def _keep(self, stream: str, folded: Folded) -> None:
        self._folded[stream] = folded
        self._folded.move_to_end(stream)
        if len(self._folded) > self._size:
            self._folded.popitem(last=False)


@dataclass(slots=True)
class Table:
    """A projection's rows as they are, and on top of them what a step has changed so far."""

    reading: Reading
    slot: str
    changed: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)

    def read(self, key: str) -> Any:
        """Return one row; None if there is none."""
        if key in self.changed:
            return self.changed[key]
        if key not in self.known:
            body = self.reading.row(self.slot, key)
            self.known[key] = None if body is None else json.loads(body)
        return self.known[key]

    def rows(self) -> dict[str, str | None]:
        """Return the changed rows; removals of rows known to be missing are left out."""
        return {
            key: None if body is None else canonical(body).decode()
            for key, body in self.changed.items()
            if body is not None or key not in self.known or self.known[key] is not None
        }


def targets(reading: Reading, projections: Iterable[Projection], *, local: bool = False) -> list[Target]:
    """Return where these projections are written now; rows that a newer program wrote are left to that program."""
    found = [Target(projection=one, slot=slot_of(reading, one.name), local=local) for one in projections]
    return [one for one in found if version_of(reading, one.slot) in (0, one.projection.version)]


def version_of(reading: Reading, slot: str) -> int:
    """Return which version of the code wrote these rows; 0 if there are none."""
    body = reading.row(slot, VERSION_KEY)
    return int(body) if body else 0


def plan(reading: Reading, folds: Folds, found: Sequence[Target], batch: int = BATCH) -> list[Step]:
    """Return the next step of each of these; none for those that have read everything."""
    groups: dict[Cursor, list[Target]] = {}
    for one in found:
        groups.setdefault(reading.cursor(one.slot), []).append(one)
    return [step for begin in sorted(groups) for step in _steps(reading, folds, begin, groups[begin], batch)]


def move(tx: Writing, steps: Sequence[Step]) -> int:
    """Write the steps that still begin at their projection's cursor, with locks held; returns how many events."""
    moved = 0
    for step in steps:
        slot = step.target.slot
        if tx.cursor(slot) == step.begin and version_of(tx, slot) in (0, step.target.projection.version):
            tx.follow(slot, {VERSION_KEY: str(step.target.projection.version), **step.rows}, step.end)
            moved += step.events
    return moved


def _steps(reading: Reading, folds: Folds, begin: Cursor, group: Sequence[Target], batch: int) -> Iterator[Step]:
    new = reading.tail(begin, batch)
    if not new:
        return
    tables = [Table(reading=reading, slot=one.slot) for one in group]
    both = tuple(zip(group, tables, strict=True))
    taking = {
        name: [(target, table) for target, table in both if name in target.projection.takes]
        for name in {stored.type for stored in new}
    }
    for stored in new:
        one = folds.happened(reading, stored)
        counts = one.after is None or not is_local(one.after)
        for target, table in taking[stored.type]:
            if counts or target.local:
                table.changed.update(target.projection.changes(one, table.read))
    for target, table in both:
        yield Step(target=target, begin=begin, end=new[-1].cursor, rows=table.rows(), events=len(new))
