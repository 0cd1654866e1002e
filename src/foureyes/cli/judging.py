"""What does the log say of these bytes? The part of `check` that needs the core."""

from __future__ import annotations

from datetime import datetime

from foureyes.app.live import Judge, Live
from foureyes.app.policies import Policies
from foureyes.app.ports import Reading
from foureyes.app.shelf import Held, Shelf
from foureyes.core.rules import Rules
from foureyes.policy.policy import Policy

#: Until a human activates a policy no target demands anything, and every review's own rules are in the store.
_NONE = Policy(name="none", rules=Rules(digest="", protocols=()))


def judge(reading: Reading, name: str, target: str, now: datetime) -> Live:
    """Judge these bytes anew on one look at the store."""
    return Judge(reading=reading, policies=Policies(_NONE), load=_load, now=now).judge(name, target)


def _load(reading: Reading, stream: str) -> Held | None:
    return Shelf(1).get(reading, stream, reading.known(stream, "", ""))
