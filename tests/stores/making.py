"""Short ways to write rows into a store in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from foureyes.app.ports import Conflict, Reading, Store, Writing
from foureyes.app.rows import (
    Answered,
    Append,
    Changes,
    DigestRow,
    Entry,
    InboxRow,
    OutboxRow,
    ReviewRow,
    Stored,
    TrustRow,
)

T = TypeVar("T")

A, B, C = "a" * 64, "b" * 64, "c" * 64
GIT_TREE = "9" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A store and the event loop it is used from, so that a test reads from top to bottom."""

    store: Store
    runner: asyncio.Runner
    #: Runs a statement on a separate connection, bypassing the store; None for the memory store.
    raw: Callable[[str], object] | None = None

    def read(self, work: Callable[[Reading], T]) -> T:
        return self.runner.run(self.store.read(work))

    def write(self, work: Callable[[Writing], T]) -> T:
        return self.runner.run(self.store.write(work))

    def put(self, **changes: Any) -> None:
        """Write these changes in one transaction."""
        self.write(lambda tx: tx.apply(Changes(**changes)))

    def run(self, story: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(story)


async def insist(store: Store, work: Callable[[Writing], T]) -> T:
    """Retry after each conflict, as the gate does."""
    while True:
        try:
            return await store.write(work)
        except Conflict:
            continue


def at(minute: int) -> str:
    return f"2026-01-05T{9 + minute // 60:02}:{minute % 60:02}:00.000000Z"


def link(number: int) -> bytes:
    return number.to_bytes(32, "big")


def append(stream: str, after: int, *bodies: str, actor: str = "ann", cause: str = "key") -> Append:
    """Events that follow the first `after` of a stream; the link of the n-th is n."""
    entries = tuple(
        Entry(type="Noted", schema=1, body=body, chain=link(number))
        for number, body in enumerate(bodies, start=after + 1)
    )
    return Append(stream=stream, after=after, at=at(after), actor=actor, cause=cause, entries=entries)


def grow(tx: Writing, stream: str, body: str = "{}") -> int:
    """Append one event at the current end of a stream."""
    end = tx.known(stream, "", "").version
    tx.apply(Changes(appends=(append(stream, end, body),)))
    return end + 1


def bodies(events: tuple[Stored, ...]) -> list[str]:
    return [one.body for one in events]


def review(name: str, **other: Any) -> ReviewRow:
    row = ReviewRow(
        review=name,
        kind="code",
        title="A title",
        author="ann",
        state="open",
        waits="reviewer",
        revision=1,
        digest=A,
        opened=at(0),
        updated=at(1),
    )
    return replace(row, **other)


def owed(who: str, request: str = "r1", **other: Any) -> InboxRow:
    row = InboxRow(
        review="review-1", request=request, kind="report", who=who, held=True, queued=False, revision=1, due=at(10)
    )
    return replace(row, **other)


def answered(key: str, asker: str = "ann") -> Answered:
    return Answered(asker=asker, key=key, body_hash=A, reply=f'{{"reply":"{key}"}}', at=at(0))


def record(kind: str, author: str, body: str = "{}", checksum: str = "sum") -> TrustRow:
    return TrustRow(kind=kind, author=author, body=body, checksum=checksum)


def everything(number: int) -> Changes:
    """Changes of every table."""
    name = f"review-{number}"
    return Changes(
        appends=(append(f"review/{name}", 0, '{"one":1}', "{}"), append(f"target/{name}", 0, "{}")),
        reviews=(review(name),),
        digests=(DigestRow(digest=A, review=name, cleared=True, vetoed=False),),
        inbox=(owed("bob", review=name), owed("carl", review=name)),
        outbox=(OutboxRow(stream=f"review/{name}", version=1, type="Noted", at=at(0)),),
        trust=(record("code", name),),
        aliases=((f"{number:040}", A),),
        blobs={f"{number:064}": b"bytes"},
        answered=answered(f"key-{number}"),
    )


def look(reading: Reading, number: int) -> tuple[object, ...]:
    """Read back the changes of every table."""
    name = f"review-{number}"
    return (
        reading.known(f"review/{name}", "ann", f"key-{number}"),
        bodies(tuple(reading.events(f"review/{name}"))),
        bodies(tuple(reading.events(f"target/{name}"))),
        [one.stream for one in reading.heads() if name in one.stream],
        [one.stream for one in reading.tail((0, 0)) if name in one.stream],
        reading.review(name),
        [one for one in reading.digests(A) if one.review == name],
        [one.review for one in reading.digests(f"{number:040}") if one.review == name],
        [one for one in reading.inbox("bob") if one.review == name],
        reading.trust("code", name),
        reading.blob(f"{number:064}"),
    )
