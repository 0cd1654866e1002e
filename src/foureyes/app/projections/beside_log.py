"""How are the rows made anew that are written together with the log: lists, digests, inbox, lives? Stream by stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections.anew import Progress, unwatched
from foureyes.app.projections.lives import write_lives
from foureyes.app.rows import LIVES, Changes, Stored
from foureyes.app.shelf import Held, dated, read_review
from foureyes.core.events import ReportRequested, RevisionRequested, RevisionSubmitted, RulingRequested

#: Reviews in one transaction: each is locked meanwhile, and so is the writer.
REVIEWS = 50
REVIEW = "review/"


async def write_anew(store: Store, name: str, progress: Progress = unwatched, reviews: int = REVIEWS) -> int:
    """Write the rows of every review, or of every target, as its log has it; how many events that were."""
    if name == LIVES:
        return await write_lives(store, progress, reviews)
    after, done = REVIEW, 0
    while True:
        streams = await store.read(partial(_next_reviews, after, reviews))
        if not streams:
            return done
        done += await store.write(partial(_write_some, _ROWS[name], streams))
        after = streams[-1]
        progress(done, 0)


def _next_reviews(after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    names = (one.stream for one in reading.heads(after, limit))
    return tuple(name for name in names if name.startswith(REVIEW))


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
