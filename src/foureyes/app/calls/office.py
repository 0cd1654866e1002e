"""What does a call work with, and how is a command handed to the gate in the name of whoever calls?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.app.asks import Ask, Reply
from foureyes.app.bell import Bell
from foureyes.app.calls.call import Caller
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Store
from foureyes.codec.commands import Command
from foureyes.core.values import WorkPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What goes to the gate beside the command: the bytes, what they were before, and the key."""

    key: str = ""
    stream: str = ""
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    before: tuple[WorkPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Everything behind the doors."""

    gate: Gate
    store: Store
    clock: Callable[[], datetime]
    #: Rung when a command was taken, for those who wait.
    bell: Bell = field(default_factory=Bell)

    async def do(self, caller: Caller, command: Command, handed: Handed) -> Reply:
        """Hand a command to the gate in the name of whoever calls."""
        ask = Ask(
            actor=caller.who,
            key=handed.key or new_key(),
            command=command,
            stream=handed.stream,
            blobs=handed.blobs,
            before=handed.before,
            signed_in=caller.signed_in,
        )
        reply = await self.gate.handle(ask)
        self.bell.ring(reply.stream)
        return reply
