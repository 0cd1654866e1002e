"""The interface of critics: programs that report block, unknown or clear, with place and rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from foureyes.app.reviewers import Change, Unread


class State(IntEnum):
    """The result of a critic; the most severe one counts. Unknown is not clear."""

    CLEAR = 0
    UNKNOWN = 1
    BLOCK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing a critic looks for; `foureyes rules` lists all rules."""

    #: For example `security.destructive.delete-root`. It must stay stable, because people retire rules by it.
    id: str
    title: str
    why: str
    fix: str
    #: `critical`, `important` or `minor`: the severity of a hit that does not set its own.
    severity: str = "important"
    category: str = "security"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A rule that applies at a place. A hit with state CLEAR is a note. No text here may contain a secret."""

    rule: Rule
    path: str
    line: int = 0
    end: int = 0
    state: State = State.BLOCK
    #: What is wrong here, in one sentence; empty to use the title of the rule.
    text: str = ""
    #: What was seen, with secrets cut out.
    evidence: str = ""
    #: How to fix it; empty to use the fix of the rule.
    fix: str = ""
    #: Empty to use the severity of the rule.
    severity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The result of a critic for a whole work."""

    hits: tuple[Hit, ...] = ()
    #: Files the critic wanted to read and could not.
    unread: tuple[Unread, ...] = ()
    #: What it looked at, in words: "12 shell commands, 3 SQL statements".
    looked_at: str = ""

    @property
    def state(self) -> State:
        """Return the most severe state of all hits."""
        return max((one.state for one in self.hits), default=State.CLEAR)


class Critic(Protocol):
    """A program with rules. It reads only the work it is given, and it cannot change it.

    It may report hits on any line: the caller removes hits on lines that are not part of this work.
    """

    @property
    def name(self) -> str: ...
    @property
    def scope(self) -> str:
        """One of the seven scopes of the chains, or empty."""

    @property
    def rules(self) -> tuple[Rule, ...]: ...

    def look(self, change: Change) -> Judged:
        """Judge the change; must end in time linear in the size of the work."""


def counted(count: int, word: str) -> str:
    """Return a number and its word, in the plural if needed."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def judged(hits: Iterable[Hit], *, unread: Iterable[Unread] = (), looked_at: str = "") -> Judged:
    """Return a result with the hits sorted by place, without duplicates."""
    once = dict.fromkeys(hits)
    ordered = sorted(once, key=lambda one: (one.path, one.line, one.rule.id))
    return Judged(hits=tuple(ordered), unread=tuple(unread), looked_at=looked_at)
