"""Is a message what it seems? JSON that two readers would read differently is refused before anybody reads it."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from foureyes.codec import Json

MESSAGE_BYTES_MAX = 4 * 1024 * 1024
_PARSE_ERROR, _INVALID = -32700, -32600


def flaw(message: bytes) -> Json | None:
    """What is answered to a message that is not well formed: no field twice, no NaN, not too long; else nothing."""
    if len(message) > MESSAGE_BYTES_MAX:
        return _error(_INVALID, f"A message has at most {MESSAGE_BYTES_MAX} bytes. Send less at a time.")
    try:
        json.loads(message.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        return _error(_PARSE_ERROR, "The message is nested too deep.")
    except UnicodeDecodeError:
        return _error(_PARSE_ERROR, "The message is not UTF-8.")
    except _TwiceError as error:
        # The message can be read otherwise, so whoever sent it is told which one it was.
        return _error(_INVALID, str(error), _id(message))
    except ValueError as error:
        return _error(_PARSE_ERROR, f"The message is not JSON: {error}.", _id(message))
    return None


class _TwiceError(ValueError):
    """A field stands there twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _TwiceError(f"The field {twice[:80]!r} is there twice. Say each once.")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _id(message: bytes) -> str | int | None:
    try:
        found = json.loads(message)
    except ValueError:
        return None
    name = found.get("id") if isinstance(found, dict) else None
    return name if isinstance(name, str) or type(name) is int else None


def _error(code: int, message: str, name: str | int | None = None) -> Json:
    return {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": message}}
