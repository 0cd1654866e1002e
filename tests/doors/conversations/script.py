"""What is a conversation? Acts in order: who asks for what, with what, and what of the answer is spoken of later."""

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
    """Something in an earlier answer, by its path."""

    path: str


def the(path: str) -> The:
    """What an answer that was named says there, as in `seen.review.findings.0.finding`; in a list also `raiser=ann`."""
    return The(path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One call by one who plays."""

    who: str
    call: str
    takes: Mapping[str, Any] = field(default_factory=dict)
    #: Under which name its answer is spoken of later.
    known: str = ""
    #: `ok`, or the code of the refusal.
    comes: str = OK
    #: What its answer must say, by path.
    says: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Time passes."""

    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One of the five systems at work."""

    name: str
    #: Who plays, with which roles.
    cast: Mapping[str, tuple[str, ...]]
    acts: tuple[Act | Pause, ...]
    #: What must have happened in each stream, in words, so that equal silence is no success.
    happens: Mapping[str, str]
    #: Styles that are other than usual, and other fields of the rules.
    styles: tuple[Protocol, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    #: Whether reviewers are taken to have read the work; else an act of theirs must read it.
    reads: bool = True

    def __str__(self) -> str:
        """How it is called in the list of tests."""
        return self.name


def found(answers: Mapping[str, Any], path: str) -> Any:
    """Walk along a path through what was answered."""
    value: Any = answers
    for step in path.split("."):
        name, equals, wanted = step.partition("=")
        if equals:
            value = next(one for one in value if one[name] == wanted)
        else:
            value = value[int(step) if isinstance(value, list) else step]
    return value


def meant(words: Any, answers: Mapping[str, Any]) -> Any:
    """What is said, with what it speaks of in its place."""
    match words:
        case The(path=path):
            return found(answers, path)
        case Mapping():
            return {name: meant(one, answers) for name, one in words.items()}
        case list() | tuple():
            return [meant(one, answers) for one in words]
        case _:
            return words
