"""Inherited findings: findings of the party's other reviews on text that is in this review's bytes too.

They belong to a stage of their own, which no policy names and which every review with such findings must pass. No seat
holds them: the raiser settles one, here or where it was raised, or a human waives it or passes the stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foureyes.core.events.findings import FindingInherited
from foureyes.core.gates.inherited import Inherited
from foureyes.core.model import Finding
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.values import Place, Severity

#: The stage and seat of inherited findings; the space in the stage's name rules out a clash with a policy.
STAGE, SEAT = "inherited findings", "inherited"
#: Maximum number of inherited findings per review, the gravest first; a review with more is not opened.
INHERITED_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritable:
    """A finding that stands in another review of the same party, and where its text is in the bytes at hand."""

    review: str
    finding: Finding
    place: Place | None = None
    #: The hash of the text it is about; empty if it is about the whole work.
    text: str = ""
    veto: bool = False
    #: True if the actor may not fully see that review yet, so that the finding must not be disclosed here.
    hidden: bool = False

    @property
    def origin(self) -> tuple[str, str]:
        """The review in which it was raised, and its id there."""
        one = self.finding
        return (one.review, one.source) if one.source else (self.review, one.id)

    def event(self, name: str, revision: int) -> FindingInherited:
        """The event that adds it to a revision under this name."""
        one = self.finding
        review, source = self.origin
        return FindingInherited(
            finding=name,
            review=review,
            source=source,
            raiser=one.raiser,
            revision=revision,
            severity=one.severity,
            severity_word=one.severity_word,
            category=one.category,
            text=one.text,
            fingerprint=one.fingerprint,
            scope=one.scope,
            place=self.place,
            evidence=one.evidence,
            suggestion=one.suggestion,
            rule=one.rule,
            veto=self.veto,
        )


def inherited_stage(stages: Sequence[Stage]) -> Stage:
    """The stage of inherited findings, after all others; it has the last one's options, so the same humans decide."""
    options = stages[-1].options if stages else Options(style=Style.SOLO)
    waives = bool(stages) and all(one.options.person_waives for one in stages)
    mine = replace(options, blocking=Severity.MINOR, person_waives=waives)
    return Stage(name=STAGE, seats=(), gates=(Inherited(),), options=mine)
