"""Calls about the record: the audit trail, the decisions of each layer, and the lessons, as the caller may know them.

A row about a review is shown to callers who see what it is about, by the same view as everything else. The length of a
stream and the place of an event in the log would tell of hidden reports, so neither is shown, nor is it in a cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_words import APPROVE, GRAVITY
from foureyes.app.calls.whole import note, shown_to
from foureyes.app.gate import Seen
from foureyes.app.ports import Reading
from foureyes.app.projections.decisions import DECISIONS, newest, of_review
from foureyes.app.projections.decisions import PAGE_MAX as ROWS_MAX
from foureyes.app.projections.lessons import LESSONS, lessons
from foureyes.app.projections.projection import backwards, key
from foureyes.codec import Json
from foureyes.core.lessons import Lesson, in_force
from foureyes.core.model import Review
from foureyes.core.reasons import critic_of, reason_of
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Rules, Style
from foureyes.core.values import Verdict

DAY_CHARS_MAX = 10
_NO_LAYER = -1
_REPORTED, _FAILED, _OVERRIDDEN = "ReportSubmitted", "ReportFailed", "StageOverridden"
_DECIDING = frozenset((_REPORTED, _FAILED, _OVERRIDDEN))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditForm:
    """Which part of the trail: of one review in its order, or of everything, the newest first (for a human)."""

    review: str = ""
    #: A date, or the beginning of one, as in 2026-01; only for the trail of everything.
    day: str = ""
    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """One thing that somebody did."""

    at: str
    #: request, decision, skip, override, incident or view.
    what: str
    type: str
    who: str
    actor: str
    says: str
    why: str
    asks: str
    stage: str
    seat: str
    review: str
    revision: int
    #: What it is about if that is no review.
    stream: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditShown:
    """A page of the trail."""

    rows: tuple[Acted, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsForm:
    """The decisions of which review."""

    review: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerDecision:
    """What one critic decided in one layer of a chain; an approval is a row too."""

    at: str
    review: str
    revision: int
    task_id: str
    critic_agent_id: str
    #: approve, reject, veto, or error if the critic could not judge; reported if the style has no verdicts; override if
    #: a human passed the layer.
    decision: str
    reason: str
    chain_name: str
    #: The index of the layer in its chain, from 0; -1 if a policy activated meanwhile added it.
    layer_index: int
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsShown:
    """Every decision, in the order in which they were made."""

    decisions: tuple[LayerDecision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonsForm:
    """What was learned about which scope."""

    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonsShown:
    """The lessons that hold now."""

    lessons: tuple[Lesson, ...]


async def audit(office: Office, caller: Caller, form: AuditForm) -> AuditShown:
    """Who asked, decided, skipped or overrode what, when and why; and which human saw all without a report."""
    limited(form.limit)
    if not form.review and caller.signed_in is None:
        raise Refusal(Code.NOT_ELIGIBLE, "The trail of everything is for a human who is signed in.", "Name one review.")
    begin = parts_of(form.cursor, tuple[str, int]) if form.cursor else ("", 0)
    await office.caught_up(DECISIONS)
    page, seen = await office.store.read(partial(_page, office, caller, form, begin))
    await note(office, caller, seen)
    return page


async def decisions(office: Office, caller: Caller, form: DecisionsForm) -> DecisionsShown:
    """What each critic decided about a review, layer by layer."""
    await shown_to(office, caller, form.review)
    await office.caught_up(DECISIONS)
    return DecisionsShown(decisions=await office.store.read(partial(_decisions, office, caller, form.review)))


async def list_lessons(office: Office, _: Caller, form: LessonsForm) -> LessonsShown:
    """The lessons of a scope that hold now."""
    await office.caught_up(LESSONS)
    found = await office.store.read(lambda reading: lessons(reading, form.scope))
    return LessonsShown(lessons=in_force(found, office.clock()))


def _page(
    office: Office, caller: Caller, form: AuditForm, begin: tuple[str, int], reading: Reading
) -> tuple[AuditShown, list[Seen]]:
    """So many rows as were asked for: what is left out shortens no page, or the page would tell of it.

    With the reviews they tell of, as the caller sees them.
    """
    may_know = _Knowing(office, caller, reading)
    if form.review:
        may_know.seen(form.review)  # refuses if there is no such review
    found, (at, again) = list[Json](), begin
    for row in _rows(reading, form, at):
        if not may_know(row):
            continue
        if row["at"] == at and again:
            again -= 1
            continue
        found.append(row)
        if len(found) > form.limit:
            break
    shown = found[: form.limit]
    more = _token(shown, begin) if len(found) > form.limit else ""
    named = dict.fromkeys(row["review"] for row in shown if "review" in row)
    return AuditShown(rows=tuple(map(_acted, shown)), next=more), [may_know.seen(one) for one in named]


def _rows(reading: Reading, form: AuditForm, at: str) -> Iterator[Json]:
    """The rows from a time on; each page begins behind the last row of the one before."""
    look: Callable[..., tuple[tuple[str, Json], ...]]
    if form.review:
        look, after = partial(of_review, reading, form.review), f"{key('review', form.review)}/{at}" if at else ""
    else:
        look, after = partial(newest, reading, form.day[:DAY_CHARS_MAX]), f"time/{backwards(at)}" if at else ""
    for _ in count():
        page = look(after, ROWS_MAX)
        yield from (row for _, row in page)
        if len(page) < ROWS_MAX:
            return
        after = page[-1][0]


class _Knowing:
    """Which rows the caller may know of, by their view of each review."""

    def __init__(self, office: Office, caller: Caller, reading: Reading) -> None:
        self._office, self._caller, self._reading = office, caller, reading
        self._seen: dict[str, Seen] = {}

    def seen(self, review: str) -> Seen:
        """The caller's view of a review."""
        if review not in self._seen:
            self._seen[review] = self._office.gate.look(self._reading, review, self._caller.who)
        return self._seen[review]

    def __call__(self, row: Json) -> bool:
        if "review" not in row:
            return True  # only a human gets here: these rows are of no review's trail
        view = self.seen(row["review"]).view
        if not view.hides or row["type"] == "ReviewOpened":
            return True
        if "seat" in row:
            return row["seat"] in view.review.seats
        stages = row.get("stage", "").split()
        return bool(stages) and view.whole.issuperset(stages)


