"""Planted bugs that make a finding harmless that is not, or lose it."""

from __future__ import annotations

from dataclasses import replace

from foureyes.core.checks import finding_of
from foureyes.core.commands import Answer, Draft
from foureyes.core.events import FindingAnswered, FindingRaised, FindingVerified, ReportSubmitted
from foureyes.core.gates import Resolved
from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Finding, Review, Seat
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Severity, Standing, Verdict, Verification
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.evidence:check_evidence", source="U-04", found_by="U04")
def an_approval_needs_no_words(_original: Function, *_given: object) -> None:
    """An approval without evidence counts."""


@bug("foureyes.core.citations:check_places", source="U-06", found_by="U06")
def places_are_made_up(_original: Function, *_given: object) -> None:
    """A finding in a file that does not exist is accepted."""


@bug("foureyes.core.model:Finding.blocks", source="S13", found_by="I3")
def a_dispute_does_not_block(original: Function, finding: Finding, at_least: Severity) -> bool:
    """The author answers every finding and goes live."""
    return finding.standing is Standing.OPEN and bool(original(finding, at_least))


@bug("foureyes.core.model:Finding.is_settled", source="S13", found_by="I3", seed=3)
def addressed_is_resolved(original: Function, finding: Finding) -> bool:
    """A rebuttal settles a finding without its seat."""
    return bool(original(finding)) or (finding.standing is Standing.ANSWERED and finding.rebuttal)


@bug("foureyes.core.gates.resolved:Resolved.judge", source="S18", found_by="I3")
def a_lone_concern_lets_the_work_go_on(original: Function, gate: Resolved, review: Review, stage: Stage) -> Judgement:
    """One unsettled finding is logged, and the work goes live with it."""
    unsettled = [one for one in review.findings_of(stage.name) if one.blocks(gate.at_least)]
    found: Judgement = original(gate, review, stage)
    return Judgement(move=Move.PASS, reason="one concern") if len(unsettled) == 1 else found


@bug("foureyes.core.model:Review.findings_of", source="own mutation", found_by="I3")
def a_new_version_forgets(original: Function, review: Review, stage: str) -> list[Finding]:
    """Findings on older versions are ignored."""
    return [one for one in original(review, stage) if one.revision == review.revision]


@bug("foureyes.core.model:Finding.blocks", source="own mutation", found_by="I3")
def the_least_severity_does_not_count(original: Function, finding: Finding, at_least: Severity) -> bool:
    """Off by one: only what is graver than the limit blocks."""
    return finding.severity > at_least and bool(original(finding, at_least))


@bug("foureyes.core.drafts:_advice", source="Y4", found_by="Y4")
def late_is_late_for_everybody(_original: Function, scene: Scene, stage: Stage, seat: Seat, *_rest: object) -> str:
    """Late findings of a veto seat or a program, and critical ones, are only advice."""
    return "late" if scene.review.revision > 1 and seat.reported and stage.options.late_is_advisory else ""


@bug("foureyes.core.drafts:_advice", source="Y5", found_by="Y4")
def the_floor_holds_in_the_first_round(original: Function, *given: object) -> str:
    """Findings below the floor are advice from the first round on."""
    draft = given[-1]
    low = isinstance(draft, Draft) and draft.severity in ("minor", "nit")
    return "below the floor" if low else str(original(*given))


@bug("foureyes.core.lessons:applies", source="S22", found_by="P12", seed=2)
def a_dismissal_silences_everything(_original: Function, suppression: object, **named: object) -> bool:
    """A dismissed finding suppresses every finding at its place, also critical ones and those of a veto seat."""
    return getattr(suppression, "context_hash", "") == named["context_hash"] != ""


@bug("foureyes.core.lessons:_expired", source="S22", found_by="P12", seed=2)
def a_dismissal_never_expires(_original: Function, *_given: object) -> bool:
    """A false positive is remembered for ever."""
    return False


@bug("foureyes.core.evolve.lifecycle:revision_submitted", source="S21", found_by="I3", seed=20)
def a_failed_stage_discards_the_findings_of_others(original: Function, review: Review, event: object) -> Review:
    """When one stage fails, the others' findings on that version are discarded, critical ones too."""
    found: Review = original(review, event)
    failed = {review.seats[one.seat].stage for one in review.reports.values() if one.verdict is Verdict.REJECT}
    findings = {
        key: replace(one, advisory="discarded") if failed - {one.stage} else one for key, one in found.findings.items()
    }
    return replace(found, findings=findings)


@bug("foureyes.core.evolve.findings:finding_verified", source="D-11", found_by="I3", seed=14)
def who_verifies_refutes(original: Function, review: Review, event: FindingVerified) -> Review:
    """Any answer of a verifying seat makes a finding advice."""
    found: Review = original(review, replace(event, result=Verification.REFUTED))
    return found


@bug("foureyes.core.drafts:raise_draft", source="S15", found_by="S2")
def findings_count_per_review(original: Function, scene: Scene, *given: object, **named: object) -> FindingRaised:
    """The id of a finding tells a blind reviewer how many others there are."""
    found: FindingRaised = original(scene, *given, **named)
    return replace(found, finding=f"{found.seat}-F{len(scene.review.findings) + 1}")


@bug("foureyes.core.answers.author:_answered", source="own mutation", found_by="A1", seed=11)
def settled_findings_are_answered(
    _original: Function, review: Review, answer: Answer, revision: int
) -> FindingAnswered:
    """An answer reopens a finding that its seat had settled."""
    finding_of(review, answer.finding)
    return FindingAnswered(
        finding=answer.finding, revision=revision, text=answer.text, rebuttal=answer.rebuttal, evidence=answer.evidence
    )


@bug("foureyes.core.claims:_check_approval", source="Y15", found_by="Y15")
def approval_beside_an_own_finding(_original: Function, _scene: Scene, _stage: Stage, report: ReportSubmitted) -> None:
    """A reviewer approves and blocks in the same report."""
    assert report.verdict is Verdict.APPROVE
