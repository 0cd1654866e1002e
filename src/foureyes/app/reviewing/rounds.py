"""Runs `foureyes review` on this machine: submits the work, runs a round, and returns the outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Protocol

from foureyes.app.asks import Ask
from foureyes.app.following import Follower
from foureyes.app.gate import Gate, Seen, new_key
from foureyes.app.operations import write_time
from foureyes.app.ports import Directory, Reading, Store, Writing
from foureyes.app.projections.costs import COSTS, day_usd_micro
from foureyes.app.reviewers import AtHand, Change
from foureyes.app.reviewing.budgets import bounds_of, purse_of, unpaid, warnings
from foureyes.app.reviewing.coverage import unjudged_languages
from foureyes.app.reviewing.dismissals import covering, dismissal_of, keep
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
from foureyes.app.rows import LOCAL_RUNS, START, Listing
from foureyes.app.shelf import dated
from foureyes.app.work import work_of_change
from foureyes.core.commands import WaiveFinding
from foureyes.core.events import FindingWaived, ReviewOpened
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who
from foureyes.policy.policy import Policy

QUOTE_CHARS_MAX = 200
#: Most recent reviews searched for the last one from here.
LAST_MAX = 200
OVERTAKEN = "Another run has handed in a newer version meanwhile; what was said of this one counts for this one only."
#: Redacts secrets from a text of this file.
Redact = Callable[[str, str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The policy that judges a work, and where it came from, in words."""

    policy: Policy
    came_from: str
    #: The other files that it names.
    beside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one call is about."""

    pool: Pool
    change: Change
    options: Options
    watch: Watch
    #: The digest of the loaded bytes, including files that the policy hides from reviewers.
    loaded: str


class Questions(Protocol):
    """Keeps two runs from asking the same reviewer the same thing at once."""

    def begin(self, question: str) -> bool:
        """Return whether this run may ask it."""

    def end(self) -> None:
        """Let other runs ask."""


class Desk(Protocol):
    """What the round needs from this machine."""

    def store(self) -> AbstractAsyncContextManager[Store]:
        """Open the store; it is created if there is none."""

    def looking(self) -> AbstractAsyncContextManager[Store]:
        """Open the store to read; refused if there is none."""

    def gate(self, store: Store, policy: Policy, directory: Directory) -> Gate:
        """Return the gate on this store."""

    def policy_for(self, change: Change, options: Options) -> Chosen:
        """Return the policy that judges this work: the one at its base, else the built-in one."""

    def own_policy(self) -> Policy:
        """Return the policy for use without a work."""

    def at_hand(self, policy: Policy, options: Options) -> AtHand:
        """Return the reviewers available here, by the roles of the policy, as far as the options allow them."""

    def rulebook(self) -> Mapping[str, RuleEntry]:
        """Return every rule of every critic, by its id."""

    def today(self) -> str:
        """Return the date, as the log writes it."""

    def here(self) -> str:
        """Return a name of the current repository or folder."""

    def repository(self) -> str:
        """Return a name of the repository that dismissals apply to: the same for all of its worktrees."""

    def moment(self) -> datetime:
        """Return the time, in UTC."""

    def questions(self) -> Questions:
        """Return the registry that keeps concurrent runs from asking the same question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Reviews on this machine, by whoever sits in front of it."""

    desk: Desk
    #: The author, and the person who decides; both act with the same credential, so the second proves little.
    author: Who
    person: Who
    redact: Redact
    clock: Callable[[], float] = time.monotonic

    async def run(self, change: Change, *, options: Options, watch: Watch) -> Outcome:
        """Ask all reviewers at hand and return the outcome; being cancelled returns what there is."""
        began = self.clock()
        chosen = self.desk.policy_for(change, options)
        read, ignored = readable(change, chosen.policy, chosen.beside)
        hand = self.desk.at_hand(chosen.policy, options)
        async with self.desk.store() as store:
            pool = Pool(hand)
            await Follower(store, (COSTS,), local=True).catch_up()
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
            await store.write(partial(self._note, entered.review))
            await self._apply_dismissals(store, gate, entered.review)
            seen = await gate.read(entered.review, self.person)
            policy = await store.read(lambda reading: gate.policies.named(reading, seen.view.review.rules))
            ran = Ran()
            if not entered.held_up and seen.view.review.outcome is None:
                digest = work_of_change(change)[0].digest
                asked = Asked(pool=pool, change=read, options=options, watch=watch, loaded=digest)
                ran = await self._round(store, gate, policy, seen.view.review, asked=asked)
                await self._apply_dismissals(store, gate, entered.review)
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
        """Return the current outcome of a stored review; without a name, of the last one from here."""
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

    async def dismiss(self, review: str, finding: str, because: str, by: Who | None = None) -> None:
        """Waive a finding until its code changes, by a human who signed in, else by the person at the terminal."""
        async with self.desk.store() as store:
            gate = self.desk.gate(store, self.desk.own_policy(), Pool(AtHand()))
            name = review or await store.read(self._last)
            await self._waive(gate, name, finding, (by or self.person, self.redact(because, "")))
            waived = (await gate.read(name, self.person)).view.review
            place = waived.findings[finding].place
            event = FindingWaived(
                finding=finding,
                by=by or self.person,
                reason=self.redact(because, ""),
                false_positive=True,
                context_hash=place.context_hash if place else "",
            )
            kept = dismissal_of(waived, event, where=self.desk.repository(), at=self.desk.moment())
            if kept is not None:
                await store.write(lambda tx: keep(tx, kept))

    async def _apply_dismissals(self, store: Store, gate: Gate, review: str) -> None:
        """Waive what was dismissed in another local review, in the name of the person who dismissed it."""
        open_one = (await gate.read(review, self.person)).view.review
        if open_one.outcome is not None:
            return
        where = self.desk.repository()
        for finding, word in await store.read(lambda reading: tuple(covering(reading, open_one, where))):
            with suppress(Refusal):  # settled meanwhile, or a rule of this policy keeps it
                await self._waive(gate, review, finding.id, (word.by, word.because))

    async def _waive(self, gate: Gate, review: str, finding: str, word: tuple[Who, str]) -> None:
        by, because = word
        command = WaiveFinding(finding=finding, reason=because, false_positive=True)
        signed_in = self.desk.moment() if by.is_human else None
        ask = Ask(actor=by, key=new_key(), command=command, stream=f"review/{review}", signed_in=signed_in)
        await gate.handle(ask)

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
            loaded=asked.loaded,
            begin=questions.begin,
            clock=self.clock,
        )
        try:
            ran = await one.run()
        finally:
            questions.end()
        ran.not_looked = unpaid(ran.not_looked, options)
        return ran

    def _note(self, review: str, tx: Writing) -> None:
        """Record that this review is the current one here, and that it was run now."""
        tell_last(tx, self._place(), review)
        tx.follow(LOCAL_RUNS, {review: write_time(self.desk.moment())}, START)

    async def _warnings(self, store: Store, policy: Policy, seen: Seen) -> tuple[str, ...]:
        await Follower(store, (COSTS,), local=True).catch_up()
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
        """Return the place of this author: another author in the same folder has another review."""
        return f"{self.desk.here()}\0{self.author.name}"

    def _quote(self, change: Change) -> Quote:
        return self._from({one.path: one.lines for one in change.files if one.text is not None})

    def _from(self, texts: dict[str, tuple[str, ...]]) -> Quote:
        clean: dict[str, list[str]] = {}

        def quote(path: str, line: int) -> str:
            if not 0 < line <= len(texts.get(path, ())):
                return ""
            if path not in clean:
                # The whole file is redacted at once and cut afterwards: a secret may be recognised by the line before
                # it.
                clean[path] = self.redact("\n".join(texts[path]), path).split("\n")
            return clean[path][line - 1].strip()[:QUOTE_CHARS_MAX] if line <= len(clean[path]) else ""

        return quote


def _told(change: Change, read: Change, ignored: tuple[str, ...], hand: AtHand, ran: Ran) -> Told:
    """Return what this round tells besides what the log counts; notes only if reviewers looked."""
    missing = (NotLooked(who=one.name, why=one.why, next_step=one.next_step) for one in hand.missing)
    return Told(
        looked=tuple(ran.looked),
        not_looked=(*missing, *ran.not_looked),
        notes=hand.notes if ran.looked else (),
        unread=read.unread,
        ignored=ignored,
        unjudged=unjudged_languages(read),
        files=len(change.files),
        named=change.named,
        lines=sum(last - first + 1 for one in change.files for first, last in one.changed),
    )


async def _kept(store: Store, entered: Entered, revision: int, now: Told) -> Told:
    """Store and return what is told of this version, now and before; for refused bytes nothing is stored."""
    if entered.held_up:
        before = await store.read(lambda reading: told(reading, entered.review, revision))
        return replace(now, looked=before.looked, notes=before.notes)
    return await store.write(lambda tx: tell(tx, entered.review, revision, now))


def _recorded(seen: Seen, reading: Reading) -> Recorded:
    """Return what the log adds, for viewers who may see all of it."""
    return Recorded() if seen.view.hides else recorded(reading, seen.view.review)


def _texts(review: Review, reading: Reading) -> dict[str, tuple[str, ...]]:
    """Return the stored lines of the files with findings; missing and binary files are left out."""
    wanted = {one.place.path for one in review.findings.values() if one.place}
    parts = (one for one in review.current.parts if one.name in wanted)
    return {one.name: lines for one in parts if (lines := stored_lines(reading, one)) is not None}
