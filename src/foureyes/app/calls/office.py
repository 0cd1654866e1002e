"""What does a call work with, and how is a command handed to the gate in the name of whoever calls?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.app.asks import Ask, Reply
from foureyes.app.bell import Bell
from foureyes.app.calls.blindness import told_blindly
from foureyes.app.calls.call import Caller
from foureyes.app.following import Follower
from foureyes.app.gate import Gate, new_key
from foureyes.app.limits import Quotas
from foureyes.app.places import Places
from foureyes.app.ports import Store
from foureyes.app.projections.projection import Projection
from foureyes.codec.commands import Command
from foureyes.core.refusals import Refusal
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
    #: How much may be asked for.
    quotas: Quotas = field(default_factory=Quotas)
    #: Rung with everything that is done here, for those who wait for it.
    bell: Bell = field(default_factory=Bell)
    #: Where those who listened stopped.
    places: Places = field(default_factory=Places)
    _followers: dict[str, tuple[asyncio.Lock, Follower]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    async def do(self, caller: Caller, command: Command, handed: Handed) -> Reply:
        """Hand a command to the gate in the name of whoever calls."""
        try:
            reply = await self.gate.handle(self.ask(caller, command, handed))
        except Refusal as refusal:
            raise await told_blindly(self.gate, caller.who, command, handed.stream, refusal) from None
        self.bell.ring(reply.stream)
        return reply

    def ask(self, caller: Caller, command: Command, handed: Handed) -> Ask:
        """What the gate is asked in the name of whoever calls."""
        return Ask(
            actor=caller.who,
            key=handed.key or new_key(),
            command=command,
            stream=handed.stream,
            blobs=handed.blobs,
            before=handed.before,
            signed_in=caller.signed_in,
        )

    async def caught_up(self, projection: Projection) -> None:
        """Take into a projection what happened since it was last looked at; one at a time, however many ask."""
        if projection.name not in self._followers:
            self._followers[projection.name] = asyncio.Lock(), Follower(self.store, (projection,))
        lock, follower = self._followers[projection.name]
        async with lock:
            await follower.catch_up()
