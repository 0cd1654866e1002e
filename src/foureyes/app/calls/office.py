"""The context of a call (`Office`): store, gate, limits and redaction, and how commands are handed to the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from foureyes.app.asks import Ask, Reply
from foureyes.app.bell import Bell
from foureyes.app.calls.blindness import told_blindly
from foureyes.app.calls.call import Caller
from foureyes.app.credentials import Acquaintances, Credential, Lately, caller_of, is_over, put_down
from foureyes.app.following import Follower
from foureyes.app.gate import Gate, Served, new_key
from foureyes.app.limits import Quotas
from foureyes.app.live import Live
from foureyes.app.places import Places
from foureyes.app.ports import Conflict, Quick, Store, Unavailable
from foureyes.app.projections.projection import Projection
from foureyes.app.redaction import Cleaned, Place, Redaction, is_served_whole
from foureyes.app.spooling import IsSpooled, Spooled, SpoolingGate
from foureyes.app.vacancies import Unfilled
from foureyes.codec.commands import Command
from foureyes.codec.shapes import shape
from foureyes.core.refusals import Refusal
from foureyes.core.values import Who, WorkPart

_spelled = shape(datetime)[0]
#: How often and how far apart the log is read for events that the database holds back.
LOOKS_MAX, LOOK_SECONDS = 50, 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """What goes to the gate beside the command: the bytes, the stated base, the target and the key."""

    key: str = ""
    stream: str = ""
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    before: tuple[WorkPart, ...] = ()
    #: The target of the work.
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Everything behind the doors."""

    gate: Gate
    store: Store
    clock: Callable[[], datetime]
    #: Rate limits.
    quotas: Quotas = field(default_factory=Quotas)
    #: Rung after every change here, for tasks that wait for one.
    bell: Bell = field(default_factory=Bell)
    #: Resume points of the live feed.
    places: Places = field(default_factory=Places)
    #: The spool for commands while the database is down; None on SQLite.
    spool: SpoolingGate | None = None
    #: Redacts secrets from what agents and models are served; a program that embeds the calls may have none.
    redaction: Redaction | None = None
    unfilled: Unfilled = field(default_factory=Unfilled, repr=False, compare=False)
    _met: Acquaintances = field(default_factory=Acquaintances, init=False, repr=False, compare=False)
    _lately: Lately = field(default_factory=Lately, init=False, repr=False, compare=False)
    _followers: dict[str, tuple[asyncio.Lock, Follower]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    async def do(self, caller: Caller, command: Command, handed: Handed) -> Reply:
        """Hand a command to the gate in the name of whoever calls."""
        try:
            reply = await self._handed_in(caller, self.ask(caller, command, handed))
        except Refusal as refusal:
            raise await told_blindly(self.gate, caller.who, command, handed.stream, refusal) from None
        self.bell.ring()
        return reply

    async def _handed_in(self, caller: Caller, ask: Ask) -> Reply:
        if self.spool is None:
            return await self.gate.handle(ask)
        if not caller.may_wait:
            return await self.spool.handle_now(ask)
        found = await self.spool.handle(ask)
        if isinstance(found, Spooled):
            raise IsSpooled(found)
        return found

    async def served(self, caller: Caller, form: Any, found: Any) -> Any:
        """An answer as this caller may have it: without secrets, unless it is a human who is signed in."""
        if self.redaction is None or is_served_whole(caller):
            return found
        return await self.redaction.answer(self._place(caller, form), found)

    async def cleaned(self, found: Served) -> Cleaned | None:
        """A version without secrets; None where nothing is cut."""
        return await self.redaction.work(self.store, found) if self.redaction else None

    async def hand_over(self, caller: Caller, found: Served) -> Cleaned | None:
        """The same for somebody who shall judge it: noted once it is ready, with a file that they do not get."""
        clean = await self.cleaned(found)
        withheld = "" if clean is None or is_served_whole(caller) else clean.withheld
        await self.gate.note_served(found, caller.who, withheld)
        return clean

    async def refused(self, caller: Caller, form: Any, refusal: Refusal) -> Refusal:
        """A refusal as this caller may have it."""
        if self.redaction is None or is_served_whole(caller):
            return refusal
        return await self.redaction.refusal(self._place(caller, form), refusal)

    def _place(self, caller: Caller, form: Any) -> Place:
        return Place(gate=self.gate, store=self.store, who=caller.who, form=form)

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Whether these bytes may go live; while anything waits in the spool, nothing may."""
        return await (self.spool or self.gate).may_go_live(name, target, viewer)

    async def recognised(self, given: Credential, *, spools: bool = False) -> Caller | None:
        """Whom a credential speaks for; for what spools, one that was good lately while the database is down."""
        now = self.clock()
        if self.spool is None:
            return await self._known(given, now)
        try:
            found = await self.spool.look(self._known(given, now))
        except Unavailable as error:
            known = self._lately.recalled(given, now) if spools and error.down else None
            if known is None:
                raise
            return known
        self._lately.saw(given, found, now)
        return found

    async def _known(self, given: Credential, now: datetime) -> Caller | None:
        """Whom a credential speaks for; one whose time is up is put down, whatever the clock says later."""
        found = await caller_of(self.store, given, now, self._met)
        if found is None and await self.store.read(lambda reading: is_over(reading, given, now)):
            with suppress(Unavailable, Conflict):  # it is not valid now; if this fails it is removed the next time
                await self.store.write(lambda tx: put_down(tx, given))
        return found

    def unavailable(self) -> Unavailable:
        """What somebody is told whose credential nobody can look up, when they ask for what cannot wait."""
        count = self.spool.waiting if self.spool else 0
        sentence = f"The database cannot be reached, and {count} of the commands sent to it wait in the spool."
        return Unavailable(sentence, "Nothing is cleared meanwhile: ask again when it is back.", down=True)

    def ask(self, caller: Caller, command: Command, handed: Handed) -> Ask:
        """What the gate is asked in the name of whoever calls."""
        return Ask(
            actor=caller.who,
            key=handed.key or new_key(),
            command=command,
            stream=handed.stream,
            blobs=handed.blobs,
            before=handed.before,
            target=handed.target,
            signed_in=caller.signed_in,
            credential=caller.credential,
            asked_at=str(_spelled(self.clock())) if caller.remembered else "",
        )

    async def caught_up(self, projection: Projection) -> bool:
        """Take into a projection what happened since it was last looked at; one at a time, however many ask.

        On PostgreSQL an event is given out once every transaction that began before it is over. They are short; False
        if one goes on for long, and so something that is committed was not taken in.
        """
        if projection.name not in self._followers:
            self._followers[projection.name] = asyncio.Lock(), Follower(self.store, (projection,))
        lock, follower = self._followers[projection.name]
        goal = await self.store.read(Quick(lambda reading: reading.log_end()))
        for _ in range(LOOKS_MAX):
            async with lock:
                await follower.catch_up()
            if await self.store.read(Quick(partial(follower.has_reached, goal))):
                return True
            await asyncio.sleep(LOOK_SECONDS)
        return False
