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

#: Longest list stored; of longer ones the rest is counted.
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
    #: Languages that no program judges, with the number of files: "TypeScript: 3 files".
    unjudged: tuple[str, ...] = ()
    policy_from: str = ""
    files: int = 0
    lines: int = 0
    #: The command line arguments that named the work; None if they are not known.
    named: str | None = None


def told(reading: Reading, review: str, revision: int) -> Told:
    """Return what was told of this version before; empty if it was never reviewed from here."""
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
    """Merge what is told now with what was told before and store it, locked so that concurrent runs add up."""
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
    """Return the review that was current here last; empty if there is none, or it no longer exists."""
    name = reading.row(TOLD, _last_key(here)) or ""
    return name if name and reading.review(name) is not None else ""


def tell_last(tx: Writing, here: str, review: str) -> None:
    """Make this the current review here, for commands that name none."""
    tx.follow(TOLD, {_last_key(here): review}, START)


def _others(before: Iterable[Looked], now: Iterable[Looked]) -> Iterable[Looked]:
    """Return earlier looks that were not repeated now."""
    again = {(one.stage, one.reviewer) for one in now}
    return (one for one in before if (one.stage, one.reviewer) not in again)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """A look as it is stored: times are whole milliseconds."""

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
    """Return as many as are stored, and how many more there were."""
    rest = len(many) - LISTED_MAX
    return many if rest <= 0 else (*many[:LISTED_MAX], Unread(path="…", why=f"{rest} more, not listed"))


def _last_key(here: str) -> str:
    """Return a key that no version has: those end with a number."""
    return f"last//{hashlib.sha256(here.encode(errors='surrogateescape')).hexdigest()}"


def _key(review: str, revision: int) -> str:
    return f"{review}/{revision:06d}"
