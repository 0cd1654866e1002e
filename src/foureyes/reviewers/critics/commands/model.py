"""Data classes for one command as the shell would start it, and for what is found in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from foureyes.reviewers.critics.critic import Rule, State

#: Placeholder in a word for what cannot be known from the text; no shell word can contain it.
HOLE = "\0"
#: Marks after a HOLE: GUARDED: a test or `:?` stops the script when it is empty; REMOTE: it comes from the network;
#: SECRET: it may be a secret; LOCAL: it is the output of a program of this machine.
GUARDED, REMOTE, SECRET, LOCAL = "\x04", "\x05", "\x06", "\x07"
MARKS = GUARDED + REMOTE + SECRET + LOCAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One rule that one command breaks."""

    rule: Rule
    state: State = State.BLOCK
    text: str = ""
    severity: str = ""
    #: The line inside what the command was fed; 0 for the command's own line.
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What a command is fed: the text if it can be computed, and what is known of its origin."""

    #: None if something is fed but its text is unknown.
    text: str | None = ""
    #: Some of `network`, `decoded`, `secret`, `file`, `shell`.
    traits: frozenset[str] = frozenset()
    #: True if anything is fed at all.
    fed: bool = False
    #: The commands it came from, as people read them; only set where that matters.
    origin: str = ""
    #: The line of the file where the text begins; 0 if it is not in the file.
    line: int = 0


NOTHING = Stream()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A program with its arguments, without wrappers; an argument may contain a HOLE."""

    name: str
    args: tuple[str, ...]
    stdin: Stream = NOTHING
    #: True if started through sudo, doas, su or pkexec.
    root: bool = False
    #: The folder the script changed to with `cd`; empty for the folder it was started in.
    cwd: str = ""
    #: Folders that the same script created, so that it may delete them.
    made: AbstractSet[str] = frozenset()
    #: True if the words stand for files whose names come from a pipe or a search.
    spread: bool = False
    #: True for a script of the project, not a tool of the machine.
    own: bool = False


Judge = Callable[[Call], Iterable[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The tools of one field and the rules they can break."""

    rules: tuple[Rule, ...]
    tools: Mapping[str, Judge]


def rule(name: str, title: str, why: str, fix: str, severity: str = "important") -> Rule:
    """Return a rule of this critic; its id is the name by which people retire it."""
    return Rule(id=f"security.{name}", title=title, why=why, fix=fix, severity=severity)


T = TypeVar("T")


def each(names: str, value: T) -> dict[str, T]:
    """Map each of these names to the same value."""
    return dict.fromkeys(names.split(), value)


def words(names: str) -> frozenset[str]:
    """Return the set of words in a text."""
    return frozenset(names.split())


def without_marks(text: str) -> str:
    """Return the text as people read it, with an ellipsis for each unknown part."""
    return text.replace(HOLE, "…").translate(_NO_MARKS)


_NO_MARKS = {ord(one): None for one in MARKS}
