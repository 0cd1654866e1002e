"""Check that a report's verdict follows from what the report says; findings are facts, a verdict is a claim."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core.checks import verdict_of
from foureyes.core.commands import SubmitReport
from foureyes.core.drafts import Sorted, is_run_here
from foureyes.core.events import ReportSubmitted
from foureyes.core.evidence import check_evidence
from foureyes.core.gates import Consistency, Coverage, Standards
from foureyes.core.gates.standards import Mode
from foureyes.core.grounds import NAMED_GROUNDS, REJECT_GROUNDS
from foureyes.core.model import Finding, Seat
from foureyes.core.refusals import Code, refuse, unknown_word
from foureyes.core.rules import Gate, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Failure, Part, Severity, Verdict, Who

#: The ground used when a reviewer of a source system rejects in their own words without a named ground.
UNNAMED_GROUND = "ground_not_named"
ALLOWED_GROUNDS = (
    "a finding that blocks, a failed criterion, too little confidence, a named ground or too many minor findings"
)

#: Longer summaries are flagged; findings are never cut.
SUMMARY_WORDS_MAX = 200


def read_verdict(stage: Stage, command: SubmitReport) -> tuple[Verdict | None, Failure | None]:
    """The verdict a report claims; an unknown word is refused, an approval without full coverage is inconclusive."""
    unread = command.coverage < _coverage_needed(stage)
    if not stage.options.votes:
        if command.verdict is not None:
            raise refuse(Code.NO_VERDICTS_HERE)
        return None, Failure.INCOMPLETE if unread else None
    if command.verdict is None:
        raise refuse(Code.VERDICT_MISSING)
    verdict = verdict_of(command.verdict)
    if unread and verdict is Verdict.APPROVE:
        return None, Failure.INCOMPLETE
    return verdict, None


def _coverage_needed(stage: Stage) -> int:
    """The required coverage in percent: 100 unless the policy demands less."""
    return max((one.percent for one in stage.gates if isinstance(one, Coverage)), default=100)


def claim_of(
    scene: Scene, stage: Stage, seat: Seat, command: SubmitReport, *, actor: Who, verdict: Verdict | None, found: Sorted
) -> ReportSubmitted:
    """Build the report event after checking every claim in it."""
    _check_criteria(scene, stage, command, actor)
    own = (*_blocking(scene, stage, seat, verdict), *scene.review.inherited_from(actor.name))
    blocking = tuple(one.id for one in own)
    grounds = tuple(_grounds(stage, command))
    report = ReportSubmitted(
        seat=seat.id,
        revision=scene.review.revision,
        digest=scene.review.digest,
        reviewer=actor,
        verdict=verdict,
        grounds=grounds,
        blocking=blocking,
        repeats=found.repeats,
        contradicts=found.contradicts if verdict is not Verdict.APPROVE else (),
        summary=command.summary,
        strengths=command.strengths,
        evidence=command.evidence,
        checklist=command.checklist,
        answers=command.answers,
        confidence=command.confidence,
        coverage=command.coverage,
        cost=command.cost,
        counted=scene.facts.hosts(actor.name),
        flags=("over_limit",) if len(command.summary.split()) > SUMMARY_WORDS_MAX else (),
        served=scene.facts.served,
    )
    if seat.part is Part.COUNSEL:
        return report
    if verdict is Verdict.APPROVE:
        _check_approval(scene, stage, report)
    elif verdict is not None:
        _check_doubt(stage, report)
    _check_substance(scene, stage, command, verdict)
    return report


def _grounds(stage: Stage, command: SubmitReport) -> Iterator[str]:
    for word in command.grounds:
        if word not in (*NAMED_GROUNDS, UNNAMED_GROUND):
            raise refuse(Code.UNKNOWN_WORD, what="A ground", word=word, allowed=NAMED_GROUNDS, field="grounds")
        yield word
    yield from (f"criterion {one.name}" for one in command.checklist if not one.passed)
    if command.confidence is not None and command.confidence < stage.options.confidence_min:
        yield f"confidence {command.confidence}"


def _blocking(scene: Scene, stage: Stage, seat: Seat, verdict: Verdict | None) -> list[Finding]:
    """The seat's blocking findings; with a verdict against the work also its minor ones, if there are too many."""
    own = scene.review.blocking_of(seat.id, stage.options.blocking)
    minors = [one for one in scene.review.findings.values() if one.seat == seat.id and _is_open_minor(one)]
    many = len(minors) > stage.options.minor_max and verdict not in (None, Verdict.APPROVE)
    return list(dict.fromkeys((*own, *minors))) if many else own


