"""Check that every text, list and number of a command is within its limit, in one walk so that none is missed."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import timedelta
from functools import cache

from foureyes.core.commands import ReviewCommand
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Limits

PERCENT_MAX = 100
NUMBER_MAX = 1_000_000_000_000
NOTHING = (None, "", ())
PERCENTS = frozenset({"confidence", "coverage"})
#: The annotations of number fields, as text; booleans are refused in such fields.
NUMBERS = frozenset({"int", "int | None"})


def check_bounds(limits: Limits, command: ReviewCommand) -> None:
    """Refuse values that are too long, too many or out of range, at any depth of the command."""
    _check_fields(limits, command)


def _check_fields(limits: Limits, value: object) -> None:
    kind: type = type(value)
    for field, is_number in _fields_of(kind):
        found: object = getattr(value, field)
        if is_number and found is not None:
            _check_number(field, found, low=0, high=PERCENT_MAX if field in PERCENTS else NUMBER_MAX)
        elif found not in NOTHING:
            _check(limits, field, found)


def _check(limits: Limits, name: str, value: object) -> None:
    if isinstance(value, str):
        most = limits.title_chars_max if name == "title" else limits.text_chars_max
        if len(value) > most:
            raise refuse(Code.TOO_LONG, what=name, size=len(value), most=most)
    elif isinstance(value, tuple):
        _check_list(limits, name, value)
    elif isinstance(value, timedelta):
        _check_number(f"{name} in seconds", value // timedelta(seconds=1), low=1, high=NUMBER_MAX)
    else:
        _check_fields(limits, value)


@cache
def _fields_of(kind: type) -> tuple[tuple[str, bool], ...]:
    """The fields of a value's type, and whether each holds a number; cached, because there are few types."""
    found = fields(kind) if is_dataclass(kind) else ()
    return tuple((one.name, str(one.type) in NUMBERS) for one in found)


def _check_list(limits: Limits, name: str, many: tuple[object, ...]) -> None:
    known = {"parts": limits.parts_max, "questions": limits.questions_max, "demands": limits.demands_max}
    most = known.get(name, limits.list_max)
    if len(many) > most:
        raise refuse(Code.TOO_MANY, what=name, size=len(many), most=most)
    for one in many:
        _check(limits, name, one)


def _check_number(name: str, value: object, *, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise refuse(Code.BAD_NUMBER, what=name, value=value, low=low, high=high)
