"""The hash chain of a stream: links each event to the one before it, so that later changes are detected."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from foureyes.app.rows import Append, Entry, Stored
from foureyes.codec import write
from foureyes.core.events import Event

#: The link before the first event of every stream.
ROOT = b""


def appended(
    stream: str, end: tuple[int, bytes], events: Iterable[Event], *, at: str, actor: str, cause: str
) -> Append:
    """Encode events and link them to the end of their stream, given as its length and last link."""
    after, previous = end
    place, circumstances = _fields(stream), _fields(at, actor, cause)
    entries: list[Entry] = []
    for version, event in enumerate(events, start=after + 1):
        kind, schema, body = write(event)
        text = f"{place}{_fields(str(version), kind, str(schema))}{circumstances}{len(body)}:{body},"
        previous = sha256(previous + text.encode()).digest()
        entries.append(Entry(type=kind, schema=schema, body=body, chain=previous))
    return Append(stream=stream, after=after, at=at, actor=actor, cause=cause, entries=tuple(entries))


def link_of(previous: bytes, stored: Stored) -> bytes:
    """Return the link that a stored event must have after this previous link."""
    one = stored
    event = (one.stream, str(one.version), one.type, str(one.schema), one.at, one.actor, one.cause, one.body)
    return sha256(previous + _fields(*event).encode()).digest()


def _fields(*fields: str) -> str:
    """Prefix each field with its length, so that different envelopes never have the same encoding."""
    return "".join([f"{len(one)}:{one}," for one in fields])
