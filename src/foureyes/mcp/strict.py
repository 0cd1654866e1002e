"""Check that a message is well formed: JSON that two parsers could read differently is refused before it is used."""

from __future__ import annotations

import json
import re
from typing import Any

from foureyes.codec import Json
from foureyes.codec.sizes import VALUES_MAX, is_too_full
from foureyes.codec.strict import STRICT, TwiceError

MESSAGE_BYTES_MAX = 4 * 1024 * 1024
_PARSE_ERROR, _INVALID = -32700, -32600
_NO_MESSAGE = (
    'A message is one JSON-RPC object with "jsonrpc": "2.0", a method, and params, if any, that are an object.'
)
#: Finds escaped surrogates. Two that belong together are one character.
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]").search


def flaw(message: bytes) -> Json | None:
    """The error answer to a message that is not well formed; None if it is."""
    try:
        _check(message)
    except _FullError as error:
        return _error(_INVALID, str(error))
    except _UnclearError as error:
        # It can be parsed, so the error names the id of the message.
        return _error(_INVALID, str(error), _id(message))
    except UnicodeDecodeError:
        return _error(_PARSE_ERROR, "The message is not UTF-8.")
    except RecursionError:
        return _error(_PARSE_ERROR, "The message is nested too deep.")
    except ValueError as error:
        return _error(_PARSE_ERROR, f"The message is not JSON: {error}.", _id(message))
    return None


class _FullError(ValueError):
    """The message has more bytes or values than are accepted."""


class _UnclearError(ValueError):
    """The message is ambiguous, or is JSON but not a JSON-RPC message."""


def _check(message: bytes) -> None:
    if len(message) > MESSAGE_BYTES_MAX:
        raise _FullError(f"A message has at most {MESSAGE_BYTES_MAX} bytes. Send less at a time.")
    if is_too_full(message):
        raise _FullError(f"A message has at most {VALUES_MAX} values. Send less at a time.")
    try:
        found = STRICT.decode(message.decode())
    except TwiceError as error:
        raise _UnclearError(f"The field {error.name[:80]!r} is there twice. Say each once.") from None
    if not _is_message(found):
        raise _UnclearError(_NO_MESSAGE)
    if not _HALVES(message):
        return
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _UnclearError("There is half of a character in the message: no text has that.") from None


def _is_message(found: Any) -> bool:
    """True if it is a JSON-RPC request, notification or answer; the SDK decides what becomes of an answer."""
    if type(found) is not dict or found.get("jsonrpc") != "2.0":
        return False
    is_answer = "method" not in found and ("result" in found or "error" in found)
    return is_answer or (type(found.get("method")) is str and isinstance(found.get("params"), dict | None))


def _id(message: bytes) -> str | int | None:
    try:
        found = json.loads(message)
    except ValueError:
        return None
    name = found.get("id") if isinstance(found, dict) else None
    return name if isinstance(name, str) or type(name) is int else None


def _error(code: int, message: str, name: str | int | None = None) -> Json:
    return {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": message}}
