"""Compile type hints into strict JSON writers and readers.

Every class is compiled once, from its type hints, into a pair of functions. Reading is strict: an unknown type,
a missing or unknown field, a wrong type or a boolean in place of a number is refused, never repaired.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from functools import cache, lru_cache, partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

NUMBER_BITS_MAX = 64
TIMES_KEPT_MAX = 4_096

Json = dict[str, Any]
Writer = Callable[[Any], Any]
Reader = Callable[[Any], Any]


class CodecError(ValueError):
    """Something is not well formed; the message names the field and what is wrong with it."""


def canonical(data: Json | list[Any]) -> bytes:
    """The canonical JSON of a value, for hashing and comparing."""
    return _CANONICAL.encode(data).encode()


def spelled(data: Json) -> str:
    """The canonical JSON of what a shape wrote: its fields are in order already, which saves sorting them.

    What orjson refuses is written or refused as `canonical` does: numbers beyond 64 bits, lone surrogates, and values
    that are not plain JSON. NaN it would write as null; shapes let none through, because they have no floats.
    """
    try:
        return _quickly()(data).decode()
    except TypeError:
        return _IN_ORDER.encode(data)


@cache
def _quickly() -> Callable[[Any], bytes]:
    import orjson  # noqa: PLC0415 - whoever only asks the gate spells nothing

    # Otherwise orjson would serialise these in its own way; subclasses of str are left to the fallback.
    plain = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
    return partial(orjson.dumps, option=plain)


_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
_IN_ORDER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False)


@cache
def shape(hint: Any) -> tuple[Writer, Reader]:
    """Compile a type hint into its writer and reader."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _choice(hint, {one: one.value for one in hint})
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return _choice(hint, {one: one.name.lower() for one in hint})
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    return _compound(hint)


def _compound(hint: Any) -> tuple[Writer, Reader]:
    match get_origin(hint), get_args(hint):
        case (origin, (one, other)) if origin in (UnionType, Union) and NoneType in (one, other):
            return _optional(*shape(one if other is NoneType else other))
        case (origin, (one, other)) if origin is tuple and other is Ellipsis:
            return _sequence(*shape(one))
        case (origin, parts) if origin is tuple:
            return _row(tuple(shape(one) for one in parts))
        case (origin, (one,)) if origin is frozenset:
            return _set(*shape(one))
        case (origin, (one, other)) if origin is Mapping and one is str:
            return _names(*shape(other))
    raise TypeError(f"no codec for {hint!r}")


def _record(cls: type) -> tuple[Writer, Reader]:
    hints = get_type_hints(cls, localns={"datetime": datetime})
    names = tuple(sorted(one.name for one in fields(cls) if one.init))
    known = frozenset(names)
    writers = {name: shape(hints[name])[0] for name in names}
    readers = {name: shape(hints[name])[1] for name in names}
    put_all = _spelled_out("{%s}", "{0!r}: {1}", writers)
    take_all = _spelled_out("cls(%s)", "{0}=turn_{0}(one[{0!r}])", readers, cls)

    def write(value: Any) -> Any:
        if type(value) is not cls:
            raise CodecError(f": expected {cls.__name__}, not {type(value).__name__}")
        try:
            return put_all(value)
        except CodecError:
            raise _located((name, put, getattr(value, name)) for name, put in writers.items()) from None

    def read(data: Any) -> Any:
        if type(data) is not dict:
            raise CodecError(f": expected the fields of {cls.__name__}, not {type(data).__name__}")
        if data.keys() != known:
            raise _misfit(data, known)
        try:
            return take_all(data)
        except CodecError:
            raise _located((name, take, data[name]) for name, take in readers.items()) from None

    return write, read


def _spelled_out(whole: str, part: str, turns: Mapping[str, Writer | Reader], cls: type | None = None) -> Writer:
    """Generate one expression with a call for each field; a loop over the fields takes twice as long."""
    turned = {name: _AT_ONCE.get(turn, "turn_{0}(one.{0})").format(name) for name, turn in turns.items()}
    text = whole % ", ".join(part.format(name, turned[name]) for name in turns)
    known = {f"turn_{name}": turn for name, turn in turns.items()}
    made: Writer = eval(f"lambda one: {text}", {**known, "cls": cls})  # noqa: S307 - only names of our own fields
    return made


