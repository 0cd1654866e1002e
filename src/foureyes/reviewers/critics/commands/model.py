"""What is one command as the shell would start it, and what can be said of it?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from foureyes.reviewers.critics.critic import Rule, State

#: Stands in a word for what cannot be known from the text; no shell word can hold it.
HOLE = "\0"
#: Behind a hole: a test or `:?` stops the script when it is empty; it comes from the network; it may be a secret; it
#: is what a program of this machine printed.
GUARDED, REMOTE, SECRET, LOCAL = "\x04", "\x05", "\x06", "\x07"
MARKS = GUARDED + REMOTE + SECRET + LOCAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One rule met by one command."""

    rule: Rule
    state: State = State.BLOCK
    text: str = ""
    severity: str = ""
    #: The line inside what the command was fed; 0: the command's own.
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What a command is fed: the text where it can be worked out, and what is known of where it comes from."""

    #: None: it is fed something, but not known what.
    text: str | None = ""
    #: Some of `network`, `decoded`, `secret`, `file`.
    traits: frozenset[str] = frozenset()
    #: Whether anything is fed at all.
    fed: bool = False
    #: The commands it came from, as people read them; only where that matters.
    origin: str = ""
    #: The line where the text stands in the file; 0 where it stands nowhere.
    line: int = 0


NOTHING = Stream()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A program with its words, wrappers taken off; a word may hold a HOLE."""

    name: str
    args: tuple[str, ...]
    stdin: Stream = NOTHING
    #: Started through sudo, doas, su, pkexec.
    root: bool = False
    #: The folder the script went to with `cd`; empty: where it was started.
    cwd: str = ""
    #: Folders this same script made, so that it may take them away again.
    made: AbstractSet[str] = frozenset()
    #: The words stand for files whose names come from a pipe or a search.
    spread: bool = False
    #: A script of the project itself, not a tool of the machine.
    own: bool = False


Judge = Callable[[Call], Iterable[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The tools of one field and the rules they can break."""

    rules: tuple[Rule, ...]
    tools: Mapping[str, Judge]


def rule(name: str, title: str, why: str, fix: str, severity: str = "important") -> Rule:
    """A rule of this critic; its id is what people retire it by."""
    return Rule(id=f"security.{name}", title=title, why=why, fix=fix, severity=severity)


T = TypeVar("T")


def each(names: str, value: T) -> dict[str, T]:
    """The same for every one of these names."""
    return dict.fromkeys(names.split(), value)


def words(names: str) -> frozenset[str]:
    """A set of words, written as they are spoken."""
    return frozenset(names.split())


def without_marks(text: str) -> str:
    """The text as people read it, with an ellipsis for what is not known."""
    return text.replace(HOLE, "…").translate(_NO_MARKS)


_NO_MARKS = {ord(one): None for one in MARKS}
