"""Write and read events as JSON, including events from earlier versions of this program."""

from __future__ import annotations

import json
from typing import cast, get_args

from foureyes.codec.shapes import CodecError, Json, shape, spelled
from foureyes.codec.upcasts import current_schema, upcast
from foureyes.core.events import Event

#: Every event this program can write, by name.
EVENT_TYPES: dict[str, type] = {one.__name__: one for one in get_args(Event)}


WRITTEN_MAX, WRITTEN_CHARS_MAX = 4_096, 4_096


class _Written:
    """The events written last, by type, version and text: between one and two times `WRITTEN_MAX` of them.

    Reading one again would give the same, and the projections read everything a moment after it was written.
    """

    def __init__(self) -> None:
        self._new: dict[tuple[str, int, str], Event] = {}
        self._old: dict[tuple[str, int, str], Event] = {}

    def put(self, written: tuple[str, int, str], event: Event) -> None:
        if len(self._new) >= WRITTEN_MAX:
            self._old, self._new = self._new, {}
        self._new[written] = event

    def get(self, written: tuple[str, int, str]) -> Event | None:
        return self._new.get(written) or self._old.get(written)


_WRITTEN = _Written()


def write(event: Event) -> tuple[str, int, str]:
    """Encode an event as text: its type, schema version and body."""
    data = encode(event)
    written = data["type"], data["schema"], spelled(data["body"])
    if len(written[2]) <= WRITTEN_CHARS_MAX:
        _WRITTEN.put(written, event)
    return written


def read(kind: str, schema: int, text: str) -> Event:
    """Decode an event from its text; anything unexpected is refused."""
    known = _WRITTEN.get((kind, schema, text))
    return known or decode({"type": kind, "schema": schema, "body": json.loads(text)})


def encode(event: Event) -> Json:
    """Encode an event: its type, schema version and body in plain JSON types."""
    kind = type(event).__name__
    if EVENT_TYPES.get(kind) is not type(event):
        raise CodecError(f"{kind} is not an event")
    try:
        return {"type": kind, "schema": current_schema(kind), "body": shape(EVENT_TYPES[kind])[0](event)}
    except CodecError as error:
        raise CodecError(f"{kind}{error}") from None


def decode(data: Json) -> Event:
    """Decode an event; anything unexpected is refused."""
    if type(data) is not dict or data.keys() != {"type", "schema", "body"}:
        raise CodecError("an event has exactly the fields type, schema and body")
    kind, schema = data["type"], data["schema"]
    if type(kind) is not str or kind not in EVENT_TYPES:
        raise CodecError(f"{kind!r} is not an event")
    try:
        return cast("Event", shape(EVENT_TYPES[kind])[1](upcast(kind, schema, data["body"])))
    except CodecError as error:
        raise CodecError(f"{kind}{error}") from None
