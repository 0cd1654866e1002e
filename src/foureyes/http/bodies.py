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
#: After this many bytes the number of values in a body is checked for the first time.
LOOK_BYTES = 64 * 1024
_AHEAD = "Send large files one by one to /blobs and name them by their digest."
#: Naming a file by its digest would not help: it is as many values as a file that is sent along.
_LESS = "Send fewer pieces at a time, or data as one text: a text is one value."


class TooLarge(Exception):  # noqa: N818 - an expected no, with a status of its own
    """The body has more bytes, or more values, than are accepted."""

    def __init__(self, most: int, what: str = "bytes", next_step: str = _AHEAD) -> None:
        """Keep the limit, its unit, and what to do instead."""
        super().__init__(most, what)
        self.most, self.what, self.next_step = most, what, next_step


def header(scope: Scope, name: bytes) -> str:
    """The value of the first header of this name; empty if there is none."""
    for one, value in scope["headers"]:
        if one == name:
            said: str = value.decode("latin-1")
            return said
    return ""


def read_json(content: bytes) -> dict[str, Any]:
    """Parse a body as one JSON object; an empty body is an empty object."""
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
    """Read the body; raises TooLarge as soon as it has too many bytes or values, without reading it to its end."""
    content, looked = bytearray(), LOOK_BYTES
    async for piece in _pieces(request, most):
        content += piece
        if len(content) > looked:
            # Doubled each time, so that all checks together cost no more than two checks of the whole body.
            looked = 2 * len(content)
            _check_fullness(content)
    return bytes(content)


async def read_blob(request: Request, most: int) -> tuple[str, bytes]:
    """Read raw bytes and compute their digest on the way; nothing is kept if the upload breaks off or is too slow."""
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
