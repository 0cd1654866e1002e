"""The view of a review for one viewer: one function, denying by default, so that no door can forget blindness.

The result is a Review with everything hidden removed. Anything computed from it (an explanation, an ETag, a count)
therefore depends only on what the viewer may know.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foureyes.core.events import WholeSeen
from foureyes.core.evolve.puts import changed
from foureyes.core.independence import normal
from foureyes.core.inherited import STAGE
from foureyes.core.model import Finding, ReportRequest, Request, Review, Revision, Seat
from foureyes.core.rules import Blind, Rules, Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import Part, Standing, Who, WhoKind


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A review as one viewer may see it, and the stages they see whole."""

    review: Review
    whole: frozenset[str]
    hides: bool
    #: True if a human sees content here that no report of their own has unlocked.
    by_right: bool = False
    #: The stages that are hidden from the viewer.
    hidden: frozenset[str] = frozenset()


def view(rules: Rules, review: Review, viewer: Who, stricter: Rules | None = None) -> View:
    """The review as this viewer may see it.

    The author and a human without a seat see all; a reviewer sees a stage once their own report is in.
    """
    stages = stages_of(rules, review, stricter)
    sits_in = {one.stage for one in review.seats.values() if _holds(one, viewer)}
    made = review.is_contributor(viewer.name) or (_is_asked_too(review, viewer) and not sits_in)
    if made or (viewer.kind in (WhoKind.HUMAN, WhoKind.PERSON) and not sits_in):
        shown = changed(review, seats={one.id: _without_draft(one) for one in review.seats.values()})
        names = frozenset([one.name for one in stages])
        by_right = not made and _says_more(review, names - _unlocked(review, stages, viewer))
        return View(review=shown, whole=names, hides=False, by_right=by_right)
    whole = _unlocked(review, stages, viewer)
    if review.inherited and whole and sits_in <= whole:
        # After their report, reviewers see inherited findings as well as those of others.
        whole |= {STAGE}
    hidden = frozenset([one.name for one in stages]) - whole
    hides = len(whole) < len(stages)
    return View(review=_redacted(review, viewer, whole, hides=hides), whole=whole, hides=hides, hidden=hidden)


def owes_report(review: Review, viewer: Who) -> bool:
    """True if the viewer holds a seat of an open review and has not reported on its current revision."""
    if review.outcome is not None:
        return False
    mine = [one.id for one in review.seats.values() if _holds(one, viewer)]
    return any((seat, review.revision) not in review.reports for seat in mine)


def whole_seen(seen: View, viewer: Who) -> WholeSeen | None:
    """The event for a human who sees content by right; None for a person at a terminal, whose identity is unknown."""
    if not seen.by_right or not viewer.is_human:
        return None
    return WholeSeen(review=seen.review.id, revision=seen.review.revision, by=viewer.name)


def _unlocked(review: Review, stages: Iterable[Stage], viewer: Who) -> frozenset[str]:
    return frozenset([one.name for one in stages if _is_unlocked(review, one, viewer)])


def _says_more(review: Review, locked: frozenset[str]) -> bool:
    """True if these stages contain reports or findings."""
    seats = {one.id for one in review.seats.values() if one.stage in locked}
    spoken = {seat for seat, _ in review.reports} | {one.seat for one in review.findings.values()}
    return not seats.isdisjoint(spoken)


def _is_unlocked(review: Review, stage: Stage, viewer: Who) -> bool:
    """True if the stage is not blind and the viewer sits in it, or the viewer's own report has unlocked it."""
    reports = [one for one in review.reports.values() if review.seats[one.seat].stage == stage.name]
    mine = [one.revision for one in reports if one.reviewer.name == viewer.name]
    if stage.options.blind is Blind.OFF:
        return bool(mine) or any(one.stage == stage.name and _holds(one, viewer) for one in review.seats.values())
    if stage.options.blind is Blind.FIRST:
        return bool(mine)
    return review.revision in mine


