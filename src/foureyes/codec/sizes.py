"""How much is in a message, before anybody reads it? Bytes are cheap to take in; a million little values are not."""

from __future__ import annotations

#: Values in one message. The fullest work, 2,000 files with all their fields, has 14,000. Reading so many takes some
#: ten milliseconds, which are everybody's. A batch that has more is sent as several.
VALUES_MAX = 20_000
#: Each value after the first follows one of these; a number or a text within a list needs nothing else.
_MARKS = b",[{"
#: A text and its name.
_QUOTES_EACH_MAX = 4


def is_too_full(message: bytes | bytearray) -> bool:
    """Whether there are more values in this JSON, or in its beginning, than are taken: a few passes over it at most."""
    if _marks(message) <= VALUES_MAX:
        return False
    # Marks in a text are no values. Without escaped backslashes and quotes, every quote begins or ends a text.
    bare = message.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > _QUOTES_EACH_MAX * VALUES_MAX:
        return True
    return _marks(b"".join(bare.split(b'"')[::2])) > VALUES_MAX


def _marks(message: bytes | bytearray) -> int:
    return len(message) - len(message.translate(None, _MARKS))
