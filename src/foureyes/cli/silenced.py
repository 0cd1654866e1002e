"""Whether the hooks are off in this place, and how that is shown. `check` uses it too, so it imports little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from foureyes.app.silences import Silence, silence
from foureyes.cli.answer import Answer, Json, Line
from foureyes.home import where

if TYPE_CHECKING:
    from foureyes.app.ports import Reading
    from foureyes.cli.parts import Parts


def off_here(reading: Reading, now: datetime) -> Silence | None:
    """The silence that turns the hooks of this place off now; None if they are on. Hooks ask this before they block."""
    return silence(reading, where.machine(), where.place(), now)


async def off_now(parts: Parts) -> Silence | None:
    """The silence of this place from the server's store; None without such a store."""
    if not parts.has_store:
        return None
    async with parts.store() as store:
        return await store.read(lambda reading: off_here(reading, parts.now()))


def with_note(answer: Answer, off: Silence | None) -> Answer:
    """The answer with a note that the hooks are off, and otherwise unchanged."""
    lines = (*answer.lines, Line(f"Hooks here are {told(off)} This answer is the gate's, as ever.", "care"))
    return replace(answer, lines=lines if off else answer.lines, data={**answer.data, "off": data(off)})


def told(off: Silence | None) -> str:
    """The state of the hooks as the rest of a sentence: on, or off with who, until when and why."""
    return f"off until {local(off.until)}, says {off.by}: {off.reason}." if off else "on."


def data(off: Silence | None) -> Json:
    """The silence for scripts."""
    if off is None:
        return None
    found: Mapping[str, Json] = {
        "machine": off.machine,
        "place": off.place,
        "by": off.by,
        "reason": off.reason,
        "since": off.since.isoformat(),
        "until": off.until.isoformat(),
    }
    return found


def local(when: datetime) -> str:
    """The time in the reader's time zone."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
