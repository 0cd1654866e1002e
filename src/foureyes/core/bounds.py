"""Is every text, list and number of a command within its limit? One walk for all of them, so that none is forgotten."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import timedelta

from foureyes.core.commands import ReviewCommand
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Limits

PERCENT_MAX = 100
NUMBER_MAX = 1_000_000_000_000
NOTHING = (None, "", ())
_FIELDS: dict[type, tuple[tuple[str, bool], ...]] = {}
PERCENTS = frozenset({"confidence", "coverage"})
#: How the fields of commands and values write that they hold a number; True is not 1 there.
NUMBERS = frozenset({"int", "int | None"})


def check_bounds(limits: Limits, command: ReviewCommand) -> None:
    """Refuse what is too long, too many or out of range, however deep in the command it lies."""
    _check(limits, "", command)


def _check(limits: Limits, name: str, value: object) -> None:
    if isinstance(value, str):
        _check_text(limits, name, value)
    elif isinstance(value, tuple):
        _check_list(limits, name, value)
    elif isinstance(value, timedelta):
        _check_number(f"{name} in seconds", value // timedelta(seconds=1), low=1, high=NUMBER_MAX)
    else:
        for field, is_number in _fields_of(type(value)):
            found: object = getattr(value, field)
            if is_number:
                _check_number(field, found, low=0, high=PERCENT_MAX if field in PERCENTS else NUMBER_MAX)
            elif found not in NOTHING:
                _check(limits, field, found)


def _fields_of(kind: type) -> tuple[tuple[str, bool], ...]:
    """The fields of a value, and whether each holds a number; remembered, there are only so many types."""
    if kind not in _FIELDS:
        found = fields(kind) if is_dataclass(kind) else ()
        _FIELDS[kind] = tuple((one.name, str(one.type) in NUMBERS) for one in found)
    return _FIELDS[kind]


def _check_text(limits: Limits, name: str, text: str) -> None:
    most = limits.title_chars_max if name == "title" else limits.text_chars_max
    if len(text) > most:
        raise refuse(Code.TOO_LONG, what=name, size=len(text), most=most)


def _check_list(limits: Limits, name: str, many: tuple[object, ...]) -> None:
    known = {"parts": limits.parts_max, "questions": limits.questions_max, "demands": limits.demands_max}
    most = known.get(name, limits.list_max)
    if len(many) > most:
        raise refuse(Code.TOO_MANY, what=name, size=len(many), most=most)
    for one in many:
        _check(limits, name, one)


def _check_number(name: str, value: object, *, low: int, high: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise refuse(Code.BAD_NUMBER, what=name, value=value, low=low, high=high)
