"""The state of the outbox: what waits, for which target, and which targets cannot be reached."""

from __future__ import annotations

import json
from dataclasses import dataclass

from foureyes.app.ports import Reading
from foureyes.app.rows import DELIVERIES, Queued

TARGETS_MAX = 1_000
#: Row types that name their target behind the type.
_ADDRESSED = ("letter", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How it goes with one target."""

    target: str
    #: The party or person it reaches.
    whom: str = ""
    waiting: int = 0
    sent: int = 0
    failed: int = 0
    given_up: int = 0
    #: Since when deliveries fail, and why; empty if they do not.
    failing_since: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outbox:
    """All that waits, since when the oldest does, and each target there was."""

    waiting: int
    oldest: str
    targets: tuple[Delivered, ...]
    #: The queued rows by the first word of their type; the rest of the type names the target.
    types: tuple[Queued, ...] = ()


def outbox(reading: Reading) -> Outbox:
    """Return the state of the outbox."""
    queued = reading.queued()
    waits: dict[str, int] = {}
    types: dict[str, Queued] = {}
    for one in queued:
        kind, _, rest = one.type.partition(" ")
        before = types.get(kind, Queued(type=kind, count=0, oldest=one.oldest))
        types[kind] = Queued(type=kind, count=before.count + one.count, oldest=min(before.oldest, one.oldest))
        if kind in _ADDRESSED:
            target = rest.partition(" ")[0]
            waits[target] = waits.get(target, 0) + one.count
    rows = {key: json.loads(body) for key, body in reading.rows(DELIVERIES, limit=TARGETS_MAX)}
    return Outbox(
        waiting=sum(one.count for one in queued),
        oldest=min((one.oldest for one in queued), default=""),
        targets=tuple(_delivered(name, rows.get(name, {}), waits.get(name, 0)) for name in sorted({*rows, *waits})),
        types=tuple(one for _, one in sorted(types.items())),
    )


def _delivered(name: str, row: dict[str, str | int], waiting: int) -> Delivered:
    return Delivered(
        target=name,
        whom=str(row.get("whom", "")),
        waiting=waiting,
        sent=int(row.get("sent", 0)),
        failed=int(row.get("failed", 0)),
        given_up=int(row.get("given_up", 0)),
        failing_since=str(row.get("failing_since", "")),
        why=str(row.get("why", "")),
    )
