"""Parses what callers send into the forms of the calls, and describes those forms in JSON Schema.

The forms are the frozen classes themselves: a field that may be left out has a default there. Parsing is strict: an
unknown field, a wrong type or a boolean in place of a number is refused with its place. Only a time may be written in
any form of RFC 3339, as its schema says; it is normalised to the form of the log first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from functools import cache, partial
from math import isfinite
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from foureyes.app.calls.misfits import refuse_misfit
from foureyes.codec.shapes import CodecError, Json, register, shape
from foureyes.core.commands import WORDS

T = TypeVar("T")
DEPTH_MAX = 32
#: Adds missing fields and normalises times; the number is the depth of nesting.
Filler = Callable[[Any, int], Any]


def taken(form: type[T], data: object) -> T:
    """Read what was sent; raises Refusal with the field and what is wrong with it."""
    try:
        _check_names(data)
        fill = _filler(cast("Any", form))
        return cast("T", shape(cast("Any", form))[1](fill(data, 0) if fill else data))
    except CodecError as error:
        raise refuse_misfit(schema(cast("Any", form)), data, str(error)) from None


def held(hint: Any) -> type | None:
    """The form that a field of this type holds, one or many of it; nothing where it holds plain values."""
    if isinstance(hint, type) and is_dataclass(hint):
        return hint
    return next((found for one in get_args(hint) if (found := held(one)) is not None), None)


def _check_names(data: object) -> None:
    """What stands by itself in a form is a name or a few words, and goes into rows and answers: no NUL is in it.

    The text of a file may hold one; it is kept as bytes.
    """
    for name, one in data.items() if type(data) is dict else ():
        if type(one) is str and "\0" in one:
            raise CodecError(f".{str(name)[:80]}: the character NUL, which no database can hold")


def given(value: object) -> Json:
    """What a call answers, as plain JSON; an answer that had to work that out says it."""
    known: Json | None = getattr(value, "as_given", None)
    return known if known is not None else cast("Json", shape(cast("Any", type(value)))[0](value))


def picked(form: type[T], source: object, **others: object) -> T:
    """A value of this form with what the source has under the same names, and some others."""
    return form(
        **{name: getattr(source, name) for name in type_hints(cast("Any", form)) if name not in others}, **others
    )


def describe(hint: Any, form: Json) -> None:
    """Say how a type is described that its hints do not tell; its reader and writer are registered with the codec."""
    _PLAIN[hint] = form


@cache
def schema(form: Any) -> Json:
    """The form in JSON Schema, for people and programs that read one."""
    if isinstance(form, type) and issubclass(form, StrEnum):
        return {"type": "string", "enum": [one.value for one in form]}
    if isinstance(form, type) and issubclass(form, IntEnum):
        return {"type": "string", "enum": [one.name.lower() for one in form]}
    if isinstance(form, type) and is_dataclass(form):
        return _record_schema(form)
    if form in _PLAIN:
        return dict(_PLAIN[form])
    return _compound_schema(form)


def _record_schema(form: type) -> Json:
    hints, properties, required = type_hints(form), dict[str, Any](), list[str]()
    for one in (one for one in fields(form) if one.init):
        properties[one.name] = _with_words(dict(schema(hints[one.name])), one.metadata.get(WORDS, ()))
        if one.default is MISSING and one.default_factory is MISSING:
            required.append(one.name)
        elif isinstance(one.default, str | int | bool) and not isinstance(one.default, StrEnum | IntEnum):
            properties[one.name]["default"] = one.default
    found: Json = {"type": "object", "title": form.__name__, "properties": properties, "additionalProperties": False}
    if form.__doc__:
        found["description"] = form.__doc__.partition("\n")[0]
    return {**found, "required": required} if required else found


def _with_words(found: Json, words: tuple[str, ...]) -> Json:
    """The schema of a text that is one of some words; readers of a schema choose from these."""
    if not words:
        return found
    text = {"type": "string", "enum": [str(one) for one in words]}
    if found.get("type") == "array":
        return {**found, "items": {**found["items"], **text}}
    return {**found, "anyOf": [text, {"type": "null"}]} if "anyOf" in found else {**found, **text}


def _compound_schema(form: Any) -> Json:
    match get_origin(form), get_args(form):
        case (origin, (one, other)) if origin in (UnionType, Union) and NoneType in (one, other):
            return {"anyOf": [schema(one if other is NoneType else other), {"type": "null"}]}
        case (origin, (one, other)) if origin is tuple and other is Ellipsis:
            return {"type": "array", "items": schema(one)}
        case (origin, parts) if origin is tuple:
            places = [schema(one) for one in parts]
            return {"type": "array", "prefixItems": places, "minItems": len(parts), "maxItems": len(parts)}
        case (origin, (one,)) if origin is frozenset:
            return {"type": "array", "items": schema(one), "uniqueItems": True}
        case (origin, (_, other)) if origin is Mapping:
            return {"type": "object", "additionalProperties": schema(other)}
        case (origin, parts) if origin in (UnionType, Union):
            return {"anyOf": [schema(one) for one in parts]}
    raise TypeError(f"no schema for {form!r}")


_PLAIN: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    datetime: {
        "type": "string",
        "format": "date-time",
        "description": "sent as RFC 3339 has it, as 2026-01-31T23:59:59Z; answered in UTC with microseconds",
    },
    timedelta: {"type": "integer", "description": "microseconds"},
    float: {"type": "number"},
    object: {"description": "any JSON value"},
}


#: A date-time of RFC 3339: always with its zone, in any letter case, with or without a fraction of a second.
_RFC_3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
).fullmatch


def _any_json(value: object, depth: int = 0) -> object:
    """A value whose form the other side chooses: only that it is JSON, and not too deep."""
    if depth > DEPTH_MAX:
        raise CodecError(f": nested deeper than {DEPTH_MAX}")
    match value:
        case str():
            return shape(str)[0](value)
        case None | bool():
            return value
        case float() if isfinite(value):
            return value
        case int():
            return shape(int)[0](value)
        case list():
            return [_any_json(one, depth + 1) for one in value]
        case dict():
            return {shape(str)[0](name): _any_json(one, depth + 1) for name, one in value.items()}
    raise CodecError(f": {type(value).__name__} is no JSON value")


def _real(value: object) -> float:
    if type(value) is not float or not isfinite(value):
        raise CodecError(f": expected a number, not {type(value).__name__}")
    return value


register(object, (_any_json, _any_json))
register(float, (_real, _real))


@cache
def type_hints(form: type) -> dict[str, Any]:
    """The types of a form's fields by name, looked up once."""
    return get_type_hints(form, localns={"datetime": datetime})


