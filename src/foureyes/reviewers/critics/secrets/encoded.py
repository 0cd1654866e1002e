"""Find credentials hidden in base64, hex or percent encoding. Only credentials of a known shape are searched for."""

# ruff: noqa: PLR2004 - each number weighs one sign of a secret, beside which it stands
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote

from foureyes.reviewers.critics.secrets import rules
from foureyes.reviewers.critics.secrets.found import Found, TooMany
from foureyes.reviewers.critics.secrets.keyfiles import private_keys
from foureyes.reviewers.critics.secrets.places import in_places
from foureyes.reviewers.critics.secrets.tokens import tokens

#: The maximum number of decoded stretches; a file with more consists of encoded data.
_STRETCHES_MAX = 2_000

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,20000}={0,2}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){20,10000}")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}[A-Za-z0-9_.~+/-]{0,400}){1,200}")
_TEXT = re.compile(rb"[\t\n\r -~]*")


def encoded(text: str) -> Iterator[Found]:
    """Yield every encoded stretch that contains a credential when decoded; raise TooMany."""
    left = _STRETCHES_MAX
    # Hex digits are base64 characters, and a stretch of hex is longer: without a base64 match there is no hex match.
    has_stretch = _BASE64.search(text) is not None
    for pattern, undo in ((_BASE64, _from_base64), (_HEX, _from_hex), (_PERCENT, _from_percent)):
        if not ("%" in text if pattern is _PERCENT else has_stretch):
            continue
        for match in pattern.finditer(text):
            plain = undo(match.group())
            if plain is None:
                continue
            left -= 1
            if left < 0:
                raise TooMany("encoded texts")
            inside = max((one.score for one in _inside(plain)), default=0.0)
            if inside > 0.5:
                yield Found(start=match.start(), end=match.end(), rule=rules.ENCODED, score=inside)


def _inside(plain: str) -> Iterator[Found]:
    yield from tokens(plain)
    yield from private_keys(plain)
    yield from in_places(plain)


def _printable(raw: bytes) -> str | None:
    return raw.decode("ascii") if len(raw) >= 12 and _TEXT.fullmatch(raw) else None


def _from_base64(value: str) -> str | None:
    body = value.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        head = base64.b64decode(body[:16])
        if _TEXT.fullmatch(head) is None:  # the usual case: an identifier, a hash, a path
            return None
        return _printable(base64.b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError):
        return None


def _from_hex(value: str) -> str | None:
    return _printable(bytes.fromhex(value)) if len(value) % 2 == 0 else None


def _from_percent(value: str) -> str | None:
    plain = unquote(value)
    return plain if plain.isascii() and plain != value else None
