"""Records in the log what a human does to the store itself, such as a purge, a restore or a key rotation."""

from __future__ import annotations

from datetime import datetime

from foureyes.app.chain import appended
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import Changes
from foureyes.app.shelf import read_events
from foureyes.codec.shapes import shape
from foureyes.core.events import Event
from foureyes.core.operations import OperationCommand, decide_operation
from foureyes.core.values import Who

OPERATIONS = "operations"

write_time = shape(datetime)[0]


def operate(tx: Writing, command: OperationCommand, actor: Who, now: datetime) -> None:
    """Decide and append the command, in this transaction."""
    tx.lock(OPERATIONS)
    events = decide_operation(command, actor)
    known = tx.known(OPERATIONS, "", "")
    end = known.version, known.chain
    at, cause = write_time(now), type(command).__name__
    tx.apply(Changes(appends=(appended(OPERATIONS, end, events, at=at, actor=actor.name, cause=cause),)))


def operations(reading: Reading) -> tuple[Event, ...]:
    """Return every recorded operation on the store."""
    known = reading.known(OPERATIONS, "", "")
    return tuple(event for event, _ in read_events(reading, OPERATIONS, known))
