"""Decodes bytes to text if every reader of the file gets the same text from them."""

from __future__ import annotations

import unicodedata

TEXT_BYTES_MAX = 128 * 1024

#: Letters, marks, numbers, punctuation, symbols and the plain space. Not here: characters without a shape or an agreed
#: meaning, which are controls, formats (bidirectional, zero width), private and unassigned characters, and other line
#: ends.
_SHAPED = frozenset("LMNPS")
_ALLOWED = frozenset(" \n\t")


def read_pair(before: bytes, after: bytes) -> tuple[str, str] | None:
    """Return both texts with plain line ends; None if one is not plain UTF-8 or the line ends changed."""
    old, new = _read(before), _read(after)
    if old is None or new is None or (b"\r" in before) != (b"\r" in after):
        return None
    return old, new


def _read(content: bytes) -> str | None:
    if not content or len(content) > TEXT_BYTES_MAX:
        return None
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text:
        if text.count("\r\n") != text.count("\n"):
            return None
        text = text.replace("\r\n", "\n")
    return text if all(map(_is_shaped, set(text))) else None


def _is_shaped(letter: str) -> bool:
    return letter in _ALLOWED or unicodedata.category(letter)[0] in _SHAPED
