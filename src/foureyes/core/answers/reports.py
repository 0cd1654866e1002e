"""Handler for a submitted report: check it against its own findings and record it for exactly one revision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.answers.inheriting import restated
from foureyes.core.answers.seats import check_given_whole, check_served, check_turn, holder_told, seat_to_take
from foureyes.core.answers.settling import after_failure, broken_tie, settlements
from foureyes.core.checks import check_current, check_open, check_reason, severity_of
from foureyes.core.citations import check_places
from foureyes.core.claims import claim_of, read_verdict
from foureyes.core.commands import Draft, SubmitReport
from foureyes.core.drafts import LEASE_ENDED, from_summary, mark_of, raise_draft, sort_drafts
from foureyes.core.events import FindingResolved, ReportFailed, ReportSubmitted, ReviewEvent, SeatLeft, SeatTaken
from foureyes.core.independence import normal
from foureyes.core.matching.stages import match_stage
from foureyes.core.model import Review, Seat
from foureyes.core.parties import check_party
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Failure, LeftBecause, Part, Verdict, Who, WhoKind

#: As a revision number: the revision that the reviewer was last served. Reports from the outage spool use it.
LAST_SERVED = 0
#: The fields that make two reports of one seat equal; a report that changes none of them is a duplicate.
SAID = (
    *("reviewer", "verdict", "grounds", "blocking", "summary", "strengths", "evidence"),
    *("checklist", "answers", "confidence", "coverage"),
)


def submit_report(scene: Scene, command: SubmitReport, actor: Who) -> Iterator[ReviewEvent]:
    """Take the seat if the actor may, settle and raise findings, and vouch for exactly one revision."""
    check_open(scene.review)
    command = _of_version(scene, command)
    check_current(scene.review, command.revision)
    name, stage, is_late = _seat_for(scene, command, actor)
    check_served(scene)
    check_places(scene, command)
    if is_late:
        yield from _too_late(scene, command, stage, scene.review.seats[name], actor)
        return
    if normal(actor.name) in map(normal, scene.facts.mates.names) and not _objects(stage, command):
        check_party(scene, actor)
    known = scene.review.seats.get(name)
    taken = [] if known and known.reviewer and known.reviewer.name == actor.name else _taken(scene, stage, name, actor)
    yield from taken
    yield from _report(scene.after(taken), command, stage, name, actor)


def _objects(stage: Stage, command: SubmitReport) -> bool:
    """True if the report objects to the work and resolves nothing; it needs no party check and no complete read."""
    if any(one.resolved for one in command.settled):
        return False
    if any(severity_of(one.severity) >= stage.options.blocking for one in command.findings):
        return True
    return read_verdict(stage, command)[0] in (Verdict.CONCERNS, Verdict.REJECT)


def _of_version(scene: Scene, command: SubmitReport) -> SubmitReport:
    """Replace `LAST_SERVED` by the number of the revision that the reviewer was last served."""
    if command.revision != LAST_SERVED:
        return command
    served = [one.number for one in scene.review.revisions if one.digest == scene.facts.served]
    return replace(command, revision=served[-1] if served else scene.review.revision)


def _seat_for(scene: Scene, command: SubmitReport, actor: Who) -> tuple[str, Stage, bool]:
    """The actor's seat, its stage, and True if their lease on it has ended."""
    known = scene.review.seats.get(command.seat or _lost(scene, command, actor))
    theirs = scene.stage(known.stage) if known else None
    if known and theirs and (known.reviewer is None or known.reviewer.name != actor.name):
        if actor.name in known.left:
            return known.id, theirs, True
        if known.reviewer and known.lease and scene.now <= known.lease:
            raise refuse(Code.NOT_THE_HOLDER, holder=holder_told(known, theirs))
    name, stage = seat_to_take(scene, actor, seat=command.seat, stage=command.stage)
    mine = scene.review.seats.get(name)
    expired = mine is not None and mine.reviewer is not None and mine.lease is not None and scene.now > mine.lease
    if mine is not None and mine.part is Part.VERIFY:
        raise refuse(Code.NOT_ELIGIBLE, name=actor.name, seat=f"{name} with a report, it verifies findings")
    return name, stage, expired


def _lost(scene: Scene, command: SubmitReport, actor: Who) -> str:
    """The seat the reviewer lost, if they name none and no other is open to them; their findings are kept there."""
    seats = [one for one in scene.review.seats.values() if command.stage in ("", one.stage)]
    lost = next((one.id for one in seats if actor.name in one.left), "")
    if not lost:
        return ""
    try:
        seat_to_take(scene, actor, stage=command.stage)
    except Refusal:
        return lost
    return ""


def _taken(scene: Scene, stage: Stage, name: str, actor: Who) -> list[ReviewEvent]:
    return [SeatTaken(seat=name, stage=stage.name, reviewer=actor, lease=scene.now + stage.options.times.silent)]


