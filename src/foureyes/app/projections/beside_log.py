"""Rebuilds the rows written with the log: lists, digests, inbox, lives, objections, texts; stream by stream."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from foureyes.app import inheriting, objections
from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.ports import Damaged, Quick, Reading, Store, Writing
from foureyes.app.projections.anew import Progress, unwatched
from foureyes.app.projections.lives import write_lives
from foureyes.app.rows import FILLED, INHERITABLE, LIVES, OBJECTIONS, SIGNALLED, START, Changes, Stored
from foureyes.app.session_mates import note_session
from foureyes.app.shelf import Held, dated, read_review
from foureyes.core.events import ReportRequested, ReviewOpened, RevisionRequested, RevisionSubmitted, RulingRequested
from foureyes.core.local import is_local, is_local_author

#: Reviews per transaction: each is locked meanwhile, and the writer is blocked.
REVIEWS = 50
REVIEW, SESSION = "review/", "session/"
#: Rows about objections checked in one transaction.
ROWS = 200
#: Format versions of rows that changed since they were introduced; a store with former rows rewrites them.
_VERSIONS = {INHERITABLE: "3", SIGNALLED: "2"}
log = logging.getLogger("foureyes.rows")


async def write_anew(
    store: Store, name: str, progress: Progress = unwatched, reviews: int = REVIEWS, *, local: bool = False
) -> int:
    """Rewrite the rows of every review, or of every target, from its log; returns how many events that were.

    Only the store of local reviews has rows of those (`local`).
    """
    if name == LIVES:
        return await write_lives(store, progress, reviews)
    if name == SIGNALLED:
        done = await _write_streams(store, SESSION, _write_signalled, progress, reviews)
    elif name in _NOTED:
        done = await _write_noted_anew(store, _NOTED[name], progress, reviews, local=local)
    else:
        write = partial(_write_some, _ROWS[name], local)
        return await _write_streams(store, REVIEW, write, progress, reviews)
    await store.write(Quick(lambda tx: tx.follow(FILLED, {name: _VERSIONS.get(name, "1")}, START)))
    return done


async def _write_streams(
    store: Store, sort: str, write: Callable[[tuple[str, ...], Writing], int], progress: Progress, limit: int
) -> int:
    """Rewrite the rows of all streams of a kind, some in each transaction; returns how many events that were."""
    after, done = sort, 0
    while streams := await store.read(partial(_next_streams, sort, after, limit)):
        done += await store.write(partial(write, streams))
        after = streams[-1]
        progress(done, 0)
    return done


async def fill(store: Store) -> tuple[str, ...]:
    """Write the rows that a store of an earlier release lacks, once; returns their names."""
    missing = await store.read(Quick(lambda reading: [one for one in ADDED if _is_former(reading, one)]))
    for name in missing:
        log.info("writing the rows %s of this store for the first time", name)
        await write_anew(store, name)
    return tuple(missing)


def _is_former(reading: Reading, name: str) -> bool:
    return reading.row(FILLED, name) != _VERSIONS.get(name, "1")


def _next_streams(sort: str, after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    names = (one.stream for one in reading.heads(after, limit))
    return tuple(name for name in names if name.startswith(sort))


def _write_signalled(streams: tuple[str, ...], tx: Writing) -> int:
    """Rewrite who worked in each of these sessions."""
    tx.lock(*streams)
    done = 0
    for stream in streams:
        done += note_session(tx, stream.removeprefix(SESSION))
    return done


def _write_some(rows_of: RowsOf, local: bool, streams: tuple[str, ...], tx: Writing) -> int:  # noqa: FBT001 - by place
    tx.lock(*streams)
    done, changes = 0, Changes()
    for stream in streams:
        past = tuple(tx.events(stream))
        held = read_review(tx, stream, tx.known(stream, "", ""))
        changes = rows_of(changes, held, past) if local or not is_local(held.review) else changes
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
    """Remove every request that was ever made from the inbox, and add what is owed now."""
    asked = (event for event, _ in dated(past) if isinstance(event, _ASKING))
    names = (*(one.request for one in asked), *held.review.inherited)
    gone = dict.fromkeys((held.review.id, name) for name in names)
    return replace(changes, inbox_gone=(*changes.inbox_gone, *gone), inbox=(*changes.inbox, *inbox_rows(held.review)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """Rows about findings that each review leaves: how its log makes them, and whose a row is."""

    name: str
    noted_by: Callable[[Reading, str], dict[str, str]]
    review_of: Callable[[str], str]


async def _write_noted_anew(store: Store, noted: Noted, progress: Progress, reviews: int, *, local: bool) -> int:
    """Rewrite the rows that reviews leave about findings, and remove rows that no log supports."""
    after = ""
    while page := await store.read(partial(_next_noted, noted, after, ROWS)):
        await store.write(partial(_check_noted, noted, page))
        after = page[-1]
    return await _write_streams(store, REVIEW, partial(_write_noted, noted, local), progress, reviews)


def _next_noted(noted: Noted, after: str, limit: int, reading: Reading) -> tuple[str, ...]:
    return tuple(key for key, _ in reading.rows(noted.name, after=after, limit=limit))


def _check_noted(noted: Noted, keys: tuple[str, ...], tx: Writing) -> None:
    """Remove the rows among these that their reviews do not make."""
    names = {noted.review_of(key) for key in keys}
    tx.lock(*sorted(REVIEW + name for name in names))
    known = {key for name in names for key in noted.noted_by(tx, REVIEW + name)}
    tx.follow(noted.name, {key: None for key in keys if key not in known}, START)


def _write_noted(noted: Noted, local: bool, streams: tuple[str, ...], tx: Writing) -> int:  # noqa: FBT001 - likewise
    tx.lock(*streams)
    rows: dict[str, str | None] = {}
    for stream in streams:
        try:
            rows |= noted.noted_by(tx, stream) if local or not _is_local(tx, stream) else {}
        except Damaged as error:
            # A damaged review gets no rows, and nothing can be decided in it either; the others get theirs.
            log.error("%s: %s", stream, error)  # noqa: TRY400 - what is wrong, not where in the program
    tx.follow(noted.name, rows, START)
    return sum(tx.known(stream, "", "").version for stream in streams)


def _is_local(reading: Reading, stream: str) -> bool:
    opened = dated(tuple(islice(reading.events(stream), 1)))
    return any(isinstance(event, ReviewOpened) and is_local_author(event.author.name) for event, _ in opened)


_NOTED = {
    OBJECTIONS: Noted(name=OBJECTIONS, noted_by=objections.noted_by, review_of=lambda key: key.partition("/")[2]),
    INHERITABLE: Noted(name=INHERITABLE, noted_by=inheriting.noted_by, review_of=inheriting.review_of),
}
#: Rows that later releases added: an older store has none of them.
ADDED = (*_NOTED, SIGNALLED)
_ASKING = (ReportRequested, RevisionRequested, RulingRequested)
RowsOf = Callable[[Changes, Held, tuple[Stored, ...]], Changes]
_ROWS: dict[str, RowsOf] = {"reviews": _list, "digests": _digests, "inbox": _inbox}
#: The projections that are rebuilt this way.
NAMES = (*_ROWS, LIVES, *_NOTED)
