"""How do our programs look at work that comes in at a server? They take their own seats, as soon as they are asked.

Agents and people come by themselves; programs are here. The work is judged whole: nobody here knows which of its lines
are old. What was opened by `foureyes review` is left to it, because there that is known.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice

from foureyes.app.accounts import account
from foureyes.app.bell import Bell
from foureyes.app.facts import stored_bytes
from foureyes.app.gate import Gate
from foureyes.app.heads import role
from foureyes.app.ports import Directory, Reading, Store
from foureyes.app.reviewers import Change, File
from foureyes.app.reviewing.budgets import bounds_of
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.reviewing.outcome import Looked, Options
from foureyes.app.reviewing.readable import readable
from foureyes.app.reviewing.round import Round
from foureyes.app.shelf import dated
from foureyes.app.work import GONE_MODE
from foureyes.core.events import ReviewOpened
from foureyes.core.facts import Principal
from foureyes.core.model import Review
from foureyes.core.values import Who, WhoKind

#: Reviews that are looked at in one go; the rest have their turn in the next.
REVIEWS_MAX = 20
#: How often programs are sent to one version of one review; beyond that somebody else must look.
TRIES_MAX = 3
#: A program that needs longer has no answer.
SECONDS_MAX = 60
#: Requests that are looked through, the most urgent first; what cannot be helped must not hide what can.
ROWS_MAX = 1_000
KNOWN_MAX = 10_000
_SERVER = Who(name="server", kind=WhoKind.PERSON)
log = logging.getLogger("foureyes.programs")


@dataclass(slots=True)
class Everybody:
    """A directory of several: whoever is enrolled, and the programs that are here."""

    directories: tuple[Directory, ...]
    #: What they said last, and all of it together.
    _known: tuple[tuple[tuple[Principal, ...], ...], tuple[Principal, ...]] = field(default=((), ()), init=False)

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """All of them, each name once; put together anew when one of the directories says something else."""
        said, known = tuple(one.pool(reading) for one in self.directories), self._known
        if len(said) != len(known[0]) or any(one is not other for one, other in zip(said, known[0], strict=True)):
            everybody = {one.who.name: one for part in said for one in part}
            known = self._known = said, tuple(everybody.values())
        return known[1]


class Later:
    """Reviewers who are looked for when somebody first needs them: a server answers before it knows its programs."""

    def __init__(self, make: Callable[[], Pool]) -> None:
        """Find them so."""
        self._make = make

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Everybody who may be asked to review."""
        return self.found.pool(reading)

    @cached_property
    def found(self) -> Pool:
        """Those who are here."""
        return self._make()


class Quiet:
    """Nobody watches; what matters is in the log."""

    def started(self, name: str) -> None: ...
    def said(self, name: str, text: str) -> None: ...
    def ended(self, looked: Looked) -> None: ...


@dataclass(slots=True, kw_only=True)
class Programs:
    """Lets programs look at whatever they are asked about."""

    store: Store
    gate: Gate
    here: Later
    bell: Bell
    _tried: dict[tuple[str, int], int] = field(default_factory=dict)
    _ours: dict[str, bool] = field(default_factory=dict)

    async def look(self) -> int:
        """Go to every review that waits for a program; how many there were."""
        waiting = await self.store.read(self._waiting)
        for review, revision in waiting:
            if len(self._tried) >= KNOWN_MAX:
                self._tried.clear()
            self._tried[review, revision] = self._tried.get((review, revision), 0) + 1
            await self._round(review)
            self.bell.ring()
        return len(waiting)

    def _waiting(self, reading: Reading) -> list[tuple[str, int]]:
        people = self.here.pool(reading)
        names = [one.who.name for one in people]
        roles = sorted({each for one in people for each in one.roles})
        rows = (row for name in (*names, *map(role, roles)) for row in reading.inbox(name, ROWS_MAX))
        found = dict.fromkeys((row.review, row.revision) for row in rows if row.kind == "report")
        due = (one for one in found if self._tried.get(one, 0) < TRIES_MAX)
        return list(islice((one for one in due if self._is_ours(reading, one[0])), REVIEWS_MAX))

    def _is_ours(self, reading: Reading, review: str) -> bool:
        if review not in self._ours:
            if len(self._ours) >= KNOWN_MAX:
                self._ours.clear()
            self._ours[review] = _came_in_here(reading, review)
        return self._ours[review]

    async def _round(self, name: str) -> None:
        review = (await self.gate.read(name, _SERVER)).view.review
        if review.outcome is not None:
            return
        policy = await self.store.read(lambda reading: self.gate.policies.named(reading, review.rules))
        stricter = await self.store.read(lambda reading: self.gate.policies.stricter(reading, review.stricter))
        whole = await self.store.read(partial(_change, review))
        change, _ = readable(whole, policy)
        one = Round(
            gate=self.gate,
            review=name,
            rules=policy.rules,
            stages_beside=stricter,
            pool=self.here.found,
            viewer=_SERVER,
            change=change,
            bounds=bounds_of(policy, 0, Options(seconds_max=SECONDS_MAX)),
            watch=Quiet(),
            purse=0,
            revision=review.revision,
        )
        ran = await one.run()
        for looked in ran.looked:
            fields = {"review": name, "program": looked.reviewer, "state": str(looked.state)}
            log.info("looked", extra={"fields": fields})
        if ran.interrupted:
            raise asyncio.CancelledError  # a round ends quietly when it is cancelled; whoever cancelled it waits for us


def _came_in_here(reading: Reading, review: str) -> bool:
    """Whether somebody enrolled opened it; a person at a terminal has no account, and a round of their own."""
    opened = dated(tuple(islice(reading.events(f"review/{review}"), 1)))
    authors = (one.author.name for one, _ in opened if isinstance(one, ReviewOpened))
    return any(account(reading, name) is not None for name in authors)


def _change(review: Review, reading: Reading) -> Change:
    return Change(title=review.title, kind=review.kind, files=tuple(_files(review, reading)), note=review.current.note)


def _files(review: Review, reading: Reading) -> Iterator[File]:
    for part in review.current.parts:
        content = None if part.mode == GONE_MODE else stored_bytes(reading, part)
        lines = content.count(b"\n") + 1 if content else 1
        yield File(path=part.name, mode=part.mode, content=content, changed=((1, lines),))
