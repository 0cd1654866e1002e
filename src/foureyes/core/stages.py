"""What have the seats of a stage said about the current revision? Questions several gates ask."""

from __future__ import annotations

from collections.abc import Iterable

from foureyes.core.independence import normal
from foureyes.core.judgement import Owed, Owing
from foureyes.core.model import Report, Review
from foureyes.core.rules import SeatRule, Stage
from foureyes.core.values import Part, Verdict, Who, WhoKind


def missing(review: Review, stage: Stage) -> tuple[Owed, ...]:
    """The reports this stage's own seats still owe; a volunteer owes nothing.

    A seat beside that of whom the policy binds owes one once it was asked.
    """
    found: list[Owed] = []
    for index, rule in enumerate(stage.seats):
        if rule.part is Part.JUDGE:
            seat = stage.seat_id(index)
            if (seat in review.seats or not rule.beside) and not _has_spoken(review, seat, rule):
                found.append(Owed(what=Owing.REPORT, seat=seat))
    return tuple(found)


def _has_spoken(review: Review, seat: str, rule: SeatRule) -> bool:
    """Whether the seat has reported on this revision; on the seat of a bound program nobody else's report counts."""
    report = review.report_of(seat)
    return report is not None and (not rule.program or report.reviewer.kind is WhoKind.PROGRAM)


def vouching(review: Review, stage: Stage) -> list[Report]:
    """Reports by people without a hand in the work that do not speak against this revision."""
    return [one for one in review.reports_in(stage.name) if vouches(review, one)]


def vouches(review: Review, report: Report) -> bool:
    """Whether one report does not speak against the work, and comes from somebody without a hand in it."""
    return report.verdict in (None, Verdict.APPROVE) and not review.is_contributor(report.reviewer.name)


def doubting(review: Review, stage: Stage) -> list[Report]:
    """Reports that do speak against it."""
    return [one for one in review.reports_in(stage.name) if doubts(one)]


def doubts(report: Report) -> bool:
    """Whether a report speaks against the work."""
    return report.verdict in (Verdict.CONCERNS, Verdict.REJECT)


def tie_broken(review: Review, stage: Stage) -> bool:
    """Whether a tie-break reviewer's approval stands in for the disputed verdict."""
    return bool(tie_breaking(review, stage))


def tie_breaking(review: Review, stage: Stage) -> list[Report]:
    """Approvals of tie-break reviewers on this revision; none where a veto may stand."""
    seats = review.seats_of(stage.name, Part.TIE_BREAK)
    reports = [review.report_of(seat.id) for seat in seats] if seats and not stage.has_veto else []
    return [one for one in reports if one is not None and one.verdict is Verdict.APPROVE]


def unclear(review: Review, stage: Stage) -> tuple[Owed, ...]:
    """Who owes a clarification: a first report on this revision that takes back what its own seat settled."""
    return tuple(
        Owed(what=Owing.REPORT, seat=one.seat, findings=one.contradicts)
        for one in review.reports_in(stage.name)
        if one.contradicts and one.count == 1
    )


def count_distinct(reviewers: Iterable[Who], contributors: Iterable[Who], fact: str) -> int:
    """How many reviewers differ in this fact from each other and from everyone with a hand in the work."""
    taken = {_fact(one, fact) for one in contributors}
    return len({_fact(one, fact) for one in reviewers} - taken - {""})


def _fact(who: Who, fact: str) -> str:
    return normal(who.name if fact == "reviewer" else str(getattr(who, fact)))
