"""Findings that a review takes over from other reviews of the same party, because their text stands in its bytes.

They are findings of a stage of their own, which no policy names and every review with such findings must pass. No seat
holds them: whoever raised one settles it, here or where it was raised, and a human waives it or passes the stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foureyes.core.events.findings import FindingInherited
from foureyes.core.gates.inherited import Inherited
from foureyes.core.model import Finding
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.values import Place, Severity

#: The stage and the seat that inherited findings name; no policy can call anything so, as a space is in the name.
STAGE, SEAT = "inherited findings", "inherited"
#: A review takes over at most so many, the gravest first; with more it is not opened.
INHERITED_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheritable:
    """A finding that stands in another review of the same party, and where its text is in the bytes at hand."""

    review: str
    finding: Finding
    place: Place | None = None
    #: The hash of the text it stands on; empty where all of the work is.
    text: str = ""
    veto: bool = False
    #: Whoever asks does not see everything of that review yet, so it must not be told here.
    hidden: bool = False

    @property
    def origin(self) -> tuple[str, str]:
        """The review where it was raised, and its id there."""
        one = self.finding
        return (one.review, one.source) if one.source else (self.review, one.id)

    def event(self, name: str, revision: int) -> FindingInherited:
        """How it is taken over into a revision under this name."""
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
    """The stage behind all others, under the options of the last one: whoever decides there decides here too."""
    options = stages[-1].options if stages else Options(style=Style.SOLO)
    waives = bool(stages) and all(one.options.person_waives for one in stages)
    mine = replace(options, blocking=Severity.MINOR, person_waives=waives)
    return Stage(name=STAGE, seats=(), gates=(Inherited(),), options=mine)