def _is_open_minor(finding: Finding) -> bool:
    return finding.severity is Severity.MINOR and not finding.is_settled and not finding.is_advisory


def _check_approval(scene: Scene, stage: Stage, report: ReportSubmitted) -> None:
    """Refuse an approval beside the seat's own blocking finding; checking other seats' findings would leak them."""
    if report.blocking:
        raise refuse(Code.OWN_FINDING_BLOCKS, findings=", ".join(report.blocking))
    standards = next((one for one in stage.gates if isinstance(one, Standards)), None)
    if standards is None:
        return
    least = standards.confidence_min
    if report.confidence is None or report.confidence < least:
        raise refuse(Code.CONFIDENCE_TOO_LOW, least=least, value=report.confidence)
    missing = standards.failed(scene.review.kinds, report.checklist)
    if missing and standards.mode is Mode.STRICT:
        raise refuse(Code.CHECKLIST_INCOMPLETE, names=list(missing))


def _check_doubt(stage: Stage, report: ReportSubmitted) -> None:
    if stage.options.names_reject_grounds and report.verdict is Verdict.REJECT:
        if not set(report.grounds) & {*REJECT_GROUNDS, UNNAMED_GROUND}:
            raise refuse(Code.GROUND_MISSING, verdict="A rejection", allowed=", ".join(REJECT_GROUNDS))
        return
    clarifies = bool(report.contradicts) and _has(stage.gates, Consistency)
    if not (report.blocking or report.grounds or clarifies):
        raise refuse(Code.GROUND_MISSING, verdict="A verdict against the work", allowed=ALLOWED_GROUNDS)


def _check_substance(scene: Scene, stage: Stage, command: SubmitReport, verdict: Verdict | None) -> None:
    """Require evidence from a report that vouches for the work, and one answer per question of the author."""
    asked = scene.review.questions
    if stage.options.answers and len(command.answers) != len(asked):
        raise refuse(Code.ANSWERS_MISMATCH, wanted=len(asked), got=len(command.answers))
    if verdict is Verdict.APPROVE:
        check_evidence(scene, command, "An approval")
    elif (verdict is None or stage.options.evidence) and not (command.findings or command.settled):
        check_evidence(scene, command, "A report without findings")


def _check_criteria(scene: Scene, stage: Stage, command: SubmitReport, actor: Who) -> None:
    """Refuse a criterion that the standards of this work do not have.

    A stage without standards has no criteria: a reviewer may name a failed one there as a ground, but no passed one.
    """
    standards = next((one for one in stage.gates if isinstance(one, Standards)), None)
    if standards is None:
        passed = [(f"checklist[{number}]", one.name) for number, one in enumerate(command.checklist) if one.passed]
        if passed and not is_run_here(scene, actor):
            field = "checklist" if len(passed) == len(command.checklist) else passed[0][0]
            raise unknown_word("The criterion", passed[0][1], (), field)
        return
    known = [name for one in standards.for_kinds(scene.review.kinds) for name, _ in (*one.required, *one.optional)]
    for number, one in enumerate(command.checklist):
        if one.name not in known:
            raise unknown_word("The criterion", one.name, known, f"checklist[{number}].name")


def _has(gates: tuple[Gate, ...], kind: type) -> bool:
    return any(isinstance(one, kind) for one in gates)
