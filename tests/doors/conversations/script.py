"""The script of a conversation: acts in order, each with caller, call, arguments and a name for its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from foureyes.core.rules import Protocol

#: The human of every conversation, who always comes over HTTP.
HUMAN = "sue"
OK = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class The:
    """A value in an earlier answer, by its path."""

    path: str


def the(path: str) -> The:
    """The value at a path of a named answer, as in `seen.review.findings.0.finding`; in a list also `raiser=ann`."""
    return The(path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One call by one player."""

    who: str
    call: str
    takes: Mapping[str, Any] = field(default_factory=dict)
    #: The name by which later acts refer to its answer.
    known: str = ""
    #: The expected result: `ok` or the code of the refusal.
    comes: str = OK
    #: Expected values in its answer, by path.
    says: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Time passes."""

    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One of the five systems at work."""

    name: str
    #: The players with their roles.
    cast: Mapping[str, tuple[str, ...]]
    acts: tuple[Act | Pause, ...]
    #: The events that each stream must contain, so that two empty logs do not count as equal.
    happens: Mapping[str, str]
    #: Protocols that differ from the usual ones, and other fields of the rules.
    styles: tuple[Protocol, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    #: Whether reviewers count as having read the work; otherwise they need an act that reads it.
    reads: bool = True

    def __str__(self) -> str:
        """The id in the list of tests."""
        return self.name


def found(answers: Mapping[str, Any], path: str) -> Any:
    """Follow a path through the earlier answers."""
    value: Any = answers
    for step in path.split("."):
        name, equals, wanted = step.partition("=")
        if equals:
            value = next(one for one in value if one[name] == wanted)
        else:
            value = value[int(step) if isinstance(value, list) else step]
    return value


def meant(words: Any, answers: Mapping[str, Any]) -> Any:
    """The arguments with every reference replaced by its value."""
    match words:
        case The(path=path):
            return found(answers, path)
        case Mapping():
            return {name: meant(one, answers) for name, one in words.items()}
        case list() | tuple():
            return [meant(one, answers) for one in words]
        case _:
            return words
