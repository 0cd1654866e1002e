"""Finds secrets that were seen once again in other texts, also in other encodings."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from foureyes.reviewers.critics.secrets.find import find
from foureyes.reviewers.critics.secrets.found import SURE
from foureyes.reviewers.critics.secrets.values import randomness

#: The most values that are remembered, the surest first.
_VALUES_MAX = 100
#: A shorter value, or one made of words, also occurs where it is no secret.
_VALUE_MIN = 8
_LONG_VALUE = 20
_RANDOM_MIN = 0.4
#: Fewer characters of base64 match too much.
_CORE_MIN = 11

_RUN = re.compile(r"[A-Za-z0-9+/_=-]{0,20000}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The secrets of one work, to be found again anywhere in it; never shown in the repr."""

    plain: tuple[str, ...] = field(default=(), repr=False)
    #: Pieces of the values in base64: the whole run of base64 characters around one is removed.
    pieces: tuple[str, ...] = field(default=(), repr=False)

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Return where the secrets are in this text: start, end, kind."""
        found = [place for one in self.plain if one in text for place in _each(text, one, widen=False)]
        found += [place for one in self.pieces if one in text for place in _each(text, one, widen=True)]
        return found


NOTHING_KNOWN = Known()


def known_in(texts: Iterable[tuple[str, str]]) -> Known:
    """Return the secrets of these texts, given with their paths, that can be recognised wherever they recur."""
    values: dict[str, float] = {}
    for path, text in texts:
        for one in find(text, path).found:
            value = text[one.start : one.end]
            if one.score >= SURE and _is_telling(value):
                values[value] = max(one.score, values.get(value, 0.0))
    chosen = sorted(values, key=lambda value: (-values[value], value))[:_VALUES_MAX]
    plain = dict.fromkeys(form for value in chosen for form in _plain_forms(value))
    pieces = dict.fromkeys(piece for value in chosen for piece in _base64_pieces(value.encode("utf-8", "replace")))
    return Known(plain=tuple(plain), pieces=tuple(pieces))


def together(known: Iterable[Known]) -> Known:
    """Combine the secrets of several works."""
    some = [one for one in known if one is not NOTHING_KNOWN]
    return Known(
        plain=tuple(dict.fromkeys(value for one in some for value in one.plain)),
        pieces=tuple(dict.fromkeys(piece for one in some for piece in one.pieces)),
    )


def _is_telling(value: str) -> bool:
    return len(value) >= _VALUE_MIN and (len(value) >= _LONG_VALUE or randomness(value) >= _RANDOM_MIN)


def _plain_forms(value: str) -> Iterable[str]:
    raw = value.encode("utf-8", "replace")
    yield value
    yield from (raw.hex(), raw.hex().upper())
    yield from (quote(value, safe=safe, errors="replace") for safe in ("", "/"))
    yield quote_plus(value, errors="replace")
    if "\n" in value:
        yield value.replace("\n", "\\n")
        yield value.replace("\n", "\r\n")


def _base64_pieces(raw: bytes) -> Iterable[str]:
    """Yield what every base64 text that contains these bytes must contain, at any offset."""
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw).decode()
        first = (shift * 8 + 5) // 6
        last = (shift + len(raw)) * 8 // 6
        piece = whole[first:last]
        if len(piece) >= _CORE_MIN:
            yield piece
            yield piece.translate(str.maketrans("+/", "-_"))


def _each(text: str, piece: str, *, widen: bool) -> Iterable[tuple[int, int, str]]:
    at = text.find(piece)
    while at >= 0:
        start, end = at, at + len(piece)
        if widen:
            before = _RUN.match(text[max(0, start - 200) : start][::-1])
            after = _RUN.match(text, end)
            start -= before.end() if before else 0
            end = after.end() if after else end
        yield start, end, "repeated" if not widen else "encoded"
        at = text.find(piece, end)
