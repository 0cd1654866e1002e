"""What did somebody send? JSON as it is meant: no field twice, no NaN, not too deep, too long or too full."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NoReturn

from starlette.requests import ClientDisconnect, Request

from foureyes.app.blobs import Intake
from foureyes.codec.sizes import VALUES_MAX, first_twice, is_too_full
from foureyes.core.refusals import Code, Refusal

BODY_BYTES_MAX = 4 * 1024 * 1024
UPLOAD_SECONDS_MAX = 300
#: After so many bytes it is looked at how full a body is, for the first time.
LOOK_BYTES = 64 * 1024


class TooLarge(Exception):  # noqa: N818 - an expected no, with a status of its own
    """More bytes than are taken."""

    def __init__(self, most: int) -> None:
        """Say how many are."""
        super().__init__(most)
        self.most = most


def read_json(content: bytes) -> dict[str, Any]:
    """The object in a body; nothing at all is an empty one."""
    if not content.strip():
        return {}
    _check_fullness(content)
    try:
        found = _STRICT.decode(content.decode("utf-8"))
    except RecursionError:
        raise _bad("it is nested too deep") from None
    except UnicodeDecodeError:
        raise _bad("it is not UTF-8") from None
    except ValueError as error:
        raise _bad(str(error)) from None
    if type(found) is not dict:
        raise _bad("the body must be a JSON object")
    return found


async def read_bytes(request: Request, most: int = BODY_BYTES_MAX) -> bytes:
    """The body, unless it is longer or fuller than that; it is not read to its end to find out."""
    content, looked = bytearray(), LOOK_BYTES
    async for piece in _pieces(request, most):
        content += piece
        if len(content) > looked:
            # Twice as far each time, so that all looks together cost no more than two at the whole.
            looked = 2 * len(content)
            _check_fullness(content)
    return bytes(content)


async def read_blob(request: Request, most: int) -> tuple[str, bytes]:
    """Bare bytes and their digest, hashed on the way; nothing is kept of what breaks off or takes too long."""
    intake = Intake(most)
    try:
        async with asyncio.timeout(UPLOAD_SECONDS_MAX):
            async for piece in _pieces(request, most):
                intake.add(piece)
    except TimeoutError:
        raise _bad(f"it took longer than {UPLOAD_SECONDS_MAX} seconds") from None
    return intake.done()


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    said = request.headers.get("content-length", "")
    if said.isascii() and said.isdigit() and int(said[:20]) > most:
        raise TooLarge(most)
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise TooLarge(most)
            yield piece
    except ClientDisconnect:
        raise _bad("it ended too early") from None


def _check_fullness(content: bytes | bytearray) -> None:
    if is_too_full(content):
        raise _bad(f"it holds more than {VALUES_MAX} values")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = first_twice([name for name, _ in pairs])
        raise ValueError(f"the field {twice[:80]!r} is there twice")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


_STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)


def _bad(what: str) -> Refusal:
    return Refusal(Code.BAD_VALUE, f"The body is not well formed: {what}.", "Send one JSON object in UTF-8.")
