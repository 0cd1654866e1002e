"""Read the keys of a section: check every value against its form, and collect the problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from difflib import get_close_matches
from typing import TypeVar

from foureyes.policy.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    described,
    short,
)
from foureyes.policy.problems import Problems
from foureyes.policy.schema import SECTIONS
from foureyes.policy.shapes import Amount, Choice, Flag, Key, Limit, Name, Names, Number, Part, Shape, Special, Text

NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
NAME_FORM = "letters, digits, _ and -, at most 64"
KEYS_SHOWN_MAX = 12

S = TypeVar("S", bound=Shape)


class Table:
    """The keys of one section, as a file gives them or as they are when it does not."""

    def __init__(self, node: Node, section: str, problems: Problems, *, ignoring: Iterable[str] = ()) -> None:
        self.node = node
        self.problems = problems
        self._keys: dict[str, Key] = {one.name: one for one in SECTIONS[section]}
        self._found: dict[str, Entry] = {}
        if isinstance(node, Mapping):
            self._found = {one.key: one for one in node.entries}
            self._refuse_unknown(node, frozenset(ignoring))
            self._check_all()
        elif not (isinstance(node, Scalar) and node.value is None):
            problems.add(node, f"{section} is {described(node)}", f"its keys are {_listed(self._keys)}")

    def has(self, name: str) -> bool:
        """True if the file has this key."""
        return name in self._found

    def at(self, name: str) -> Node:
        """The node of this key, or of its section if the key is missing."""
        return self._found[name].node if name in self._found else self.node

    def number(self, name: str) -> int:
        shape = self._shape(name, Number)
        node = self.at(name)
        if not self.has(name):
            return shape.default
        if isinstance(node, Scalar) and type(node.value) is int and shape.low <= node.value <= shape.high:
            return node.value
        self._refuse(name, f"{name} must be {shape.range}", _not_whole(node))
        return shape.default

    def limit(self, name: str) -> int | None:
        shape = self._shape(name, Limit)
        node = self.at(name)
        if not self.has(name):
            return shape.default
        if isinstance(node, Scalar) and node.value is None:
            return None
        if isinstance(node, Scalar) and type(node.value) is int and shape.low <= node.value <= shape.high:
            return node.value
        self._refuse(name, f"{name} must be {shape.low}-{shape.high} or null", f"not {described(node)}")
        return shape.default

    def amount(self, name: str) -> Decimal | None:
        shape = self._shape(name, Amount)
        node = self.at(name)
        if not self.has(name):
            return shape.default
        if shape.nullable and isinstance(node, Scalar) and node.value is None:
            return None
        if isinstance(node, Scalar) and type(node.value) in {int, Decimal}:
            found = Decimal(str(node.value))
            if shape.low <= found <= shape.high:
                return found
        ends = " or null" if shape.nullable else ""
        self._refuse(name, f"{name} must be {shape.range}{ends}", f"not {described(node)}")
        return shape.default

    def percent(self, name: str) -> int:
        """A share such as 0.05 as whole percent; a finer value is refused, not rounded."""
        share = self.amount(name) or Decimal(0)
        whole = int(share * 100)
        if share * 100 != whole:
            self._refuse(name, f"{name} is finer than a percent", "write at most two decimals")
        return whole

    def flag(self, name: str) -> bool:
        shape = self._shape(name, Flag)
        node = self.at(name)
        if not self.has(name):
            return shape.default
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self._refuse(name, f"{name} must be true or false", f"not {described(node)}")
        return shape.default

    def choice(self, name: str) -> str:
        shape = self._shape(name, Choice)
        node = self.at(name)
        if not self.has(name):
            return shape.default
        found = str(node.value).lower() if isinstance(node, Scalar) and node.value is not None else None
        if found in shape.words:
            return found
        self._refuse(name, f"{name} must be {shape.form}", f"not {described(node)}")
        return shape.default

    def text(self, name: str) -> str:
        shape = self._shape(name, Text)
        return self._text(name, shape.chars_max) if self.has(name) else shape.default

    def name(self, name: str) -> str:
        shape = self._shape(name, Name)
        if not self.has(name):
            return shape.default
        return name_of(self.at(name), self.problems, name) or shape.default

    def names(self, name: str) -> tuple[str, ...]:
        shape = self._shape(name, Names)
        if not self.has(name):
            return shape.default
        found = tuple(one for node in listed(self.at(name)) if (one := name_of(node, self.problems, name)))
        strange = [one for one in found if shape.among and one not in shape.among]
        if strange or len(set(found)) != len(found):
            wrong = f"{name} does not know {strange[0]!r}" if strange else f"{name} names the same twice"
            self._refuse(name, wrong, f"write {shape.form}")
            return shape.default
        if not shape.count_min <= len(found) <= shape.count_max:
            self._refuse(name, f"{name} has {len(found)} names", f"write {shape.form}")
            return shape.default
        return found

    def part(self, name: str) -> Table:
        """The section under this key."""
        shape = self._shape(name, Part)
        empty = Scalar(value=None, file=self.node.file, line=self.node.line)
        return Table(self._found[name].node if self.has(name) else empty, shape.section, self.problems)

    def special(self, name: str) -> Node | None:
        """The node under a key whose form is known only to its own reader."""
        self._shape(name, Special)
        return self._found[name].node if self.has(name) else None

    def _check_all(self) -> None:
        """Check every value now, including those that no reader will ask for; a repeated problem counts once."""
        readers: dict[type[Shape], Callable[[str], object]] = {
            Number: self.number,
            Limit: self.limit,
            Amount: self.amount,
            Flag: self.flag,
            Choice: self.choice,
            Text: self.text,
            Name: self.name,
            Names: self.names,
            Part: self.part,
            Special: self.special,
        }
        for name in self._found:
            if name in self._keys:
                readers[type(self._keys[name].shape)](name)

    def _text(self, name: str, chars_max: int) -> str:
        node = self.at(name)
        if isinstance(node, Scalar) and isinstance(node.value, str) and len(node.value) <= chars_max:
            return node.value
        self._refuse(name, f"{name} must be text of at most {chars_max} characters", f"not {described(node)}")
        return ""

    def _shape(self, name: str, wanted: type[S]) -> S:
        shape = self._keys[name].shape
        if not isinstance(shape, wanted):
            raise TypeError(f"{name} is a {type(shape).__name__}, not a {wanted.__name__}")
        return shape

    def _refuse(self, name: str, wrong: str, allowed: str) -> None:
        self.problems.add(self._found[name], wrong, allowed, file=self.node.file)

    def _refuse_unknown(self, node: Mapping, ignoring: frozenset[str]) -> None:
        for entry in node.entries:
            if entry.key in self._keys or entry.key in ignoring:
                continue
            wrong = f"unknown key {short(entry.key)!r}"
            self.problems.add(entry, wrong, _instead(entry.key, self._keys), file=node.file)


def _not_whole(node: Node) -> str:
    number = isinstance(node, Scalar) and type(node.value) is int
    return f"it is {described(node)}" if number else f"write a whole number, not {described(node)}"


def listed(node: Node) -> tuple[Node, ...]:
    """The items of a list; a single value is a list of one."""
    return node.items if isinstance(node, Sequence) else (node,)


def name_of(node: Node, problems: Problems, what: str) -> str:
    """The name in this node; empty, with a problem noted, if it is not one."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and NAME.fullmatch(node.value):
        return node.value
    problems.add(node, f"{what}: {described(node)} is no name", f"a name is {NAME_FORM}")
    return ""


def _instead(key: str, keys: Iterable[str]) -> str:
    """A hint for an unknown key: the section it belongs to, a similar key, or the known keys."""
    elsewhere = next((name for name, many in SECTIONS.items() if any(one.name == key for one in many)), None)
    if elsewhere:
        return f"it belongs to {elsewhere}"
    near = get_close_matches(key, keys, n=1)
    return f"did you mean {near[0]}?" if near else f"the keys here are {_listed(keys)}"


def _listed(keys: Iterable[str]) -> str:
    names = list(keys)
    return ", ".join(names[:KEYS_SHOWN_MAX]) + (", …" if len(names) > KEYS_SHOWN_MAX else "")
