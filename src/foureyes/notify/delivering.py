"""Delivers notifications from the outbox: each letter at least once, with an id that stays the same.

An event in the outbox becomes one letter for each target, in one transaction; each letter is then tried alone. A target
that fails is left alone for a while, longer each time, and only its own letters wait for that; those of others wait
only while it is tried. Nothing here decides anything, and no decision waits for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from foureyes.app import links
from foureyes.app.calls.whole import write_down
from foureyes.app.moments import is_time_again
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading, Store
from foureyes.app.ports import Writing as Transaction
from foureyes.app.rows import DELIVERIES, START, Changes, OutboxRow, Parcel
from foureyes.core.views import whole_seen
from foureyes.notify.channels import Channel, Message
from foureyes.notify.cutting import Cuts, clean, cut_digests, nothing
from foureyes.notify.desk import PROGRAM, Desk, Target
from foureyes.notify.health import PAUSE, PAUSE_MAX, Health
from foureyes.notify.hours import digest_at, resumes
from foureyes.notify.leaving import (
    CLAIMED_FOR,
    SWEEP,
    digested,
    dropped,
    is_over,
    spelled,
    swept,
    to_digest,
    unknown,
)
from foureyes.notify.letters import (
    DIGEST,
    Letter,
    Sorted,
    Writing,
    Written,
    addressed,
    digest_line,
    id_of,
    letter_row,
    many,
    told_of,
)
from foureyes.notify.moving import looked, moved, remembered
from foureyes.notify.notices import Party, notices
from foureyes.notify.outside import NotSent
from foureyes.notify.records import long_gone, noted, whom

#: How many outbox rows are claimed at once, and how often in one call.
BATCH, ROUNDS_MAX = 32, 16
#: How long one target may take of a batch; the rest of its letters wait for the next.
BATCH_SECONDS = 10.0
#: More questions than this for one person at once become one message, which links to the page that lists them all.
SINGLY_MAX = 5
#: How often to check whether a human reviewer may be told what others said.
BLIND_FOR = timedelta(minutes=1)
log = logging.getLogger("foureyes.notify")


class Carrier(Protocol):
    """Carries a message to an outside channel."""

    async def carry(self, channel: Channel, message: Message, now: datetime) -> None:
        """Return when the message was accepted; raises NotSent otherwise."""


@dataclass(slots=True, kw_only=True)
class _Went:
    """The results for the letters to one target in one batch."""

    done: list[int] = field(default_factory=list)
    later: dict[int, datetime] = field(default_factory=dict)
    digested: dict[str, None] = field(default_factory=dict)
    sent: int = 0
    failed: int = 0
    given_up: int = 0
    why: str = ""


@dataclass(slots=True, kw_only=True)
class Delivery:
    """Delivers the outbox; a loop or an engine calls `once` again and again."""

    store: Store
    policies: Policies
    desk: Desk
    carrier: Carrier
    clock: Callable[[], datetime]
    worker: str
    #: The address of our pages, for the links in letters.
    public: str
    #: Signs the links with which a human decides; without it there are none.
    link_key: bytes = field(default=b"", repr=False)
    #: Redacts secrets from texts about a review.
    cuts: Cuts = nothing
    #: Whether other servers deliver from this outbox too, which may know targets that are not ours.
    shared: bool = False
    _health: dict[str, Health] = field(default_factory=dict)
    #: The desk whose addresses were noted.
    _noted: Desk | None = None
    #: Letters that were addressed anew.
    _moved: dict[str, None] = field(default_factory=dict)
    #: When the outbox was last looked at.
    _looked: datetime | None = None
    #: When a server without targets last removed what is too old.
    _swept: datetime | None = None

    async def once(self) -> int:
        """Deliver what is due now; return how many outbox rows were looked at."""
        await self._recalled(self.clock())
        if self._noted is not self.desk:
            note = partial(long_gone if self.shared else noted, self.desk, self.clock())
            await self.store.write(note)
            self._noted = self.desk
        if not self.desk.targets:
            return await self._left_alone(self.clock())
        seen = 0
        for _ in range(ROUNDS_MAX):
            now = self.clock()
            until = spelled(now + CLAIMED_FOR)
            parcels = await self.store.write(lambda tx: tx.claim(self.worker, spelled(now), until, BATCH))  # noqa: B023 - done before the next round
            if not parcels:
                break
            seen += len(parcels)
            named = [(parcel, addressed(parcel.row)) for parcel in parcels]
            await self._sorted([parcel for parcel, letter in named if letter is None])
            await self._told([(parcel, letter) for parcel, letter in named if letter is not None])
        return seen

    async def _recalled(self, now: datetime) -> None:
        """After a start, or when the clock was set back, make postponed rows available again.

        Rows that still have to wait are then postponed anew. Rows that another process has claimed are left alone.
        """
        if self._looked is None or now < self._looked:
            beyond = spelled(now + 2 * CLAIMED_FOR)
            await self.store.write(lambda tx: tx.recalled(beyond))
            for one in self._health.values():
                one.not_before = None
        self._looked = now

    async def _left_alone(self, now: datetime) -> int:
        """Handle the outbox when this server has no targets."""
        if not self.shared:
            return (await self.store.write(partial(dropped, self.desk, self.worker, now))).logged()
        if not is_time_again(self._swept, now, SWEEP):
            return 0
        self._swept = now
        return (await self.store.write(partial(swept, self.worker, now))).logged()

    # --- events become letters ------------------------------------------------------------------------------------

    async def _sorted(self, events: Sequence[Parcel]) -> None:
        if not events:
            return
        now = self.clock()
        found = await self.store.read(lambda reading: [(one, self._letters(reading, one.row, now)) for one in events])
        for _, made in found:
            await cut_digests(made, self.cuts)
        await self.store.write(partial(self._put, found, now))

    def _letters(self, reading: Reading, row: OutboxRow, now: datetime) -> Sorted | None:
        """Return what an event becomes; None if it cannot be read now."""
        if is_over(row, now):
            return Sorted()
        try:
            told = told_of(reading, self.policies, row)
        except Damaged as error:
            log.error("not told: %s", error)  # noqa: TRY400 - what is wrong, not where in the program
            return None
        letters = [letter_row(row, one, PROGRAM) for one in self.desk.programs()]
        sorted_ = Sorted(letters=letters, about=told.review)
        for notice in notices(told, self.desk.on):
            for target in self.desk.told(notice, told.rules):
                if target.person is None or notice.presses:
                    sorted_.letters.append(letter_row(row, target, notice.party))
                elif not self._writing.hides(reading, row, target.person.name):
                    key = f"{target.name}/{row.at}/{id_of(row)}"
                    sorted_.digests.append((target.name, key, digest_line(told, notice, self.public)))
        return sorted_

    def _put(self, found: Sequence[tuple[Parcel, Sorted | None]], now: datetime, tx: Transaction) -> None:
        for parcel, made in found:
            if made is None:
                tx.postponed(parcel.id, spelled(now + PAUSE_MAX))
                continue
            for target, key, body in made.digests:
                to_digest(tx, target, {key: body}, now)
            tx.apply(Changes(outbox=tuple(made.letters)))
            tx.delivered([parcel.id])

    # --- letters are sent -----------------------------------------------------------------------------------------

    async def _told(self, letters: Sequence[tuple[Parcel, Letter]]) -> None:
        by_target: dict[str, list[tuple[Parcel, Letter]]] = {}
        for parcel, letter in letters:
            by_target.setdefault(letter.target, []).append((parcel, letter))
        ours = {name: target for name, target in self.desk.targets.items() if name in by_target}
        others = self._not_ours([one for one in letters if one[1].target not in ours])
        telling = (self._told_at(target, by_target[name]) for name, target in ours.items())
        for error in await asyncio.gather(others, *telling, return_exceptions=True):
            if error is not None:  # once all of them are done: an error at one target must not stop the others
                raise error

    async def _not_ours(self, letters: Sequence[tuple[Parcel, Letter]]) -> None:
        """Handle letters to targets that are not, or not yet, in the policy."""
        now = self.clock()
        if not letters:
            return
        if self.shared:
            (await self.store.write(partial(unknown, [parcel for parcel, _ in letters], now))).logged()
            return
        found = await self.store.read(lambda reading: list(looked(reading, letters, self._letters, now)))
        done = await self.store.write(partial(moved, found, self.desk, self._moved, now))
        self._moved = remembered(self._moved, done.rows)
        done.log()

    async def _told_at(self, target: Target, letters: Sequence[tuple[Parcel, Letter]]) -> None:
        health, went = self._health.setdefault(target.name, Health()), _Went()
        loop = asyncio.get_running_loop()
        ends = loop.time() + BATCH_SECONDS
        try:
            for parcel, letter in await self._singly(target, letters, went):
                now = self.clock()
                if is_over(parcel.row, now) and letter.party != DIGEST:
                    went.done.append(parcel.id)
                    went.given_up += 1
                elif (rests := health.rests(now)) is not None:
                    went.later[parcel.id] = rests
                elif loop.time() > ends:
                    went.later[parcel.id] = now
                else:
                    await self._tried(target, parcel, letter, went)
        finally:
            await self.store.write(partial(self._keep, target, self._left(letters, went)))

    def _left(self, letters: Sequence[tuple[Parcel, Letter]], went: _Went) -> _Went:
        """Complete the results after a stop or an error, so that letters that were delivered are not sent again."""
        now, task = self.clock(), asyncio.current_task()
        left = [parcel.id for parcel, _ in letters if parcel.id not in {*went.done, *went.later}]
        went.later |= dict.fromkeys(left, now)
        if left and not (task and task.cancelling()):
            # It must not be the first again at once: those behind it would never be tried.
            went.later[left[0]] = now + PAUSE
        return went

    async def _singly(
        self, target: Target, letters: Sequence[tuple[Parcel, Letter]], went: _Went
    ) -> Sequence[tuple[Parcel, Letter]]:
        """Return the letters to send one by one; many questions for one person at once become one message."""
        person, now = target.person, self.clock()
        if person is None or len(letters) <= SINGLY_MAX or self._waits(target, letters[0][0].row, letters[0][1], now):
            return letters

        def look(reading: Reading) -> list[tuple[int, Written]]:
            asked = [
                (parcel, one) for parcel, one in letters if one.party == Party.HUMAN and not is_over(parcel.row, now)
            ]
            seen = [(parcel, one) for parcel, one in asked if not self._writing.hides(reading, parcel.row, person.name)]
            written = [(parcel.id, self._writing.letter(reading, parcel.row, one, named=True)) for parcel, one in seen]
            return [(number, one) for number, one in written if one]

        try:
            found = await self.store.read(look)
            together = {number: (await clean(one, self.cuts)).title for number, one in found}
        except Damaged:  # it shows when they are sent one by one
            return letters
        if len(together) <= SINGLY_MAX:
            return letters
        rows = [parcel.row for parcel, _ in letters if parcel.id in together]
        message = many(rows, tuple(together.values()), self.public)
        await self._carried(target, message, tuple(together), went)
        return [one for one in letters if one[0].id not in together]

    async def _carried(self, target: Target, message: Message, parcels: Sequence[int], went: _Went) -> None:
        now, health = self.clock(), self._health[target.name]
        if (rests := health.rests(now)) is not None:
            went.later |= dict.fromkeys(parcels, rests)
            return
        try:
            await self.carrier.carry(target.channel, message, now)
        except NotSent as error:
            went.failed, went.why = went.failed + 1, error.why
            went.later |= dict.fromkeys(parcels, health.failed(now, error.wait_seconds))
            if health.failures == 1:
                log.warning("%s does not take what it is told: %s", target.name, error.why)
            return
        went.sent += 1
        went.done += parcels
        health.arrived()

    async def _tried(self, target: Target, parcel: Parcel, letter: Letter, went: _Went) -> None:
        now = self.clock()
        waits = self._waits(target, parcel.row, letter, now)
        if waits is not None:
            went.later[parcel.id] = waits
            return
        try:
            # A human reviewer is told of requests to them, and of nothing else about the review.
            if letter.party == Party.HUMAN and await self._hides(target, parcel.row):
                went.later[parcel.id] = now + BLIND_FOR
                return
            message, rows = await self._message(target, parcel.row, letter)
            if message is None:
                went.done.append(parcel.id)
                return
            await self._carried(target, message, (parcel.id,), went)
            went.digested |= rows if parcel.id in went.done else {}
        except Damaged as error:
            log.error("not told: %s", error)  # noqa: TRY400 - what is wrong, not where in the program
            went.later[parcel.id] = now + PAUSE_MAX

    def _waits(self, target: Target, row: OutboxRow, letter: Letter, now: datetime) -> datetime | None:
        """Return until when a person is not to be disturbed, or None."""
        if target.person is None:
            return None
        if letter.party == DIGEST:
            since = datetime.fromisoformat(row.at)
            due = digest_at(target.person, since)
            # A row dated in the future was written by a wrong clock: it must not wait until that time.
            return due if since <= now < due else resumes(target.person, now)
        return resumes(target.person, now)

    async def _hides(self, target: Target, row: OutboxRow) -> bool:
        """True if the person must not be told yet; that they are told what others said is recorded first."""
        person = target.person
        if person is None:
            return False
        seen = await self.store.read(lambda reading: self._writing.seen(reading, row, person.name))
        event = whole_seen(*seen) if seen else None
        if event is not None and await self.store.read(lambda reading: links.human(reading, person.name) is not None):
            await write_down(self.store, [event], self.clock())
        return seen is not None and seen[0].hides

    @property
    def _writing(self) -> Writing:
        return Writing(policies=self.policies, on=self.desk.on, public=self.public)

    async def _message(
        self, target: Target, row: OutboxRow, letter: Letter
    ) -> tuple[Message | None, Mapping[str, None]]:
        """Return what is sent, and the digest lines that are done with it."""
        writing = self._writing
        if letter.party == DIGEST:
            return await self.store.read(lambda reading: writing.digest(reading, row, target.name))
        named = target.person is not None
        written = await self.store.read(lambda reading: writing.letter(reading, row, letter, named=named))
        if written is None:
            return None, {}
        return await self._linked(target, replace(written, message=await clean(written, self.cuts))), {}

    async def _linked(self, target: Target, written: Written) -> Message:
        """Add the decision link to a letter that asks one human a question; never if it is about a veto."""
        notice, message = written.notice, written.message
        if target.person is None or notice is None or notice.party is not Party.HUMAN or not notice.request:
            return message
        if notice.veto or not self.link_key:
            return message
        review = written.about.id if written.about else ""
        asked = links.Asked(letter=message.id, human=target.person.name, review=review, request=notice.request)
        secret = await self.store.write(lambda tx: links.made(tx, self.link_key, asked, self.clock()))
        return replace(message, url=f"{self.public}/decide?link={secret}") if secret else message

    def _keep(self, target: Target, went: _Went, tx: Transaction) -> None:
        tx.delivered(went.done)
        for parcel, until in went.later.items():
            tx.postponed(parcel, spelled(until))
        if went.digested:
            digested(tx, target.name, went.digested, self.clock())
        if went.sent or went.failed or went.given_up:
            tx.follow(DELIVERIES, {target.name: self._record(target, went, tx)}, START)

    def _record(self, target: Target, went: _Went, tx: Transaction) -> str:
        now = spelled(self.clock())
        before: Mapping[str, object] = json.loads(tx.row(DELIVERIES, target.name) or "{}")
        count = {name: int(str(before.get(name, 0))) for name in ("sent", "failed", "given_up")}
        failing = str(before.get("failing_since", ""))
        body = {
            "since": before.get("since", ""),
            "whom": whom(target),
            "sent": count["sent"] + went.sent,
            "failed": count["failed"] + went.failed,
            "given_up": count["given_up"] + went.given_up,
            "failing_since": (failing or now) if went.failed else "" if went.sent else failing,
            "why": went.why if went.failed else "" if went.sent else str(before.get("why", "")),
            "last_sent": now if went.sent else str(before.get("last_sent", "")),
        }
        return json.dumps(body, sort_keys=True)
