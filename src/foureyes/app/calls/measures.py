"""The metrics call: how much was reviewed, by whom, how fast and with what end, as far as the caller may know.

A sum that changes when somebody reports would tell a blind reviewer of it. So everybody gets the sums of what every
list shows anyway (how many reviews were opened, and how they ended), and of their own work: as author all that happened
to it, as reviewer their own reports. The rest is for a human from whom nothing is hidden: a human who holds a seat,
asked or by their own will, is as blind as any reviewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import unquote

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Office
from foureyes.app.ports import Reading
from foureyes.app.projections.metrics import METRICS, PAGE_MAX, kinds, of_day, pairs, sitting, totals
from foureyes.app.projections.projection import added
from foureyes.codec import Json
from foureyes.core.principals import Scope
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import WhoKind

DAYS_MAX = 31
SEATS_MAX = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsForm:
    """The reviewers' figures of how many days, today among them; the other sums are of all time."""

    days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What happened to some reviews; what is not for the caller is null."""

    opened: int = 0
    cleared: int = 0
    rejected: int = 0
    withdrawn: int = 0
    shelved: int = 0
    returned: int = 0
    reopened: int | None = None
    reports: int | None = None
    inconclusive: int | None = None
    rulings_asked: int | None = None
    rulings: int | None = None
    overrides: int | None = None
    skips: int | None = None
    escapes: int | None = None
    went_live: int | None = None
    live_refused: int | None = None
    #: Number of reviews that ended without any human.
    ended_alone: int | None = None
    now_open: int | None = None
    now_waiting_reviewer: int | None = None
    now_waiting_author: int | None = None
    now_waiting_human: int | None = None
    #: Mean time from the opening of a review to its end.
    ended_milliseconds_mean: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSums:
    """Of one kind of work."""

    kind: str
    sums: Sums


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorSums:
    """Of one author's work of one kind."""

    author: str
    kind: str
    sums: Sums


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerSums:
    """Of one reviewer's reports."""

    reviewer: str
    reports: int
    approved: int
    changes_requested: int
    rejected: int
    without_verdict: int
    review_milliseconds_mean: int | None
    confidence_mean: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsShown:
    """What was counted."""

    totals: Sums
    kinds: tuple[KindSums, ...]
    authors: tuple[AuthorSums, ...]
    reviewers: tuple[ReviewerSums, ...]


async def metrics(office: Office, caller: Caller, form: MetricsForm) -> MetricsShown:
    """What was counted, as far as the caller may know."""
    if not 1 <= form.days <= DAYS_MAX:
        raise refuse(Code.BAD_NUMBER, what="The number of days", value=form.days, low=1, high=DAYS_MAX)
    await office.caught_up(METRICS)
    today = office.clock().date()
    days = [(today - timedelta(days=back)).isoformat() for back in range(form.days)]
    return await office.store.read(partial(_measured, office, caller, days))


def sees_all(office: Office, caller: Caller, reading: Reading) -> bool:
    """Whether nothing is hidden from the caller in any open review: a human who is signed in, by their view of each."""
    if caller.signed_in is None:
        return False
    sits = sitting(reading, caller.who.name, SEATS_MAX)
    return len(sits) < SEATS_MAX and not any(office.gate.look(reading, one, caller.who).view.hides for one in sits)


async def may_watch(office: Office, caller: Caller) -> bool:
    """Whether the caller may see how busy the server is, which tells how much others do.

    Somebody from whom nothing is hidden, or a program whose token is for reading alone: it can neither open nor review.
    """
    watches = caller.who.kind in (WhoKind.PROGRAM, WhoKind.SERVICE) and caller.scopes == {Scope.READ.value}
    if watches or caller.signed_in is None:
        return watches
    await office.caught_up(METRICS)
    return await office.store.read(partial(sees_all, office, caller))


def _measured(office: Office, caller: Caller, days: list[str], reading: Reading) -> MetricsShown:
    full, name = sees_all(office, caller, reading), caller.who.name
    by_kind = dict(_all(partial(kinds, reading), 1))
    if full:
        by_author = [(one["author"], one["kind"], one) for _, one in _all(partial(pairs, reading), 1)]
    else:
        mine = ((kind, totals(reading, "pair", kind, name)) for kind in by_kind)
        by_author = [(name, kind, one) for kind, one in mine if one]
    by_reviewer = _by_reviewer(reading, days)
    return MetricsShown(
        totals=_sums(totals(reading), full=full),
        kinds=tuple(KindSums(kind=kind, sums=_sums(one, full=full)) for kind, one in by_kind.items()),
        authors=tuple(AuthorSums(author=who, kind=kind, sums=_sums(one, full=True)) for who, kind, one in by_author),
        reviewers=tuple(_reviewer(who, one) for who, one in sorted(by_reviewer.items()) if full or who == name),
    )


def _all(look: Callable[..., tuple[tuple[str, Json], ...]], part: int) -> Iterator[tuple[str, Json]]:
    """Every row, named by one part of its key."""
    after = ""
    while page := look(after=after):
        yield from ((unquote(name.split("/")[part]), row) for name, row in page)
        if len(page) < PAGE_MAX:
            return
        after = page[-1][0]


def _by_reviewer(reading: Reading, days: list[str]) -> dict[str, Json]:
    found = dict[str, Json]()
    for day in days:
        # The key of a row is day/<day>/<kind>/<author>/<reviewer>.
        for who, row in _all(partial(of_day, reading, day), 4):
            counts = {name: one for name, one in row.items() if name in _COUNTED and type(one) is int}
            found[who] = added(found.get(who), **counts)
    return found


_COUNTED = frozenset(
    [
        "reviews",
        "approved",
        "changes_requested",
        "rejected",
        "without_verdict",
        "timed",
        "milliseconds",
        "sure",
        "confidence",
    ]
)
_PUBLIC = ("opened", "cleared", "rejected", "withdrawn", "shelved", "returned")
_FULL = (
    "reopened",
    "reports",
    "inconclusive",
    "rulings_asked",
    "rulings",
    "overrides",
    "skips",
    "escapes",
    "went_live",
    "live_refused",
    "ended_alone",
    "now_open",
    "now_waiting_reviewer",
    "now_waiting_author",
    "now_waiting_human",
)


def _sums(row: Json, *, full: bool) -> Sums:
    public = {name: row.get(name, 0) for name in _PUBLIC}
    if not full:
        return Sums(**public)
    ended = row.get("ended", 0)
    mean = row.get("ended_milliseconds", 0) // ended if ended else None
    return Sums(**public, **{name: row.get(name, 0) for name in _FULL}, ended_milliseconds_mean=mean)


def _reviewer(who: str, row: Json) -> ReviewerSums:
    timed, sure = row.get("timed", 0), row.get("sure", 0)
    return ReviewerSums(
        reviewer=who,
        reports=row.get("reviews", 0),
        approved=row.get("approved", 0),
        changes_requested=row.get("changes_requested", 0),
        rejected=row.get("rejected", 0),
        without_verdict=row.get("without_verdict", 0),
        review_milliseconds_mean=row.get("milliseconds", 0) // timed if timed else None,
        confidence_mean=row.get("confidence", 0) // sure if sure else None,
    )


def calls() -> Iterator[Call[Any]]:
    """The one call about figures."""
    says = (metrics.__doc__ or "").strip()
    yield Call(name="metrics", says=says, needs=Need.READ, form=MetricsForm, answer=metrics, changes=False)
