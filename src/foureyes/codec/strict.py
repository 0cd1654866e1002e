"""Strict JSON decoder: refuses duplicate fields and NaN, on which two readers would not agree."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

#: Python's own limit, checked here because Python's message would tell the caller to change a setting of ours.
DIGITS_MAX = 4_300


class TwiceError(ValueError):
    """A field is there twice."""

    def __init__(self, name: str) -> None:
        """Name the duplicate field."""
        super().__init__(f"the field {name[:80]!r} is there twice")
        self.name = name


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise TwiceError(next(name for name, _ in pairs if counts[name] > 1))
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _whole(text: str) -> int:
    if len(text) > DIGITS_MAX:
        raise ValueError("a number has too many digits")
    return int(text)


#: Raises TwiceError, another ValueError, or RecursionError.
STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_int=_whole, parse_constant=_no_number)
