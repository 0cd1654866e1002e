"""Sort the arguments of a tool into options, option values and operands, like getopt."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

SHORTEST_ABBREVIATION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The arguments of one command, sorted as getopt would sort them."""

    short: frozenset[str]
    #: Long options as written, without dashes, with the last value given.
    long: dict[str, str]
    #: Values of the short options that take one.
    values: dict[str, str]
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """True if one of these options was given; a long option may be abbreviated, as GNU tools allow."""
        return any(self._given(name) for name in names)

    def value(self, *names: str) -> str | None:
        """Return the value given with one of these options."""
        for name in names:
            if len(name) == 1 and name in self.values:
                return self.values[name]
            found = self.long.get(name)
            if found is None:
                found = next((value for long, value in self.long.items() if _means(long, name)), None)
            if found is not None:
                return found
        return None

    def _given(self, name: str) -> bool:
        if len(name) == 1:
            return name in self.short
        return any(_means(long, name) for long in self.long)


def _means(written: str, name: str) -> bool:
    return written == name or (len(written) >= SHORTEST_ABBREVIATION and name.startswith(written))


def options(args: Iterable[str], takes: str = "", long_takes: Collection[str] = (), *, stop: bool = False) -> Options:
    """Sort the words; `takes` are short letters with a value, `long_takes` long names whose value is the next word.

    With `stop`, everything after the first operand is an operand, as wrappers read their words.
    """
    words = list(args)
    short: set[str] = set()
    long: dict[str, str] = {}
    values: dict[str, str] = {}
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--" or (stop and not word.startswith("-")):
            operands.extend(words[at:] if word == "--" else words[at - 1 :])
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name in long_takes and at < len(words):
                value = words[at]
                at += 1
            long[name] = value
        elif word.startswith("-") and len(word) > 1:
            at += _letters(word[1:], takes, words[at : at + 1], (short, values))
        else:
            operands.append(word)
    return Options(short=frozenset(short), long=long, values=values, operands=tuple(operands))


def _letters(letters: str, takes: str, following: list[str], into: tuple[set[str], dict[str, str]]) -> int:
    """Read combined short options; return how many of the following words were used up."""
    short, values = into
    for place, letter in enumerate(letters):
        short.add(letter)
        if letter in takes:
            attached = letters[place + 1 :]
            values[letter] = attached or (following[0] if following else "")
            return 0 if attached or not following else 1
    return 0
