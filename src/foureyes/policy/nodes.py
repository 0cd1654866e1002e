"""What does a policy file hold, and on which line? Plain nodes, whether they were written as YAML or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

#: What one file may have: bytes, levels of nesting, values, characters in one value, digits in one number.
FILE_BYTES_MAX = 256 * 1024
DEPTH_MAX = 32
NODES_MAX = 20_000
TEXT_CHARS_MAX = 8_000
DIGITS_MAX = 15

#: More problems than this help nobody, and a hostile file could have a hundred thousand.
PROBLEMS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong in a policy, where, and what is allowed instead."""

    file: str
    line: int
    wrong: str
    allowed: str

    def __str__(self) -> str:
        """One line, as compilers write them."""
        return f"{self.file}:{self.line}: {self.wrong}; {self.allowed}"


class PolicyErrors(ValueError):  # noqa: N818 - there are usually several
    """A policy that is not taken, with everything that is wrong in it."""

    #: What is told above the list of problems.
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
        """What stands under a key, if it is there."""
        return next((one.node for one in self.entries if one.key == key), None)


Node = Scalar | Sequence | Mapping


def described(node: Node) -> str:
    """What a node is, for people."""
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
    """A text that fits into a sentence."""
    return text if len(text) <= QUOTED_CHARS_MAX else text[:QUOTED_CHARS_MAX] + "…"


QUOTED_CHARS_MAX = 60
