"""Verifies the whole log: every link, every head and every signed checkpoint, with nothing but the public key.

Streams are walked one at a time, then the whole log once in its order; memory does not grow with either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from foureyes.app.book import Line
from foureyes.app.checkpoints import EVERY, next_order
from foureyes.app.damages import Collected, Inspection
from foureyes.app.keys import PublicKey
from foureyes.app.marks import Marks, Target
from foureyes.app.ports import Reading, Store
from foureyes.app.rows import START, Cursor, Head, Stored
from foureyes.app.verify_book import COPY, Seen, read_book
from foureyes.app.verify_lives import Lives
from foureyes.app.verify_rows import Rows, check_records
from foureyes.app.verify_stream import BACKUP, walk
from foureyes.codec.shapes import shape

PAGE = 1_000
#: Events without a checkpoint for longer are noted: a server signs every minute, and a clean stop leaves none
#: uncovered.
LATE = 10 * EVERY

UNGUARDED = "removed or altered: the database would let the log be changed"
GUARD = "Find out who did that and what else they did. Then run `foureyes upgrade`: it puts the trigger back."

#: Callback: what is being done, how much of it is done, and of how much (0: not known).
Progress = Callable[[str, int, int], None]

_read_time = shape(datetime)[1]


async def verify(
    store: Store,
    folder: Path,
    trusted: PublicKey,
    *,
    seen: Seen | None = None,
    now: datetime | None = None,
    deep: bool = False,
    progress: Progress = lambda _what, _done, _all: None,
) -> Inspection:
    """Verify everything. `seen` is a checkpoint noted before; `deep` folds every review and compares its rows."""
    with Marks() as marks:
        # The journal first: what it says must be in any look at the log that begins later.
        book = await asyncio.to_thread(read_book, folder, trusted, marks, seen=seen)
        looking = Looking(marks=marks, found=book.found, last=book.last, deep=deep, progress=progress)
        await store.read(looking.look)
        if now is not None:
            looking.note_lateness(now)
        return Inspection(
            damages=tuple(book.found.damages),
            unlisted=book.found.unlisted,
            notes=tuple(book.found.notes),
            streams=looking.streams,
            events=looking.events,
            uncovered=looking.uncovered,
            checkpoints=book.count,
            last=(book.last.checkpoint.number, book.last.digest) if book.last else None,
        )


@dataclass(slots=True)
class Looking:
    """One look at the whole log, held against what the checkpoints say."""

    marks: Marks
    found: Collected
    last: Line | None
    deep: bool
    progress: Progress
    streams: int = 0
    events: int = 0
    uncovered: int = 0
    #: When the first event without a checkpoint was written.
    uncovered_since: str = ""

    def look(self, reading: Reading) -> None:
        """Walk the streams, then the log in its order."""
        expected = self.last.checkpoint.reached.events if self.last else 0
        for name in reading.unguarded():
            self.found.add(f"trigger {name}", UNGUARDED, GUARD)
        with Lives(found=self.found) as lives:
            for head in self._heads(reading):
                self._walk(reading, head, lives, expected)
            lives.check(reading)
        if self.deep:
            check_records(reading, self.found)
        for stream, mark in self.marks.unmet():
            what = f"deleted: the whole stream is gone; checkpoint {mark.number} saw {mark.version} events in it"
            self.found.add(f"{stream}@1", what, BACKUP)
        self._check_order(reading, expected)
        if self.events and self.last is None:
            what = "truncated: there is no checkpoint, so only the links among the events could be checked"
            self.found.add("the book", what, COPY)

    def _walk(self, reading: Reading, head: Head, lives: Lives, expected: int) -> None:
        """Verify one stream, and the rows beside it."""
        self.streams += 1
        rows = Rows(head=head)
        for one in walk(reading, head, self.marks.of(head.stream), self.found):
            rows.see(one)
            lives.see(one)
            self.events += 1
            if self.events % PAGE == 0:
                self.progress("streams", self.events, expected)
        rows.check(reading, self.found, deep=self.deep)

    def note_lateness(self, now: datetime) -> None:
        """Note events that wait too long for a checkpoint: the server was killed, or the end of the journal is cut."""
        if self.uncovered and now - _read_time(self.uncovered_since) > LATE:
            self.found.notes.append(
                f"{self.uncovered} events since {self.uncovered_since} are under no checkpoint, though one is due "
                f"every {EVERY // timedelta(seconds=1)} seconds: no server has run since, or the book's end was cut."
            )

    def _heads(self, reading: Reading) -> Iterator[Head]:
        after = ""
        while page := reading.heads(after, PAGE):
            self.marks.meet(page)
            yield from page
            after = page[-1].stream

    def _check_order(self, reading: Reading, expected: int) -> None:
        """Verify that the events between two checkpoints are those that were there, in that order."""
        order, count = b"", 0
        targets = self.marks.reached()
        target = next(targets, None)
        for one in self._in_order(reading):
            while target and one.cursor > target.cursor:
                order, count = self._check_reached(target, order, count)
                target = next(targets, None)
            order, count = next_order(order, one), count + 1
            if target is None:
                self.uncovered += 1
                self.uncovered_since = self.uncovered_since or one.at
            if count % PAGE == 0:
                self.progress("order", count, expected)
        while target:
            order, count = self._check_reached(target, order, count)
            target = next(targets, None)

    def _check_reached(self, target: Target, order: bytes, count: int) -> tuple[bytes, int]:
        if (order, count) != (target.order, target.events):
            what = "reordered or rewritten: the events it covers are not those that were signed, in that order"
            self.found.add(f"checkpoint {target.number}", what, BACKUP)
        # Continue from what was signed, so that one damage is reported once and not at every later checkpoint.
        return target.order, target.events

    def _in_order(self, reading: Reading) -> Iterator[Stored]:
        cursor: Cursor = START
        numbers: Cursor = START
        while page := reading.tail(cursor, PAGE):
            for one in page:
                if one.cursor <= numbers:
                    self.found.add(f"{one.stream}@{one.version}", f"reordered: number {one.seq} is given twice", BACKUP)
                numbers = one.cursor
                yield one
            if page[-1].cursor <= cursor:
                return
            cursor = page[-1].cursor
