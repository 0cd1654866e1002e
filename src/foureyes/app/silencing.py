"""Records that hooks are switched off at a place, or on again."""

from __future__ import annotations

from datetime import datetime

from foureyes.app.chain import appended
from foureyes.app.operations import write_time
from foureyes.app.ports import Writing
from foureyes.app.rows import Changes
from foureyes.app.silences import Silence, silence, stream_of
from foureyes.core.silence import SilenceCommand, decide_silence
from foureyes.core.values import Who


def write_silence(tx: Writing, command: SilenceCommand, actor: Who, now: datetime) -> Silence | None:
    """Decide and append, in this transaction; returns what applies there afterwards."""
    stream = stream_of(command.machine, command.place)
    tx.lock(stream)
    before = silence(tx, command.machine, command.place, now)
    events = decide_silence(command, actor, now, is_silent=before is not None)
    if events:
        known = tx.known(stream, "", "")
        at, cause = write_time(now), type(command).__name__
        end = known.version, known.chain
        tx.apply(Changes(appends=(appended(stream, end, events, at=at, actor=actor.name, cause=cause),)))
    return silence(tx, command.machine, command.place, now)
