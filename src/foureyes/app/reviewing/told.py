"""What was told of one version besides what the log counts, kept so that a later look tells the same.

What a report weighs is in the log. Files nobody read, findings on older lines, retired rules and the cost of a look are
told beside it, and stay true the second time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime

from foureyes.app.ports import Reading, Writing
from foureyes.app.reviewers import Unread
from foureyes.app.reviewing.outcome import Looked, LookedKind, LookedState, NotLooked
from foureyes.app.rows import START, TOLD
from foureyes.codec.shapes import CodecError, shape

#: Of longer lists the rest is counted.
LISTED_MAX = 500
UNREADABLE = "What was told of this version before cannot be read any more; the record of what counts is whole."
_SECOND_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What people are told of one version that no gate asks for."""

    looked: tuple[Looked, ...] = ()
    not_looked: tuple[NotLooked, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[Unread, ...] = ()
    ignored: tuple[str, ...] = ()
    #: Languages that no program judges, with how many files: "TypeScript: 3 files".
    unjudged: tuple[str, ...] = ()
    policy_from: str = ""
    files: int = 0
    lines: int = 0
    #: The words that named the work on the command line; None where they are not known.
    named: str | None = None


def told(reading: Reading, review: str, revision: int) -> Told:
    """What was told of this version before; nothing where nobody looked from here."""
    body = reading.row(TOLD, _key(review, revision))
    if body is None:
        return Told()
    try:
        kept: _Kept = _take(json.loads(body))
    except (CodecError, ValueError):
        return Told(notes=(UNREADABLE,))
    return Told(
        looked=tuple(_looked(one) for one in kept.looked),
        **{one.name: getattr(kept, one.name) for one in fields(Told) if one.name != "looked"},
    )


def tell(tx: Writing, review: str, revision: int, now: Told) -> Told:
    """Add what is told now to what was told before, and keep both: whoever looks at once adds to the same."""
    tx.lock(f"{TOLD}/{review}")
    before = told(tx, review, revision)
    both = replace(
        now,
        looked=(*now.looked, *_others(before.looked, now.looked)),
        notes=tuple(dict.fromkeys((*before.notes, *now.notes))),
    )
    kept = _Kept(
        looked=tuple(_look(one) for one in both.looked),
        not_looked=both.not_looked[:LISTED_MAX],
        notes=both.notes[:LISTED_MAX],
        unread=_some(both.unread),
        ignored=both.ignored[:LISTED_MAX],
        unjudged=both.unjudged[:LISTED_MAX],
        policy_from=both.policy_from,
        files=both.files,
        lines=both.lines,
        named=both.named,
    )
    tx.follow(TOLD, {_key(review, revision): json.dumps(_put(kept), separators=(",", ":"))}, START)
    return both


def last_told(reading: Reading, here: str) -> str:
    """The review that was told last here; empty where none was, or it is no more."""
    name = reading.row(TOLD, _last_key(here)) or ""
    return name if name and reading.review(name) is not None else ""


def tell_last(tx: Writing, here: str, review: str) -> None:
    """From now on this one is meant here where none is named."""
    tx.follow(TOLD, {_last_key(here): review}, START)


def _others(before: Iterable[Looked], now: Iterable[Looked]) -> Iterable[Looked]:
    """Looks of before that nobody repeated now."""
    again = {(one.stage, one.reviewer) for one in now}
    return (one for one in before if (one.stage, one.reviewer) not in again)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """A look as it is written down: times are whole milliseconds."""

    reviewer: str
    kind: LookedKind
    state: LookedState
    stage: str
    summary: str
    milliseconds: int
    usd_micro: int | None
    tokens: int
    unread: tuple[Unread, ...]
    reason: str
    until: datetime | None
    looked_at: str
    findings: int
    older: int
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    looked: tuple[_Look, ...]
    not_looked: tuple[NotLooked, ...]
    notes: tuple[str, ...]
    unread: tuple[Unread, ...]
    ignored: tuple[str, ...]
    policy_from: str
    files: int
    lines: int
    unjudged: tuple[str, ...] = ()
    named: str | None = None


_put, _take = shape(_Kept)


def _look(one: Looked) -> _Look:
    same = {field.name: getattr(one, field.name) for field in fields(Looked) if field.name != "seconds"}
    return _Look(milliseconds=round(one.seconds * _SECOND_MS), **{**same, "unread": _some(one.unread)})


def _looked(one: _Look) -> Looked:
    same = {field.name: getattr(one, field.name) for field in fields(_Look) if field.name != "milliseconds"}
    return Looked(seconds=one.milliseconds / _SECOND_MS, **same)


def _some(many: tuple[Unread, ...]) -> tuple[Unread, ...]:
    """As many as are kept, and how many more there were."""
    rest = len(many) - LISTED_MAX
    return many if rest <= 0 else (*many[:LISTED_MAX], Unread(path="…", why=f"{rest} more, not listed"))


def _last_key(here: str) -> str:
    """The key of no version: those end with a number."""
    return f"last//{hashlib.sha256(here.encode(errors='surrogateescape')).hexdigest()}"


def _key(review: str, revision: int) -> str:
    return f"{review}/{revision:06d}"
