"""Handlers for the author's commands: open, revise, answer, withdraw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.asks import ask_ruling, lapse
from foureyes.core.assess import StageJudgement
from foureyes.core.checks import (
    check_author,
    check_filled,
    check_open,
    check_reason,
    finding_of,
)
from foureyes.core.commands import Answer, AnswerFinding, OpenReview, SubmitRevision, WithdrawReview
from foureyes.core.events import (
    FindingAnswered,
    ReportKept,
    ReviewClosed,
    ReviewEvent,
    ReviewOpened,
    ReviewReopened,
    RevisionSubmitted,
)
from foureyes.core.facts import Facts
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Review
from foureyes.core.objections import objected, objection
from foureyes.core.options import AUTHOR_SILENT
from foureyes.core.refusals import Code, refuse, unknown_word
from foureyes.core.risk import kinds_for, protocols_for
from foureyes.core.rules import Rules
from foureyes.core.scene import Scene
from foureyes.core.settle import exhausted
from foureyes.core.skips import skip_stages
from foureyes.core.values import CLOCK, ChangeKind, KeptBy, Outcome, Standing, Verdict, Who, WhoKind, WorkPart

#: How often a new version may replace one that nobody has judged yet; then a human is asked.
UNPROMPTED_MAX = 10
#: Outcomes after which the author may submit a new version.
REVISABLE = frozenset({Outcome.SHELVED, Outcome.RETURNED, Outcome.CLEARED})
#: Who may open a review of another author's work; the clock does so for a session that fell silent.
OPEN_FOR_OTHERS = frozenset({WhoKind.HUMAN, WhoKind.SERVICE, WhoKind.CLOCK})


def open_review(rules: Rules, command: OpenReview, actor: Who, facts: Facts) -> Iterator[ReviewEvent]:
    """Open a review on its first revision, under the rules that policy and bytes demand."""
    _check_work(command, facts)
    _check_objections(command, facts)
    check_filled("The title", command.title)
    author = command.on_behalf_of or actor
    if author.name != actor.name and actor.kind not in OPEN_FOR_OTHERS:
        raise refuse(Code.NOT_THE_AUTHOR, author=author.name)
    if command.origin.targets and actor.kind not in OPEN_FOR_OTHERS:
        raise refuse(Code.HUMAN_ONLY, what="say whose work a session's review is about, since they cannot review it")
    _check_protocols(rules, command, actor)
    kind = canonical_kind(command.kind)
    yield ReviewOpened(
        review=command.review,
        kind=kind,
        title=command.title,
        author=author,
        # The clock opens a review for a silent session, but is no contributor to its work.
        contributors=(author,) if actor in (author, CLOCK) else (author, actor),
        trigger=command.trigger,
        rules=rules.digest,
        origin=command.origin,
        context=command.context,
        questions=command.questions,
    )
    yield RevisionSubmitted(
        number=1,
        digest=command.digest,
        by=author,
        base=command.base,
        change=ChangeKind.CONTENT,
        parts=command.parts,
        kinds=kinds_for(rules, kind, _paths(command.parts)),
        protocols=protocols_for(rules, kind, _paths(command.parts), facts.risk, command.protocols),
        risk=facts.risk.level.name.lower(),
        note=command.note,
        confidence=command.confidence,
        aliases=facts.aliases,
        known_base=facts.base,
        before=facts.before,
    )


def _check_protocols(rules: Rules, command: OpenReview, actor: Who) -> None:
    """Refuse a review style or chain that the policy does not have: nothing could ever pass it.

    The clock cannot read a refusal: a review it opens waits for a human instead.
    """
    for number, name in enumerate(command.protocols):
        if rules.protocol(name) is None and actor != CLOCK:
            known = tuple(one.name for one in rules.protocols)
            raise unknown_word("The style or chain", name, known, f"protocols[{number}]")


def submit_revision(scene: Scene, command: SubmitRevision, actor: Who) -> Iterator[ReviewEvent]:
    """Record a new revision with its answers; beyond the limit the review ends or goes to a human instead."""
    review = scene.review
    check_author(review, actor)
    _check_work(command, scene.facts)
    if _asks_again(review, command):
        yield replace(_come_back(scene, actor), reason=command.note or "the same version asks again", again=True)
        return
    change = _change_of(scene, command)
    prompted = review.outcome is not None or _is_prompted(review)
    if review.outcome is not None:
        yield _come_back(scene, actor)
    elif not _may_try_again(scene, change, prompted=prompted) and (speaking := scene.assess().speaking):
        yield from _used_up(scene, speaking, prompted=prompted)
        return
    if ruling := review.ruling():
        yield lapse(ruling.id, "the author is back with a new version")
    parts = review.current.parts if change is ChangeKind.CLARIFICATION else command.parts
    required = protocols_for(scene.rules, review.kind, _paths(parts), scene.facts.risk, ())
    yield RevisionSubmitted(
        number=review.revision + 1,
        digest=command.digest,
        by=actor,
        base=command.base,
        change=change,
        parts=parts,
        changed=scene.facts.changed,
        kinds=kinds_for(scene.rules, review.kind, _paths(parts)),
        protocols=(*review.protocols, *(one for one in required if one not in review.protocols)),
        risk=scene.facts.risk.level.name.lower(),
        note=command.note,
        confidence=command.confidence,
        turns=command.turns,
        aliases=scene.facts.aliases,
        known_base=scene.facts.base,
        before=scene.facts.before,
        prompted=prompted,
        keeps=tuple(scene.facts.kept),
    )
    if len({answer.finding for answer in command.answers}) < len(command.answers):
        raise refuse(Code.TOO_MANY, what="answers to one finding", size=2, most=1)
    for answer in command.answers:
        yield _answered(review, answer, review.revision + 1)


def after_revision(scene: Scene) -> Iterator[ReviewEvent]:
    """Apply the rules to a new revision: skip stages, keep reports, escalate when a fix took too many turns."""
    yield from skip_stages(scene)
    if scene.review.revision == 1:
        return
    yield from _kept_by_rule(scene)
    turns = scene.review.current.turns
    for stage in scene.stages():
        if turns is not None and 0 < stage.options.turns_max < turns:
            text = f"The fix took {turns} turns, {stage.options.turns_max} are allowed"
            yield ask_ruling(scene, stage, "turns_used_up", text)
            return


def answer_finding(scene: Scene, command: AnswerFinding, actor: Who) -> Iterator[ReviewEvent]:
    """Reply to one finding without new bytes."""
    check_author(scene.review, actor)
    check_open(scene.review)
    answer = Answer(finding=command.finding, text=command.text, rebuttal=command.rebuttal, evidence=command.evidence)
    yield _answered(scene.review, answer, scene.review.revision)


def withdraw(scene: Scene, command: WithdrawReview, actor: Who) -> Iterator[ReviewEvent]:
    """Withdraw the work, or accept a reviewer's rejection; a human's rejection cannot be withdrawn."""
    check_author(scene.review, actor)
    if scene.review.outcome is not Outcome.REJECTED or scene.review.bound:
        check_open(scene.review)
    check_reason("A withdrawal", command.reason)
    yield ReviewClosed(outcome=Outcome.WITHDRAWN, reason=command.reason)


def _check_work(command: OpenReview | SubmitRevision, facts: Facts) -> None:
    check_filled("The digest", command.digest)
    if command.digest in facts.unseen:
        # Checked before vetoes: a refusal because of a veto would disclose it.
        raise refuse(Code.UNDER_REVIEW, review=facts.unseen[command.digest])
    if command.digest in facts.vetoes:
        raise refuse(Code.VETOED, review=facts.vetoes[command.digest])


def _check_objections(command: OpenReview | SubmitRevision, facts: Facts) -> None:
    """Refuse bytes that another review has an objection to."""
    if command.digest in facts.objections:
        raise objected(facts.objections[command.digest])


def _change_of(scene: Scene, command: SubmitRevision) -> ChangeKind:
    """Classify the change; unchanged bytes are accepted only as a clarification that was requested."""
    review = scene.review
    ruling = review.ruling()
    if ruling is not None and ruling.reason != AUTHOR_SILENT:
        raise refuse(Code.RULING_PENDING, request=ruling.id)
    if any(digest == command.digest for _, digest in review.vetoes):
        raise refuse(Code.VETOED, review=review.id)
    if command.digest in review.cleared_digests:
        raise refuse(Code.SAME_DIGEST)
    if command.digest != review.digest:
        stands = objection(review, scene.stages(), command.digest)
        if stands is not None:
            raise objected(stands)
        _check_objections(command, scene.facts)
        # Without a known base a rebase cannot be recognised: everything may have changed.
        return scene.facts.change if scene.facts.base.is_known else ChangeKind.CONTENT
    asked = review.revision_request()
    if review.outcome is not None or asked is None or not asked.clarify:
        raise refuse(Code.SAME_DIGEST)
    check_reason("A clarification", command.note)
    return ChangeKind.CLARIFICATION


def _come_back(scene: Scene, actor: Who) -> ReviewReopened:
    review = scene.review
    if review.outcome not in REVISABLE:
        raise refuse(Code.REVIEW_ENDED, outcome=review.outcome)
    if review.reopenings >= scene.rules.limits.reopenings_max:
        raise refuse(Code.LIMIT_REACHED, what="reopenings", most=scene.rules.limits.reopenings_max)
    return ReviewReopened(reason="a new version", undoes=review.outcome, by=actor)


def _asks_again(review: Review, command: SubmitRevision) -> bool:
    """True if a revision that was returned unreviewed is submitted again unchanged."""
    return review.is_unreviewed and command.digest == review.digest


def _is_prompted(review: Review) -> bool:
    """True if the author has a pending request, or the current revision was judged against."""
    return review.is_doubted or review.revision_request() is not None or review.ruling() is not None


def _may_try_again(scene: Scene, change: ChangeKind, *, prompted: bool) -> bool:
    asked = scene.review.revision_request()
    if not prompted:
        return scene.remaining() > 0 and scene.review.unprompted < UNPROMPTED_MAX
    return change is ChangeKind.CLARIFICATION or scene.remaining() > 0 or (asked is not None and bool(asked.ordered_by))


def _used_up(scene: Scene, speaking: StageJudgement, *, prompted: bool) -> Iterator[ReviewEvent]:
    """Handle one attempt too many; refuse it if a tie-break reviewer was already asked."""
    if not prompted:
        text = "Another version came before the last one was judged, and no attempts are left"
        yield ask_ruling(scene, speaking.stage, "attempts_used_up", text)
        return
    ends = tuple(exhausted(scene, scene.assess(), speaking, speaking.judgement))
    if not ends:
        raise refuse(Code.LIMIT_REACHED, what="resubmissions", most=scene.review.resubmissions)
    yield from ends


def _answered(review: Review, answer: Answer, revision: int) -> FindingAnswered:
    finding = finding_of(review, answer.finding)
    check_filled("The answer", answer.text)
    if finding.standing is not Standing.OPEN:
        raise refuse(Code.NOT_OPEN, finding=finding.id, standing=finding.standing)
    return FindingAnswered(
        finding=finding.id, revision=revision, text=answer.text, rebuttal=answer.rebuttal, evidence=answer.evidence
    )


def _kept_by_rule(scene: Scene) -> Iterator[ReviewEvent]:
    """Keep reports where the policy says so and what the seat saw is unchanged; never for a veto seat.

    Programs are not included: they judge all of the bytes, and those have changed.
    """
    review, change = scene.review, scene.review.current.change
    for seat in review.seats.values():
        stage = scene.stage(seat.stage)
        if stage is None or seat.veto or change not in stage.options.keeps or seat.reported != review.revision - 1:
            continue
        report = review.reports.get((seat.id, seat.reported))
        if report is None or report.reviewer.kind is WhoKind.PROGRAM:
            continue
        unchanged = change is not ChangeKind.CONTENT or seat.id in scene.facts.unchanged_seats
        unchanged = unchanged and not review.blocking_of(seat.id, stage.options.blocking)
        if unchanged and report.verdict in (None, Verdict.APPROVE) and report.reviewer == seat.reviewer:
            yield ReportKept(seat=seat.id, revision=review.revision, digest=review.digest, by=KeptBy.RULE)


def _paths(parts: tuple[WorkPart, ...]) -> tuple[str, ...]:
    return tuple([part.name for part in parts])
