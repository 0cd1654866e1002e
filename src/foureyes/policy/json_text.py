"""Strict JSON reader that keeps line numbers and refuses duplicate keys, unlike the standard library's."""

from __future__ import annotations

import re
from decimal import Decimal
from json import JSONDecodeError, JSONDecoder

from foureyes.policy.nodes import (
    DEPTH_MAX,
    DIGITS_MAX,
    NODES_MAX,
    TEXT_CHARS_MAX,
    Entry,
    Mapping,
    Node,
    PolicyErrors,
    Problem,
    Scalar,
    Sequence,
    short,
)
from foureyes.policy.problems import Problems

_DECODER = JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"true|false|null")
_VALUES: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def read_json(file: str, text: str, problems: Problems) -> Node:
    """Read one JSON value; a syntax error ends the reading at once, because nothing after it could be trusted."""
    reader = _Reader(file, text, problems)
    node = reader.value(depth=1)
    reader.end()
    return node


class _Reader:
    """Recursive-descent reader with a position in the text."""

    def __init__(self, file: str, text: str, problems: Problems) -> None:
        self._file = file
        self._problems = problems
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._nodes = 0

    def value(self, depth: int) -> Node:
        self._skip()
        self._nodes += 1
        if depth > DEPTH_MAX:
            raise self._error(f"more than {DEPTH_MAX} levels deep", "write it flatter")
        if self._nodes > NODES_MAX:
            raise self._error(f"more than {NODES_MAX} values", "write a smaller file")
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._mapping(depth)
            case "[":
                return self._sequence(depth)
            case '"':
                line = self._here()
                return Scalar(value=self._string(), file=self._file, line=line)
            case _:
                return self._plain()

    def end(self) -> None:
        self._skip()
        if self._at < len(self._text):
            raise self._error("something stands behind the end of the JSON value", "a file holds one value")

    def _mapping(self, depth: int) -> Mapping:
        line, entries, seen = self._here(), list[Entry](), dict[str, int]()
        self._at += 1
        while not self._closes("}", first=not entries):
            self._skip()
            key_line = self._here()
            if self._text[self._at : self._at + 1] != '"':
                raise self._error("a key is no text in double quotes", 'keys are written as "name"')
            key = self._string()
            if key in seen:
                again = f"it stands on line {seen[key]} already"
                self._problems.extend(self._error(f"the key {short(key)!r} stands here twice", again).problems)
            seen[key] = key_line
            self._expect(":")
            entries.append(Entry(key=key, line=key_line, node=self.value(depth + 1)))
        return Mapping(entries=tuple(entries), file=self._file, line=line)

    def _sequence(self, depth: int) -> Sequence:
        line, items = self._here(), list[Node]()
        self._at += 1
        while not self._closes("]", first=not items):
            items.append(self.value(depth + 1))
        return Sequence(items=tuple(items), file=self._file, line=line)

    def _closes(self, mark: str, *, first: bool) -> bool:
        self._skip()
        if self._text.startswith(mark, self._at):
            self._at += 1
            return True
        if not first:
            self._expect(",")
        return False

    def _expect(self, mark: str) -> None:
        self._skip()
        if not self._text.startswith(mark, self._at):
            raise self._error(f"{mark!r} is missing here", "a .json file holds JSON")
        self._at += 1

    def _string(self) -> str:
        try:
            found, self._at = _DECODER.raw_decode(self._text, self._at)
        except JSONDecodeError as error:
            raise self._error(f"a text is not well formed: {error.msg}") from None
        text = str(found)
        if len(text) > TEXT_CHARS_MAX:
            raise self._error(f"a text of more than {TEXT_CHARS_MAX} characters", "write a shorter one")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise self._error("half a character, which no file can hold")
        return text

    def _plain(self) -> Scalar:
        line = self._here()
        word = _WORD.match(self._text, self._at)
        if word:
            self._at = word.end()
            return Scalar(value=_VALUES[word.group()], file=self._file, line=line)
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            raise self._error(f"{short(self._text[self._at : self._at + 20])!r} is no JSON value")
        self._at = found.end()
        if len(found.group()) > DIGITS_MAX or found.group(2):
            raise self._error(f"the number {short(found.group())} is too long or has an exponent", "write it plainly")
        number = Decimal(found.group()) if found.group(1) else int(found.group())
        return Scalar(value=number, file=self._file, line=line)

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _error(self, wrong: str, allowed: str = "a .json file holds JSON") -> PolicyErrors:
        return PolicyErrors((Problem(file=self._file, line=self._here(), wrong=wrong, allowed=allowed),))
