"""The inbox: what waits for the caller, and waiting until something does.

What wakes a caller who waits is any change; when they are answered depends on their own inbox alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from foureyes.app.calls.bodies import given, picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.offers import offers
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.shown import mark_of, next_mark, read_mark
from foureyes.app.calls.whole import note
from foureyes.app.gate import Seen
from foureyes.app.heads import COUNSEL, HUMANS, group
from foureyes.app.ports import Quick, Reading
from foureyes.app.rows import FIRST, InboxRow, Urgency
from foureyes.app.turns import step_aside
from foureyes.core.briefs import Brief
from foureyes.core.commands import TakeSeat
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.situation import open_by_severity

#: Longest wait: less than what clients give a call.
WAIT_SECONDS_MAX = 45
MARK_CHARS = 16
#: Up to this many rows are looked up quickly: a page of default size, and one row to see whether there is another.
QUICK_ROWS_MAX = 51
#: Most open seats for counsel examined at a time.
COUNSEL_MAX = 20
#: Number of reports for which the inbox includes the criteria.
BRIEFS_MAX = 5
REPORT = "report"
#: Kinds of requests that answer findings.
ANSWERS = frozenset({"ruling", "revision"})
#: An inbox row and the title of its review.
Titled = tuple[InboxRow, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxForm:
    """How much of what waits for the caller; `cursor` is what the page before said comes next.

    With `wait` it answers as soon as something waits, after so many seconds at most; with the `mark` of an answer
    before, as soon as something else waits than was told then.
    """

    cursor: str = ""
    limit: int = 50
    wait: int = 0
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something that waits for the caller: theirs to do, or theirs to take."""

    review: str
    title: str
    request: str
    #: report, revision or ruling; or finding: one that the caller raised elsewhere and that stands on text of this work
    #: too. `request` is its name here: read the work, then settle it with `settle_finding`.
    kind: str
    held: bool
    #: True if it is queued: the caller has as many active reviews as one may have.
    queued: bool
    revision: int
    #: Empty for a finding, which is never overdue.
    due: str
    lease: str
    #: For a requested ruling or revision: the number of open findings, by severity.
    findings: Mapping[str, int] = field(default_factory=dict)
    #: For the first few reports requested from the caller by name: the criteria; `read_review` has them for all.
    briefs: tuple[Brief, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxShown:
    """A page of what waits for the caller, the most urgent first."""

    waiting: tuple[Waiting, ...]
    next: str
    #: To be sent with the next wait. It differs each time: clients end a loop of identical calls.
    mark: str


async def inbox(office: Office, caller: Caller, form: InboxForm) -> InboxShown:
    """What waits for the caller; with `wait`, once there is something."""
    if not 0 <= form.wait <= WAIT_SECONDS_MAX:
        raise refuse(Code.BAD_NUMBER, what="wait", value=form.wait, low=0, high=WAIT_SECONDS_MAX, field="wait")
    known, turn = read_mark(form.mark)
    found = await _page(office, caller, form)
    if form.wait and not _is_news(found, known):
        office.quotas.check_room(caller.who, "waits")
        found = await _waited(office, caller, form, known)
    return replace(found, mark=next_mark(_hash(found), turn))


async def _waited(office: Office, caller: Caller, form: InboxForm, known: str) -> InboxShown:
    """The page as it is when something else waits than is known, or when the time is over."""
    found = InboxShown(waiting=(), next="", mark="")
    with office.quotas.holding(caller.who, "waits"), suppress(TimeoutError):
        step_aside()
        async with office.bell.listening(office.store) as listener, asyncio.timeout(form.wait):
            # Looked at after listening began, so that nothing in between is missed.
            while not _is_news(found := await _page(office, caller, form), known) and not office.bell.closed():
                await listener.woken.wait()
                listener.take()
    return found


def _is_news(found: InboxShown, known: str) -> bool:
    return bool(found.waiting) and _hash(found) != known


def _hash(found: InboxShown) -> str:
    """A name of exactly what is shown, so that it tells no more than that does."""
    return mark_of(given(replace(found, mark="")))[:MARK_CHARS]


async def _page(office: Office, caller: Caller, form: InboxForm) -> InboxShown:
    limit = limited(form.limit)
    after: Urgency = parts_of(form.cursor, Urgency) if form.cursor else FIRST
    look = _everything if caller.who.is_human else _owed
    found = await look(office, caller, limit + 1, after)
    more = cursor_of(*found[limit - 1][0].urgency) if len(found) > limit else ""
    page = found[:limit]
    briefs = await _briefs(office, caller, [row for row, _ in page if row.kind == REPORT and row.held])
    findings = await _findings(office, caller, [row.review for row, _ in page if row.kind in ANSWERS])
    waiting = (
        picked(Waiting, row, title=title, briefs=briefs.get(row.urgency, ()), findings=findings.get(row.review, {}))
        for row, title in page
    )
    return InboxShown(waiting=tuple(waiting), next=more, mark="")


async def _briefs(office: Office, caller: Caller, rows: list[InboxRow]) -> dict[Urgency, tuple[Brief, ...]]:
    """What the first few of these reports are judged by."""
    found = dict[Urgency, tuple[Brief, ...]]()
    for row in rows[:BRIEFS_MAX]:
        with suppress(Refusal):
            briefs = (await office.gate.read(row.review, caller.who)).explanation.briefs
            found[row.urgency] = tuple(one for one in briefs if one.seat == row.request)
    return found


async def _findings(office: Office, caller: Caller, reviews: list[str]) -> dict[str, dict[str, int]]:
    """How many findings are open in these reviews; a human who is told that of others' reports is written down."""
    found = dict[str, Seen]()
    for review in dict.fromkeys(reviews):
        with suppress(Refusal):
            found[review] = await office.gate.read(review, caller.who)
    await note(office, caller, found.values())
    return {review: open_by_severity(seen.view.review) for review, seen in found.items()}


async def _owed(office: Office, caller: Caller, limit: int, after: Urgency) -> list[Titled]:
    """What is theirs by name, each with its title, counsel that they may give, and open content they may review."""

    def owed(reading: Reading) -> list[Titled]:
        rows = ((one, reading.review(one.review)) for one in reading.inbox(caller.who.name, limit, after))
        return [(one, review.title if review else "") for one, review in rows]

    found = await office.store.read(Quick(owed) if limit <= QUICK_ROWS_MAX else owed)
    open_seats = await office.store.read(Quick(lambda reading: reading.inbox(COUNSEL, COUNSEL_MAX, after)))
    found += [one for row in open_seats if (one := await _offered(office, caller, row)) is not None]
    if Need.REVIEW.value in caller.scopes:
        found += await office.store.read(partial(offers, office, caller, after))
    return sorted(found, key=lambda one: one[0].urgency)[:limit]


async def _offered(office: Office, caller: Caller, row: InboxRow) -> Titled | None:
    """A seat that is open to anybody eligible, where the caller may take it; not to whoever sits in that review."""
    try:
        seen = (await office.gate.read(row.review, caller.who)).view.review
        if any(one.reviewer and one.reviewer.name == caller.who.name for one in seen.seats.values()):
            return None
        command = TakeSeat(seat=row.request)
        await office.gate.preview(office.ask(caller, command, Handed(stream=f"review/{row.review}")))
    except Refusal:
        return None
    return row, seen.title


async def _everything(office: Office, caller: Caller, limit: int, after: Urgency) -> list[Titled]:
    """What is theirs by name or as a human's or of their group to decide, in one order.

    What they may not know of is passed over before it is counted: a page says of the next one only what it shows.
    """
    found = list[Titled]()
    while len(found) < limit:
        rows = await office.store.read(partial(_asked, office, caller, limit, after))
        found += [one for row in rows if (one := await _titled(office, caller, row)) is not None]
        if len(rows) < limit:
            break
        after = rows[-1].urgency
    return found


def _asked(office: Office, caller: Caller, limit: int, after: Urgency, reading: Reading) -> list[InboxRow]:
    groups = office.gate.policies.current(reading).policy.rules.groups
    mine = (group(one.name) for one in groups if normal(caller.who.name) in map(normal, one.members))
    rows = (row for name in (*mine, HUMANS, caller.who.name) for row in reading.inbox(name, limit, after))
    once = {row.urgency: row for row in rows}
    return [once[at] for at in sorted(once)][:limit]


async def _titled(office: Office, caller: Caller, row: InboxRow) -> Titled | None:
    """What is theirs; a decision unless they sit in that review and have not reported."""
    if row.who == caller.who.name:
        review = await office.store.read(lambda reading: reading.review(row.review))
        return row, review.title if review else ""
    with suppress(Refusal):
        seen = await office.gate.read(row.review, caller.who)
        if row.request in seen.view.review.requests:
            return row, seen.view.review.title
    return None


def calls() -> Iterator[Call[Any]]:
    """The one call of the inbox."""
    says = (inbox.__doc__ or "").strip()
    yield Call(name="inbox", says=says, needs=Need.READ, form=InboxForm, answer=inbox, changes=False)
