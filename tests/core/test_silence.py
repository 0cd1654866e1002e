"""A human silences hooks, with a reason, for a while; reviews are not affected."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core.events import HooksResumed, HooksSilenced
from foureyes.core.refusals import Code, Refusal
from foureyes.core.silence import ResumeHooks, SilenceCommand, SilenceHooks, decide_silence
from foureyes.core.values import CLOCK, Who
from tests.cast import DEV, HUGO, LINTER, REACTOR, START

WHY = "The generated client has a thousand false alarms."
OFF = SilenceHooks(machine="laptop", place="/work", seconds=7_200, reason=WHY)
ON = ResumeHooks(machine="laptop", place="/work")


def refused(command: SilenceCommand, who: Who = HUGO) -> Code:
    with pytest.raises(Refusal) as caught:
        decide_silence(command, who, START, is_silent=True)
    assert caught.value.sentence
    assert caught.value.next_step
    return caught.value.code


def test_it_is_written_down_who_silenced_what_until_when_and_why() -> None:
    """D-12: a way out that leaves a trace."""
    until = START + timedelta(hours=2)
    silenced = HooksSilenced(machine="laptop", place="/work", until=until, by="hugo", reason=WHY)
    for is_silent in (False, True):
        assert decide_silence(OFF, HUGO, START, is_silent=is_silent) == (silenced,)


def test_what_is_silent_ends_early_and_what_is_not_has_no_end() -> None:
    resumed = HooksResumed(machine="laptop", place="/work", by="hugo")
    assert decide_silence(ON, HUGO, START, is_silent=True) == (resumed,)
    assert decide_silence(ON, HUGO, START, is_silent=False) == ()


@pytest.mark.parametrize("who", [DEV, LINTER, REACTOR, CLOCK])
@pytest.mark.parametrize("command", [OFF, ON])
def test_nobody_but_a_human_does_it(command: SilenceCommand, who: Who) -> None:
    assert refused(command, who) is Code.HUMAN_ONLY


@pytest.mark.parametrize("reason", ["", " \n", "x", "test", "because", "no reason", "I just need it", "wip wip", "..."])
def test_a_reason_that_says_nothing_is_none(reason: str) -> None:
    assert refused(replace(OFF, reason=reason)) is Code.REASON_MISSING


def test_a_short_reason_that_says_something_is_one_and_a_long_one_has_its_end() -> None:
    short = decide_silence(replace(OFF, reason="  rebasing vendored code "), HUGO, START, is_silent=False)
    assert [one.reason for one in short if isinstance(one, HooksSilenced)] == ["rebasing vendored code"]
    assert refused(replace(OFF, reason="two words " * 101)) is Code.TOO_LONG


@pytest.mark.parametrize(("seconds", "fits"), [(59, False), (60, True), (86_400, True), (86_401, False), (-1, False)])
def test_it_lasts_from_a_minute_to_a_day(seconds: int, *, fits: bool) -> None:
    command = replace(OFF, seconds=seconds)
    if fits:
        assert decide_silence(command, HUGO, START, is_silent=False)
    else:
        assert refused(command) is Code.BAD_NUMBER


@pytest.mark.parametrize("command", [OFF, ON])
def test_it_is_about_one_place_on_one_machine(command: SilenceCommand) -> None:
    assert refused(replace(command, place="")) is Code.UNKNOWN_WORD
    assert refused(replace(command, machine="")) is Code.UNKNOWN_WORD
    assert refused(replace(command, place="/" * 4_097)) is Code.UNKNOWN_WORD
    assert refused(replace(command, machine="m" * 301)) is Code.UNKNOWN_WORD
