"""Settle a review after a command: the first stage that does not pass decides who is asked next.

An open review is always left with a pending request that has an addressee and a due time: if nothing else fits, a human
is asked what to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core.answers.inheriting import before_clearance
from foureyes.core.asks import ask_answers, ask_revision, ask_seats, escalate, lapse
from foureyes.core.assess import Assessment, StageJudgement
from foureyes.core.events import (
    ReportRequested,
    ReviewCleared,
    ReviewClosed,
    ReviewEvent,
    RevisionRequested,
    RulingRequested,
)
from foureyes.core.gates import Quorum
from foureyes.core.independence import level
from foureyes.core.inherited import STAGE
from foureyes.core.judgement import Judgement, Move, Owed, Owing
from foureyes.core.kinds import are
from foureyes.core.model import Review, RevisionRequest, RulingRequest
from foureyes.core.options import NO_WAY_THROUGH, OBJECTED_ELSEWHERE, UNHEARD
from foureyes.core.parties import ONE_OPERATOR, believed, is_one_operator
from foureyes.core.rules import Exhausted, Stage
from foureyes.core.scene import Scene
from foureyes.core.stages import tie_breaking, vouching
from foureyes.core.values import ClearedBy, Outcome, Part, Who

ROUNDS_MAX = 24

#: Reasons of ruling requests that stay pending until they are answered, even if every stage passes.
LASTING = frozenset({*NO_WAY_THROUGH, "turns_used_up", UNHEARD})

#: Events that change no judgement, so that settling can stop after them.
ASKING = (ReportRequested, RevisionRequested, RulingRequested)


def settle(scene: Scene, *, rounds_max: int = ROUNDS_MAX) -> tuple[tuple[ReviewEvent, ...], Review]:
    """Settle the review until it has ended or waits for a request; return the events and the review after them."""
    events: list[ReviewEvent] = []
    for _ in range(rounds_max):
        new = tuple(_next(scene))
        if not new:
            return tuple(events), scene.review
        events += new
        scene = scene.after(new)
        if all(isinstance(one, ASKING) for one in new):
            return tuple(events), scene.review
    message = f"review {scene.review.id} does not come to rest"
    raise RuntimeError(message)


def _next(scene: Scene) -> Iterator[ReviewEvent]:
    review = scene.review
    if review.outcome is not None:
        return
    assessment = scene.assess()
    ruling = review.ruling()
    if ruling is not None:
        if _cause_is_gone(ruling, assessment):
            yield lapse(ruling.id, "what a human was asked about is settled")
        return
    if assessment.speaking is None:
        if not _is_ordered(review.revision_request()):
            yield from _clear(scene, assessment)
        return
    speaking = assessment.speaking
    judgement = _heard(scene, speaking)
    asked = review.revision_request()
    if asked and not _is_needed(asked, speaking, judgement):
        yield lapse(asked.id, "what asked for it no longer does")
        return
    new = tuple(_act(scene, assessment, speaking, judgement))
    yield from new
    if not new and not review.requests:
        text = f"Nobody can act: {judgement.reason or speaking.judgement.reason}"
        yield from escalate(scene, speaking.stage, "nobody_can_act", text, judgement)


def _cause_is_gone(ruling: RulingRequest, assessment: Assessment) -> bool:
    """True if the stage that needed a human's decision now passes without one.

    Requests about a veto, by a person, or not caused by a stage stay pending until a human decides.
    """
    asked = bool(ruling.by) and ruling.reason != "creator_disagrees"
    if asked or ruling.veto or ruling.reason in LASTING:
        return False
    judged = next((one for one in assessment.stages if one.stage.name == ruling.stage), None)
    return judged is not None and judged.judgement.move is Move.PASS


def _is_ordered(asked: RevisionRequest | None) -> bool:
    """True if a human, or the clock in their place, ordered new bytes; then nothing clears the old ones."""
    return asked is not None and bool(asked.ordered_by)


def _heard(scene: Scene, speaking: StageJudgement) -> Judgement:
    """The stage's judgement without the escalations that a human has answered on this revision."""
    if not scene.review.ruled or speaking.judgement.move is not Move.ESCALATE:
        return speaking.judgement
    name, revision = speaking.stage.name, scene.review.revision
    rest = [
        one.judgement
        for one in speaking.gates
        if one.judgement.move is not Move.ESCALATE
        or (name, revision, one.gate, one.judgement.findings) not in scene.review.ruled
    ]
    return max(rest, key=lambda one: one.move, default=Judgement(move=Move.PASS))


