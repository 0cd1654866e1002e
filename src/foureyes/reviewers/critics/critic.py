"""What is a critic? A program that says block, unknown or clear, with the place and the rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from foureyes.app.reviewers import Change, Unread


class State(IntEnum):
    """What a critic says; the gravest counts. Unknown is not clear."""

    CLEAR = 0
    UNKNOWN = 1
    BLOCK = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing a critic looks for; `foureyes rules` lists them all."""

    #: Like `security.destructive.delete-root`; stable, people retire rules by it.
    id: str
    title: str
    why: str
    fix: str
    #: `critical`, `important` or `minor`: the severity of what it finds where nothing else is said.
    severity: str = "important"
    category: str = "security"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A rule met at a place. A hit of state CLEAR is a note. No text here may contain a secret."""

    rule: Rule
    path: str
    line: int = 0
    end: int = 0
    state: State = State.BLOCK
    #: What is wrong here, in one sentence; empty: the rule's title.
    text: str = ""
    #: What was seen, secrets cut out.
    evidence: str = ""
    #: How to mend it; empty: the rule's own.
    fix: str = ""
    #: Empty: the rule's own.
    severity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a critic says of a whole work."""

    hits: tuple[Hit, ...] = ()
    #: What it wanted to read and could not.
    unread: tuple[Unread, ...] = ()
    #: What it looked at, in words: "12 shell commands, 3 SQL statements".
    looked_at: str = ""

    @property
    def state(self) -> State:
        """The gravest of all hits."""
        return max((one.state for one in self.hits), default=State.CLEAR)


class Critic(Protocol):
    """A program with rules. It reads the work it is given and nothing else, and it cannot change it.

    It may report hits on any line: what is not this work's own is taken out by whoever runs it.
    """

    @property
    def name(self) -> str: ...
    @property
    def scope(self) -> str:
        """One of the seven scopes of the chains, or empty."""

    @property
    def rules(self) -> tuple[Rule, ...]: ...

    def look(self, change: Change) -> Judged:
        """Judge; must end in time linear in the size of the work."""


def counted(count: int, word: str) -> str:
    """A number and its word."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def judged(hits: Iterable[Hit], *, unread: Iterable[Unread] = (), looked_at: str = "") -> Judged:
    """The hits in the order of the places, each once."""
    once = dict.fromkeys(hits)
    ordered = sorted(once, key=lambda one: (one.path, one.line, one.rule.id))
    return Judged(hits=tuple(ordered), unread=tuple(unread), looked_at=looked_at)
