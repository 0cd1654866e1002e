"""Does a report's verdict stand on what the report says? Findings are the truth, a verdict is a claim about them."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core.commands import SubmitReport
from foureyes.core.drafts import Sorted
from foureyes.core.events import ReportSubmitted
from foureyes.core.gates import Consistency, Coverage, Standards
from foureyes.core.gates.certainty import SEVERAL_VALID_OPTIONS
from foureyes.core.gates.standards import Mode
from foureyes.core.model import Finding, Seat
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Gate, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Failure, Part, Severity, Verdict, Who

REJECT_GROUNDS = ("fundamental_flaw", "would_break_system", "security_risk", "better_to_start_over")
NAMED_GROUNDS = (*REJECT_GROUNDS, SEVERAL_VALID_OPTIONS)
ALLOWED_GROUNDS = (
    "a finding that blocks, a failed criterion, too little confidence, a named ground or too many minor findings"
)

#: A style that asks for at most this many words in a summary flags a longer one; it never cuts findings.
SUMMARY_WORDS_MAX = 200


def read_verdict(stage: Stage, command: SubmitReport) -> tuple[Verdict | None, Failure | None]:
    """The verdict a report claims; an unknown word, or vouching for what was not read, is inconclusive."""
    unread = command.coverage < _coverage_needed(stage)
    if not stage.options.votes:
        if command.verdict is not None:
            raise refuse(Code.NO_VERDICTS_HERE)
        return None, Failure.INCOMPLETE if unread else None
    if command.verdict is None:
        raise refuse(Code.VERDICT_MISSING)
    word = command.verdict.strip().lower()
    if word not in list(Verdict):
        return None, Failure.MALFORMED
    if unread and word == Verdict.APPROVE:
        return None, Failure.INCOMPLETE
    return Verdict(word), None


def _coverage_needed(stage: Stage) -> int:
    """Everything, unless the policy itself says that less will do."""
    return max((one.percent for one in stage.gates if isinstance(one, Coverage)), default=100)


def claim_of(
    scene: Scene, stage: Stage, seat: Seat, command: SubmitReport, *, actor: Who, verdict: Verdict | None, found: Sorted
) -> ReportSubmitted:
    """The report as it goes into the record, once every claim in it was checked."""
    blocking = tuple(one.id for one in _blocking(scene, stage, seat, verdict))
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
    )
    if seat.part is Part.COUNSEL:
        return report
    if verdict is Verdict.APPROVE:
        _check_approval(scene, stage, report)
    elif verdict is not None:
        _check_doubt(stage, report)
    _check_substance(scene, stage, command)
    return report


def _grounds(stage: Stage, command: SubmitReport) -> Iterator[str]:
    for word in command.grounds:
        if word not in NAMED_GROUNDS:
            raise refuse(Code.UNKNOWN_WORD, what="A ground", word=word, allowed=", ".join(NAMED_GROUNDS))
        yield word
    yield from (f"criterion {one.name}" for one in command.checklist if not one.passed)
    if command.confidence is not None and command.confidence < stage.options.confidence_min:
        yield f"confidence {command.confidence}"


def _blocking(scene: Scene, stage: Stage, seat: Seat, verdict: Verdict | None) -> list[Finding]:
    """The seat's findings that stop the work; beside a doubt also its minor ones, when there are too many of them."""
    own = scene.review.blocking_of(seat.id, stage.options.blocking)
    minors = [one for one in scene.review.findings.values() if one.seat == seat.id and _is_open_minor(one)]
    many = len(minors) > stage.options.minor_max and verdict not in (None, Verdict.APPROVE)
    return list(dict.fromkeys((*own, *minors))) if many else own


def _is_open_minor(finding: Finding) -> bool:
    return finding.severity is Severity.MINOR and not finding.is_settled and not finding.is_advisory


def _check_approval(scene: Scene, stage: Stage, report: ReportSubmitted) -> None:
    """An approval beside an own blocking finding is no approval; others' findings are not asked, that would leak."""
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
        raise refuse(Code.CHECKLIST_INCOMPLETE, names=", ".join(missing))


def _check_doubt(stage: Stage, report: ReportSubmitted) -> None:
    if stage.options.names_reject_grounds and report.verdict is Verdict.REJECT:
        if not set(report.grounds) & set(REJECT_GROUNDS):
            raise refuse(Code.GROUND_MISSING, verdict="A rejection", allowed=", ".join(REJECT_GROUNDS))
        return
    clarifies = bool(report.contradicts) and _has(stage.gates, Consistency)
    if not (report.blocking or report.grounds or clarifies):
        raise refuse(Code.GROUND_MISSING, verdict="A verdict against the work", allowed=ALLOWED_GROUNDS)


def _check_substance(scene: Scene, stage: Stage, command: SubmitReport) -> None:
    """A report that finds and settles nothing says what was checked; the author's questions are answered in pairs."""
    asked = scene.review.questions
    if stage.options.answers and len(command.answers) != len(asked):
        raise refuse(Code.ANSWERS_MISMATCH, wanted=len(asked), got=len(command.answers))
    if not stage.options.evidence or command.findings or command.settled:
        return
    least = scene.rules.limits.evidence_chars_min
    if not any(len(one.what.strip()) >= least and len(one.why.strip()) >= least for one in command.evidence):
        raise refuse(Code.EVIDENCE_MISSING, what="A report without findings")


def _has(gates: tuple[Gate, ...], kind: type) -> bool:
    return any(isinstance(one, kind) for one in gates)
