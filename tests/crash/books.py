"""Consistency checks of the log and all tables, whatever happened to the process that wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple

from foureyes.app.asks import Reply, kept_reply
from foureyes.app.chain import ROOT, link_of
from foureyes.app.heads import TOLD, digest_rows, inbox_rows, review_row
from foureyes.app.ports import Reading
from foureyes.app.rows import Stored
from foureyes.codec import decode
from foureyes.core.evolve import fold
from tests.crash.plays import Tables

INBOX_MAX = 1000


def disagreements(reading: Reading, tables: Tables) -> list[str]:
    """Every inconsistency: links, heads, rows of reviews, replies without events, and events without replies."""
    found: list[str] = []
    causes: set[tuple[str, str]] = set()
    told = 0
    for head in reading.heads(limit=100_000):
        events = list(reading.events(head.stream))
        causes |= {(one.actor, one.cause) for one in events}
        told += sum(one.type in TOLD for one in events)
        found += _broken_links(events)
        if (len(events), events[-1].chain if events else ROOT) != (head.version, head.chain):
            found.append(f"{head.stream} does not end as its head says")
        if head.stream.startswith("review/"):
            found += _wrong_rows(reading, events)
    found += _wrong_replies(reading, tables, causes)
    if told != len(tables["outbox"]):
        found.append(f"{told} events are to be told, {len(tables['outbox'])} are in the outbox")
    return found


def _broken_links(events: list[Stored]) -> Iterator[str]:
    previous = ROOT
    for version, one in enumerate(events, start=1):
        if one.version != version or one.chain != link_of(previous, one):
            yield f"the link of {one.stream} {one.version} is broken"
        previous = one.chain


def _wrong_rows(reading: Reading, events: list[Stored]) -> Iterator[str]:
    review = fold([decode(_written(one)) for one in events])  # type: ignore[misc]
    row = reading.review(review.id)
    if row is None or row != review_row(review, opened=events[0].at, updated=events[-1].at):
        yield f"the row of review {review.id} is not what its log says: {row}"
    for digest in digest_rows(review):
        if digest not in reading.digests(digest.digest):
            yield f"review {review.id} says of {digest.digest} something else than its row"
    owed = inbox_rows(review)
    names = {one.who for one in owed}
    kept = {one for name in names for one in reading.inbox(name, limit=INBOX_MAX) if one.review == review.id}
    if kept != set(owed):
        yield f"the inbox has {sorted(map(astuple, kept))} for review {review.id}, not {sorted(map(astuple, owed))}"


def _written(stored: Stored) -> dict[str, object]:
    return {"type": stored.type, "schema": stored.schema, "body": json.loads(stored.body)}


def _wrong_replies(reading: Reading, tables: Tables, causes: set[tuple[str, str]]) -> Iterator[str]:
    answered = {(str(row[0]), str(row[1])) for row in tables["answered"]}
    for asker, key in answered:
        known = reading.known("", asker.strip("'"), key.strip("'"))
        reply = kept_reply(known.reply)
        happened = (asker.strip("'"), key.strip("'")) in causes
        if isinstance(reply, Reply) != happened:
            yield f"{asker} got {reply} for {key}, and its events are {'there' if happened else 'not there'}"
    if missing := [cause for cause in causes if (repr(cause[0]), repr(cause[1])) not in answered]:
        yield f"events without a reply: {missing}"