def _is_needed(asked: RevisionRequest, speaking: StageJudgement, judgement: Judgement) -> bool:
    """True if a pending request to the author still has its cause; one ordered by a human always has."""
    if asked.ordered_by or judgement.move >= Move.ESCALATE:
        return True
    if asked.stage != speaking.stage.name:
        return False
    if asked.answers:
        return judgement.move is Move.WAIT and bool(_answers_owed(speaking))
    return judgement.move in (Move.REVISE, Move.CLARIFY)


def _act(scene: Scene, assessment: Assessment, speaking: StageJudgement, judgement: Judgement) -> Iterator[ReviewEvent]:
    asked = scene.review.revision_request()
    if asked and asked.ordered_by:
        return
    stage, said = speaking.stage, judgement.reason
    if judgement.move is Move.WAIT:
        yield from _wait(scene, speaking)
    elif judgement.move is Move.CLARIFY and not asked:
        yield from _clarify(scene, speaking, judgement)
    elif judgement.move is Move.REVISE and not asked:
        yield from _revise(scene, assessment, speaking, judgement)
    elif judgement.move is Move.ESCALATE:
        yield from escalate(scene, stage, _word(speaking, judgement), said, judgement)
    elif judgement.move is Move.REJECT:
        if (scene.review.author.name, scene.review.revision) in scene.review.asked:
            yield from escalate(scene, stage, "creator_disagrees", said, judgement)
        else:
            yield ReviewClosed(outcome=judgement.outcome, reason=said, requirements=assessment.requirements())


def _word(speaking: StageJudgement, judgement: Judgement) -> str:
    """The stable reason of an escalation: the name of the gate that asked for it."""
    return next(one.gate for one in speaking.gates if one.judgement is judgement) if speaking.gates else "no_gates"


def _owed(speaking: StageJudgement) -> list[Owed]:
    return [owed for one in speaking.gates if one.judgement.move is Move.WAIT for owed in one.judgement.owes]


def _answers_owed(speaking: StageJudgement) -> tuple[str, ...]:
    """The findings the author should answer; in stages with verdicts only once all reports are in."""
    owed = _owed(speaking)
    if speaking.stage.options.votes and Owing.REPORT in [one.what for one in owed]:
        return ()
    return tuple(dict.fromkeys([f for one in owed if one.what is Owing.ANSWER for f in one.findings]))


def _wait(scene: Scene, speaking: StageJudgement) -> Iterator[ReviewEvent]:
    answers = _answers_owed(speaking)
    if answers:
        yield from ask_answers(scene, speaking.stage, answers, speaking.judgement.reason)
    asked = tuple(ask_seats(scene, speaking.stage, [one for one in _owed(speaking) if one.what is not Owing.ANSWER]))
    yield from asked
    if scene.review.revision == 1 and not any(isinstance(one, RulingRequested) for one in asked):
        yield from _ask_early(scene, speaking)


def _ask_early(scene: Scene, speaking: StageJudgement) -> Iterator[ReviewEvent]:
    """On the first revision, ask the following early stages together with the current one."""
    stages = scene.stages()
    behind = stages[stages.index(speaking.stage) + 1 :]
    for stage in behind:
        if not stage.early or (stage.name, 1) in scene.review.overridden or (stage.name, 1) in scene.review.skipped:
            return
        seats = [stage.seat_id(i) for i, rule in enumerate(stage.seats) if rule.part is Part.JUDGE]
        new = [Owed(what=Owing.REPORT, seat=seat) for seat in seats if scene.review.report_of(seat) is None]
        asked = tuple(ask_seats(scene, stage, new))
        yield from asked
        if any(isinstance(one, RulingRequested) for one in asked):
            return


def _clarify(scene: Scene, speaking: StageJudgement, judgement: Judgement) -> Iterator[ReviewEvent]:
    """Ask for a clarification of these bytes once; the second time escalate."""
    *earlier, current = scene.review.revisions
    if any(one.digest == current.digest for one in earlier):
        yield from escalate(scene, speaking.stage, "still_unclear", f"Still unclear: {judgement.reason}", judgement)
        return
    yield ask_revision(scene, speaking.stage, judgement, clarify=True)


def _revise(
    scene: Scene, assessment: Assessment, speaking: StageJudgement, judgement: Judgement
) -> Iterator[ReviewEvent]:
    if scene.remaining() > 0:
        yield ask_revision(scene, speaking.stage, judgement)
    else:
        yield from exhausted(scene, assessment, speaking, judgement)


