"""A canonical form of a state, so that its hash can be kept for ever.

A field with its default value is left out, so that a later version may add fields without changing the hash of an old
log. If a later version keeps more of an old event, that field is listed here and left out too: everything that the old
version kept is compared, and the new field is covered by the next golden log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from foureyes.codec import canonical

#: The fields that were added to states after each golden log.
SINCE: Mapping[str, frozenset[str]] = {
    "1": frozenset({"Review.noted", "Account.removed_by"}),
    "6": frozenset({"Review.rejected"}),
    "10": frozenset({"Review.failed"}),
}


def state_hash(state: object, without: frozenset[str] = frozenset()) -> str:
    """The hash of a state without these fields."""
    return hashlib.sha256(canonical([dump(state, without)])).hexdigest()


def newer_than(version: str) -> frozenset[str]:
    """The fields added after the version of a golden log."""
    return frozenset[str]().union(*(names for since, names in SINCE.items() if int(since) >= int(version)))


def dump(value: Any, without: frozenset[str] = frozenset()) -> Any:  # noqa: PLR0911 - one line for each sort of value
    """A value in plain JSON types. The order of a mapping is kept, because requests follow it."""
    match value:
        case IntEnum():
            return value.name
        case None | bool() | int() | str():
            return value
        case datetime():
            return value.isoformat()
        case timedelta():
            return value // timedelta(microseconds=1)
        case tuple() | list():
            return [dump(one, without) for one in value]
        case frozenset():
            return sorted((dump(one, without) for one in value), key=lambda one: canonical([one]))
        case Mapping():
            return [[dump(key, without), dump(one, without)] for key, one in value.items()]
    if is_dataclass(value):
        found = ((one.name, getattr(value, one.name), _default(one)) for one in fields(value))
        of = type(value).__name__
        said = {name: one for name, one, default in found if one != default and f"{of}.{name}" not in without}
        return {name: dump(one, without) for name, one in said.items()}
    raise TypeError(f"no spelling for {value!r}")


def _default(one: Field[Any]) -> object:
    return one.default_factory() if one.default_factory is not MISSING else one.default