def _decisions(office: Office, caller: Caller, review: str, reading: Reading) -> tuple[LayerDecision, ...]:
    may_know = _Knowing(office, caller, reading)
    view = may_know.seen(review).view
    rules = office.gate.policies.rules(reading, view.review.rules)
    rows = _rows(reading, AuditForm(review=review), "")
    said = [row for row in rows if row["type"] in _DECIDING and may_know(row)]
    found = [_with_reason(_decision(row, rules, view.review.protocols), row, view.review) for row in said]
    gone = _overruled(said, found, _layers_waiting(rules, view.review, said), view.review.revision)
    return tuple(one for index, one in enumerate(found) if index not in gone)


def _layers_waiting(rules: Rules, review: Review, rows: list[Json]) -> dict[str, bool]:
    """The layers of chains, and whether a critic of each still owes a report on this version.

    A report that is newer than the rows is waited for too: the rows follow the log.
    """
    protocols = (found for name in review.protocols if (found := rules.protocol(name)))
    chain = [one.name for found in protocols for one in found.stages if one.options.style is Style.CHAIN]
    listed = {(row.get("seat", ""), row["revision"]) for row in rows}
    newer = [seat for seat, number in review.reports if number == review.revision and (seat, number) not in listed]
    asked = {review.seats[one].stage for one in (*review.requests, *newer) if one in review.seats}
    return {name: name in asked for name in chain}


def _overruled(rows: list[Json], found: list[LayerDecision], layers: dict[str, bool], revision: int) -> set[int]:
    """Which rows are not their layer's decision: where several critics sit there, the gravest decision is the one."""
    gravest: dict[tuple[str, int], int] = {}
    gone: set[int] = set()
    for index, one in enumerate(found):
        place = one.layer, one.revision
        if one.layer not in layers or one.decision not in GRAVITY:
            continue
        other = gravest.get(place)
        if other is None or rows[other]["seat"] == rows[index]["seat"]:
            gravest[place] = index
            continue
        first = GRAVITY.index(found[other].decision) >= GRAVITY.index(one.decision)
        gone.add(index if first else other)
        gravest[place] = other if first else index
    waiting = {at for (name, number), at in gravest.items() if layers[name] and number == revision}
    return gone | {at for at in waiting if found[at].decision == APPROVE}


def _decision(row: Json, rules: Rules, protocols: tuple[str, ...]) -> LayerDecision:
    chain, layer = _layer(rules, protocols, row.get("stage", ""))
    says, why = row["says"], row.get("why", "")
    if row["type"] == _FAILED:
        says, why = "error", f"{says}: {why}" if why else says
    if row["type"] == _OVERRIDDEN:
        says = "override"
    return LayerDecision(
        at=row["at"],
        review=row["review"],
        revision=row["revision"],
        task_id=row.get("task") or row["review"],
        critic_agent_id=row.get("who", ""),
        decision="reject" if says == Verdict.CONCERNS else says,
        reason=why,
        chain_name=chain,
        layer_index=layer,
        layer=row.get("stage", ""),
    )


def _with_reason(one: LayerDecision, row: Json, review: Review) -> LayerDecision:
    """A no with what it is for, and the critic as the chain names it; a row of an older report says what it said."""
    report, seat = review.reports.get((row.get("seat", ""), one.revision)), review.seats.get(row.get("seat", ""))
    if row["type"] != _REPORTED or report is None or seat is None:
        return one
    reason = one.reason if one.decision == APPROVE else reason_of(review, report)
    return replace(one, critic_agent_id=critic_of(seat, report), reason=reason or one.reason)


def _layer(rules: Rules, protocols: tuple[str, ...], stage: str) -> tuple[str, int]:
    for name in protocols:
        protocol = rules.protocol(name)
        names = [one.name for one in protocol.stages] if protocol else []
        if stage in names:
            return name, names.index(stage)
    return "", _NO_LAYER


def _acted(row: Json) -> Acted:
    texts = {one: row.get(one, "") for one in ("at", "what", "type", "who", "actor", "says", "why", "asks", "stage")}
    rest = {one: row.get(one, "") for one in ("seat", "review", "stream")}
    return Acted(**texts, **rest, revision=row.get("revision", 0))


def _token(shown: list[Json], begin: tuple[str, int]) -> str:
    """The time of the last row, and how many of that time were shown: nothing the caller does not see."""
    at = shown[-1]["at"]
    same = sum(row["at"] == at for row in shown) + (begin[1] if begin[0] == at else 0)
    return cursor_of(at, same)


def calls() -> Iterator[Call[Any]]:
    """Every call about what was done and learned."""
    for form, answer in ((AuditForm, audit), (DecisionsForm, decisions), (LessonsForm, list_lessons)):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=Need.READ, form=form, answer=answer, changes=False)