def _misfit(data: Json, known: frozenset[str]) -> CodecError:
    missing, unknown = sorted(known - data.keys()), sorted(repr(one) for one in data.keys() - known)
    if missing:
        return CodecError(f": missing field {missing[0]}")
    return CodecError(f": unknown field {unknown[0]}")


def _located(attempts: Iterable[tuple[str, Writer | Reader, Any]]) -> CodecError:
    """Find the wrong field and name it; the fast path does not track positions."""
    for name, turn, value in attempts:
        try:
            turn(value)
        except CodecError as error:
            return CodecError(f".{name}{error}")
    return CodecError(" changed while it was read")


def _optional(write: Writer, read: Reader) -> tuple[Writer, Reader]:
    return (
        lambda value: None if value is None else write(value),
        lambda data: None if data is None else read(data),
    )


def _sequence(write: Writer, read: Reader) -> tuple[Writer, Reader]:
    def put(value: Any) -> Any:
        if not value and type(value) is tuple:
            return []
        return [write(one) for one in _expect(value, tuple, "a tuple")]

    def take(data: Any) -> Any:
        if not data and type(data) is list:
            return ()
        found = _expect(data, list, "a list")
        try:
            return tuple([read(one) for one in found])
        except CodecError:
            raise _numbered(read, found) from None

    return put, take


def _numbered(read: Reader, values: list[Any]) -> CodecError:
    """Find the index of the wrong item in a list."""
    for number, value in enumerate(values):
        try:
            read(value)
        except CodecError as error:
            return CodecError(f"[{number}]{error}")
    return CodecError(" changed while it was read")


def _row(parts: tuple[tuple[Writer, Reader], ...]) -> tuple[Writer, Reader]:
    def sized(value: Any) -> Any:
        if len(value) != len(parts):
            raise CodecError(f": expected {len(parts)} values, not {len(value)}")
        return value

    def put(value: Any) -> Any:
        row = sized(_expect(value, tuple, "a tuple"))
        return [write(one) for (write, _), one in zip(parts, row, strict=True)]

    def take(data: Any) -> Any:
        row = sized(_expect(data, list, "a list"))
        return tuple([read(one) for (_, read), one in zip(parts, row, strict=True)])

    return put, take


def _set(write: Writer, read: Reader) -> tuple[Writer, Reader]:
    def put(value: Any) -> Any:
        return sorted(write(one) for one in _expect(value, frozenset, "a set"))

    def take(data: Any) -> Any:
        found = [read(one) for one in _expect(data, list, "a list")]
        if data != sorted(set(data)):
            raise CodecError(": expected each value once, in order")
        return frozenset(found)

    return put, take


def _names(write: Writer, read: Reader) -> tuple[Writer, Reader]:
    """Compile a mapping with free keys to values of one type."""

    def put(value: Any) -> Any:
        return {_put_text(name): write(one) for name, one in value.items()}

    def take(data: Any) -> Any:
        found = _expect(data, dict, "an object")
        try:
            return {_take_text(name): read(one) for name, one in found.items()}
        except CodecError:
            raise _located((name, read, one) for name, one in found.items()) from None

    return put, take


def tagged(classes: Iterable[type]) -> tuple[Writer, Reader]:
    """Compile a choice between classes: each is written with its name under `is`."""
    known = {one.__name__: one for one in classes}

    def put(value: Any) -> Any:
        name = type(value).__name__
        if known.get(name) is not type(value):
            raise CodecError(f": {name} is not one of {', '.join(known)}")
        return {"is": name} | shape(known[name])[0](value)

    def take(data: Any) -> Any:
        name = data.get("is") if type(data) is dict else None
        cls = known.get(name) if type(name) is str else None
        if cls is None:
            raise CodecError(f": {name!r} is not one of {', '.join(known)}")
        return shape(cls)[1]({key: one for key, one in data.items() if key != "is"})

    return put, take


