"""Whether a session's reviews pause it, told to everybody at once: an agent that must stop hears it before all else.

That it is paused is no secret. The reason is told to those who can hold no seat there: the agents of the session,
services and humans who owe no report; and to reviewers once their own report is in. Other callers hear a constant word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.ports import Reading
from foureyes.app.projections import sessions as rows
from foureyes.app.projections.projection import key, slot_of
from foureyes.core.explain import turns_of
from foureyes.core.independence import normal
from foureyes.core.model import ReportRequest, Review, RevisionRequest, RulingRequest
from foureyes.core.sessions import Session
from foureyes.core.values import WhoKind

#: Most reviews of one session checked for whether it may go on.
REVIEWS_MAX = 200
#: The reason for callers who may not know the real one.
PAUSED = "paused"
#: The reason for everybody while the database holds back what was written last.
UNKNOWN = "It is not known yet whether a review pauses it. Stop, and ask again in a moment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """What the reviews of a session mean for it, as one caller may know."""

    paused: bool = False
    because: str = ""
    #: The reviews that it waits for.
    waits_for: tuple[str, ...] = ()


async def pause_of(office: Office, caller: Caller, session: Session) -> Pause:
    """Whether the reviews of a session stop it, and why as far as the caller may know."""
    if not await office.caught_up(rows.SESSIONS):
        return Pause(paused=True, because=UNKNOWN)
    found = await office.store.read(partial(_waiting, office, session.id))
    if not found:
        return Pause()
    known = [one for one in found if await _may_know(office, caller, session, one)]
    if len(known) < len(found):
        return Pause(paused=True, because=PAUSED, waits_for=tuple(one.id for one in known))
    reasons = [reason for one in known for reason in _reasons(one)]
    return Pause(paused=True, because="; ".join(reasons), waits_for=tuple(one.id for one in known))


def _reasons(review: Review) -> Iterator[str]:
    """What pauses the session, and who answers it; reports that are still owed pause nothing."""
    for turn, request in zip(turns_of(review), review.requests.values(), strict=True):
        who = ", ".join(turn.who)
        if isinstance(request, RulingRequest):
            yield f"{request.text.rstrip('.')} ({who} decides)"
        elif isinstance(request, RevisionRequest) and request.clarify:
            yield f"{'; '.join(request.reasons).rstrip('.')} ({who} clarifies)"


def _waiting(office: Office, session: str, reading: Reading) -> list[Review]:
    prefix = f"{key('waiting', session)}/"
    found = reading.rows(slot_of(reading, rows.SESSIONS.name), prefix, limit=REVIEWS_MAX)
    reviews = (office.gate.whole(reading, name.removeprefix(prefix)) for name, _ in found)
    return [one for one in reviews if rows.waits(one)]


async def _may_know(office: Office, caller: Caller, session: Session, review: Review) -> bool:
    who = caller.who
    asked = (review.seats[one.seat].reviewer for one in review.requests.values() if isinstance(one, ReportRequest))
    if any(one and normal(one.name) == normal(who.name) for one in asked):
        return False
    inside = {normal(name) for name in (*(agent for agent, _ in session.agents), *review.origin.targets)}
    if who.is_human or who.kind is WhoKind.SERVICE or normal(who.name) in inside:
        return True
    return rows.waits((await office.gate.read(review.id, who)).view.review)