def exhausted(
    scene: Scene, assessment: Assessment, speaking: StageJudgement, judgement: Judgement
) -> Iterator[ReviewEvent]:
    """Handle used-up attempts as the stage says: shelve, reject, return to the author, or escalate."""
    closes = {
        Exhausted.SHELVE: Outcome.SHELVED,
        Exhausted.RETURN_ERROR: Outcome.REJECTED,
        Exhausted.RETURN_TO_AUTHOR: Outcome.RETURNED,
    }
    outcome = closes.get(speaking.stage.options.exhausted)
    reason = f"No attempts left: {judgement.reason}"
    if outcome is None:
        yield from escalate(scene, speaking.stage, "attempts_used_up", reason, judgement)
    else:
        yield ReviewClosed(outcome=outcome, reason=reason, requirements=assessment.requirements())


def _clear(scene: Scene, assessment: Assessment) -> Iterator[ReviewEvent]:
    """Clear exactly these bytes after all stages pass, unless there is a veto on them or nobody else reviewed them."""
    review, rules = scene.review, scene.rules
    last = scene.stages()[-1] if scene.stages() else None
    if last is None:
        yield from escalate(scene, None, "no_stages", "No rule says how this is reviewed, so it cannot pass")
        return
    if any(digest == review.digest for _, digest in review.vetoes) or review.digest in scene.facts.vetoes:
        yield from escalate(scene, last, "vetoed_elsewhere", "A veto stands on exactly these bytes")
        return
    came, is_hidden = before_clearance(scene)
    if came:
        yield from came
        return
    if is_hidden:
        yield from escalate(scene, last, OBJECTED_ELSEWHERE, "Another review of the same text has not ended yet")
        return
    reviewers = _vouchers(scene, assessment)
    if not reviewers and any(one.status == "judged" and one.stage.name != STAGE for one in assessment.stages):
        yield from escalate(scene, last, "nobody_vouched", "Nobody but the author has looked at this version")
        return
    yield ReviewCleared(
        digest=review.digest,
        revision=review.revision,
        by=_cleared_by(scene, assessment),
        level=_level(scene, reviewers, _needed(assessment)) if reviewers else 0,
        flags=(*assessment.flags, *_party_flags(scene, assessment)),
        requirements=assessment.requirements(),
        single_use=are(review.kinds, rules.single_use_kinds),
        expires=scene.now + rules.clearance_expires if rules.clearance_expires else None,
    )


def _needed(assessment: Assessment) -> int:
    """The number of reviewers of the strictest quorum, for which the level of independence is computed."""
    gates = (gate for one in assessment.stages if one.status == "judged" for gate in one.stage.gates)
    return max((gate.reviewers for gate in gates if isinstance(gate, Quorum)), default=1)


def _level(scene: Scene, reviewers: list[Who], needed: int) -> int:
    """The level of independence reached, without facts that only a service states about its agents."""
    review, facts = scene.review, scene.facts
    makers = [believed(facts, one) for one in review.contributors]
    return level(believed(facts, review.author), [believed(facts, one) for one in reviewers], needed, makers)


def _party_flags(scene: Scene, assessment: Assessment) -> tuple[str, ...]:
    judged = [one.stage for one in assessment.stages if one.status == "judged"]
    shared = any(is_one_operator(scene, stage, _vouchers_of(scene, stage)) for stage in judged)
    return (ONE_OPERATOR,) if shared else ()


def _vouchers(scene: Scene, assessment: Assessment) -> list[Who]:
    judged = [one.stage for one in assessment.stages if one.status == "judged"]
    return list({who.name: who for stage in judged for who in _vouchers_of(scene, stage)}.values())


def _vouchers_of(scene: Scene, stage: Stage) -> list[Who]:
    reports = (*vouching(scene.review, stage), *tie_breaking(scene.review, stage))
    return [one.reviewer for one in reports]


def _cleared_by(scene: Scene, assessment: Assessment) -> ClearedBy:
    statuses = {one.status for one in assessment.stages}
    if "overridden" in statuses:
        return ClearedBy.HUMAN
    if "skipped" not in statuses:
        return ClearedBy.GATES
    skips = [one for (_, number), one in scene.review.skipped.items() if number == scene.review.revision]
    return ClearedBy.TRUST if any(one.enabled_by for one in skips) else ClearedBy.POLICY
