"""Finds the argument of a call that a refusal is about, and gives examples of missing arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from foureyes.core.refusals import Fact

#: Deepest level of a call that is searched.
DEPTH_MAX = 8
#: Fields in which a refusal repeats what was sent.
_SENT = ("word", "value", "path", "name", "digest")
#: Number of characters of a word that a refusal repeats.
_WORD_CHARS = 80
_STEPS = re.compile(r"\w+|\[\d+\]").findall
_FILES: Fact = [{"path": "<path>", "text": "<the whole text of the file>"}]
#: Examples of arguments that are more than a text, by name.
EXAMPLES: Mapping[str, Fact] = {
    "files": _FILES,
    "reviews": [{"kind": "<kind>", "title": "<title>", "files": _FILES}],
    "artifacts": {"code": "<the whole text>"},
    "resolved": True,
}


def place_of(sent: object, fields: Mapping[str, Fact]) -> str:
    """The argument that a refusal is about, as the caller wrote it; as the refusal has it where it is not found.

    A name such as `severity` becomes `findings[0].severity`: the place that holds what the refusal repeats.
    """
    named = str(fields.get("field", ""))
    repeated = [fields[one] for one in _SENT if one in fields]
    found = [place for place, value in _values(sent, "", 0) if any(_is_same(value, one) for one in repeated)]
    if named and is_there(sent, named):
        return next((one for one in found if one.startswith(f"{named}[")), named)
    last = _STEPS(named)[-1] if _STEPS(named) else ""
    return next((one for one in found if _STEPS(one)[-1] == last), found[0] if found else named)


def is_there(sent: object, place: str) -> bool:
    """Whether a call has a value at this place."""
    for step in _STEPS(place):
        if step.startswith("["):
            number = int(step[1:-1])
            if not isinstance(sent, list | tuple) or number >= len(sent):
                return False
            sent = sent[number]
        elif isinstance(sent, dict) and step in sent:
            sent = sent[step]
        else:
            return False
    return True


def added(sent: Mapping[str, Any], place: str, value: Fact) -> dict[str, Fact]:
    """What to add to a call so that it has this at `payload.summary`: the whole argument, with what it has already."""
    name, _, inner = place.partition(".")
    if not inner:
        return {name: value}
    given = sent.get(name)
    return {name: {**(given if isinstance(given, dict) else {}), **added({}, inner, value)}}


def _values(value: object, place: str, depth: int) -> Iterator[tuple[str, object]]:
    if depth > DEPTH_MAX:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _values(inner, f"{place}.{name}" if place else str(name), depth + 1)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _values(inner, f"{place}[{number}]", depth + 1)
    else:
        yield place, value


def _is_same(value: object, repeated: Fact) -> bool:
    if isinstance(value, str) and isinstance(repeated, str):
        return bool(value) and (value == repeated or (len(repeated) >= _WORD_CHARS and value.startswith(repeated)))
    return type(value) is type(repeated) and value == repeated
