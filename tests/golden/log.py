"""Read a golden folder and compute what this version makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from foureyes.app.chain import ROOT, link_of
from foureyes.app.rows import Append, Entry, Stored
from foureyes.codec import decode
from foureyes.core.events import Event, PrincipalEvent, ReviewEvent, SideEvent
from foureyes.core.evolve import fold
from foureyes.core.lessons import Lessons, evolve_lessons
from foureyes.core.policies import in_force
from foureyes.core.principals import account_of
from foureyes.core.sessions import fold as fold_session
from foureyes.core.trust import TrustRecord, evolve_trust
from tests.golden.states import state_hash

HERE = Path(__file__).parent
LOG, STATES, BOOK, KEY, RECEIPT = "log.jsonl", "states.json", "checkpoints.jsonl", "key.pub", "receipt.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """One version's folder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    def events(self) -> list[Stored]:
        """The log as it was written, in order."""
        lines = (self.folder / LOG).read_text(encoding="utf-8").splitlines()
        rows = (json.loads(line) for line in lines)
        return [Stored(**{**row, "chain": bytes.fromhex(row["chain"])}, seq=seq) for seq, row in enumerate(rows, 1)]

    def states(self) -> dict[str, str]:
        """The hash of each stream's state, as computed by the version that wrote it."""
        return cast("dict[str, str]", json.loads((self.folder / STATES).read_text(encoding="utf-8")))


def versions() -> list[Golden]:
    """Every golden log, the oldest first."""
    return [Golden(folder=one) for one in sorted(HERE.glob("[0-9]*"), key=lambda one: int(one.name))]


def by_stream(events: Iterable[Stored]) -> dict[str, list[Stored]]:
    """The events of each stream."""
    found: dict[str, list[Stored]] = {}
    for one in events:
        found.setdefault(one.stream, []).append(one)
    return found


def broken_links(events: Iterable[Stored]) -> list[str]:
    """Events whose link is not what this version computes."""
    return [
        f"{stream}@{one.version}"
        for stream, some in by_stream(events).items()
        for before, one in zip((ROOT, *(one.chain for one in some)), some, strict=False)
        if link_of(before, one) != one.chain
    ]


def event_of(one: Stored) -> Event:
    """Decode an event with this version."""
    return decode({"type": one.type, "schema": one.schema, "body": json.loads(one.body)})


def hashes(events: Iterable[Stored], without: frozenset[str] = frozenset()) -> dict[str, str]:
    """The state hash of each stream as folded by this version, without the given fields."""
    return {stream: state_hash(state, without) for stream, state in folded(events).items()}


def folded(events: Iterable[Stored]) -> dict[str, object]:
    """The state of each stream."""
    return {stream: _folded(stream, some) for stream, some in sorted(by_stream(events).items())}


def _folded(stream: str, stored: list[Stored]) -> object:  # noqa: PLR0911 - one for each sort of stream
    sort, _, name = stream.partition("/")
    events = [(event_of(one), datetime.fromisoformat(one.at)) for one in stored]
    if sort == "review":
        return fold(cast("ReviewEvent", event) for event, _ in events)
    beside = cast("list[tuple[SideEvent, datetime]]", events)
    match sort:
        case "session":
            return fold_session(name, beside)
        case "lessons":
            lessons: Lessons = ()
            for event, at in beside:
                lessons = evolve_lessons(lessons, event, at)
            return lessons
        case "trust":
            kind, _, author = name.partition("/")
            record = TrustRecord(kind=kind, author=author)
            for event, at in beside:
                record = evolve_trust(record, event, at)
            return record
        case "principal":
            return account_of(cast("PrincipalEvent", event) for event, _ in beside)
        case "policy":
            return in_force(event for event, _ in beside)
        case _:
            return [event for event, _ in beside]


def appends(events: Iterable[Stored]) -> list[Append]:
    """The events as appends to a store."""
    return [
        Append(
            stream=one.stream,
            after=one.version - 1,
            at=one.at,
            actor=one.actor,
            cause=one.cause,
            entries=(Entry(type=one.type, schema=one.schema, body=one.body, chain=one.chain),),
        )
        for one in events
    ]


def line_of(one: Stored) -> str:
    """An event as a line of the file."""
    row: dict[str, Any] = {
        "stream": one.stream,
        "version": one.version,
        "type": one.type,
        "schema": one.schema,
        "at": one.at,
        "actor": one.actor,
        "cause": one.cause,
        "body": one.body,
        "chain": one.chain.hex(),
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))
