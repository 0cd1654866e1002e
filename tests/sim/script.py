"""The deliveries of a simulated world: one command at one time; a list of these replays a whole run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.commands import ReviewCommand
from foureyes.core.lessons import LessonCommand
from foureyes.core.live import RecordLive
from foureyes.core.policies import ActivatePolicy
from foureyes.core.sessions import SessionCommand
from foureyes.core.trust import DisableSkip, EnableSkip
from foureyes.core.values import Who


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtTrust:
    """The program's own reaction to a track record: suggest the fast lane, or record that it was shut."""


SideCommand = LookAtTrust | LessonCommand | RecordLive | ActivatePolicy | SessionCommand | EnableSkip | DisableSkip
CARRIES = ("findings", "settled", "answers", "demands")
Command = ReviewCommand | SideCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A command as the network delivers it to the gate, with what its sender had been served."""

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
    def body(self) -> object:
        """The content of the command, to tell a repetition from another command under the same key."""
        return self.stream, self.command

    @property
    def items(self) -> int:
        """The number of items in the command, each of which may become one or two events."""
        return sum(len(getattr(self.command, name, ())) for name in CARRIES)
