"""Read a JSON file token by token, with line numbers and without recursion."""

from __future__ import annotations

import json
import re

from foureyes.reviewers.critics.exposure.tree import Builder, Node, Scalar, UnreadableError

# Comments and trailing commas are accepted, because many tools that read JSON accept them.
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)|(?P<line>\n)|(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<word>[-+.0-9A-Za-z]+)|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)""",
    re.VERBOSE,
)
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_NUMBER_MAX = 40


def read_json(text: str, first_line: int = 1) -> Node:
    """Return the single value of a JSON text whose first line has the number `first_line`."""
    builder = Builder()
    line, position, open_marks = first_line, 0, 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise UnreadableError(f"is not valid JSON (line {line})")
        position = found.end()
        kind, token = found.lastgroup, found.group()
        if kind in ("line", "comment"):
            line += token.count("\n")
        elif kind == "mark":
            open_marks += _mark(builder, token, line, open_marks)
        elif kind == "string":
            _string(builder, token, line)
        elif kind == "word":
            builder.scalar(_word(token, line), line)
    if open_marks or len(builder.roots) != 1:
        raise UnreadableError("is not one JSON value")
    return builder.roots[0]


def _mark(builder: Builder, mark: str, line: int, open_marks: int) -> int:
    if mark in "{[":
        builder.open(line, mapping=mark == "{")
        return 1
    if mark in "}]":
        if not open_marks:
            raise UnreadableError(f"is not valid JSON (line {line})")
        builder.close()
        return -1
    return 0


def _string(builder: Builder, token: str, line: int) -> None:
    try:
        value = json.loads(token) if "\\" in token else token[1:-1]
    except ValueError:
        raise UnreadableError(f"is not valid JSON (line {line})") from None
    if builder.wants_key:
        builder.key(value, line)
    else:
        builder.scalar(value, line, opaque="${" in value)


def _word(token: str, line: int) -> Scalar:
    if token in _WORDS:
        return _WORDS[token]
    if len(token) > _NUMBER_MAX:
        raise UnreadableError(f"has a number of more than {_NUMBER_MAX} digits (line {line})")
    try:
        return float(token) if "." in token or "e" in token.lower() else int(token)
    except ValueError:
        raise UnreadableError(f"is not valid JSON (line {line})") from None
