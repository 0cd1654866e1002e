"""How does the body of an event from an earlier version become what this version reads?

The log is never rewritten. When the shape of an event changes, its number here goes up by one and a function is added
that turns a body of the earlier shape into one of the next; old bodies walk up step by step when they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foureyes.codec.shapes import CodecError

FIRST_SCHEMA = 1


def _compared(body: Any) -> Any:
    """Before the gate asked whether it knows a base, every base was the author's word, and its files were not kept."""
    if type(body) is not dict:
        return body
    for name in ("before", "known_base"):
        if name in body:
            raise CodecError(f": unknown field {name!r}")
    return {**body, "known_base": {"source": "unknown", "name": "", "digest": ""}, "before": []}


def _added(name: str, *, value: Any) -> Callable[[Any], Any]:
    """A step that adds one field with the value every earlier body means."""

    def step(body: Any) -> Any:
        if type(body) is not dict:
            return body
        if name in body:
            raise CodecError(f": unknown field {name!r}")
        return {**body, name: value}

    return step


#: For an event and the schema of a stored body: how to make a body of the next schema of it.
STEPS: dict[tuple[str, int], Callable[[Any], Any]] = {
    # Before it was asked who runs a reviewer, every cost counted.
    ("ReportSubmitted", 1): _added("counted", value=True),
    # Before it was written down what a reviewer had been given, a report did not say.
    ("ReportSubmitted", 2): _added("served", value=""),
    ("ReportFailed", 1): _added("counted", value=True),
    ("RevisionSubmitted", 1): _compared,
    # Before it was asked whether anybody had judged, every new version used up an attempt.
    ("RevisionSubmitted", 2): _added("prompted", value=True),
    # Before the text of findings was looked for in new versions, only whole files could be compared.
    ("RevisionSubmitted", 3): _added("keeps", value=[]),
    # Before the text around a place was hashed without its repository, the hash itself said where it holds.
    ("FindingWaived", 1): _added("where", value=""),
    # Before work that nobody reviewed could ask again, every reopening was for a new version or by a human.
    ("ReviewReopened", 1): _added("again", value=False),
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
