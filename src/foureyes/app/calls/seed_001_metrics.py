"""How much was reviewed in seed 001's words: totals, averages, by agent and by type?

A figure that moves when somebody reports would tell a blind reviewer of it. So an agent gets the figures of its own
work and of its own reports; all of them are for a human who owes no report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import unquote

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.measures import sees_all
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_words import spelled_alike
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import METRICS, PAGE_MAX, of_day, rulings_of_day
from foureyes.app.rows import Listing, ReviewRow
from foureyes.codec import Json
from foureyes.core.kinds import canonical_kind
from foureyes.core.refusals import Code, refuse

#: Days of each period, today among them.
PERIODS = {"day": 1, "daily": 1, "week": 7, "weekly": 7, "month": 30, "monthly": 30}
#: The newest reviews that are looked at for how often work came back.
REVIEWS_MAX = 1_000
_MINUTE = 60_000
_Page = tuple[tuple[str, Json], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodForm:
    """Which period (day, week or month), and whose or which work only."""

    period: str = "week"
    agent: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsCreator:
    """Of one's own work."""

    total: int
    approved: int
    changes_requested: int
    rejected: int
    avg_revisions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AsReviewer:
    """Of one's own reports."""

    total: int
    approved: int
    changes_requested: int
    rejected: int
    avg_review_time_minutes: float
    avg_confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentMetrics:
    """Of one agent."""

    as_creator: AsCreator
    as_reviewer: AsReviewer


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeMetrics:
    """Of one type of work."""

    total: int
    approved: int
    changes_requested: int
    rejected: int
    avg_review_time_minutes: float
    avg_revisions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMetrics:
    """What was counted in a period, as far as the caller may know."""

    period: str
    total_reviews: int
    approved: int
    changes_requested: int
    rejected: int
    escalated: int
    avg_review_time_minutes: float
    avg_confidence: float
    by_agent: Mapping[str, AgentMetrics]
    by_type: Mapping[str, TypeMetrics]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reports:
    """The reports of one day on one author's work of one type by one reviewer."""

    type: str
    creator: str
    reviewer: str
    row: Json


async def get_review_metrics(office: Office, caller: Caller, form: PeriodForm) -> ReviewMetrics:
    """How much was reviewed, how fast and with what end; of the caller's own, or for a human of everybody's."""
    days = PERIODS.get(form.period)
    if days is None:
        raise refuse(Code.UNKNOWN_WORD, what="The period", word=form.period[:80], allowed=", ".join(PERIODS))
    await office.caught_up(METRICS)
    today = office.clock().date()
    return await office.store.read(partial(_counted, office, caller, form, _days(today, days)))


def _days(today: date, count: int) -> tuple[str, ...]:
    return tuple((today - timedelta(days=back)).isoformat() for back in range(count))


def _counted(
    office: Office, caller: Caller, form: PeriodForm, days: tuple[str, ...], reading: Reading
) -> ReviewMetrics:
    whole, me = sees_all(office, caller, reading), caller.who.name
    found = [
        one
        for day in days
        for one in _reports(reading, day)
        if (whole or me in (one.creator, one.reviewer)) and _is_asked_for(form, one)
    ]
    works = [one for one in _works(reading, days[-1]) if whole or one.author == me]
    names = sorted({name for one in found for name in (one.creator, one.reviewer) if whole or name == me})
    kinds = sorted({one.type for one in found})
    return ReviewMetrics(
        period=form.period,
        **_verdicts(found, "total_reviews"),
        escalated=sum(_escalated(reading, day, form, "" if whole else me) for day in days),
        avg_review_time_minutes=_minutes(found),
        avg_confidence=_mean(found, "confidence", "sure"),
        by_agent={name: _agent(name, found, works) for name in names},
        by_type={kind: _type(kind, found, works) for kind in kinds},
    )


def _reports(reading: Reading, day: str) -> Iterator[_Reports]:
    for name, row in _all_of(partial(of_day, reading, day)):
        _, _, kind, creator, reviewer = (unquote(one) for one in name.split("/"))
        yield _Reports(type=kind, creator=creator, reviewer=reviewer, row=row)


def _all_of(page_after: Callable[[str], _Page]) -> Iterator[tuple[str, Json]]:
    after = ""
    while page := page_after(after):
        yield from page
        if len(page) < PAGE_MAX:
            return
        after = page[-1][0]


def _is_asked_for(form: PeriodForm, one: _Reports) -> bool:
    return _is_about(form, one.type, one.creator, one.reviewer)


def _is_about(form: PeriodForm, kind: str, *names: str) -> bool:
    agent = not form.agent or any(spelled_alike(form.agent, name) for name in names)
    return agent and (not form.type or canonical_kind(form.type) == kind)


def _works(reading: Reading, since: str) -> tuple[ReviewRow, ...]:
    rows = reading.reviews(Listing(limit=REVIEWS_MAX))
    return tuple(one for one in rows if one.opened[:10] >= since)


def _escalated(reading: Reading, day: str, form: PeriodForm, author: str) -> int:
    """How often a human was asked to decide; an agent learns that of its own work alone."""
    asked = 0
    for name, row in _all_of(partial(rulings_of_day, reading, day)):
        _, _, kind, creator, _ = (unquote(one) for one in name.split("/"))
        if author in ("", creator) and _is_about(form, kind, creator, *row["reviewers"]):
            asked += row["asked"]
    return asked


def _verdicts(found: Iterable[_Reports], total: str = "total") -> dict[str, Any]:
    rows = [one.row for one in found]
    counts = {name: _sum(rows, name) for name in ("approved", "changes_requested", "rejected")}
    return {total: _sum(rows, "reviews"), **counts}


def _agent(name: str, found: list[_Reports], works: list[ReviewRow]) -> AgentMetrics:
    made = [one for one in found if one.creator == name]
    said = [one for one in found if one.reviewer == name]
    return AgentMetrics(
        as_creator=AsCreator(**_verdicts(made), avg_revisions=_revisions([one for one in works if one.author == name])),
        as_reviewer=AsReviewer(
            **_verdicts(said),
            avg_review_time_minutes=_minutes(said),
            avg_confidence=_mean(said, "confidence", "sure"),
        ),
    )


def _type(kind: str, found: list[_Reports], works: list[ReviewRow]) -> TypeMetrics:
    of = [one for one in found if one.type == kind]
    return TypeMetrics(
        **_verdicts(of),
        avg_review_time_minutes=_minutes(of),
        avg_revisions=_revisions([one for one in works if one.kind == kind]),
    )


def _revisions(works: list[ReviewRow]) -> float:
    return _rounded(sum(one.revision - 1 for one in works), len(works))


def _minutes(found: Iterable[_Reports]) -> float:
    rows = [one.row for one in found]
    return _rounded(_sum(rows, "milliseconds"), _sum(rows, "timed") * _MINUTE)


def _mean(found: Iterable[_Reports], total: str, count: str) -> float:
    rows = [one.row for one in found]
    return _rounded(_sum(rows, total), _sum(rows, count))


def _sum(rows: Iterable[Json], name: str) -> int:
    return sum(int(one.get(name, 0)) for one in rows)


def _rounded(total: int, count: int) -> float:
    """A mean with one digit; none of nothing is nothing."""
    return round(total / count, 1) if count else 0.0


def calls() -> Iterator[Call[Any]]:
    """The one tool about figures."""
    says = (get_review_metrics.__doc__ or "").strip()
    yield Call(
        name="get_review_metrics",
        says=says,
        needs=Need.READ,
        form=PeriodForm,
        answer=get_review_metrics,
        changes=False,
    )