@cache
def _defaults(form: type) -> dict[str, Any]:
    """What stands for a field that was left out, written down."""
    found = dict[str, Any]()
    for one in fields(form):
        value = one.default_factory() if one.default_factory is not MISSING else one.default
        if value is not MISSING:
            found[one.name] = shape(type_hints(form)[one.name])[0](value)
    return found


@cache
def _filler(form: Any) -> Filler | None:
    """What adds to a value of this form what was left out; nothing where nothing can be.

    Wrong types are left for the strict reader to refuse.
    """
    if form is datetime:
        return _fill_time
    if isinstance(form, type) and is_dataclass(form):
        return _record_filler(form)
    match get_origin(form), get_args(form):
        case (origin, (one, other)) if origin in (UnionType, Union):
            fill = _filler(one if other is NoneType else other)
            return fill and partial(_fill_optional, fill)
        case (origin, (one, other)) if origin is tuple and other is Ellipsis:
            fill = _filler(one)
            return fill and partial(_fill_list, fill)
        case (origin, (_, other)) if origin is Mapping:
            fill = _filler(other)
            return fill and partial(_fill_names, fill)
    return None


def _fill_optional(fill: Filler, data: Any, depth: int) -> Any:
    return None if data is None else fill(data, depth)


def _fill_list(fill: Filler, data: Any, depth: int) -> Any:
    return [fill(one, depth + 1) for one in data] if type(data) is list else data


def _fill_names(fill: Filler, data: Any, depth: int) -> Any:
    return {name: fill(one, depth + 1) for name, one in data.items()} if type(data) is dict else data


def _fill_time(data: Any, _: int) -> Any:
    """A date-time of RFC 3339 in the log's own spelling; what is finer than a microsecond is cut off.

    What is none, or names no time of ours, is left for the strict reader to refuse.
    """
    if type(data) is not str or not _RFC_3339(data):
        return data
    try:
        return shape(datetime)[0](datetime.fromisoformat(data.upper()).astimezone(UTC))
    except (ValueError, OverflowError):
        return data


def _record_filler(form: type) -> Filler:
    hints, defaults = type_hints(form), _defaults(form)
    turns = tuple((name, turn) for name, hint in hints.items() if (turn := _filler(hint)) is not None)

    def fill(data: Any, depth: int) -> Any:
        if depth > DEPTH_MAX:
            raise CodecError(f": nested deeper than {DEPTH_MAX}")
        if type(data) is not dict:
            return data
        found = {**defaults, **data}
        for name, turn in turns:
            if name in data:
                found[name] = turn(data[name], depth + 1)
        return found

    return fill
