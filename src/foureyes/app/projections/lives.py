"""Rebuilds the rows about uses of clearances from the targets' logs, and removes all others."""

from __future__ import annotations

from functools import partial

from foureyes.app.live import live_row, target_of
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections.anew import Progress
from foureyes.app.rows import LIVES, START
from foureyes.app.shelf import read_events
from foureyes.app.uses import Uses
from foureyes.core.events import WentLive

TARGETS = "target/"
ROWS = 1_000


async def write_lives(store: Store, progress: Progress, targets: int, rows: int = ROWS) -> int:
    """Write what the log has, some targets at a time, then remove all other rows; returns how many events that were.

    A row without an event would use up a clearance, or make one look used.
    """
    with Uses() as uses:
        done, stream = 0, TARGETS
        while streams := await store.read(partial(_next_targets, stream, targets)):
            done += await store.write(partial(_write, uses, streams))
            stream = streams[-1]
            progress(done, 0)
        key = ""
        while page := await store.read(partial(_next_keys, key, rows)):
            unknown = tuple(one for one in page if one not in uses)
            if unknown:
                await store.write(partial(_remove, unknown))
            key = page[-1]
        return done


def _next_targets(after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    return tuple(one.stream for one in reading.heads(after, limit) if one.stream.startswith(TARGETS))


def _next_keys(after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    return tuple(key for key, _ in reading.rows(LIVES, after=after, limit=limit))


def _write(uses: Uses, streams: tuple[str, ...], tx: Writing) -> int:
    tx.lock(*streams)
    done, rows = 0, dict[str, str | None]()
    for stream in streams:
        found, count = _lives(tx, stream)
        rows |= found
        done += count
    tx.follow(LIVES, rows, START)
    for key in rows:
        uses.add(key, "")
    return done


def _remove(keys: tuple[str, ...], tx: Writing) -> int:
    """Remove rows that are in no log; each is checked again, because a clearance may have been used since."""
    streams = {TARGETS + target_of(key) for key in keys}
    tx.lock(*sorted(streams))
    known = {key for stream in streams for key in _lives(tx, stream)[0]}
    forged = [key for key in keys if key not in known]
    tx.follow(LIVES, dict.fromkeys(forged), START)
    return len(forged)


def _lives(tx: Writing, stream: str) -> tuple[dict[str, str], int]:
    past = read_events(tx, stream, tx.known(stream, "", ""))
    return dict(live_row(event) for event, _ in past if isinstance(event, WentLive)), len(past)
