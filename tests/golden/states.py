"""What is a state in one spelling, so that its hash can be kept for ever?

A field that has its default is left out: a later version may add fields, and an old log still means the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from foureyes.codec import canonical


def state_hash(state: object) -> str:
    """The hash of everything a state says."""
    return hashlib.sha256(canonical([dump(state)])).hexdigest()


def dump(value: Any) -> Any:  # noqa: PLR0911 - one line for each sort of value
    """A value in plain JSON types. The order of a mapping is part of the state: things are asked for in it."""
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
            return [dump(one) for one in value]
        case frozenset():
            return sorted((dump(one) for one in value), key=lambda one: canonical([one]))
        case Mapping():
            return [[dump(key), dump(one)] for key, one in value.items()]
    if is_dataclass(value):
        found = ((one.name, getattr(value, one.name), _default(one)) for one in fields(value))
        return {name: dump(one) for name, one, default in found if one != default}
    raise TypeError(f"no spelling for {value!r}")


def _default(one: Field[Any]) -> object:
    return one.default_factory() if one.default_factory is not MISSING else one.default
