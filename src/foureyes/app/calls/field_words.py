"""The meaning of each field of a call, with an example and its allowed words; for the command line and the docs.

A field is looked up as `Form.field`, then by its name alone. Types and needed fields come from the forms themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from foureyes.app.calls.bodies import held, schema, type_hints
from foureyes.app.calls.field_table import TABLE, Row
from foureyes.codec import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One field: where it stands, such as `findings[].place.start`, what it is, and what it may be."""

    place: str
    needed: bool
    schema: Json
    meaning: str
    example: object
    #: The words it may have; empty if it may have others too.
    allowed: tuple[str, ...]


def explained(form: type) -> Iterator[Explained]:
    """Every field of a form, each followed by the fields of what it holds."""
    yield from _explained(form, "", ())


def _explained(form: type, before: str, above: tuple[type, ...]) -> Iterator[Explained]:
    described = schema(cast("Any", form))
    for name, hint in type_hints(form).items():
        if name not in described["properties"]:
            continue
        said = described["properties"][name]
        row = row_of(form, name)
        yield Explained(
            place=f"{before}{name}",
            needed=name in described.get("required", ()),
            schema=said,
            meaning=row.meaning,
            example=row.example,
            allowed=row.allowed or _enum(said),
        )
        inner = held(hint)
        if inner is not None and inner not in above:
            several = "[]" if said.get("type") == "array" else ""
            yield from _explained(inner, f"{before}{name}{several}.", (*above, form))


def row_of(form: type, name: str) -> Row:
    """What is said of a field; raises KeyError where nothing is."""
    return TABLE.get(f"{form.__name__}.{name}") or TABLE[name]


def _enum(said: Json) -> tuple[str, ...]:
    parts = (said, *said.get("anyOf", ()), said.get("items", {}))
    return next((tuple(one["enum"]) for one in parts if "enum" in one), ())
