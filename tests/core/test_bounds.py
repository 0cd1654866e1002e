"""Every text, list and number of every command has a limit, including fields added later."""

import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Union, get_args, get_origin, get_type_hints

import pytest

from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Limits
from foureyes.core.values import Cost, WorkPart
from tests.cast import ANN, BOB, CODEX, HUGO, LINTER, RULES, START, Play

COMMANDS: tuple[type, ...] = get_args(c.ReviewCommand)
LIMITS = Limits()
PLAIN: dict[object, object] = {
    str: "x",
    int: 1,
    bool: False,
    datetime: START,
    timedelta: timedelta(minutes=1),
}


def inner(hint: object) -> object:
    """Without the None it may be instead."""
    if get_origin(hint) in (Union, types.UnionType):
        return next(one for one in get_args(hint) if one is not type(None))
    return hint


def plain(hint: object) -> object:
    """Some value of this type within all limits."""
    hint = inner(hint)
    if get_origin(hint) is tuple:
        first, *rest = get_args(hint)
        return (plain(first),) if rest == [...] else tuple(plain(one) for one in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    if is_dataclass(hint):
        return made(hint, {})
    return PLAIN[hint]


def made(kind: object, changed: dict[str, object]) -> object:
    assert isinstance(kind, type)
    hints = get_type_hints(kind)
    return kind(**{one.name: plain(hints[one.name]) for one in fields(kind)} | changed)


def spoilt(hint: object) -> Iterator[tuple[str, Code, object]]:
    """Every way in which one place of such a value can be beyond its limit."""
    hint = inner(hint)
    if hint is str:
        yield "", Code.TOO_LONG, "x" * (LIMITS.text_chars_max + 1)
    elif hint is int:
        yield from (("", Code.BAD_NUMBER, value) for value in (True, -1, 10**13, 0.5))
    elif hint is timedelta:
        yield from (("", Code.BAD_NUMBER, timedelta(seconds=value)) for value in (0, -60))
    elif get_origin(hint) is tuple:
        first, *rest = get_args(hint)
        yield from ((f"[].{path}", code, (value, *map(plain, rest[:0]))) for path, code, value in spoilt(first))
        if rest == [...]:
            yield "", Code.TOO_MANY, (plain(first),) * (LIMITS.parts_max + 1)
    elif is_dataclass(hint) and isinstance(hint, type):
        for name, kind in get_type_hints(hint).items():
            yield from ((f"{name}.{path}", code, made(hint, {name: value})) for path, code, value in spoilt(kind))


def refusal_of(command: c.ReviewCommand) -> Refusal | None:
    """The refusal of a command on a newly opened story, if any."""
    play = Play()
    play.open("story")
    try:
        play.do(ANN, command)
    except Refusal as refusal:
        return refusal
    return None


@pytest.mark.parametrize("kind", COMMANDS, ids=[one.__name__ for one in COMMANDS])
def test_no_text_list_or_number_is_without_a_limit(kind: type) -> None:
    tried = list(spoilt(kind))
    assert tried
    for path, code, command in tried:
        refusal = refusal_of(command)  # type: ignore[arg-type]
        assert refusal is not None, path
        assert refusal.code is code, path
        field = [part for part in path.split(".") if part not in ("", "[]")][-1]
        assert refusal.sentence.startswith(field), path


def test_every_command_is_looked_at() -> None:
    assert len(COMMANDS) == 21


@pytest.mark.parametrize("kind", COMMANDS, ids=[one.__name__ for one in COMMANDS])
def test_a_command_within_its_limits_is_not_refused_for_its_size(kind: type) -> None:
    refusal = refusal_of(made(kind, {}))  # type: ignore[arg-type]
    assert refusal is None or refusal.code not in (Code.TOO_LONG, Code.TOO_MANY, Code.BAD_NUMBER)


def test_a_limit_is_the_last_size_that_is_taken() -> None:
    play = Play()
    title = "x" * LIMITS.title_chars_max
    long = c.OpenReview(review="r1", kind="story", title=title + "x", digest="d1")
    assert play.refused(play.author, long) is Code.TOO_LONG
    play.do(play.author, c.OpenReview(review="r1", kind="story", title=title, digest="d1"))
    play.do(ANN, c.AddNote(text="x" * LIMITS.text_chars_max))
    for value in (0, 100):
        play.do(ANN, c.AddNote(text="x"))
        fresh = Play()
        fresh.open("thing", confidence=value)
        assert fresh.review.current.confidence == value


@pytest.mark.parametrize(
    ("most", "name", "value"),
    [
        (LIMITS.questions_max, "questions", "why?"),
        (LIMITS.parts_max, "parts", WorkPart(name="a", digest="b")),
        (LIMITS.list_max, "protocols", "resolve"),
        (LIMITS.list_max, "context", ("key", "value")),
    ],
)
def test_each_list_has_its_own_limit(most: int, name: str, value: object) -> None:
    within = c.OpenReview(review="r1", kind="story", title="t", digest="d1", **{name: (value,) * most})  # type: ignore[arg-type]
    beyond = c.OpenReview(review="r1", kind="story", title="t", digest="d1", **{name: (value,) * (most + 1)})  # type: ignore[arg-type]
    assert Play().refused(ANN, beyond) is Code.TOO_MANY
    Play().do(ANN, within)


def test_context_may_use_any_word_as_a_key() -> None:
    """Also those our own functions use."""
    play = Play()
    context = (("title", "a"), ("limits", "b"), ("self", "c"), ("title", "d"))
    play.open("story", context=context)
    assert play.review.context == context


def test_a_report_cannot_give_money_back() -> None:
    """A negative cost would lift the budget."""
    play = Play()
    play.open("thing")
    cost = Cost(usd_micro=-1_000_000)
    assert play.refused(CODEX, play.a_report(verdict="approve", cost=cost)) is Code.BAD_NUMBER
    assert RULES.budget.review_usd_micro == 1_000_000


def test_notes_escapes_and_findings_of_one_seat_are_bounded() -> None:
    """Nobody floods the record, also not with what comes too late to count."""
    play = Play()
    play.open("story")
    for _ in range(LIMITS.notes_max):
        play.do(ANN, c.AddNote(text="hello"))
    assert play.refused(ANN, c.AddNote(text="hello")) is Code.LIMIT_REACHED
    play.do(HUGO, c.AddNote(text="hello"))
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(ANN, c.LeaveSeat(seat="resolve.1"))
    for number in range(1, LIMITS.late_findings_max + 1):
        late = c.Draft(severity="nit", text=f"{'x' * number}.")
        play.do(ANN, play.a_report(seat="resolve.1", findings=(late,)))
        assert play.refused(ANN, play.a_report(seat="resolve.1", findings=(late,))) is Code.LEASE_ENDED
    one_more = c.Draft(severity="nit", text="one more")
    assert play.refused(ANN, play.a_report(seat="resolve.1", findings=(one_more,))) is Code.TOO_MANY
    play.report(BOB, seat="resolve.1", findings=(one_more,))
    assert not play.review.findings["resolve.1-F51"].advisory


def test_escapes_of_cleared_work_are_bounded_too() -> None:
    play = Play()
    play.open("thing")
    assert play.refused(ANN, c.ReportEscape(text="it crashes", severity="critical")) is Code.NOT_ENDED
    play.report(CODEX, verdict="approve")
    play.report(LINTER, verdict="approve")
    for _ in range(LIMITS.escapes_max):
        play.do(ANN, c.ReportEscape(text="it crashes", severity="critical", found_in="2.0"))
    assert play.refused(ANN, c.ReportEscape(text="it crashes", severity="critical")) is Code.LIMIT_REACHED
    assert play.refused(ANN, c.ReportEscape(text=" ", severity="critical")) is Code.REASON_MISSING
    assert play.refused(ANN, c.ReportEscape(text="it crashes", severity="bad")) is Code.UNKNOWN_WORD
