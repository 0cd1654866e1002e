"""Calls that change nothing: `preview` tells what another call would do, `explain` why a review is as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from foureyes.app.asks import Reply
from foureyes.app.calls import about_reviews
from foureyes.app.calls.blindness import told_blindly
from foureyes.app.calls.bodies import taken
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.looking import ReviewForm
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.shown import ReviewShown, shown
from foureyes.app.calls.whole import shown_to
from foureyes.app.gate import Preview
from foureyes.codec.commands import Command
from foureyes.core.explain import Explanation
from foureyes.core.refusals import Code, Refusal, refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewForm:
    """A call that changes a review, by its name, and what would be sent with it."""

    call: str
    form: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewShown:
    """It would be taken; a no is told as it would be. Nothing of it has happened.

    Who may not see everything yet is shown the review as it is, and no events. Whom it would ask is told to nobody:
    that depends on how much others have to do, and so on reports in other reviews. Seats and turns are as they are now.
    """

    events: tuple[str, ...]
    review: ReviewShown


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trying(Office):
    """An office that asks the gate what would happen, and does nothing."""

    found: list[Preview] = field(default_factory=list)

    async def do(self, caller: Caller, command: Command, handed: Handed) -> Reply:
        """Ask instead of doing; a no tells as little as it would."""
        try:
            self.found.append(await self.gate.preview(self.ask(caller, command, handed)))
        except Refusal as refusal:
            raise await told_blindly(self.gate, caller.who, command, handed.stream, refusal) from None
        return Reply(stream=handed.stream, version=0)


async def preview(office: Office, caller: Caller, form: PreviewForm) -> PreviewShown:
    """What a call would do to a review now, as far as the caller may see."""
    call = _PREVIEWED.get(form.call)
    if call is None:
        raise refuse(Code.UNKNOWN_WORD, what="The call", word=form.call[:80], allowed=tuple(_PREVIEWED), field="call")
    caller.check(call.needs)
    trying = _Trying(gate=office.gate, store=office.store, clock=office.clock)
    await call.answer(trying, caller, taken(call.form, dict(form.form)))
    (found,) = trying.found
    before = await _before(office, caller, form)
    after = shown(replace(found.seen, opened=before.opened if before else ""))
    names = (type(event).__name__ for event in found.events)
    return PreviewShown(
        events=tuple(name for name in names if name not in _ASKING),
        review=replace(after, seats=before.seats if before else (), turns=before.turns if before else ()),
    )


async def explain(office: Office, caller: Caller, form: ReviewForm) -> Explanation:
    """Each requirement of a review, whether it is met, and who must act; as far as the caller may know."""
    return (await shown_to(office, caller, form.review)).explanation


async def _before(office: Office, caller: Caller, form: PreviewForm) -> ReviewShown | None:
    """The review as the caller sees it now, where there is one."""
    review = form.form.get("review", "")
    return shown(await shown_to(office, caller, review)) if review and isinstance(review, str) else None


#: Events that choose a reviewer.
_ASKING = frozenset({"ReportRequested", "SeatTaken"})
_PREVIEWED: dict[str, Call[Any]] = {one.name: one for one in about_reviews.calls()}


def calls() -> Iterator[Call[Any]]:
    """Every call that tells what would be, or why."""
    for form, answer in ((PreviewForm, preview), (ReviewForm, explain)):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=Need.READ, form=form, answer=answer, changes=False)