def register(hint: Any, codec: tuple[Writer, Reader]) -> None:
    """Set the writer and reader of a type that its hints cannot describe: an interface, or a choice."""
    _PLAIN[hint] = codec


def _choice(cls: type, words: dict[Any, str]) -> tuple[Writer, Reader]:
    members = {word: member for member, word in words.items()}

    def put(value: Any) -> Any:
        if type(value) is not cls:
            raise CodecError(f": expected {cls.__name__}, not {type(value).__name__}")
        return words[value]

    def take(data: Any) -> Any:
        member = members.get(data) if type(data) is str else None
        if member is None:
            raise CodecError(f": {data!r} is not one of {', '.join(members)}")
        return member

    return put, take


def _expect(value: Any, cls: type, words: str) -> Any:
    if type(value) is not cls:
        raise CodecError(f": expected {words}, not {type(value).__name__}")
    return value


def _put_text(value: Any) -> Any:
    if type(value) is not str:
        if not isinstance(value, str):
            raise CodecError(f": expected text, not {type(value).__name__}")
        value = str(value)
    if "\0" in value:
        raise CodecError(": the character NUL, which no database can hold")
    return value if value.isascii() else _unicode(value)


def _take_text(data: Any) -> Any:
    if type(data) is not str:
        raise CodecError(f": expected text, not {type(data).__name__}")
    return data if data.isascii() else _unicode(data)


def _unicode(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CodecError(": half a character, which no file can hold") from None
    return value


def _number(value: Any) -> Any:
    if type(value) is not int:
        raise CodecError(f": expected a whole number, not {type(value).__name__}")
    if value.bit_length() > NUMBER_BITS_MAX:
        raise CodecError(f": a number of more than {NUMBER_BITS_MAX} bits")
    return value


def _truth(value: Any) -> Any:
    return _expect(value, bool, "true or false")


def _put_time(value: Any) -> Any:
    if type(value) is not datetime:
        raise CodecError(f": expected a time, not {type(value).__name__}")
    return _time_text(value if value.tzinfo is UTC else _to_utc(value))


@lru_cache(maxsize=TIMES_KEPT_MAX)
def _time_text(value: datetime) -> str:
    """Write a UTC time as text; cached, because a review repeats the same few times."""
    return value.isoformat(timespec="microseconds")[:-6] + "Z"


def _to_utc(value: datetime) -> datetime:
    if value.utcoffset() is None:
        raise CodecError(": a time without its zone")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise CodecError(": a time before year 1 or after year 9999") from None


def _take_time(data: Any) -> Any:
    if type(data) is not str or not _TIME(data):
        raise CodecError(f": {data!r} is not a time written as 2026-01-31T23:59:59.000000Z")
    try:
        return datetime.fromisoformat(data)
    except ValueError:
        raise CodecError(f": {data!r} is not a time") from None


def _put_span(value: Any) -> Any:
    if type(value) is not timedelta:
        raise CodecError(f": expected a span of time, not {type(value).__name__}")
    return value // timedelta(microseconds=1)


def _take_span(data: Any) -> Any:
    try:
        return timedelta(microseconds=_number(data))
    except OverflowError:
        raise CodecError(": a span of time that is too long") from None


_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z").fullmatch

#: Inline checks for plain values, which most fields are; they avoid a call unless the check fails.
_AT_ONCE: dict[Writer, str] = {
    _put_text: "(it if type(it := one.{0}) is str and it.isascii() and '\\0' not in it else turn_{0}(it))",
    _truth: "(it if type(it := one.{0}) is bool else turn_{0}(it))",
}

_PLAIN: dict[Any, tuple[Writer, Reader]] = {
    str: (_put_text, _take_text),
    int: (_number, _number),
    bool: (_truth, _truth),
    datetime: (_put_time, _take_time),
    timedelta: (_put_span, _take_span),
}
