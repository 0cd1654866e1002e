"""Silencing the local hooks of a place for a limited time: who may do it, the limits, and the events.

Hooks stop an agent on its own machine. Silencing them changes no review and no answer of the gate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never

from foureyes.core.events import HooksResumed, HooksSilenced, SideEvent
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who

SILENCE_MIN, SILENCE_MAX = timedelta(minutes=1), timedelta(hours=24)
REASON_CHARS_MAX = 1_000
MACHINE_CHARS_MAX, PLACE_CHARS_MAX = 300, 4_096
#: Minimum number of different meaningful words in a reason.
WORDS_MIN = 2
_WORD = re.compile(r"\w{2,}")
_SAYS_NOTHING = frozenset(
    _WORD.findall(
        "an and anyway asdf at away be because bla for foo go hooks in is it its just later me my need needed no "
        "none nothing now of off on please quick quickly reason reasons silence so some something stuff temp temporary "
        "test testing tests that the then thing things this tmp to todo turn want wanted wip with xxx yes"
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceHooks:
    """Let the hooks of this place, on this machine, stop nothing for so long."""

    machine: str
    place: str
    seconds: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeHooks:
    """Let them stop things again, before the time is over."""

    machine: str
    place: str


SilenceCommand = SilenceHooks | ResumeHooks


def decide_silence(command: SilenceCommand, actor: Who, now: datetime, *, is_silent: bool) -> tuple[SideEvent, ...]:
    """Answer the command. Silencing again replaces the time; resuming without a silence records nothing."""
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human silences hooks.", "Ask a human; work on with the hooks.")
    _check_place(command)
    match command:
        case SilenceHooks():
            return (_silenced(command, actor, now),)
        case ResumeHooks():
            resumed = HooksResumed(machine=command.machine, place=command.place, by=actor.name)
            return (resumed,) if is_silent else ()
        case _:
            assert_never(command)


def _check_place(command: SilenceCommand) -> None:
    texts = ((command.machine, MACHINE_CHARS_MAX), (command.place, PLACE_CHARS_MAX))
    if not all(0 < len(text) <= most for text, most in texts):
        raise Refusal(Code.UNKNOWN_WORD, "This names no place on a machine.", "Run it in the repository it is about.")


def _silenced(command: SilenceHooks, actor: Who, now: datetime) -> HooksSilenced:
    reason = command.reason.strip()
    if not reason:
        raise refuse(Code.REASON_MISSING, what="Silencing hooks")
    if len(reason) > REASON_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The reason has {len(reason)} characters, more than {REASON_CHARS_MAX}.",
            "Say it in fewer words.",
        )
    if len({*_WORD.findall(reason.lower())} - _SAYS_NOTHING) < WORDS_MIN:
        raise Refusal(
            Code.REASON_MISSING,
            "This reason does not say why.",
            "Name what the hooks stand in the way of, as in: the generated client has a thousand false alarms.",
        )
    low, high = SILENCE_MIN // timedelta(seconds=1), SILENCE_MAX // timedelta(seconds=1)
    if not low <= command.seconds <= high:
        raise refuse(Code.BAD_NUMBER, what="The number of seconds", value=command.seconds, low=low, high=high)
    return HooksSilenced(
        machine=command.machine,
        place=command.place,
        until=now + timedelta(seconds=command.seconds),
        by=actor.name,
        reason=reason,
    )
