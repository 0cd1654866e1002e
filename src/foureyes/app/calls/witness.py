"""The history of a review with its times, as far as one viewer may know it.

A review does not keep times; the log does. What is hidden from the viewer is left out by the same view as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar, cast

from foureyes.app.asks import Reply
from foureyes.app.calls.call import Caller
from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_work import is_shown_whole
from foureyes.app.calls.whole import note
from foureyes.app.gate import Seen, Served
from foureyes.app.ports import Reading
from foureyes.app.rows import SERVED, Given
from foureyes.app.shelf import dated
from foureyes.codec.shapes import shape
from foureyes.core import events as e
from foureyes.core.model import Review
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import Verdict
from foureyes.core.views import View

E = TypeVar("E")
_time = shape(datetime)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A review as one viewer sees it, with what they may know of its past."""

    seen: Seen
    past: tuple[tuple[e.ReviewEvent, str], ...]
    #: The digest of the bytes this viewer was last given; empty if none.
    served: str
    #: The viewer's own reports, by the key each came with.
    said: Mapping[str, e.ReportSubmitted]

    @property
    def review(self) -> Review:
        """The review as the viewer sees it."""
        return self.seen.view.review

    def of(self, kind: type[E]) -> list[tuple[E, str]]:
        """What happened of one kind, each with its time."""
        return [(event, at) for event, at in self.past if isinstance(event, kind)]

    def served_revision(self) -> int:
        """The version this viewer was last given, which is what a call judges that names none.

        Whoever was given none names the current one; that they have not read it is for the gate to say.
        """
        numbers = [one.number for one in self.review.revisions if one.digest == self.served]
        return numbers[-1] if numbers else self.review.revision

    def check_said(self, before: Reply, verdict: Verdict, summary: str, key: str) -> None:
        """A report that is sent again is the one that was taken; another under the same key is refused.

        Of one that came too late only what it found was written down.
        """
        said = self.said.get(key)
        if said is None and before.review == self.review.id and e.FindingRaised.__name__ in before.events:
            return
        if said is None or (said.verdict, said.summary) != (verdict, summary):
            raise refuse(Code.KEY_REUSED, key=key[:80])

    def unsettled_of(self, name: str) -> tuple[str, ...]:
        """What this reviewer's seats have raised and not settled, and what stands here from other reviews."""
        holders = {seat.id: seat.reviewer.name for seat in self.review.seats.values() if seat.reviewer}
        own = (one for one in self.review.findings.values() if holders.get(one.seat) == name)
        inherited = self.review.inherited_from(name)
        return tuple(one.id for one in (*(one for one in own if not one.is_settled), *inherited))


async def witness(office: Office, caller: Caller, review: str) -> Witness:
    """Look a review up for whoever calls; raises Refusal where there is none."""

    def work(reading: Reading) -> Witness:
        return _witness(reading, office.gate.look(reading, review, caller.who), caller)

    found = await office.store.read(work)
    await note(office, caller, (found.seen,))
    return found


async def given_work(office: Office, caller: Caller, review: str) -> tuple[Witness, dict[str, bytes]]:
    """The same with the bytes of the version it tells of, noted as given where a call can show all of them.

    The calls of the source systems show artifacts: texts and JSON values. A work with anything else in it is read with
    `read_work`.
    """

    def work(reading: Reading) -> tuple[Witness, Served]:
        served = office.gate.take_out(review, caller.who, reading)
        return _witness(reading, served.seen, caller), served

    found, served = await office.store.read(work)
    await note(office, caller, (found.seen,))
    if is_shown_whole(found.review.current.parts, served.files):
        await office.hand_over(caller, served)
        found = replace(found, served=served.digest)
    return found, served.files


def _witness(reading: Reading, seen: Seen, caller: Caller) -> Witness:
    """All on one look: a past that is longer than the review would tell of versions it does not have."""
    review = seen.view.review.id
    served = Given.of(reading.row(SERVED, f"{review}/{caller.who.name}")).digest
    stored = tuple(reading.events(REVIEW + review))
    known = [(cast("e.ReviewEvent", event), at) for event, at in dated(stored)]
    said = {
        one.cause: event
        for one, (event, _) in zip(stored, known, strict=True)
        if isinstance(event, e.ReportSubmitted) and event.reviewer.name == caller.who.name
    }
    past = tuple(one for one in known if may_know(seen.view, one[0]))
    return Witness(seen=seen, past=past, served=served, said=said)


def may_know(view: View, event: e.ReviewEvent) -> bool:
    """Whether a viewer may know that this happened, and when; denying by default."""
    if not view.hides or isinstance(event, e.ReviewOpened):
        return True
    match event:
        case e.ReportRequested(seat=seat):
            return seat.id in view.review.seats
        case e.SeatTaken() | e.SeatRenewed() | e.SeatLeft() | e.ReportSubmitted() | e.ReportKept() | e.ReportFailed():
            return event.seat in view.review.seats
        case e.FindingRaised() | e.FindingAnswered() | e.FindingResolved() | e.FindingReopened() | e.FindingWaived():
            return event.finding in view.review.findings
        case e.FindingInherited() | e.FindingLifted():
            return event.finding in view.review.findings
        case _:
            return isinstance(event, e.RevisionSubmitted)


def moment(text: str) -> datetime:
    """A time as the log has it."""
    return cast("datetime", _time(text))
