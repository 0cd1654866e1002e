"""Moves local reviews that an earlier release kept in a server's store into their owners' own stores, once.

First everything of these reviews except their events is removed from the server's store, for all owners: rows of lists,
inboxes and the outbox, what projections and track records counted, and the bytes. The log stays as it is: append-only,
and whole under its checkpoints. What the owners need besides it is set aside in rows that no call reads. Each owner's
next run copies their own reviews and removes those rows; an interrupted move continues where it ended.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
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
from foureyes.app.rows import (
    INHERITABLE,
    OBJECTIONS,
    SERVED,
    START,
    TOLD,
    UNMOVED,
    Append,
    Changes,
    Entry,
    Stored,
    unmoved_bytes,
)
from foureyes.app.shelf import dated
from foureyes.codec.shapes import shape
from foureyes.core.events import FindingWaived, ReviewEvent, ReviewOpened
from foureyes.core.evolve import evolve
from foureyes.core.local import AUTHOR_MARK, is_local_author
from foureyes.core.model import Review

PAGE = 500
ROWS_MAX = 10_000
#: Key prefix of what was set aside of a review; its author and its name follow.
_REVIEW = "review/"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """What a local review needs besides its events: the digests of its bytes, and what was told of its versions."""

    digests: tuple[str, ...]
    told: Mapping[str, str]


_put, _take = shape(SetAside)


async def move(server: Store, local: Store, author: str, policies: Policies) -> None:
    """Take all local reviews out of a server's store, and move this author's into the local one."""
    await set_aside(server, policies)
    while keys := await server.read(partial(_keys_of, author)):
        for key in keys:
            exported = await server.read(partial(_export, key))
            if exported is not None:
                await local.write(partial(_import, exported))
        for table in _COPIED:
            await beside_log.write_anew(local, table, local=True)
        await server.write(partial(_drop, keys))


async def set_aside(server: Store, policies: Policies) -> None:
    """Take the local reviews of all owners out of a server's store, and keep what each owner needs."""
    if not await server.read(_listed):
        return
    for projection in PROJECTIONS.values():
        await make_anew(server, projection)
    rules_of: RulesOf = policies.rules
    await recount(server, rules_of)
    named = await server.read(_named_elsewhere) | {policies.default.digest}
    while names := await server.read(_listed):
        for name in names:
            await server.write(partial(_unlist, name, named))


def is_fetched(author: str, reading: Reading) -> bool:
    """True if no local review of this author is set aside any more."""
    return not reading.rows(UNMOVED, _of(author), limit=1)


def _listed(reading: Reading) -> tuple[str, ...]:
    return tuple(one.review for one in reading.reviews_by(AUTHOR_MARK, PAGE))


def _of(author: str) -> str:
    """Return the key prefix of what was set aside for an author; the name of the review follows."""
    return f"{_REVIEW}{author}/"


def _keys_of(author: str, reading: Reading) -> tuple[str, ...]:
    return tuple(key for key, _ in reading.rows(UNMOVED, _of(author), limit=ROWS_MAX))


def _export(key: str, reading: Reading) -> Exported | None:
    """Return what is copied of a review; None if another run of its owner was faster."""
    body = reading.row(UNMOVED, key)
    if body is None:
        return None
    kept, past = _read(body), tuple(reading.events(f"review/{key.rpartition('/')[2]}"))
    review, dismissed = _folded(past)
    texts = {one: reading.row(UNMOVED, unmoved_bytes(one)) for one in kept.digests}
    blobs = {one: zlib.decompress(base64.b64decode(text)) for one, text in texts.items() if text is not None}
    return Exported(review=review, past=past, blobs=blobs, told=kept.told, dismissed=dismissed)


def _read(body: str) -> SetAside:
    kept: SetAside = _take(json.loads(body))
    return kept


