"""Write a store of a million reviews in minutes, through the codec and the store's own rows.

One in four reviews is a whole lifecycle of eighteen events, the others were approved at once; a fixed number is open.
What differs between two reviews (author, work, bytes) is encoded for each; the rest is encoded once. Every hash chain
is valid, so that the gate says yes to each cleared review. A thousand reviews make a day. `bulk_postgres.py` writes
the same reviews into PostgreSQL.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

from bench.story import AUTHOR, CHECKED, FINDINGS, POLICY, REVIEWER, gate_on, lifecycle, opened, opening, work
from foureyes.app.asks import Ask
from foureyes.app.chain import ROOT, link_of
from foureyes.app.gate import new_key
from foureyes.app.inheriting import parties
from foureyes.app.projections.metrics import METRICS, TOTALS
from foureyes.app.projections.pairings import PAIRINGS
from foureyes.app.projections.projection import VERSION_KEY, key
from foureyes.app.rows import INHERITABLE, Answered, Append, Changes, DigestRow, Entry, InboxRow, ReviewRow, Stored
from foureyes.app.shelf import dated
from foureyes.app.trusting import to_row
from foureyes.app.work import Work, work_of
from foureyes.codec import encode
from foureyes.codec.shapes import spelled
from foureyes.core.commands import SubmitReport
from foureyes.core.events import Event, ReportSubmitted, ReviewCleared, ReviewOpened, RevisionSubmitted
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Origin, Severity, Who
from foureyes.policy.policy import policy_text
from foureyes.store.migrate import migrate
from foureyes.store.sqlite import SqliteDriver, SqliteWriting

BATCH = 2_000
AHEAD = 4
MAKERS = 2
PIECE_BYTES = 16 * 1024 * 1024
A_DAY = 1_000
OPEN = 200
LONG_EVERY = 4
KINDS = tuple(f"kind-{number}" for number in range(20))
AUTHORS = tuple(replace(AUTHOR, name=f"author-{number}") for number in range(50))
REVIEWERS = (REVIEWER.name, *(f"reviewer-{number}" for number in range(1, 10)))
REPLY = '["review/000000000000",3,["ReviewOpened"],"open"]'
BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
#: The file is temporary, so it need not survive a power cut.
_SETTINGS = ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -3000000")
_DIFFERENT = (ReviewOpened, RevisionSubmitted, ReportSubmitted, ReviewCleared)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """The events of a review that was really played, with those that are identical in every copy encoded once."""

    events: tuple[Event, ...]
    revisions: int
    written: tuple[tuple[str, int, str] | None, ...]

    @classmethod
    def of(cls, events: tuple[Event, ...]) -> Pattern:
        """Encode the events that never differ."""
        written = tuple(None if isinstance(one, _DIFFERENT) else _written(one) for one in events)
        revisions = sum(isinstance(one, RevisionSubmitted) for one in events)
        return cls(events=events, revisions=revisions, written=written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """The reviews that are copied."""

    long: Pattern
    short: Pattern
    open: Pattern
    #: The inbox row of the open review.
    owed: InboxRow


async def patterns() -> Patterns:
    """Play each review once and record its events."""
    async with opened("memory") as store:
        gate = gate_on(store)
        long = await lifecycle(gate, 0)
        short = await gate.handle(opening(1))
        approving = SubmitReport(revision=1, verdict="approve", evidence=(CHECKED,))
        ask = Ask(actor=REVIEWER, key=new_key(), command=approving, stream=short.stream)
        await gate.handle(replace(ask, loaded=work(1, 1).digest))
        waiting = await gate.handle(opening(2))

        async def events(stream: str) -> Pattern:
            stored = await store.read(lambda look: tuple(look.events(stream)))
            return Pattern.of(tuple(event for event, _ in dated(stored)))

        return Patterns(
            long=await events(long.stream),
            short=await events(short.stream),
            open=await events(waiting.stream),
            owed=(await store.read(lambda look: look.inbox(REVIEWER.name)))[0],
        )


def name_of(number: int) -> str:
    """The review's id: spread over the alphabet like those the gate mints."""
    return f"{(number * 0x9E3779B97F4A7C15) % 2**64:016x}"[:12]


