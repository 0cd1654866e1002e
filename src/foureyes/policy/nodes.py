"""Nodes of a policy file with their line numbers, the same for YAML and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

#: Limits of one file: bytes, nesting levels, values, characters per value, digits per number.
FILE_BYTES_MAX = 256 * 1024
DEPTH_MAX = 32
NODES_MAX = 20_000
TEXT_CHARS_MAX = 8_000
DIGITS_MAX = 15

#: Maximum problems reported, because more do not help and a hostile file could have a hundred thousand.
PROBLEMS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong in a policy, where, and what is allowed instead."""

    file: str
    line: int
    wrong: str
    allowed: str

    def __str__(self) -> str:
        """Format as one line, like compiler messages."""
        return f"{self.file}:{self.line}: {self.wrong}; {self.allowed}"


class PolicyErrors(ValueError):  # noqa: N818 - there are usually several
    """A policy that is not taken, with everything that is wrong in it."""

    #: The heading above the list of problems.
    sentence = "The policy is not taken."

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value: text, a number, true or false, or nothing."""

    value: str | int | Decimal | bool | None
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key and what stands under it."""

    key: str
    line: int
    node: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and values, each key once."""

    entries: tuple[Entry, ...]
    file: str
    line: int

    def get(self, key: str) -> Node | None:
        """The node under a key, or None."""
        return next((one.node for one in self.entries if one.key == key), None)


Node = Scalar | Sequence | Mapping


def described(node: Node) -> str:
    """A short description of a node for messages."""
    match node:
        case Mapping():
            return "keys and values"
        case Sequence():
            return "a list"
        case Scalar(value=bool() as value):
            return str(value).lower()
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str() as text):
            return repr(short(text))
        case Scalar(value=number):
            return str(number)


def short(text: str) -> str:
    """The text, cut to a length that fits into a sentence."""
    return text if len(text) <= QUOTED_CHARS_MAX else text[:QUOTED_CHARS_MAX] + "…"


QUOTED_CHARS_MAX = 60