def _is_asked_too(review: Review, viewer: Who) -> bool:
    """True if the viewer is a target of a session's review that has a pending request; targets never review it.

    Anyone may signal in a session without further proof. Before there is a request, a target could pass on to a
    reviewer what others reported.
    """
    if not review.origin.targets or normal(viewer.name) not in map(normal, review.origin.targets):
        return False
    return review.ruling() is not None or review.revision_request() is not None


def _holds(seat: Seat, viewer: Who) -> bool:
    return seat.reviewer is not None and seat.reviewer.name == viewer.name


def _without_draft(seat: Seat) -> Seat:
    """A draft is only for the successor on that seat."""
    return changed(seat, draft="") if seat.draft else seat


def _own(seat: Seat) -> Seat:
    """The viewer's own seat; a volunteer's time limit was copied from another seat and would disclose its report."""
    return seat if seat.required or seat.until is None else changed(seat, until=None)


def _redacted(review: Review, viewer: Who, whole: frozenset[str], *, hides: bool) -> Review:
    """The review without what the viewer may not know yet: others' seats, texts and numbers, and their consequences."""
    seats = {
        one.id: _own(one) if _holds(one, viewer) else _without_draft(one)
        for one in review.seats.values()
        if one.stage in whole or _holds(one, viewer)
    }
    about = _asked_about(review, viewer)
    shown = {
        key: one if one.seat in seats or _is_known(one, viewer, whole) else _as_raised(one)
        for key, one in review.findings.items()
        if one.seat in seats or _is_known(one, viewer, whole) or key in about
    }
    return changed(
        review,
        seats=seats,
        revisions=tuple(_plain(one) if hides else one for one in review.revisions),
        reports={key: one for key, one in review.reports.items() if one.seat in seats},
        failures={key: one for key, one in review.failures.items() if key[0] in seats},
        failed={key: one for key, one in review.failed.items() if key[0] in seats},
        findings=shown,
        inherited=tuple(one for one in review.inherited if one in shown),
        matched={key: one for key, one in review.matched.items() if key[0] in whole},
        overridden={key: one for key, one in review.overridden.items() if key[0] in whole},
        skipped={key: one for key, one in review.skipped.items() if key[0] in whole},
        ruled=frozenset(one for one in review.ruled if one[0] in whole),
        retried=frozenset(one for one in review.retried if one[0] in whole),
        vetoes=frozenset(one for one in review.vetoes if one[0] in whole),
        requests={key: one for key, one in review.requests.items() if _may_see(one, seats, whole)},
        asked=frozenset(),
        rulings=0,
        unprompted=0,
        clock_revisions=0,
        rejected=frozenset(),
        reopenings=0,
        bound=False,
        reason="" if hides else review.reason,
        usd_micro=0,
        notes={},
        noted=() if hides else review.noted,
        escapes={},
    )


def _is_known(finding: Finding, viewer: Who, whole: frozenset[str]) -> bool:
    """True if an inherited finding is visible: to its raiser, and to those who have reported here."""
    return bool(finding.source) and (STAGE in whole or finding.raiser == viewer.name)


def _asked_about(review: Review, viewer: Who) -> frozenset[str]:
    """The findings of others that the viewer's verifying seat is asked about."""
    asked = (one for one in review.requests.values() if isinstance(one, ReportRequest))
    mine = (one for one in asked if _holds(review.seats[one.seat], viewer))
    return frozenset(name for one in mine if review.seats[one.seat].part is Part.VERIFY for name in one.about)


def _as_raised(finding: Finding) -> Finding:
    """A finding as shown to a verifier: its text and place, without the raiser and the answers since."""
    return changed(
        finding,
        raiser="",
        standing=Standing.OPEN,
        answer="",
        rebuttal=False,
        answers=0,
        reopened=0,
        reopened_in=0,
        note="",
        settled_in=0,
    )


def _plain(revision: Revision) -> Revision:
    """The revision without the author's texts and findings, which from the second one on disclose others' reports."""
    return revision if revision.number == 1 else changed(revision, note="", turns=None, keeps=())


def _may_see(request: Request, seats: dict[str, Seat], whole: frozenset[str]) -> bool:
    if isinstance(request, ReportRequest):
        return request.seat in seats
    return request.stage in whole
