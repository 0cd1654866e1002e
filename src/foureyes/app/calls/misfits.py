"""Explains an argument that does not fit the form of a call: the field, its allowed values, a corrected argument."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from foureyes.codec.shapes import Json
from foureyes.core.refusals import Code, Fact, Refusal

#: Least similarity of a misspelt name.
ALIKE_MIN = 0.75
NAME_CHARS_MAX = 80
#: A longer argument is not repeated in a refusal.
ADD_CHARS_MAX = 4_000
DEPTH_MAX = 12
_TIMES, _TIME = "date-time", "2026-01-31T23:59:59Z"
_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}
_SENT: Final = {str: "text", int: "a whole number", float: "a fraction", bool: "true or false", list: "a list"}
#: Names that other systems use for a field: the first of these that the form has is meant.
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "content": ("text",),
    "contents": ("text",),
    "body": ("text",),
    "message": ("text", "summary"),
    "description": ("text", "summary"),
    "comment": ("text", "note", "summary"),
    "line": ("start", "place.start"),
    "lines": ("start", "place.start"),
    "start_line": ("start", "place.start"),
    "end_line": ("end", "place.end"),
    "file": ("path", "place.path"),
    "filename": ("path", "place.path"),
    "path": ("place.path",),
    "start": ("place.start",),
    "end": ("place.end",),
    "fix": ("suggestion",),
    "id": ("finding", "review", "name"),
    "proof": ("evidence",),
    "criterion": ("name",),
}
#: If a text is sent in place of an object, it goes into the first of these fields that the object has.
_MAIN: Final = ("why", "text", "finding", "path", "summary", "name", "note")
_EXAMPLE_WORDS: Final = ("important",)
_STEPS = re.compile(r"[^.\[\]]+|\[\d+\]").findall
_MISSING = re.compile(r"missing field (\w+)$").match
_UNKNOWN = re.compile(r"unknown field '(.{1,80})'").match
_CHOICE = re.compile(r".* is not one of (.+)$", re.DOTALL).match


def refuse_misfit(schema: Json, data: object, error: str) -> Refusal:
    """The refusal of what does not fit; `error` is the strict reader's, with the place in front."""
    place, _, what = error.lstrip(".").partition(": ")
    inner, value = _at(schema, data, place)
    if _MISSING(what) or _UNKNOWN(what):
        words, step, fields = _of_names(inner, value, place)
    elif choice := _CHOICE(what):
        words, step = f"{place}: {what}" if place else what, "Use one of these words."
        fields = {"field": place, "allowed": choice[1].split(", ")}
    else:
        words, step, fields = _of_type(inner, value, place, what)
    if "allowed" not in fields:
        fields = {**fields, **_added(schema, data, place)}
    return Refusal(Code.BAD_VALUE, f"The request is not well formed: {words}.", step, fields=fields)


def _added(schema: Json, data: object, place: str) -> dict[str, Fact]:
    """The whole argument as it would fit, where that is not much to repeat."""
    top = _STEPS(place)[0] if place else ""
    if not isinstance(data, dict) or top not in data or top not in schema["properties"]:
        return {}
    fits = _fitting(schema["properties"][top], data[top], top)
    if fits == data[top]:
        return {}
    text = json.dumps(fits, ensure_ascii=False)
    # Half of a character would be refused again: no file can hold it.
    is_written = text.encode(errors="ignore").decode() == text
    return {"add": {top: fits}} if is_written and len(text) <= ADD_CHARS_MAX else {}


