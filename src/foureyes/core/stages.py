"""Queries on the reports of a stage's seats on the current revision, shared by several gates."""

from __future__ import annotations

from collections.abc import Iterable

from foureyes.core.independence import normal
from foureyes.core.judgement import Owed, Owing
from foureyes.core.model import Report, Review
from foureyes.core.rules import SeatRule, Stage
from foureyes.core.values import Part, Verdict, Who, WhoKind


def missing(review: Review, stage: Stage) -> tuple[Owed, ...]:
    """The reports that this stage's own seats owe; a volunteer owes nothing.

    A seat beside a bound one owes a report once it was requested.
    """
    found: list[Owed] = []
    for index, rule in enumerate(stage.seats):
        if rule.part is Part.JUDGE:
            seat = stage.seat_id(index)
            if (seat in review.seats or not rule.beside) and not _has_spoken(review, seat, rule):
                found.append(Owed(what=Owing.REPORT, seat=seat))
    return tuple(found)


def _has_spoken(review: Review, seat: str, rule: SeatRule) -> bool:
    """True if the seat has reported on this revision; on a seat bound to a program only a program's report counts."""
    report = review.report_of(seat)
    return report is not None and (not rule.program or report.reviewer.kind is WhoKind.PROGRAM)


def vouching(review: Review, stage: Stage) -> list[Report]:
    """Reports by non-contributors that are not against this revision."""
    return [one for one in review.reports_in(stage.name) if vouches(review, one)]


def vouches(review: Review, report: Report) -> bool:
    """True if the report is not against the work and comes from a non-contributor."""
    return report.verdict in (None, Verdict.APPROVE) and not review.is_contributor(report.reviewer.name)


def doubting(review: Review, stage: Stage) -> list[Report]:
    """Reports against this revision."""
    return [one for one in review.reports_in(stage.name) if doubts(one)]


def doubts(report: Report) -> bool:
    """True if the report is against the work."""
    return report.verdict in (Verdict.CONCERNS, Verdict.REJECT)


def tie_broken(review: Review, stage: Stage) -> bool:
    """True if a tie-break reviewer's approval stands in for the disputed verdict."""
    return bool(tie_breaking(review, stage))


def tie_breaking(review: Review, stage: Stage) -> list[Report]:
    """Approvals of tie-break reviewers on this revision; none in stages with a veto seat."""
    seats = review.seats_of(stage.name, Part.TIE_BREAK)
    reports = [review.report_of(seat.id) for seat in seats] if seats and not stage.has_veto else []
    return [one for one in reports if one is not None and one.verdict is Verdict.APPROVE]


def unclear(review: Review, stage: Stage) -> tuple[Owed, ...]:
    """The seats that owe a clarification: their first report on this revision contradicts what they settled."""
    return tuple(
        Owed(what=Owing.REPORT, seat=one.seat, findings=one.contradicts)
        for one in review.reports_in(stage.name)
        if one.contradicts and one.count == 1
    )


def count_distinct(reviewers: Iterable[Who], contributors: Iterable[Who], fact: str) -> int:
    """The number of reviewers that differ in this fact from each other and from every contributor."""
    taken = {_fact(one, fact) for one in contributors}
    return len({_fact(one, fact) for one in reviewers} - taken - {""})


def _fact(who: Who, fact: str) -> str:
    return normal(who.name if fact == "reviewer" else str(getattr(who, fact)))
