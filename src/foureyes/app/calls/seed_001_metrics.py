"""The metrics call in seed 001's words: totals, averages, by agent and by type.

A review counts once, however often it was reported on: as it ended, or as its reviewers said last.

A figure that changes when somebody reports would tell a blind reviewer of it. So an agent gets the figures of its own
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
from foureyes.app.calls.seed_001_filter import Filter, filter_of
from foureyes.app.calls.seed_words import APPROVED, CHANGES, REJECTED
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import METRICS, PAGE_MAX, rulings_of_day, said_on
from foureyes.app.rows import Listing, ReviewRow
from foureyes.codec import Json
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import Outcome

#: Days of each period, including today.
PERIODS = {"day": 1, "daily": 1, "week": 7, "weekly": 7, "month": 30, "monthly": 30}
#: Most recent reviews searched for those without a report yet.
REVIEWS_MAX = 1_000
_MINUTE = 60_000
_Page = tuple[tuple[str, Json], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodForm:
    """Which period, and whose or which work only: the name or role of an agent, and a type of work."""

    period: str = "week"
    agent: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AsCreator:
    """Of the reviews of one's own work."""

    total: int
    approved: int
    changes_requested: int
    rejected: int
    avg_revisions: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AsReviewer:
    """Of the reviews one has reported on, each by one's last word."""

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
class _Said:
    """What one reviewer said last of one review in the period."""

    reviewer: str
    verdict: str
    #: How long it took, and the reviewer's confidence; None if unknown.
    milliseconds: int | None
    confidence: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """One review of the period, however often it was reported on, as far as the caller may know of it."""

    type: str
    creator: str
    #: approved, changes_requested or rejected; empty if it is none of these.
    status: str
    #: Resubmissions; None for another author's review.
    revisions: int | None
    #: True if a human was asked in the period to decide about it.
    escalated: bool
    said: tuple[_Said, ...]


async def get_review_metrics(office: Office, caller: Caller, form: PeriodForm) -> ReviewMetrics:
    """How many reviews there were, how fast and with what end; of the caller's own, or for a human of everybody's."""
    days = PERIODS.get(form.period)
    if days is None:
        raise refuse(
            Code.UNKNOWN_WORD, what="The period", word=form.period[:80], allowed=tuple(PERIODS), field="period"
        )
    await office.caught_up(METRICS)
    today = office.clock().date()
    return await office.store.read(partial(_metrics, office, caller, form, _days(today, days)))


def _days(today: date, count: int) -> tuple[str, ...]:
    """The days of a period, the oldest first."""
    return tuple((today - timedelta(days=back)).isoformat() for back in reversed(range(count)))


def _metrics(
    office: Office, caller: Caller, form: PeriodForm, days: tuple[str, ...], reading: Reading
) -> ReviewMetrics:
    me = "" if sees_all(office, caller, reading) else caller.who.name
    asked = filter_of(office, reading, caller, agent=form.agent, kind=form.type)
    reviews = {name: one for name, one in _reviews(reading, days, me).items() if _is_about(asked, one)}
    found = list(reviews.values())
    names = {name for one in found for name in (one.creator, *(said.reviewer for said in one.said))}
    return ReviewMetrics(
        period=form.period,
        **_ends(found, "total_reviews"),
        escalated=sum(one.escalated for one in found),
        avg_review_time_minutes=_minutes(_all_said(found)),
        avg_confidence=_sure(_all_said(found)),
        by_agent={name: _agent(name, found) for name in sorted(names) if me in ("", name)},
        by_type={kind: _type([one for one in found if one.type == kind]) for kind in sorted({r.type for r in found})},
    )


def _reviews(reading: Reading, days: tuple[str, ...], me: str) -> dict[str, _Counted]:
    """Every review requested, reported on or escalated in the period; of an agent its own and those it reported on."""
    said = dict[str, dict[str, _Said]]()
    escalated = _escalated(reading, days, me)
    makers = dict(escalated)
    for day in days:
        for name, row in _all_of(partial(said_on, reading, day)):
            _, _, kind, creator, reviewer, review = (unquote(one) for one in name.split("/"))
            if me in ("", creator, reviewer):
                makers[review] = kind, creator
                said.setdefault(review, {})[reviewer] = _word(reviewer, row)
    rows = {one.review: one for one in _opened(reading, days[0], me)}
    makers |= {one.review: (one.kind, one.author) for one in rows.values()}
    found = dict[str, _Counted]()
    for review, (kind, creator) in makers.items():
        heard = {name: one for name, one in said.get(review, {}).items() if me in ("", creator, name)}
        known = rows.get(review) or (reading.review(review) if me in ("", creator) else None)
        found[review] = _Counted(
            type=kind,
            creator=creator,
            status=_status(known, heard),
            revisions=known.revision - 1 if known else None,
            escalated=review in escalated,
            said=tuple(heard.values()),
        )
    return found


