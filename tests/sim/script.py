"""What is delivered in the simulated world? One command at one time; a list of these replays a whole run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foureyes.core.commands import ReviewCommand
from foureyes.core.lessons import LessonCommand
from foureyes.core.live import RecordLive
from foureyes.core.policies import ActivatePolicy
from foureyes.core.sessions import SessionCommand
from foureyes.core.trust import DisableSkip, EnableSkip
from foureyes.core.values import Who

SideCommand = LessonCommand | RecordLive | ActivatePolicy | SessionCommand | EnableSkip | DisableSkip
Command = ReviewCommand | SideCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A command as the network hands it to the gate; what its sender had read travels with it."""

    at: datetime
    who: Who
    stream: str
    key: str
    command: Command
    draw: int = 0
    served: str = ""

    @property
    def name(self) -> str:
        return type(self.command).__name__

    @property
    def body(self) -> str:
        """A fingerprint of what is asked, to tell a repetition from another command under the same key."""
        return hashlib.blake2b(f"{self.stream}|{self.command!r}".encode(), digest_size=12).hexdigest()

    @property
    def items(self) -> int:
        """How many things the command carries, each of which may become an event or two."""
        carried: tuple[Any, ...] = (
            *getattr(self.command, "findings", ()),
            *getattr(self.command, "settled", ()),
            *getattr(self.command, "answers", ()),
            *getattr(self.command, "demands", ()),
        )
        return len(carried)


def printed(script: Iterable[Delivery]) -> str:
    """A script as Python, to paste into a test or to read."""
    return "SCRIPT = [\n" + "".join(f"    {one!r},\n" for one in script) + "]\n"
