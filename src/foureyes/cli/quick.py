"""Faster start of `check`: methods of value classes are compiled when they are first called.

Up to Python 3.12 `dataclass` compiles six methods for every frozen class, one by one. For the two hundred classes of
the program that is half the time `check` takes to say yes, and it calls few of them. The very same code is compiled,
only later. From Python 3.13 on all methods of a class are compiled at once, in another way, and nothing is changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

_MAKER = "_create_fn"


def quicken() -> bool:
    """Make `dataclass` defer compiling in this process; False if this Python needs nothing or it was done before."""
    maker = getattr(dataclasses, _MAKER, None)
    if maker is None or getattr(maker, "is_quick", False):
        return False

    def later(*arguments: Any, **named: Any) -> Callable[..., Any]:
        return _put_off(lambda: maker(*arguments, **named), arguments[0])

    later.is_quick = True  # type: ignore[attr-defined] # so that it is not done twice
    setattr(dataclasses, _MAKER, later)
    return True


def _put_off(make: Callable[[], Callable[..., Any]], name: str) -> Callable[..., Any]:
    made: list[Callable[..., Any]] = []

    def method(*arguments: Any, **named: Any) -> Any:
        if not made:
            made.append(make())
        return made[0](*arguments, **named)

    method.__name__ = name
    return method
