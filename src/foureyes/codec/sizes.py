"""Limit the number of JSON values in a message before it is parsed: bytes are cheap, many small values are not."""

from __future__ import annotations

#: Maximum number of values in one message. The largest work, 2,000 files with all their fields, has 14,000. Parsing so
#: many blocks the server for about ten milliseconds. A larger batch has to be sent in parts.
VALUES_MAX = 20_000
#: Every value after the first follows one of these characters.
_MARKS = b",[{"
#: Two quotes for a text and two for its key.
_QUOTES_EACH_MAX = 4


def is_too_full(message: bytes | bytearray) -> bool:
    """True if this JSON, or its beginning, has more values than allowed; takes a few passes over it at most."""
    if _marks(message) <= VALUES_MAX:
        return False
    # Marks inside texts do not count. Without escaped backslashes and quotes, every quote begins or ends a text.
    bare = message.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > _QUOTES_EACH_MAX * VALUES_MAX:
        return True
    return _marks(b"".join(bare.split(b'"')[::2])) > VALUES_MAX


def _marks(message: bytes | bytearray) -> int:
    return len(message) - len(message.translate(None, _MARKS))
