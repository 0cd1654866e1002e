"""Verifies at server start that the log holds what was signed; bounded, so that every start costs the same at most.

A log of up to `LINKS_MAX` events is hashed again from its beginning, which takes about 6 microseconds an event. Of a
longer one each start hashes another part, chosen at random; `log verify` checks all of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from foureyes.app.book import Line
from foureyes.app.book_end import holds
from foureyes.app.chain import ROOT, link_of
from foureyes.app.checkpoints import check_held, covering
from foureyes.app.damages import Collected, Damage
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import START, Cursor, Head, Stored
from foureyes.app.verify_stream import BACKUP

LINKS_MAX = 250_000
#: Most stream ends compared with their last checkpoints, newest first.
HEADS_MAX = 2_000
LINES_MAX = 500
PAGE = 1_000


def check_start(reading: Reading, last: Line | None, folder: Path | None = None) -> list[Damage]:
    """Return what keeps a server from starting: the log lacks something signed, or its past was edited."""
    found = Collected()
    for head, number in _heads(last, folder):
        _check_head(reading, head, number, found)
    if last is not None and not found.damages:
        try:
            check_held(reading, last)
        except Damaged as error:
            found.add("the log", f"not what it was: {str(error).rstrip('.')}", BACKUP)
    if not found.damages:
        _check_links(reading, _begin(last), found)
    return found.damages


def _heads(last: Line | None, folder: Path | None) -> Iterator[tuple[Head, int]]:
    """Yield how streams ended when they were last signed; from a very long line, an evenly spread sample."""
    seen = set[str]()
    lines = covering(folder) if folder is not None else iter((last,) if last else ())
    for line in islice(lines, LINES_MAX):
        for head in line.heads[:: max(1, len(line.heads) // HEADS_MAX)]:
            if head.stream not in seen:
                seen.add(head.stream)
                yield head, line.checkpoint.number
        if len(seen) >= HEADS_MAX:
            return


def _check_head(reading: Reading, head: Head, number: int, found: Collected) -> None:
    place = f"{head.stream}@{head.version}"
    known = reading.known(head.stream, "", "")
    if known.version < head.version:
        what = f"truncated: checkpoint {number} saw {head.version} events, {known.version} are left"
        found.add(place, what, BACKUP)
        return
    if not holds(reading, head):
        found.add(place, f"fork: it is not the event that checkpoint {number} saw", BACKUP)


def _check_links(reading: Reading, begin: Cursor, found: Collected) -> None:
    """Hash events again in the order of the log; for a stream whose start was skipped, from its second event on."""
    ends: dict[str, tuple[int, bytes]] = {}
    for one in _events(reading, begin):
        version, link = ends.get(one.stream, (0, ROOT))
        if one.version == version + 1 and link_of(link, one) != one.chain:
            what = "edited: it does not follow from the one before; one of the two was changed"
            found.add(f"{one.stream}@{one.version}", what, BACKUP)
            return
        ends[one.stream] = one.version, one.chain


def _events(reading: Reading, begin: Cursor) -> Iterator[Stored]:
    cursor = begin
    for _ in range(LINKS_MAX // PAGE):
        page = reading.tail(cursor, PAGE)
        yield from page
        if len(page) < PAGE:
            return
        cursor = page[-1].cursor


def _begin(last: Line | None) -> Cursor:
    """Return where to begin: at the start, or at random if there is more than one start can check."""
    reached = last.checkpoint.reached if last else None
    if reached is None or reached.events <= LINKS_MAX:
        return START
    tx, seq = reached.cursor
    return (secrets.randbelow(tx), 0) if tx else (0, secrets.randbelow(max(1, seq - LINKS_MAX // 2)))
