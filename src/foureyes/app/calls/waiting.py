"""Calls that wait for a review to change, so that callers need not poll.

Any change of the review wakes the caller; what they are told, and when, depends on their own view of it alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from foureyes.app.calls import looking
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.looking import ReviewForm, SeenShown
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import ReviewShown, next_mark, read_mark
from foureyes.app.turns import step_aside
from foureyes.core.refusals import Code, refuse

SECONDS_MAX = 45
OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitForm:
    """Which review, the mark of what was seen of it, and how long to wait; without a mark for the next change."""

    review: str
    mark: str = ""
    seconds: int = SECONDS_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadForm:
    """Which review. With `wait` it answers when it is the caller's turn or the review has ended."""

    review: str
    wait: int = 0
    #: The mark of the previous answer, if the caller continues to wait.
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """The review as it is for the caller now; left out where it is still what they had seen."""

    changed: bool
    mark: str
    review: ReviewShown | None


async def read_review(office: Office, caller: Caller, form: ReadForm) -> SeenShown:
    """A review, as far as the caller may see it; with `wait`, once it is their turn or it has ended."""
    if not 0 <= form.wait <= SECONDS_MAX:
        raise refuse(Code.BAD_NUMBER, what="wait", value=form.wait, low=0, high=SECONDS_MAX, field="wait")
    if not form.wait:
        return await looking.read_review(office, caller, ReviewForm(review=form.review))
    office.quotas.check_room(caller.who, "waits")
    seen = await waited(office, caller, form.review, form.wait, is_turn_of(caller))
    return seen.marked(next_mark(seen.mark, read_mark(form.mark)[1]))


async def wait(office: Office, caller: Caller, form: WaitForm) -> Waited:
    """Wait until what the caller sees of a review changes. What is hidden from them never ends it."""
    if not 0 <= form.seconds <= SECONDS_MAX:
        raise refuse(
            Code.BAD_NUMBER, what="The time to wait", value=form.seconds, low=0, high=SECONDS_MAX, field="seconds"
        )
    known, turn = read_mark(form.mark)
    mark = known or (await looking.read_review(office, caller, ReviewForm(review=form.review))).mark
    if form.seconds:
        office.quotas.check_room(caller.who, "waits")
    seen = await waited(office, caller, form.review, form.seconds, lambda one: one.mark != mark)
    changed = seen.mark != mark
    return Waited(changed=changed, mark=next_mark(seen.mark, turn), review=seen.review if changed else None)


async def waited(
    office: Office, caller: Caller, review: str, seconds: float, until: Callable[[SeenShown], bool]
) -> SeenShown:
    """The review as the caller sees it, once that is as they want it, or when the time is over.

    Who waits for too much already is answered at once: what they asked for before waiting is done.
    """
    form = ReviewForm(review=review)
    seen = await looking.read_review(office, caller, form)
    if until(seen) or seconds <= 0 or not office.quotas.has_room(caller.who, "waits"):
        return seen
    with office.quotas.holding(caller.who, "waits"), suppress(TimeoutError):
        step_aside()
        async with office.bell.listening(office.store, REVIEW + review) as listener:
            async with asyncio.timeout(seconds):
                # Looked at after listening began, so that nothing in between is missed.
                while not until(seen := await looking.read_review(office, caller, form)) and not office.bell.closed():
                    await listener.woken.wait()
                    listener.take()
    return seen


def is_turn_of(caller: Caller) -> Callable[[SeenShown], bool]:
    """Whether the caller has something to do in a review, or nobody has any more."""
    name = caller.who.name

    def until(seen: SeenShown) -> bool:
        return seen.review.state != OPEN or any(name in one.who for one in seen.review.turns)

    return until


def calls() -> Iterator[Call[Any]]:
    """The calls that wait for a review."""
    says = (read_review.__doc__ or "").strip()
    yield Call(name="read_review", says=says, needs=Need.READ, form=ReadForm, answer=read_review, changes=False)
    says = (wait.__doc__ or "").strip()
    yield Call(name="wait", says=says, needs=Need.READ, form=WaitForm, answer=wait, changes=False)
