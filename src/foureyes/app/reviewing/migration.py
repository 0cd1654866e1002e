"""Move local reviews that an earlier release kept in a server's store into the store that is for them, once.

The server's log stays as it is: append-only, and whole under its checkpoints. Everything else of these reviews leaves
the server's store: rows of lists, inboxes and the outbox, what projections and track records counted, and the bytes.
To a server's gate they are not there. Copying comes first and removing last, so a move that is cut off is done again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import cast

from foureyes.app import inheriting, objections
from foureyes.app.policies import Policies
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections import PROJECTIONS, beside_log
from foureyes.app.projections.anew import make_anew
from foureyes.app.projections.recount import RulesOf, recount
from foureyes.app.reviewing.dismissals import Dismissal, dismissal_of, keep
from foureyes.app.rows import INHERITABLE, OBJECTIONS, SERVED, START, TOLD, Append, Changes, Entry, ReviewRow, Stored
from foureyes.app.shelf import dated
from foureyes.codec.shapes import shape
from foureyes.core.events import FindingWaived, ReviewEvent
from foureyes.core.evolve import evolve
from foureyes.core.local import AUTHOR_MARK
from foureyes.core.model import Review

PAGE = 500
ROWS_MAX = 10_000
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COPIED = ("reviews", "digests", "inbox", OBJECTIONS, INHERITABLE)
_when = shape(datetime)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One review as it is copied: its events, its bytes, and what was told of its versions."""

    review: Review
    past: tuple[Stored, ...]
    blobs: Mapping[str, bytes]
    told: Mapping[str, str]
    dismissed: tuple[Dismissal, ...]


async def move(server: Store, local: Store, author: str, policies: Policies) -> int:
    """Copy this author's local reviews into the local store, and take all local ones out of the server's; how many."""
    found = [one.review for one in await server.read(partial(_all, author))]
    for name in found:
        exported = await server.read(partial(_export, name))
        await local.write(partial(_import, exported))
    if found:
        for table in _COPIED:
            await beside_log.write_anew(local, table, local=True)
    await hide(server, policies)
    return len(found)


async def hide(server: Store, policies: Policies) -> int:
    """Take every local review out of a server's store, whoever's it is, so that nothing of it is served; how many."""
    names = [one.review for one in await server.read(partial(_all, AUTHOR_MARK))]
    if not names:
        return 0
    named = await server.read(partial(_named_elsewhere, frozenset(names)))
    for projection in PROJECTIONS.values():
        await make_anew(server, projection)
    rules_of: RulesOf = policies.rules
    await recount(server, rules_of)
    for name in names:
        await server.write(partial(_unlist, name, named))
    return len(names)


def _all(ending: str, reading: Reading) -> tuple[ReviewRow, ...]:
    return reading.reviews_by(ending, ROWS_MAX)


def _export(name: str, reading: Reading) -> Exported:
    past = tuple(reading.events(f"review/{name}"))
    review, dismissed = _folded(past)
    wanted = {*_digests(review), review.rules}
    blobs = {one: blob.content for one in wanted if (blob := reading.blob(one)) and blob.content is not None}
    told = dict(reading.rows(TOLD, f"{name}/", limit=ROWS_MAX))
    return Exported(review=review, past=past, blobs=blobs, told=told, dismissed=dismissed)


def _folded(past: tuple[Stored, ...]) -> tuple[Review, tuple[Dismissal, ...]]:
    review: Review | None = None
    found = list[Dismissal]()
    for event, at in dated(past):
        review = evolve(review, cast("ReviewEvent", event))
        if isinstance(event, FindingWaived):
            found += filter(None, [dismissal_of(review, event, where=review.origin.task, at=_when(at))])
    return cast("Review", review), tuple(found)


def _import(one: Exported, tx: Writing) -> None:
    """Write a review's events with the links they have; what is there already is left alone."""
    stream = f"review/{one.review.id}"
    if tx.known(stream, "", "").version:
        return
    tx.apply(Changes(appends=tuple(map(_append, one.past)), blobs=one.blobs))
    tx.follow(TOLD, one.told, START)
    for dismissal in one.dismissed:
        keep(tx, dismissal)


def _append(one: Stored) -> Append:
    entry = Entry(type=one.type, schema=one.schema, body=one.body, chain=one.chain)
    return Append(
        stream=one.stream, after=one.version - 1, at=one.at, actor=one.actor, cause=one.cause, entries=(entry,)
    )


def _named_elsewhere(local: frozenset[str], reading: Reading) -> frozenset[str]:
    """Digests that any other stream of the log names: those bytes are the server's too."""
    found, cursor = set[str](), START
    while page := reading.tail(cursor, PAGE):
        for one in page:
            if one.stream.removeprefix("review/") not in local:
                found.update(_DIGEST.findall(one.body))
        cursor = page[-1].cursor
    return frozenset(found)


def _unlist(name: str, named: frozenset[str], tx: Writing) -> None:
    stream = f"review/{name}"
    tx.lock(stream)
    review, _ = _folded(tuple(tx.events(stream)))
    for table, keys in (
        (OBJECTIONS, objections.noted_by(tx, stream)),
        (INHERITABLE, inheriting.noted_by(tx, stream)),
        (TOLD, _keys(tx, TOLD, name)),
        (SERVED, _keys(tx, SERVED, name)),
    ):
        tx.follow(table, dict.fromkeys(keys), START)
    gone = [one for one in _digests(review) if one not in named]
    tx.unlist(name, dict.fromkeys(one.digest for one in review.revisions), gone)


def _keys(reading: Reading, table: str, name: str) -> Iterable[str]:
    return [key for key, _ in reading.rows(table, f"{name}/", limit=ROWS_MAX)]


def _digests(review: Review) -> Iterable[str]:
    """The bytes of every version, and of what it was compared with."""
    return dict.fromkeys(part.digest for one in review.revisions for part in (*one.parts, *one.before))
