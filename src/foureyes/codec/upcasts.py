"""How does the body of an event from an earlier version become what this version reads?

The log is never rewritten. When the shape of an event changes, its number here goes up by one and a function is added
that turns a body of the earlier shape into one of the next; old bodies walk up step by step when they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foureyes.codec.shapes import CodecError

FIRST_SCHEMA = 1


def _counted(body: Any) -> Any:
    """Before it was asked who runs a reviewer, every cost counted."""
    if type(body) is not dict:
        return body
    if "counted" in body:
        raise CodecError(": unknown field 'counted'")
    return {**body, "counted": True}


#: For an event and the schema of a stored body: how to make a body of the next schema of it.
STEPS: dict[tuple[str, int], Callable[[Any], Any]] = {
    ("ReportSubmitted", 1): _counted,
    ("ReportFailed", 1): _counted,
}


def current_schema(kind: str) -> int:
    """The schema in which this program writes an event: one more than its steps."""
    schema = FIRST_SCHEMA
    while (kind, schema) in STEPS:
        schema += 1
    return schema


def upcast(kind: str, schema: Any, body: Any) -> Any:
    """Turn a stored body into the current shape; one from a later version of this program is refused."""
    newest = current_schema(kind)
    if type(schema) is not int or not FIRST_SCHEMA <= schema <= newest:
        raise CodecError(f": schema {schema!r} is not known; this program reads {FIRST_SCHEMA} to {newest}")
    for step in range(schema, newest):
        body = STEPS[kind, step](body)
    return body
