"""Search a provider's recorded requests for secrets, in any encoding, and for work outside the frames."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote_plus

Request = dict[str, Any]
#: This many consecutive characters of a secret are no accident.
PIECE_CHARS = 12
_FRAME = re.compile(r'<work-([0-9a-f]{16}) part="[^"]{1,80}">.*?</work-\1>', re.DOTALL)
_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[nrt])")
#: Parts that are results of tools the model called, or the model's own words.
_ASKED_FOR = ("tool_result", "function_call_output", "function_call", "tool_use")
_OWN_WORDS = ("assistant", "model")


def leaks(requests: Iterable[Request], secrets: Iterable[str]) -> list[str]:
    """The secrets that occur: plain, in pieces, backwards, in base64, in hexadecimal, or escaped in some way."""
    pieces = {piece: one for one in secrets for piece in _pieces(one)}
    seen = {spelt for request in requests for text in _texts(request) for spelt in _spellings(text)}
    return sorted({one for piece, one in pieces.items() if any(piece in text for text in seen)})


def unframed(requests: Iterable[Request], artifacts: Iterable[str]) -> list[str]:
    """The parts of the work outside the frames in what was sent without a request by the model."""
    unasked = [_FRAME.sub("", text) for one in requests for text in _texts(_unasked(one.get("body")))]
    return sorted({one for one in artifacts if any(one in text for text in unasked)})


def framed(requests: Iterable[Request]) -> str:
    """All text inside frames."""
    texts = (text for request in requests for text in _texts(_unasked(request.get("body"))))
    return "\n".join(one[0] for text in texts for one in _FRAME.finditer(text))


def _pieces(secret: str) -> Iterator[str]:
    bare = _squeezed(secret)
    yield from (bare[at : at + PIECE_CHARS] for at in range(len(bare) - PIECE_CHARS + 1))


def _texts(value: object) -> Iterator[str]:
    """Every string of a request, including the strings inside JSON texts."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list):
        # A secret may be split over the entries of a list.
        yield "".join(one for one in value if isinstance(one, str))
        for one in value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            yield from _texts(_opened(value))


def _opened(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _spellings(text: str) -> Iterator[str]:
    plain = _ESCAPE.sub(lambda one: chr(int(one[1] or one[2] or "20", 16)), text)
    for one in {text, plain, unquote_plus(plain), html.unescape(plain)}:
        yield from (_squeezed(one), _squeezed(one)[::-1])
    for run in _RUN.findall(plain):
        yield from (_squeezed(one) for one in _from_base64(run))
    # Long lines are wrapped: without white space an encoded secret is one run again.
    for run in _RUN.findall("".join(plain.split())):
        yield from (_squeezed(one) for one in _from_base64(run))
    for run in _HEX.findall("".join(plain.split())):
        yield _squeezed(binascii.unhexlify(run).decode("latin-1"))


def _from_base64(run: str) -> Iterator[str]:
    usual = run.translate(str.maketrans("-_", "+/"))
    for start in range(4):
        part = usual[start:]
        yield base64.b64decode(part[: len(part) // 4 * 4]).decode("latin-1")


def _squeezed(text: str) -> str:
    """Keep only letters and digits, so that quotes, signs and breaks inside a secret do not hide it."""
    return "".join(filter(str.isalnum, text)).casefold()


def _unasked(value: object) -> object:
    if isinstance(value, list):
        return [_unasked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") in _ASKED_FOR or value.get("role") in _OWN_WORDS:
        return None
    return {name: _unasked(one) for name, one in value.items() if name not in ("functionResponse", "functionCall")}
