"""How are the rows made anew that are written together with the log: lists, digests, inbox, lives? Stream by stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.live import live_row
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections.anew import Progress, unwatched
from foureyes.app.rows import LIVES, START, Changes, Stored
from foureyes.app.shelf import Held, dated, read_events, read_review
from foureyes.core.events import ReportRequested, RevisionRequested, RevisionSubmitted, RulingRequested, WentLive

#: Reviews in one transaction: each is locked meanwhile, and so is the writer.
REVIEWS = 50
REVIEW, TARGETS = "review/", "target/"


async def write_anew(store: Store, name: str, progress: Progress = unwatched, reviews: int = REVIEWS) -> int:
    """Write the rows of every review, or of every target, as its log has it; how many events that were."""
    prefix, write = (TARGETS, _write_lives) if name == LIVES else (REVIEW, partial(_write_some, _ROWS[name]))
    after, done = prefix, 0
    while True:
        streams = await store.read(partial(_next_streams, prefix, after, reviews))
        if not streams:
            return done
        done += await store.write(partial(write, streams))
        after = streams[-1]
        progress(done, 0)


def _next_streams(prefix: str, after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    names = (one.stream for one in reading.heads(after, limit))
    return tuple(name for name in names if name.startswith(prefix))


def _write_lives(streams: tuple[str, ...], tx: Writing) -> int:
    """What went live by which clearance, as the targets' logs have it."""
    tx.lock(*streams)
    done, rows = 0, dict[str, str | None]()
    for stream in streams:
        past = read_events(tx, stream, tx.known(stream, "", ""))
        rows |= dict(live_row(event) for event, _ in past if isinstance(event, WentLive))
        done += len(past)
    tx.follow(LIVES, rows, START)
    return done


def _write_some(rows_of: RowsOf, streams: tuple[str, ...], tx: Writing) -> int:
    tx.lock(*streams)
    done, changes = 0, Changes()
    for stream in streams:
        past = tuple(tx.events(stream))
        held = read_review(tx, stream, tx.known(stream, "", ""))
        changes = rows_of(changes, held, past)
        done += len(past)
    tx.apply(changes)
    return done


def _list(changes: Changes, held: Held, past: tuple[Stored, ...]) -> Changes:
    row = review_row(held.review, opened=held.opened, updated=past[-1].at)
    return replace(changes, reviews=(*changes.reviews, row))


def _digests(changes: Changes, held: Held, past: tuple[Stored, ...]) -> Changes:
    versions = [event for event, _ in dated(past) if isinstance(event, RevisionSubmitted)]
    aliases = [(name, one.digest) for one in versions for name in one.aliases]
    return replace(
        changes,
        digests=(*changes.digests, *digest_rows(held.review)),
        aliases=(*changes.aliases, *aliases),
    )


def _inbox(changes: Changes, held: Held, past: tuple[Stored, ...]) -> Changes:
    """Everything that was ever asked for goes, and what is owed now comes."""
    asked = (event for event, _ in dated(past) if isinstance(event, _ASKING))
    gone = dict.fromkeys((held.review.id, one.request) for one in asked)
    return replace(changes, inbox_gone=(*changes.inbox_gone, *gone), inbox=(*changes.inbox, *inbox_rows(held.review)))


_ASKING = (ReportRequested, RevisionRequested, RulingRequested)
RowsOf = Callable[[Changes, Held, tuple[Stored, ...]], Changes]
_ROWS: dict[str, RowsOf] = {"reviews": _list, "digests": _digests, "inbox": _inbox}
#: The projections that are made anew this way.
NAMES = (*_ROWS, LIVES)
