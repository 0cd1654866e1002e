"""Whether the hooks of a place are switched off now, by whom and until when.

A hook asks before every step of an agent, so this needs none of the core. A record that cannot be read switches
nothing off.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from foureyes.app.moments import is_ahead
from foureyes.app.ports import Reading
from foureyes.app.rows import Stored

PREFIX = "silence/"
NAME_DIGITS = 32
_SILENCED = "HooksSilenced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """The hooks of a place are off: since when and until when, who said so, and why."""

    machine: str
    place: str
    by: str
    reason: str
    since: datetime
    until: datetime


def silence(reading: Reading, machine: str, place: str, now: datetime) -> Silence | None:
    """Return whether hooks are off here now: the one question that a hook asks. The gate never does."""
    stream = stream_of(machine, place)
    found = last_silence(reading, stream, reading.known(stream, "", "").version, now)
    return found if found and (found.machine, found.place) == (machine, place) else None


def last_silence(reading: Reading, stream: str, version: int, now: datetime) -> Silence | None:
    """Return the last record about a place, if it still applies."""
    last = next(iter(reading.events(stream, version - 1)), None) if version else None
    found = _read(last) if last and last.type == _SILENCED else None
    # An end further ahead than the original duration means that the clock was set back; that must not extend it.
    return found if found and is_ahead(found.until, now, found.until - found.since) else None


def stream_of(machine: str, place: str) -> str:
    """Return the stream of a place; hashed, because a path may be longer than the name of a stream."""
    named = f"{machine}\0{place}".encode()
    return f"{PREFIX}{hashlib.sha256(named).hexdigest()[:NAME_DIGITS]}"


def _read(stored: Stored) -> Silence | None:
    try:
        body = json.loads(stored.body)
        return Silence(
            machine=body["machine"],
            place=body["place"],
            by=body["by"],
            reason=body["reason"],
            since=datetime.fromisoformat(stored.at),
            until=datetime.fromisoformat(body["until"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
