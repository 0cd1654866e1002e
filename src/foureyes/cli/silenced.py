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
    """Whether the hooks of this place are off now; what a hook asks before it stops anything."""
    return silence(reading, where.machine(), where.place(), now)


async def off_now(parts: Parts) -> Silence | None:
    """The same, where there is a server's store that could say so."""
    if not parts.has_store:
        return None
    async with parts.store() as store:
        return await store.read(lambda reading: off_here(reading, parts.now()))


def with_note(answer: Answer, off: Silence | None) -> Answer:
    """The same answer, and beside it that the hooks are off: nothing else in it is another."""
    lines = (*answer.lines, Line(f"Hooks here are {told(off)} This answer is the gate's, as ever.", "care"))
    return replace(answer, lines=lines if off else answer.lines, data={**answer.data, "off": data(off)})


def told(off: Silence | None) -> str:
    """By whom, until when and why, behind a subject."""
    return f"off until {local(off.until)}, says {off.by}: {off.reason}." if off else "on."


def data(off: Silence | None) -> Json:
    """The same for scripts."""
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
    """In the time of whoever reads it."""
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