def _word(reviewer: str, row: Json) -> _Said:
    return _Said(
        reviewer=reviewer,
        verdict=row["verdict"],
        milliseconds=row.get("milliseconds"),
        confidence=row.get("confidence"),
    )


def _opened(reading: Reading, since: str, author: str) -> tuple[ReviewRow, ...]:
    rows = reading.reviews(Listing(author=author, limit=REVIEWS_MAX))
    return tuple(one for one in rows if one.opened[:10] >= since)


def _status(row: ReviewRow | None, said: Mapping[str, _Said]) -> str:
    """How a review stands: as it ended, else as its reviewers said last; of another's review only one's own word."""
    if row is not None and row.state in _ENDS:
        return _ENDS[row.state]
    verdicts = {one.verdict for one in said.values()}
    if row is None:
        return next(iter(verdicts & _COUNTS), "")
    return CHANGES if verdicts & {CHANGES, REJECTED} else ""


_ENDS = {Outcome.CLEARED.value: APPROVED, Outcome.REJECTED.value: REJECTED, Outcome.RETURNED.value: CHANGES}
_COUNTS = frozenset({APPROVED, CHANGES, REJECTED})


def _all_of(page_after: Callable[[str], _Page]) -> Iterator[tuple[str, Json]]:
    after = ""
    while page := page_after(after):
        yield from page
        if len(page) < PAGE_MAX:
            return
        after = page[-1][0]


def _is_about(asked: Filter, one: _Counted) -> bool:
    people = (one.creator, *(said.reviewer for said in one.said))
    return (not asked.kind or asked.kind == one.type) and (not asked.names or not asked.names.isdisjoint(people))


def _escalated(reading: Reading, days: tuple[str, ...], me: str) -> dict[str, tuple[str, str]]:
    """The reviews about which a human was asked to decide, with type and creator; an agent learns that of its own."""
    found = dict[str, tuple[str, str]]()
    for day in days:
        for name, _ in _all_of(partial(rulings_of_day, reading, day)):
            _, _, kind, creator, review = (unquote(one) for one in name.split("/"))
            if me in ("", creator):
                found[review] = kind, creator
    return found


def _ends(found: Iterable[_Counted], total: str = "total") -> dict[str, Any]:
    return _tallied([one.status for one in found], total)


def _tallied(words: list[str], total: str = "total") -> dict[str, Any]:
    return {total: len(words)} | {name: words.count(name) for name in (APPROVED, CHANGES, REJECTED)}


def _agent(name: str, found: list[_Counted]) -> AgentMetrics:
    made = [one for one in found if one.creator == name]
    said = [one for one in _all_said(found) if one.reviewer == name]
    return AgentMetrics(
        as_creator=AsCreator(**_ends(made), avg_revisions=_revisions(made)),
        as_reviewer=AsReviewer(
            **_tallied([one.verdict for one in said]),
            avg_review_time_minutes=_minutes(said),
            avg_confidence=_sure(said),
        ),
    )


def _type(found: list[_Counted]) -> TypeMetrics:
    return TypeMetrics(
        **_ends(found), avg_review_time_minutes=_minutes(_all_said(found)), avg_revisions=_revisions(found)
    )


def _all_said(found: list[_Counted]) -> list[_Said]:
    return [said for one in found for said in one.said]


def _revisions(found: list[_Counted]) -> float:
    return _mean([one.revisions for one in found if one.revisions is not None])


def _minutes(said: list[_Said]) -> float:
    return _mean([one.milliseconds for one in said if one.milliseconds is not None], _MINUTE)


def _sure(said: list[_Said]) -> float:
    return _mean([one.confidence for one in said if one.confidence is not None])


def _mean(values: list[int], unit: int = 1) -> float:
    """A mean with one digit; none of nothing is nothing."""
    return round(sum(values) / (len(values) * unit), 1) if values else 0.0


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
