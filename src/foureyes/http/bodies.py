"""Read request bodies: size and time limits, and strict JSON (no duplicate field, no NaN, bounded depth and values)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.types import Scope

from foureyes.app.blobs import Intake
from foureyes.codec.sizes import VALUES_MAX, is_too_full
from foureyes.codec.strict import STRICT
from foureyes.core.refusals import Code, Refusal

BODY_BYTES_MAX = 4 * 1024 * 1024
UPLOAD_SECONDS_MAX = 300
#: After so many bytes it is looked at how full a body is, for the first time.
LOOK_BYTES = 64 * 1024
_AHEAD = "Send large files one by one to /blobs and name them by their digest."
#: A file that is named by its digest is as many values as one that is sent along.
_LESS = "Send fewer pieces at a time, or data as one text: a text is one value."


class TooLarge(Exception):  # noqa: N818 - an expected no, with a status of its own
    """More bytes than are taken, or more values."""

    def __init__(self, most: int, what: str = "bytes", next_step: str = _AHEAD) -> None:
        """Say how many are, and what to do instead."""
        super().__init__(most, what)
        self.most, self.what, self.next_step = most, what, next_step


def header(scope: Scope, name: bytes) -> str:
    """What a header says, the first of this name; nothing where there is none."""
    for one, value in scope["headers"]:
        if one == name:
            said: str = value.decode("latin-1")
            return said
    return ""


def read_json(content: bytes) -> dict[str, Any]:
    """The object in a body; nothing at all is an empty one."""
    if not content or content.isspace():
        return {}
    _check_fullness(content)
    try:
        found = STRICT.decode(content.decode("utf-8"))
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
    said = header(request.scope, b"content-length")
    if said.isascii() and said.isdigit() and int(said[:20]) > most:
        raise TooLarge(most)
    size, more = 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise _bad("it ended too early")
        piece: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(piece)
        if size > most:
            raise TooLarge(most)
        yield piece


def _check_fullness(content: bytes | bytearray) -> None:
    if is_too_full(content):
        raise TooLarge(VALUES_MAX, "values", _LESS)


def _bad(what: str) -> Refusal:
    return Refusal(Code.BAD_VALUE, f"The body is not well formed: {what}.", "Send one JSON object in UTF-8.")
