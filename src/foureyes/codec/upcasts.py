"""Upcast the bodies of stored events from earlier schema versions to the current one.

The log is never rewritten. When the shape of an event changes, its schema number goes up by one and a function is
added here that turns a body of the earlier shape into one of the next; old bodies are upcast step by step when read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foureyes.codec.shapes import CodecError

FIRST_SCHEMA = 1


def _compared(body: Any) -> Any:
    """Mark the base as unknown: before this step every base was the author's claim, and its files were not kept."""
    if type(body) is not dict:
        return body
    for name in ("before", "known_base"):
        if name in body:
            raise CodecError(f": unknown field {name!r}")
    return {**body, "known_base": {"source": "unknown", "name": "", "digest": ""}, "before": []}


def _added(name: str, *, value: Any) -> Callable[[Any], Any]:
    """A step that adds one field, with the value that every earlier body implies."""

    def step(body: Any) -> Any:
        if type(body) is not dict:
            return body
        if name in body:
            raise CodecError(f": unknown field {name!r}")
        return {**body, name: value}

    return step


#: The upcast to the next schema, by event and schema of the stored body.
STEPS: dict[tuple[str, int], Callable[[Any], Any]] = {
    # Before reviewers had a known host, every cost counted.
    ("ReportSubmitted", 1): _added("counted", value=True),
    # Earlier reports did not record what the reviewer had been given.
    ("ReportSubmitted", 2): _added("served", value=""),
    ("ReportFailed", 1): _added("counted", value=True),
    ("RevisionSubmitted", 1): _compared,
    # Before unprompted versions were distinguished, every new version used up an attempt.
    ("RevisionSubmitted", 2): _added("prompted", value=True),
    # Earlier versions compared whole files only and did not search for the text of findings.
    ("RevisionSubmitted", 3): _added("keeps", value=[]),
    # Earlier context hashes included the repository, so the place was part of the hash.
    ("FindingWaived", 1): _added("where", value=""),
    # Before unreviewed work could be submitted again, every reopening was for a new version or by a human.
    ("ReviewReopened", 1): _added("again", value=False),
}


def current_schema(kind: str) -> int:
    """The schema in which this program writes an event: one more than the number of its steps."""
    schema = FIRST_SCHEMA
    while (kind, schema) in STEPS:
        schema += 1
    return schema


def upcast(kind: str, schema: Any, body: Any) -> Any:
    """Upcast a stored body to the current schema; one from a later version of this program is refused."""
    newest = current_schema(kind)
    if type(schema) is not int or not FIRST_SCHEMA <= schema <= newest:
        raise CodecError(f": schema {schema!r} is not known; this program reads {FIRST_SCHEMA} to {newest}")
    for step in range(schema, newest):
        body = STEPS[kind, step](body)
    return body
