"""Handlers for settling and verifying findings, keeping a report, and inconclusive runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.core.answers.inheriting import is_own
from foureyes.core.answers.seats import check_fresh, check_given_whole, check_served, check_turn, held_seat
from foureyes.core.asks import ask_ruling
from foureyes.core.checks import check_current, check_liftable, check_open, check_reason, finding_of, raised_by
from foureyes.core.citations import check_places
from foureyes.core.commands import KeepReport, ReportInconclusive, SettleFinding, Settlement, VerifyFinding
from foureyes.core.drafts import sort_drafts
from foureyes.core.events import (
    FindingReopened,
    FindingResolved,
    FindingVerified,
    ReportFailed,
    ReportKept,
    ReviewEvent,
    SeatLeft,
)
from foureyes.core.evidence import has_words
from foureyes.core.gates import Resolved
from foureyes.core.model import Finding, Report, Seat
from foureyes.core.parties import check_party
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.unanswered import last_asked
from foureyes.core.values import Failure, KeptBy, LeftBecause, Part, Severity, Standing, Verdict, Verification, Who

#: The note on findings that a tie-break resolved.
TIE_BROKEN = "settled by the tie-break"


def settle_finding(scene: Scene, command: SettleFinding, actor: Who) -> Iterator[ReviewEvent]:
    """Resolve or reopen a finding as the seat's holder; settling the last one vouches for this revision."""
    if command.resolved:
        check_liftable(scene.review)
    else:
        check_open(scene.review)
    check_current(scene.review, command.revision)
    if command.resolved:
        check_given_whole(scene)
    word = Settlement(finding=command.finding, resolved=command.resolved, note=command.note)
    if is_own(scene.review, command.finding, actor):
        _check_may_settle(scene, command, actor)
        check_served(scene)
        yield _settled(scene, word, actor)
        return
    seat, stage = held_seat(scene, raised_by(scene.review, command.finding).id, actor)
    _check_may_settle(scene, command, actor)
    check_fresh(scene, seat)
    events = tuple(settlements(scene, seat, (word,), actor))
    yield from events
    after = scene.after(events).review
    if after.outcome is not None:
        return
    done = not any(one.seat == seat.id and not one.is_settled for one in after.findings.values())
    if done and not stage.options.votes and _own_report(scene, seat, actor):
        yield ReportKept(seat=seat.id, revision=after.revision, digest=after.digest, by=KeptBy.REVIEWER)


def _check_may_settle(scene: Scene, command: SettleFinding, actor: Who) -> None:
    """Refuse to resolve as a member of a contributor's party; a shared session alone does not prevent reopening."""
    check_party(scene if command.resolved else scene.without_mates(), actor)


def settlements(scene: Scene, seat: Seat, words: Iterable[Settlement], actor: Who) -> Iterator[ReviewEvent]:
    """Resolve or reopen findings of the reviewer's own seat, or their own findings inherited from other reviews."""
    for word in words:
        owner = seat if is_own(scene.review, word.finding, actor) else raised_by(scene.review, word.finding)
        if owner.id != seat.id:
            raise refuse(Code.NOT_THE_HOLDER, holder=f"the holder of seat {owner.id}")
        event = _settled(scene, word, actor)
        yield event
        scene = scene.after((event,))


def _settled(scene: Scene, word: Settlement, actor: Who) -> ReviewEvent:
    finding, revision = finding_of(scene.review, word.finding), scene.review.revision
    if finding.is_settled:
        raise refuse(Code.SETTLED, finding=finding.id, standing=finding.standing)
    if word.resolved:
        _check_own_mistake(finding, word)
        return FindingResolved(finding=finding.id, revision=revision, by=actor.name, note=word.note)
    if not _is_answered(scene, finding):
        raise refuse(Code.NOT_OPEN, finding=finding.id, standing=finding.standing)
    return FindingReopened(finding=finding.id, revision=revision, by=actor.name, note=word.note)


def _is_answered(scene: Scene, finding: Finding) -> bool:
    """True if the author answered, or submitted a new revision where the stage takes that as an answer."""
    stage = scene.stage(finding.stage)
    gates = stage.gates if stage else ()
    asks = any(isinstance(one, Resolved) and one.is_answered(finding, scene.review) for one in gates)
    return asks or finding.standing is Standing.ANSWERED


def _check_own_mistake(finding: Finding, word: Settlement) -> None:
    """Require a reason to take back a finding that nobody answered."""
    if finding.standing is Standing.OPEN:
        check_reason("Taking a finding back", word.note)


def broken_tie(scene: Scene, stage: Stage, seat: Seat, actor: Who, verdict: Verdict | None) -> list[FindingResolved]:
    """Resolve the disputed findings of a stage when its tie-break approves, except critical ones.

    Critical findings, and stages where a veto may stand, are left to a human.
    """
    if seat.part is not Part.TIE_BREAK or verdict is not Verdict.APPROVE or stage.has_veto:
        return []
    found = [one for one in scene.review.findings_of(stage.name) if scene.review.seats[one.seat].part is Part.JUDGE]
    disputed = [one for one in found if not one.is_settled and one.severity is not Severity.CRITICAL]
    revision = scene.review.revision
    return [FindingResolved(finding=one.id, revision=revision, by=actor.name, note=TIE_BROKEN) for one in disputed]