def bytes_of(number: int, revision: int) -> Work:
    """The bytes of a revision: few, but unique."""
    return work_of({"transfer.py": f"# {number}.{revision}\n".encode()})


def last_digest(number: int, size: int) -> str:
    """The digest that a review of a set of this size has cleared, or waits with."""
    long = number % LONG_EVERY == 0 and number < size - OPEN
    return bytes_of(number, 2 if long else 1).digest


def write(path: Path, size: int, known: Patterns, *, makers: int = MAKERS) -> float:
    """Make a store with so many reviews; how many seconds it took. No makers: all in this process."""
    begun = time.perf_counter()
    migrate(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
        for batch in _batches(size, known, makers):
            connection.execute("BEGIN")
            tx = SqliteWriting(SqliteDriver(connection))
            for changes in batch:
                tx.apply(changes)
            connection.execute("COMMIT")
        connection.execute("BEGIN")
        end = (0, connection.execute("SELECT MAX(seq) FROM log").fetchone()[0])
        tx = SqliteWriting(SqliteDriver(connection))
        tx.apply(standing())
        for projection, rows in sums(size):
            tx.follow(projection, rows, end)
        connection.execute("COMMIT")
    _warm(path)
    return time.perf_counter() - begun


def _warm(path: Path) -> None:
    """Read the whole file into the page cache: what was written first may have been evicted."""
    with path.open("rb") as file:
        while file.read(PIECE_BYTES):
            pass


def _batches(size: int, known: Patterns, makers: int) -> Iterator[list[Changes]]:
    """Yield batches that other processes make while this one writes; only a few batches wait."""
    if not makers:
        yield from (_batch(first, size, known) for first in range(0, size, BATCH))
        return
    with ProcessPoolExecutor(makers, mp_context=get_context("spawn")) as other:
        waiting: deque[Future[list[Changes]]] = deque()
        for first in range(0, size, BATCH):
            waiting.append(other.submit(_batch, first, size, known))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _batch(first: int, size: int, known: Patterns) -> list[Changes]:
    """All of a batch as one change, in the order of each table's key, followed by the kept replies."""
    found = [review(number, size, known) for number in range(first, min(first + BATCH, size))]
    merged = Changes(
        appends=tuple(one for each in found for one in each.appends),
        reviews=tuple(one for each in found for one in each.reviews),
        digests=tuple(sorted((one for each in found for one in each.digests), key=lambda one: one.digest)),
        inbox=tuple(one for each in found for one in each.inbox),
        aliases=tuple(sorted(one for each in found for one in each.aliases)),
        blobs=dict(sorted((digest, content) for each in found for digest, content in each.blobs.items())),
        along=dict(sorted((key, text) for each in found for key, text in each.along.items())),
    )
    replies = sorted((one.answered for one in found if one.answered), key=lambda one: (one.asker, one.key))
    return [merged, *(Changes(answered=one) for one in replies)]


def review(number: int, size: int, known: Patterns) -> Changes:
    """Everything one review leaves in the store."""
    is_open = number >= size - OPEN
    pattern = known.open if is_open else known.long if number % LONG_EVERY == 0 else known.short
    name, author, kind = name_of(number), AUTHORS[number % len(AUTHORS)], KINDS[number % len(KINDS)]
    works = [bytes_of(number, revision + 1) for revision in range(pattern.revisions)]
    at = f"{BEGIN + timedelta(seconds=number * 86_400 // A_DAY):%Y-%m-%dT%H:%M:%S.000000Z}"
    row = ReviewRow(
        review=name,
        kind=kind,
        title=f"Transfer {number}",
        author=author.name,
        state="open" if is_open else "cleared",
        waits="reviewer" if is_open else "",
        revision=len(works),
        digest=works[-1].digest,
        opened=at,
        updated=at,
    )
    return Changes(
        appends=(_append(pattern, row, _differing(pattern, row, works)),),
        reviews=(row,),
        digests=tuple(
            DigestRow(digest=one.digest, review=name, cleared=one is works[-1] and not is_open, vetoed=False)
            for one in works
        ),
        inbox=(replace(known.owed, review=name),) if is_open else (),
        aliases=tuple((f"{int(one.digest[:40], 16):040x}", one.digest) for one in works),
        blobs={digest: content for one in works for digest, content in one.blobs.items()},
        along=_texts(name, author, works[0]) if pattern is known.long else {},
        answered=Answered(asker=author.name, key=name, body_hash=works[0].digest, reply=REPLY, at=at),
    )


def _texts(name: str, author: Who, work: Work) -> dict[tuple[str, str], str | None]:
    """What the index says of the two findings that block the first version of a long review."""
    begins = min(part.digest for part in work.parts)
    body = json.dumps({"severity": int(Severity.IMPORTANT), "stands": True})
    findings = FINDINGS[:2]
    own = parties((author,), Origin())
    return {(INHERITABLE, f"{party}/w{begins}/{name}/{one}"): body for party in own for one in findings}


def _differing(pattern: Pattern, row: ReviewRow, works: list[Work]) -> Iterable[Event]:
    """Yield the events that differ from review to review."""
    author = next(one for one in AUTHORS if one.name == row.author)
    work = works[0]
    for event in pattern.events:
        match event:
            case ReviewOpened():
                yield replace(
                    event, review=row.review, kind=row.kind, title=row.title, author=author, contributors=(author,)
                )
            case RevisionSubmitted():
                work = works[event.number - 1]
                yield replace(event, digest=work.digest, parts=work.parts, by=author, aliases=())
            case ReportSubmitted():
                yield replace(event, digest=work.digest)
            case ReviewCleared():
                yield replace(event, digest=work.digest)


def _append(pattern: Pattern, row: ReviewRow, differing: Iterable[Event]) -> Append:
    own = iter(differing)
    entries: list[Entry] = []
    stream, previous = f"review/{row.review}", ROOT
    for version, known in enumerate(pattern.written, start=1):
        kind, schema, body = known or _written(next(own))
        stored = Stored(
            seq=0,
            stream=stream,
            version=version,
            type=kind,
            schema=schema,
            at=row.opened,
            actor=row.author,
            cause=row.review,
            body=body,
            chain=b"",
        )
        previous = link_of(previous, stored)
        entries.append(Entry(type=kind, schema=schema, body=body, chain=previous))
    return Append(stream=stream, after=0, at=row.opened, actor=row.author, cause=row.review, entries=tuple(entries))


def _written(event: Event) -> tuple[str, int, str]:
    found = encode(event)
    return found["type"], found["schema"], spelled(found["body"])


def standing() -> Changes:
    """Changes that belong to no single review: the policy and the track records."""
    records = [TrustRecord(kind=kind, author=author.name) for kind in KINDS for author in AUTHORS]
    return Changes(blobs={POLICY.digest: policy_text(POLICY)}, trust=tuple(map(to_row, records)))


def sums(size: int) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of each following projection, some at a time: the sums of every day, and who reviewed whom."""
    counted = json.dumps({"opened": size, "cleared": size - OPEN, "now_open": OPEN, "now_cleared": size - OPEN})
    rows = {VERSION_KEY: str(METRICS.version), TOTALS: counted}
    for kind in KINDS:
        rows[key("kind", kind)] = counted
        rows |= {
            key("pair", kind, author.name): json.dumps({"kind": kind, "author": author.name, "opened": 1})
            for author in AUTHORS
        }
    for number in range(0, size, A_DAY):
        day = f"{BEGIN + timedelta(seconds=number * 86_400 // A_DAY):%Y-%m-%d}"
        rows[key("date", day)] = counted
        rows |= {
            key("day", day, kind, author.name, reviewer): '{"approved":1,"reviews":1}'
            for kind in KINDS
            for author in AUTHORS[:: len(REVIEWERS)]
            for reviewer in REVIEWERS
        }
        if len(rows) > BATCH:
            yield METRICS.name, rows
            rows = {}
    yield METRICS.name, rows
    pairs = {key(one.name): json.dumps(REVIEWERS * 3) for one in AUTHORS}
    yield PAIRINGS.name, {VERSION_KEY: str(PAIRINGS.version), **pairs}