def _too_late(scene: Scene, command: SubmitReport, stage: Stage, seat: Seat, actor: Who) -> Iterator[ReviewEvent]:
    """Keep a report after the end of the lease as advisory findings only: a successor may have begun."""
    known = {one.fingerprint for one in scene.review.findings.values() if one.seat == seat.id}
    new = [draft for draft in command.findings if mark_of(draft) not in known]
    if not new:
        raise refuse(Code.LEASE_ENDED, seat=seat.id)
    for number, draft in enumerate(new, start=seat.findings + 1):
        raised = raise_draft(scene, stage, seat, actor, draft, number=number, advisory=LEASE_ENDED)
        scene = scene.after((raised,))
        yield raised
    if seat.reviewer and seat.reviewer.name == actor.name:
        yield SeatLeft(seat=seat.id, reviewer=actor.name, reason=LeftBecause.TIMED_OUT, draft=command.summary)


def _report(scene: Scene, command: SubmitReport, stage: Stage, name: str, actor: Who) -> Iterator[ReviewEvent]:
    """Settle, raise, then claim; the grounds of the claim are checked against the events just written."""
    seat = scene.review.seats[name]
    _check_may_report(scene, stage, seat)
    verdict, failure = read_verdict(stage, command)
    if failure:
        yield from _inconclusive(scene, command, stage, seat, actor=actor, failure=failure)
        return
    if not _objects(stage, command):
        check_given_whole(scene)
    settled = tuple(settlements(scene, seat, command.settled, actor))
    after = scene.after(settled)
    found = sort_drafts(after, stage, seat, actor, _drafts(stage, command, verdict))
    after = after.after(found.events)
    again = tuple(restated(after.review, actor, found.events))
    after = after.after(again)
    gone = [
        *again,
        *_not_found_again(after, seat, actor, verdict, found.repeats),
        *broken_tie(after, stage, seat, actor, verdict),
    ]
    after = after.after(gone[len(again) :])
    claim = claim_of(after, stage, seat, command, actor=actor, verdict=verdict, found=found)
    written = (*settled, *found.events, *gone)
    if not written:
        _check_is_new(scene, claim)
    yield from (*written, claim)
    yield from match_stage(after.after((claim,)), stage)


def _inconclusive(
    scene: Scene, command: SubmitReport, stage: Stage, seat: Seat, *, actor: Who, failure: Failure
) -> Iterator[ReviewEvent]:
    """Record a failed report, but keep the findings from the part that was read."""
    found = sort_drafts(scene, stage, seat, actor, command.findings).events
    failed = ReportFailed(
        seat=seat.id,
        revision=scene.review.revision,
        reviewer=actor.name,
        reason=failure,
        text=command.summary,
        cost=command.cost,
        counted=scene.facts.hosts(actor.name),
    )
    yield from (*found, failed)
    yield from after_failure(scene.after((*found, failed)), seat.id, stage, failure)


def _check_may_report(scene: Scene, stage: Stage, seat: Seat) -> None:
    review = scene.review
    check_turn(scene, seat)
    # Another seat's veto is not checked: the refusal would disclose it to a blind reviewer.
    if seat.veto and (seat.stage, review.digest) in review.vetoes and _has_vetoed(review, seat):
        raise refuse(Code.VETO_STANDS)
    before = review.reports.get((seat.id, review.revision))
    if before and before.count >= stage.options.reports_max:
        raise refuse(Code.LIMIT_REACHED, what="reports of this seat on this version", most=stage.options.reports_max)


def _has_vetoed(review: Review, seat: Seat) -> bool:
    """True if this seat itself has rejected these bytes."""
    own = (one for one in review.reports.values() if one.seat == seat.id and one.verdict is Verdict.REJECT)
    return any(review.revisions[one.revision - 1].digest == review.digest for one in own)


def _drafts(stage: Stage, command: SubmitReport, verdict: Verdict | None) -> tuple[Draft, ...]:
    """Turn a verdict against the work without a blocking finding into a finding, in styles that have reasons only."""
    doubts = verdict in (Verdict.CONCERNS, Verdict.REJECT)
    blocks = any(severity_of(one.severity) >= stage.options.blocking for one in command.findings)
    if not (stage.options.concern_is_finding and doubts) or blocks:
        return command.findings
    check_reason("A verdict against the work", command.summary)
    return (*command.findings, from_summary(command.summary))


def _not_found_again(
    scene: Scene, seat: Seat, actor: Who, verdict: Verdict | None, repeats: tuple[str, ...]
) -> list[ReviewEvent]:
    """Resolve a program's findings that a passing run does not find again; a program checks everything each time."""
    if actor.kind is not WhoKind.PROGRAM or verdict is not Verdict.APPROVE:
        return []
    revision = scene.review.revision
    own = (one for one in scene.review.findings.values() if one.seat == seat.id and one.id not in repeats)
    old = [one for one in own if not one.is_settled]
    return [
        FindingResolved(finding=one.id, revision=revision, by=actor.name, note="not found again")
        for one in (*old, *scene.review.inherited_from(actor.name))
        if one.source or (one.revision < revision and one.raiser == actor.name and not one.demand)
    ]


def _check_is_new(scene: Scene, claim: ReportSubmitted) -> None:
    """Refuse a report that repeats the last one, whatever its idempotency key."""
    old = scene.review.reports.get((claim.seat, claim.revision))
    if old is not None and all(getattr(old, field) == getattr(claim, field) for field in SAID):
        raise refuse(Code.DUPLICATE, what="This report")
