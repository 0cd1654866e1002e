"""Planted bugs of the engine, the gate's shell and the store that the worlds must find, one at a time."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from functools import partial
from typing import Any

from foureyes.app.asks import Ask, Reply
from foureyes.app.bases import Bases, KnownFiles, Prepared, with_risk
from foureyes.app.gate import Gate
from foureyes.app.ports import Store, Unavailable
from foureyes.app.rows import Changes
from foureyes.app.tending import Deadlines
from foureyes.app.work import manifest_digest
from foureyes.core.commands import PassDeadline
from foureyes.core.refusals import Refusal
from foureyes.core.scene import Scene
from foureyes.core.values import CLOCK, BaseSource, KnownBase, WorkPart
from foureyes.engine.local import LocalEngine, Way, _Going
from foureyes.engine.port import Run
from foureyes.engine.steps import Ended
from foureyes.store.sql import SqlWriting
from tests.sim.planted.plant import Function, bug, bugs_in
from tests.sim.world import written


@bug("foureyes.engine.local:LocalEngine.hand_over", source="engine", found_by="D3")
async def the_same_run_is_handed_over_twice(original: Function, self: LocalEngine, run: Run) -> bool:
    """Two reads of the inbox start the run twice, each with its own key."""
    begun: bool = await original(self, run)
    other = replace(run, attempt=run.attempt + 50)
    task = asyncio.create_task(self._carried_out(other, Way()))
    self._going[other.id] = _Going(run=other, task=task, alive=self._steps.clock())
    return begun


@bug("foureyes.engine.local:LocalEngine._offered", source="engine", found_by="D3", seed=28)
async def a_lost_answer_is_handed_in_under_another_key(
    original: Function, self: LocalEngine, run: Run, ended: Ended, key: str
) -> None:
    """A command that the store may have accepted is sent again under a new key."""
    del original
    for number in range(4):
        try:
            told = replace(ended, look=ended.look and replace(ended.look, summary=f"{ended.look.summary} {number}"))
            await self._steps.hand_in(run, told, f"{key}-{number}")
        except Unavailable:
            continue
        except Refusal:
            return
        return


@bug("foureyes.app.tending:Deadlines.passed", source="engine", found_by="I29", seed=16)
async def deadlines_of_two_reviews_have_one_key(original: Function, self: Deadlines) -> int:
    """Seats have the same names in every review, so only one of the deadlines of a minute passes."""
    del original
    now, taken = self.clock(), 0
    for review, request in await self.store.read(lambda reading: reading.due(written(now), 100)):
        key = f"clock-{request}-{int(now.timestamp()) // 60}"
        ask = Ask(actor=CLOCK, key=key, command=PassDeadline(request=request), stream=f"review/{review}")
        try:
            await self.gate.handle(ask)
        except Refusal:
            continue
        taken += 1
    return taken


@bug("foureyes.core.answers.clock:pass_deadline", source="engine", found_by="I29")
def a_deadline_passes_twice(original: Function, scene: Scene, command: PassDeadline, *given: Any) -> Any:
    """The due time is not checked, so that a second caller passes the deadline once more."""
    request = scene.review.requests.get(command.request)
    return original(replace(scene, now=max(scene.now, request.due)) if request else scene, command, *given)


@bug("foureyes.core.answers.reports:_seat_for", source="engine", found_by="I14", seed=5)
def a_late_answer_counts_as_a_vote(original: Function, *given: Any) -> Any:
    """The lease of the seat is not checked."""
    name, stage, _ = original(*given)
    return name, stage, False


@bug("foureyes.store.sql:SqlWriting.apply", source="store", found_by="I22")
def the_reply_is_not_kept_with_the_events(original: Function, self: SqlWriting, changes: Changes) -> None:
    """A retry after a lost answer runs the command a second time."""
    original(self, replace(changes, answered=None) if changes.appends else changes)


@bug("foureyes.store.sql:SqlWriting.apply", source="store", found_by="I21")
def what_is_no_longer_owed_stays_in_the_inbox(original: Function, self: SqlWriting, changes: Changes) -> None:
    """A row of the inbox outlives its request."""
    original(self, replace(changes, inbox_gone=changes.inbox_gone[1:]))


@bug("foureyes.app.gate:Gate.handle", source="store", found_by="I22")
async def an_answer_that_was_lost_is_made_up(original: Function, self: Gate, ask: Ask) -> Reply:
    """A store that is down counts as one that has written."""
    try:
        found: Reply = await original(self, ask)
    except Unavailable:
        return Reply(stream=ask.stream or "review/none", version=1)
    return found


@bug("foureyes.app.shelf:Shelf.get", source="store", found_by="I22")
def a_review_is_remembered_past_what_others_wrote(original: Function, self: Any, *given: Any) -> Any:
    """A cached review is trusted, however old it is."""
    return self._held.get(given[1]) or original(self, *given)


@bug("foureyes.app.bases:Bases.prepare", source="engine", found_by="T38")
async def the_authors_word_is_taken_for_a_base(original: Function, self: Bases, store: Store, ask: Ask) -> Prepared:
    """The author's claim about the base is believed without another source."""
    prepared: Prepared = await original(self, store, ask)
    parts: tuple[WorkPart, ...] = getattr(ask.command, "parts", ())
    if not ask.before or not parts:
        return prepared
    base = KnownBase(source=BaseSource.REPOSITORY, name="as it is said", digest=manifest_digest(ask.before))
    believed = Prepared(files=KnownFiles(base=base, parts=ask.before, blobs={}))
    return await store.read(partial(with_risk, believed, parts, ask.blobs))


BUGS = bugs_in(sys.modules[__name__])