def meant_field(name: str, known: list[str]) -> str:
    """The field that this is a misspelling of; empty where it is like none."""
    plain = {_plain(field): field for field in known}
    if _plain(name) in plain:
        return plain[_plain(name)]
    found = get_close_matches(_plain(name)[:NAME_CHARS_MAX], list(plain), n=1, cutoff=ALIKE_MIN)
    return plain[found[0]] if found else ""


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _of_names(inner: Json, value: object, place: str) -> tuple[str, str, dict[str, Fact]]:
    """An object with fields that it does not have, or without some that it must have."""
    known, needed = list(inner.get("properties", {})), inner.get("required", [])
    sent: dict[str, Any] = value if isinstance(value, dict) else {}
    missing = [name for name in needed if name not in sent]
    unknown = [str(name)[:NAME_CHARS_MAX] for name in sent if name not in known]
    meant = {name: found for name in unknown if (found := _meant(name, inner, sent))}
    begin = f"{place}." if place else ""
    if missing:
        fields: dict[str, Fact] = {"field": f"{begin}{missing[0]}", "missing": [f"{begin}{one}" for one in missing]}
        if not place:
            fields["add"] = {name: _example(inner["properties"][name], name) for name in missing}
    else:
        fields = {"field": f"{begin}{unknown[0]}"}
    left_out = [f"{begin}{name}" for name in unknown if name not in meant]
    if left_out:
        fields["remove"] = left_out
    fields["known_fields"] = known
    if meant and not missing:
        first = next(iter(meant))
        fields |= {"field": f"{begin}{first}", "rename_to": f"{begin}{meant[first]}"}
    words = [f"missing field {name}" for name in missing] + [f"unknown field {name!r}" for name in unknown]
    steps = [f"Add {', '.join(f'`{begin}{name}`' for name in missing)}."] if missing else []
    steps += [f"Send `{begin}{name}` as `{begin}{found}`." for name, found in meant.items()]
    steps += [f"Leave {', '.join(f'`{name}`' for name in left_out)} out."] if left_out else []
    steps += [f"The fields there are: {', '.join(known)}."]
    return f"{place}: {', '.join(words)}" if place else ", ".join(words), " ".join(steps), fields


def _meant(name: str, inner: Json, sent: Mapping[str, Any]) -> str:
    """The field of this object that a name stands for, one of its `place` too; empty where it is like none."""
    known = inner.get("properties", {})
    free = [one for one in known if one not in sent]
    for alias in _ALIASES.get(name.casefold(), ()):
        outer, _, rest = alias.partition(".")
        if outer in free and (not rest or rest in _plain_of(known[outer]).get("properties", {})):
            return alias
    return meant_field(name, free)


def _of_type(inner: Json, value: object, place: str, what: str) -> tuple[str, str, dict[str, Fact]]:
    """A value of another type than the field's."""
    expected = _described(inner) or what
    if inner and "expected" in what:
        words = f"expected {expected}, not {_SENT.get(type(value), 'an object' if value is not None else 'null')}"
    else:
        words = what
    fields: dict[str, Fact] = {"field": place, "expected": expected}
    if "properties" in inner:
        fields["known_fields"] = list(inner["properties"])
    step = f"Send `{place}` as {expected}." if place else f"Send {expected}."
    return f"{place}: {words}" if place else words, step, fields


def _described(inner: Json) -> str:
    """A type in plain words; empty where the form leaves it open."""
    kind = f"a time as {_TIME}" if inner.get("format") == _TIMES else _TYPES.get(str(inner.get("type", "")), "")
    if "prefixItems" in inner:
        kind = f"a list of {len(inner['prefixItems'])}: {', '.join(map(_described, inner['prefixItems']))}"
    if kind == "a list" and isinstance(inner.get("items"), dict):
        return f"a list, each of it {_described(_plain_of(inner['items'])) or 'any value'}"
    if "properties" not in inner:
        return kind
    needed = inner.get("required", [])
    more = [name for name in inner["properties"] if name not in needed]
    with_these = f" with {', '.join(needed)}" if needed else ""
    return f"an object{with_these}" + (f" and, where wanted, {', '.join(more)}" if more else "")


def _at(schema: Json, data: object, place: str) -> tuple[Json, object]:
    """The part of the schema and the value at a place; nothing where the form leaves it open."""
    inner: Json = schema
    for step in _STEPS(place):
        inner = _plain_of(inner)
        if step.startswith("["):
            number = int(step[1:-1])
            items = inner.get("items") or {}
            data = data[number] if isinstance(data, list) and number < len(data) else None
        else:
            items = inner.get("properties", {}).get(step) or inner.get("additionalProperties") or {}
            data = data.get(step) if isinstance(data, dict) else None
        inner = items if isinstance(items, dict) else {}
    return _plain_of(inner), data