def _drop(keys: Sequence[str], tx: Writing) -> None:
    """Remove what was fetched: the rows, and the bytes that no other review needs."""
    bodies = filter(None, (tx.row(UNMOVED, key) for key in keys))
    fetched = {digest for body in bodies for digest in _read(body).digests}
    tx.follow(UNMOVED, dict.fromkeys(keys), START)
    after = ""
    while page := tx.rows(UNMOVED, _REVIEW, after, PAGE):
        fetched.difference_update(digest for _, body in page for digest in _read(body).digests)
        after = page[-1][0]
    tx.follow(UNMOVED, dict.fromkeys(map(unmoved_bytes, fetched)), START)
    for key in keys:
        # Nothing is left to unlist; this tells the store that bytes were removed, so that no journal keeps them.
        tx.unlist(key.rpartition("/")[2], (), ())


def _folded(past: tuple[Stored, ...]) -> tuple[Review, tuple[Dismissal, ...]]:
    review: Review | None = None
    found = list[Dismissal]()
    for event, at in dated(past):
        review = evolve(review, cast("ReviewEvent", event))
        if isinstance(event, FindingWaived):
            found += filter(None, [dismissal_of(review, event, where=review.origin.task, at=_when(at))])
    return cast("Review", review), tuple(found)


def _import(one: Exported, tx: Writing) -> None:
    """Write a review's events with their links; a review that exists already is left alone."""
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


def _named_elsewhere(reading: Reading) -> frozenset[str]:
    """Return the digests that streams other than local reviews name: those bytes belong to the server too."""
    local = set[str]()
    found, cursor = set[str](), START
    while page := reading.tail(cursor, PAGE):
        for one in page:
            if one.version == 1 and _is_opened_locally(one):
                local.add(one.stream)
            if one.stream not in local:
                found.update(_DIGEST.findall(one.body))
        cursor = page[-1].cursor
    return frozenset(found)


def _is_opened_locally(first: Stored) -> bool:
    return any(isinstance(event, ReviewOpened) and is_local_author(event.author.name) for event, _ in dated((first,)))


def _unlist(name: str, named: frozenset[str], tx: Writing) -> None:
    stream = f"review/{name}"
    tx.lock(stream)
    review, _ = _folded(tuple(tx.events(stream)))
    _set_aside(review, tx)
    for table, keys in (
        (OBJECTIONS, objections.noted_by(tx, stream)),
        (INHERITABLE, inheriting.noted_by(tx, stream)),
        (TOLD, _keys(tx, TOLD, name)),
        (SERVED, _keys(tx, SERVED, name)),
    ):
        tx.follow(table, dict.fromkeys(keys), START)
    gone = [one for one in _digests(review) if one not in named]
    tx.unlist(name, dict.fromkeys(one.digest for one in review.revisions), gone)


def _set_aside(review: Review, tx: Writing) -> None:
    """Keep what its owner needs besides the log, in rows that no call reads."""
    rows = dict[str, str]()
    for digest in _digests(review):
        blob = tx.blob(digest)
        if blob is not None and blob.content is not None:
            rows[unmoved_bytes(digest)] = base64.b64encode(zlib.compress(blob.content, level=1)).decode()
    told = dict(tx.rows(TOLD, f"{review.id}/", limit=ROWS_MAX))
    kept = SetAside(digests=tuple(_digests(review)), told=told)
    rows[_of(review.author.name) + review.id] = json.dumps(_put(kept), separators=(",", ":"))
    tx.follow(UNMOVED, rows, START)


def _keys(reading: Reading, table: str, name: str) -> Iterable[str]:
    return [key for key, _ in reading.rows(table, f"{name}/", limit=ROWS_MAX)]


def _digests(review: Review) -> Iterable[str]:
    """Return the digests of every version, of what it was compared with, and of the policy."""
    parts = (part.digest for one in review.revisions for part in (*one.parts, *one.before))
    return dict.fromkeys((*parts, review.rules))
