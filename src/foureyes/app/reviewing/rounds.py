"""How does `foureyes review` run on this machine? It enters the work, runs a round, and says how the review stands."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Protocol

from foureyes.app.accounts import accounts, keep_names
from foureyes.app.asks import Ask
from foureyes.app.following import Follower
from foureyes.app.gate import Gate, Seen, new_key
from foureyes.app.ports import Directory, Reading, Store, Writing
from foureyes.app.projections.costs import COSTS, day_usd_micro
from foureyes.app.projections.suppressions import SUPPRESSIONS
from foureyes.app.reviewers import AtHand, Change
from foureyes.app.reviewing.apart import apart
from foureyes.app.reviewing.budgets import bounds_of, purse_of, unpaid, warnings
from foureyes.app.reviewing.entering import Entered, Entry, enter
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.reviewing.merging import Quote
from foureyes.app.reviewing.moving import moved, stored_lines
from foureyes.app.reviewing.outcome import NotLooked, Options, Outcome, Watch
from foureyes.app.reviewing.readable import readable
from foureyes.app.reviewing.recorded import Recorded, recorded
from foureyes.app.reviewing.round import Ran, Round
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.app.reviewing.standing import Around, standing
from foureyes.app.reviewing.told import Told, last_told, tell, tell_last, told
from foureyes.app.rows import Listing
from foureyes.app.shelf import dated
from foureyes.core.commands import WaiveFinding
from foureyes.core.events import ReviewOpened
from foureyes.core.model import Review
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import Who
from foureyes.policy.policy import Policy

QUOTE_CHARS_MAX = 200
#: So far back is looked for the last review from here.
LAST_MAX = 200
OVERTAKEN = "Another run has handed in a newer version meanwhile; what was said of this one counts for this one only."
#: Takes secrets out of a line of this file.
Redact = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The policy that judges a work, and where it came from, in words."""

    policy: Policy
    came_from: str
    #: The files that it names beside itself.
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one call is about."""

    pool: Pool
    change: Change
    options: Options
    watch: Watch


class Questions(Protocol):
    """Keeps two runs from asking the same reviewer the same thing at once."""

    def begin(self, question: str) -> bool:
        """Whether it is ours to ask."""

    def end(self) -> None:
        """Let others ask."""


class Desk(Protocol):
    """What the round needs from this machine."""

    def store(self) -> AbstractAsyncContextManager[Store]:
        """The store, made where there is none."""

    def looking(self) -> AbstractAsyncContextManager[Store]:
        """The store to look at; refused where there is none."""

    def gate(self, store: Store, policy: Policy, directory: Directory) -> Gate:
        """The gate on this store."""

    def policy_for(self, change: Change, options: Options) -> Chosen:
        """What judges this work: the policy at its base, else the built-in one."""

    def own_policy(self) -> Policy:
        """What judges where no work says otherwise."""

    def at_hand(self, policy: Policy, options: Options) -> AtHand:
        """Who could look here, by the roles of the policy, as far as the person wants them."""

    def rulebook(self) -> dict[str, RuleEntry]:
        """Every rule of every critic, by its id."""

    def today(self) -> str:
        """The day, as the log writes it."""

    def here(self) -> str:
        """Names the repository, or the folder, one is in."""

    def questions(self) -> Questions:
        """The questions that this run asks, and no other meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Reviews on this machine, by whoever sits in front of it."""

    desk: Desk
    #: Who made the work, and who decides about it; the same credential stands behind both, so the second proves little.
    author: Who
    person: Who
    redact: Redact
    clock: Callable[[], float] = time.monotonic

    async def run(self, change: Change, *, options: Options, watch: Watch) -> Outcome:
        """Ask everybody at hand and say what it came to; being cancelled returns what there is."""
        began = self.clock()
        chosen = self.desk.policy_for(change, options)
        read, ignored = readable(change, chosen.policy, chosen.beside)
        hand = self.desk.at_hand(chosen.policy, options)
        async with self.desk.store() as store:
            pool = Pool(apart(hand, await store.read(_enrolled)))
            await Follower(store, (SUPPRESSIONS, COSTS)).catch_up()
            gate = self.desk.gate(store, chosen.policy, pool)
            entry = Entry(
                author=self.author,
                policy=chosen.policy.digest,
                here=self.desk.here(),
                style=options.style,
                answers=options.answers,
                questions=tuple(self.redact(one, "") for one in options.questions),
                anew=options.anew,
            )
            entered = await enter(gate, store, change, entry)
            await store.write(partial(self._note, entered.review, pool))
            seen = await gate.read(entered.review, self.person)
            policy = await store.read(lambda reading: gate.policies.named(reading, seen.view.review.rules))
            ran = Ran()
            if not entered.held_up and seen.view.review.outcome is None:
                asked = Asked(pool=pool, change=read, options=options, watch=watch)
                ran = await self._round(store, gate, policy, seen.view.review, asked=asked)
            now = _told(change, read, ignored, hand, ran)
            same = policy.digest == chosen.policy.digest
            now = replace(now, policy_from=chosen.came_from if same else "as the review was opened")
            after = await store.read(partial(moved, await gate.read(entered.review, self.person)))
            around = Around(
                rules=policy.rules,
                quote=self._quote(change),
                rulebook=self.desk.rulebook(),
                policy=policy.name,
                told=await _kept(store, entered, seen.view.review.revision, now),
                recorded=await store.read(partial(_recorded, after)),
                held_up=entered.held_up or (OVERTAKEN if ran.overtaken else ""),
                notes=(*entered.notes, *await self._warnings(store, policy, after)),
                seconds=self.clock() - began,
            )
            return standing(after, around, ran)

    async def stands(self, review: str = "") -> Outcome:
        """A review as it stands in the store now; without a name, the last one from here."""
        async with self.desk.looking() as store:
            policy = self.desk.own_policy()
            gate = self.desk.gate(store, policy, Pool(AtHand()))
            name = review or await store.read(self._last)
            seen = await store.read(partial(moved, await gate.read(name, self.person)))
            own = await store.read(lambda reading: gate.policies.named(reading, seen.view.review.rules))
            shown = seen.view.review
            around = Around(
                rules=own.rules,
                quote=self._from(await store.read(partial(_texts, shown))),
                rulebook=self.desk.rulebook(),
                policy=own.name,
                told=await store.read(lambda reading: told(reading, shown.id, shown.revision)),
                recorded=await store.read(partial(_recorded, seen)),
            )
            return standing(seen, around)

    async def dismiss(self, review: str, finding: str, because: str) -> None:
        """Waive a finding in the name of the person in front of it; marked unproven, gone until its code changes."""
        async with self.desk.store() as store:
            gate = self.desk.gate(store, self.desk.own_policy(), Pool(AtHand()))
            name = review or await store.read(self._last)
            command = WaiveFinding(finding=finding, reason=self.redact(because, ""), false_positive=True)
            await gate.handle(Ask(actor=self.person, key=new_key(), command=command, stream=f"review/{name}"))
            await Follower(store, (SUPPRESSIONS,)).catch_up()

    async def _round(self, store: Store, gate: Gate, policy: Policy, review: Review, *, asked: Asked) -> Ran:
        options = asked.options
        today = await store.read(lambda reading: day_usd_micro(reading, self.desk.today()))
        stricter = await store.read(lambda reading: gate.policies.stricter(reading, review.stricter))
        purse = purse_of(policy, review, today, options)
        bounds = bounds_of(policy, purse, options)
        questions = self.desk.questions()
        one = Round(
            gate=gate,
            review=review.id,
            rules=policy.rules,
            stages_beside=stricter,
            pool=asked.pool,
            viewer=self.person,
            change=asked.change,
            bounds=bounds,
            watch=asked.watch,
            purse=purse,
            revision=review.revision,
            begin=questions.begin,
            clock=self.clock,
        )
        try:
            ran = await one.run()
        finally:
            questions.end()
        ran.not_looked = unpaid(ran.not_looked, options)
        return ran

    def _note(self, review: str, pool: Pool, tx: Writing) -> None:
        """Which review is meant here from now on, and who looks here without an account."""
        tell_last(tx, self._place(), review)
        keep_names(tx, pool.minds())

    async def _warnings(self, store: Store, policy: Policy, seen: Seen) -> tuple[str, ...]:
        await Follower(store, (COSTS,)).catch_up()
        today = await store.read(lambda reading: day_usd_micro(reading, self.desk.today()))
        return warnings(policy, seen.view.review, today)

    def _last(self, reading: Reading) -> str:
        here = self.desk.here()
        if found := last_told(reading, self._place()):
            return found
        for row in reading.reviews(Listing(author=self.author.name, limit=LAST_MAX)):
            opened = dated(tuple(islice(reading.events(f"review/{row.review}"), 1)))
            if any(isinstance(one, ReviewOpened) and one.origin.task == here for one, _ in opened):
                return row.review
        raise refuse(Code.REVIEW_MISSING)

    def _place(self) -> str:
        """Whoever works here: another author in the same place means another review."""
        return f"{self.desk.here()}\0{self.author.name}"

    def _quote(self, change: Change) -> Quote:
        return self._from({one.path: one.lines for one in change.files if one.text is not None})

    def _from(self, texts: dict[str, tuple[str, ...]]) -> Quote:
        clean: dict[str, list[str]] = {}

        def quote(path: str, line: int) -> str:
            if not 0 < line <= len(texts.get(path, ())):
                return ""
            if path not in clean:
                # The whole file at once, and cut only afterwards: a secret may be known by the line before it.
                clean[path] = self.redact("\n".join(texts[path]), path).split("\n")
            return clean[path][line - 1].strip()[:QUOTE_CHARS_MAX] if line <= len(clean[path]) else ""

        return quote


def _told(change: Change, read: Change, ignored: tuple[str, ...], hand: AtHand, ran: Ran) -> Told:
    """What this round has to tell beside what the log counts; what is out of use is told by whoever looked so."""
    missing = (NotLooked(who=one.name, why=one.why, next_step=one.next_step) for one in hand.missing)
    return Told(
        looked=tuple(ran.looked),
        not_looked=(*missing, *ran.not_looked),
        notes=hand.notes if ran.looked else (),
        unread=read.unread,
        ignored=ignored,
        files=len(change.files),
        lines=sum(last - first + 1 for one in change.files for first, last in one.changed),
    )


async def _kept(store: Store, entered: Entered, revision: int, now: Told) -> Told:
    """What is told of this version, in this round and before; bytes that were not taken in are told, and not kept."""
    if entered.held_up:
        before = await store.read(lambda reading: told(reading, entered.review, revision))
        return replace(now, looked=before.looked, notes=before.notes)
    return await store.write(lambda tx: tell(tx, entered.review, revision, now))


def _enrolled(reading: Reading) -> list[str]:
    return [one.who.name for one in accounts(reading)]


def _recorded(seen: Seen, reading: Reading) -> Recorded:
    """What the log adds, for whoever may see all of it."""
    return Recorded() if seen.view.hides else recorded(reading, seen.view.review)


def _texts(review: Review, reading: Reading) -> dict[str, tuple[str, ...]]:
    """The lines of the files that findings lie in, as they are stored; what is gone or no text is left out."""
    wanted = {one.place.path for one in review.findings.values() if one.place}
    parts = (one for one in review.current.parts if one.name in wanted)
    return {one.name: lines for one in parts if (lines := stored_lines(reading, one)) is not None}
