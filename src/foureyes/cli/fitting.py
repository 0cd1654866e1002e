"""Measure the width of text on a terminal, and cut or wrap it to fit."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator

WIDTH_MIN, WIDTH_MAX = 40, 120
_FALLBACK = (100, 24)


def terminal_width() -> int:
    """The width to write: that of the terminal, within limits that are easy to read."""
    return max(WIDTH_MIN, min(WIDTH_MAX, shutil.get_terminal_size(_FALLBACK).columns))


def width_of(text: str) -> int:
    """How many columns a cleaned text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """As much of the start as fits, with an ellipsis if anything was cut."""
    if width_of(text) <= width:
        return text
    used, kept = 0, []
    for one in text:
        used += _columns(one)
        if used > width - 1:
            break
        kept.append(one)
    return f"{''.join(kept).rstrip()}…"


def cut_left(text: str, width: int) -> str:
    """As much of the end as fits: the end of a path says more than its root."""
    return text if width_of(text) <= width else cut(text[::-1], width)[:-1][::-1].join(("…", ""))


def wrapped(text: str, width: int) -> Iterator[str]:
    """The text in lines that fit, broken between words; a word that is too long is broken inside."""
    line: list[str] = []
    used = 0
    for word in _fitting_words(text, width):
        room = width_of(word)
        if line and used + 1 + room > width:
            yield " ".join(line)
            line, used = [], 0
        used += room + bool(line)
        line.append(word)
    if line:
        yield " ".join(line)


def _fitting_words(text: str, width: int) -> Iterator[str]:
    for word in text.split():
        rest = word
        while width_of(rest) > width:
            used, count = 0, 0
            while used + _columns(rest[count]) <= width:
                used += _columns(rest[count])
                count += 1
            yield rest[: max(count, 1)]
            rest = rest[max(count, 1) :]
        yield rest


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
