"""Computes the verdict of a report from its findings and checklist, not from the word the reviewer chose.

That word was checked against its own grounds before it came here; it only matters for how many minor findings are too
many. What only the gate knows, it says by refusing.
"""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.reviewers import Look
from foureyes.core.checks import severity_of
from foureyes.core.commands import Draft, Settlement, SubmitReport
from foureyes.core.model import Finding
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Stage, Style
from foureyes.core.values import Severity, Verdict

#: Styles in which a verdict against the work is a rejection; in the others a rejection would end too much.
REJECTING = frozenset({Style.CHAIN, Style.PANEL})


def verdict_of(
    stage: Stage, look: Look, findings: tuple[Draft, ...], own: list[Finding], settled: tuple[Settlement, ...]
) -> str | None:
    """Return the verdict in this stage; `own` are the seat's earlier findings, `settled` its settlements of them."""
    if not stage.options.votes:
        return None
    if look.unclear and stage.options.style is Style.CHAIN:
        # A layer that could not judge has not approved; the next one must not be asked.
        return Verdict.REJECT
    least = stage.options.blocking
    grave = any(severity_of(one.severity) >= least for one in findings)
    resolved = {one.finding for one in settled if one.resolved}
    standing = any(one.blocks(least) and one.id not in resolved for one in own)
    failed = any(not one.passed for one in look.checklist)
    if grave or standing or failed or _many_minors(stage, look, findings):
        return Verdict.REJECT if stage.options.style in REJECTING else Verdict.CONCERNS
    return Verdict.APPROVE


def corrected(report: SubmitReport, refusal: Refusal, look: Look) -> SubmitReport | None:
    """Return the report with a verdict that the gate accepts, if it knows what a reviewer cannot.

    None if there is none.

    Only the gate knows which findings are advisory by now, and whether one of the seat's own still blocks. A reviewer
    who could not judge never gets an approval by this.
    """
    match refusal.code:
        case Code.GROUND_MISSING if not look.unclear:
            return replace(report, verdict=Verdict.APPROVE)
        case Code.OWN_FINDING_BLOCKS:
            return replace(report, verdict=Verdict.CONCERNS)
        case _:
            return None


def _many_minors(stage: Stage, look: Look, findings: tuple[Draft, ...]) -> bool:
    """True if there are more minor findings than the style allows and the reviewer doubts the work for them."""
    doubts = look.verdict in (Verdict.CONCERNS, Verdict.REJECT) or stage.options.style is Style.PEER
    minors = sum(severity_of(one.severity) is Severity.MINOR for one in findings)
    return doubts and minors > stage.options.minor_max