def _plain_of(schema: Json) -> Json:
    """A schema without the null that it may be; nothing of one that may be several things."""
    if "anyOf" not in schema:
        return schema
    others = [one for one in schema["anyOf"] if one != {"type": "null"}]
    return others[0] if len(others) == 1 else {}


def _fitting(schema: Json, value: Any, name: str, depth: int = 0) -> Any:
    """The value as it would fit: names put right, unknown ones left out, what is missing as an example."""
    inner = _plain_of(schema)
    if depth > DEPTH_MAX or not inner or (value is None and inner is not schema):
        return value
    kind = inner.get("type")
    if kind == "object" and "properties" in inner:
        return _fitting_object(inner, value, depth)
    if kind == "array" and isinstance(inner.get("items"), dict):
        listed = value if isinstance(value, list) else [value]
        return [_fitting(inner["items"], one, name, depth + 1) for one in listed]
    return _fitting_plain(inner, value, name)


def _fitting_plain(inner: Json, value: Any, name: str) -> Any:
    found: Any = value
    match inner.get("type"):
        case "array" if "prefixItems" in inner and not isinstance(value, list):
            found = _example(inner, name)
        case "object" if not isinstance(value, dict):
            found = {}
        case "string" if inner.get("format") == _TIMES and not isinstance(value, str):
            found = _TIME
        case "string" if not isinstance(value, str):
            is_number = isinstance(value, int) and not isinstance(value, bool)
            found = _a_word(inner["enum"]) if "enum" in inner else str(value) if is_number else f"<{name}>"
        case "integer" if not isinstance(value, int) or isinstance(value, bool):
            text = str(value).strip()
            found = int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else inner.get("default", 1)
        case "boolean" if not isinstance(value, bool):
            found = str(value).strip().lower() in ("true", "yes", "1")
    return found


def _a_word(words: list[str]) -> str:
    """One of the words there are: what weighs neither most nor least, where it is known."""
    return next((one for one in words if one in _EXAMPLE_WORDS), words[0])


def _fitting_object(inner: Json, value: Any, depth: int) -> dict[str, Any]:
    known: Json = inner["properties"]
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        main = next((one for one in _MAIN if one in known), "")
        value = {main: value} if main else {}
    found: dict[str, Any] = {}
    for given, one in (value if isinstance(value, dict) else {}).items():
        meant = given if given in known else _meant(str(given), inner, value)
        outer, _, rest = meant.partition(".")
        if rest:
            old = value.get(outer) if isinstance(value.get(outer), dict) else found.get(outer)
            found[outer] = {**(old if isinstance(old, dict) else {}), rest: one}
        elif outer:
            found.setdefault(outer, one)
    for needed in inner.get("required", ()):
        found.setdefault(needed, _example(known[needed], needed))
    return {field: _fitting(known[field], one, field, depth + 1) for field, one in found.items()}


def _example(schema: Json, name: str, depth: int = 0) -> Any:
    """A value that fits; a text in angle brackets stands for the caller's own words."""
    inner = _plain_of(schema)
    found: Any = f"<{name}>"
    match inner.get("type"):
        case "array" if "prefixItems" in inner:
            found = [_example(one, name, depth + 1) for one in inner["prefixItems"]]
        case "string" if inner.get("format") == _TIMES:
            found = _TIME
        case "string":
            found = _a_word(inner["enum"]) if "enum" in inner else f"<{name}>"
        case "integer" | "number":
            found = inner.get("default", 1)
        case "boolean":
            found = True
        case "array" if depth < DEPTH_MAX and isinstance(inner.get("items"), dict):
            found = [_example(inner["items"], name, depth + 1)]
        case "object" if depth < DEPTH_MAX:
            known = inner.get("properties", {})
            found = {one: _example(known[one], one, depth + 1) for one in inner.get("required", ())}
    return found