def keep_report(scene: Scene, command: KeepReport, actor: Who) -> Iterator[ReviewEvent]:
    """Keep an earlier report for the new revision, which the reviewer has read."""
    check_open(scene.review)
    check_current(scene.review, command.revision)
    seat, stage = held_seat(scene, command.seat, actor)
    review = scene.review
    check_party(scene, actor)
    check_fresh(scene, seat)
    check_given_whole(scene)
    check_turn(scene, seat)
    last = _own_report(scene, seat, actor)
    if seat.veto or last is None or last.verdict not in (None, Verdict.APPROVE):
        raise refuse(Code.NOTHING_TO_KEEP, seat=seat.id)
    unsettled = review.blocking_of(seat.id, stage.options.blocking)
    if last.verdict is Verdict.APPROVE and unsettled:
        raise refuse(Code.OWN_FINDING_BLOCKS, findings=tuple(one.id for one in unsettled))
    yield ReportKept(seat=seat.id, revision=review.revision, digest=review.digest, by=KeptBy.REVIEWER)


def _own_report(scene: Scene, seat: Seat, actor: Who) -> Report | None:
    """The actor's last report on an earlier revision; a predecessor's report cannot be kept."""
    last = scene.review.reports.get((seat.id, seat.reported))
    is_older = seat.reported < scene.review.revision
    return last if last is not None and is_older and last.reviewer.name == actor.name else None


def verify_finding(scene: Scene, command: VerifyFinding, actor: Who) -> Iterator[ReviewEvent]:
    """Confirm or refute a finding from a verifying seat; a refuted one becomes advisory, with the refutation kept."""
    check_open(scene.review)
    check_current(scene.review, command.revision)
    seat, _ = _verifier(scene, raised_by(scene.review, command.finding).stage, actor)
    check_served(scene)
    finding = finding_of(scene.review, command.finding)
    if finding.is_settled:
        raise refuse(Code.SETTLED, finding=finding.id, standing=finding.standing)
    if finding.verification is not None:
        raise refuse(Code.DUPLICATE, what="This verification")
    if finding.raiser == actor.name:
        raise refuse(Code.NOT_ELIGIBLE, name=actor.name, seat=f"{seat.id} for a finding of their own")
    word = command.result.strip().lower()
    if word not in list(Verification):
        raise refuse(
            Code.UNKNOWN_WORD, what="The result", word=command.result, allowed=tuple(Verification), field="result"
        )
    if not has_words(command.evidence):
        raise refuse(Code.EVIDENCE_MISSING, what="A verification", field="evidence")
    if word == Verification.REFUTED:
        check_given_whole(scene)
    if word == Verification.REFUTED and scene.review.seats[finding.seat].veto:
        raise refuse(Code.HUMAN_ONLY, what="set aside a finding of a veto seat")
    yield FindingVerified(
        finding=finding.id,
        seat=seat.id,
        revision=scene.review.revision,
        result=Verification(word),
        evidence=command.evidence,
    )


def _verifier(scene: Scene, stage: str, actor: Who) -> tuple[Seat, Stage]:
    seats = scene.review.seats_of(stage, Part.VERIFY)
    if not seats:
        raise refuse(Code.NO_FREE_SEAT, stage=stage, name=actor.name)
    return held_seat(scene, seats[0].id, actor)


#: The reason for leaving the seat after each kind of failure; malformed output counts as a crash.
LEFT = {
    Failure.CRASHED: LeftBecause.CRASHED,
    Failure.MALFORMED: LeftBecause.CRASHED,
    Failure.TIMED_OUT: LeftBecause.TIMED_OUT,
    Failure.REFUSED: LeftBecause.DECLINED,
    Failure.INCOMPLETE: LeftBecause.DECLINED,
    Failure.OUT_OF_BUDGET: LeftBecause.OVERLOADED,
}


def report_inconclusive(scene: Scene, command: ReportInconclusive, actor: Who) -> Iterator[ReviewEvent]:
    """Record a failed run: ask the same reviewer again, then another, then a human; without budget a human at once."""
    check_open(scene.review)
    check_current(scene.review, command.revision)
    seat, stage = held_seat(scene, command.seat, actor)
    review = scene.review
    asked = review.report_request(seat.id) is not None
    if not asked and (seat.required or seat.lease is None):
        raise refuse(Code.UNKNOWN_REQUEST, request=seat.id)
    if command.findings and seat.part is Part.VERIFY:
        raise refuse(Code.NOT_ELIGIBLE, name=actor.name, seat=f"{seat.id} with findings, it verifies those of others")
    if command.findings:
        check_served(scene)
        check_places(scene, command)
    found = sort_drafts(scene, stage, seat, actor, command.findings).events
    failed = ReportFailed(
        seat=seat.id,
        revision=review.revision,
        reviewer=actor.name,
        reason=command.reason,
        text=command.text,
        draft=command.draft,
        cost=command.cost,
        counted=scene.facts.hosts(actor.name),
    )
    yield from (*found, failed)
    if not asked:
        # A volunteer is not asked again, nor is anyone in their place; the cost still counts.
        yield SeatLeft(seat=seat.id, reviewer=actor.name, reason=LEFT[command.reason])
        return
    yield from after_failure(scene.after((*found, failed)), seat.id, stage, command.reason)


def after_failure(scene: Scene, seat: str, stage: Stage, reason: Failure) -> Iterator[ReviewEvent]:
    """Ask a human, or free the seat, after a failure on it."""
    review = scene.review
    spent = reason is Failure.OUT_OF_BUDGET
    if spent and not stage.options.waits and review.ruling() is None:
        yield ask_ruling(scene, stage, "out_of_budget", f"The reviewer ran out of budget{last_asked(scene, [seat])}")
        return
    holder = review.seats[seat].reviewer
    tried = review.failures.get((seat, review.revision), 0)
    if holder and (spent or tried % (stage.options.failures_max + 1) == 0):
        yield SeatLeft(seat=seat, reviewer=holder.name, reason=LEFT[reason])
