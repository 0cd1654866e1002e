"""Match the findings of a stage's seats and record the result once all its reports are in."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core.events import FindingsMatched, ReviewEvent
from foureyes.core.gates import Agreement
from foureyes.core.matching import MATCHER, match
from foureyes.core.matching.contradictions import Checked
from foureyes.core.matching.places import Comparable
from foureyes.core.model import Finding
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.stages import missing


def match_stage(scene: Scene, stage: Stage) -> Iterator[ReviewEvent]:
    """Compare the findings of a stage that asks for agreement, when its last report is in."""
    review = scene.review
    asking = [gate for gate in stage.gates if isinstance(gate, Agreement)]
    if not asking or missing(review, stage):
        return
    live = [one for one in review.findings_of(stage.name) if not one.is_settled and not one.is_advisory]
    checked = [
        Checked(
            seat=report.seat,
            text=f"{one.what} {one.why}",
            path=one.place.path if one.place else "",
            start=one.place.start if one.place else 0,
            end=one.place.end if one.place else 0,
        )
        for report in review.reports_in(stage.name)
        for one in report.evidence
    ]
    found = match([comparable(one) for one in live], checked)
    yield FindingsMatched(
        stage=stage.name,
        revision=review.revision,
        groups=found.groups,
        contradictions=found.contradictions,
        uncertain=found.uncertain,
        matcher=MATCHER,
    )


def comparable(finding: Finding) -> Comparable:
    """The fields of a finding that matching compares."""
    place = finding.place
    return Comparable(
        id=finding.id,
        seat=finding.seat,
        path=place.path if place else "",
        start=place.start if place else 0,
        end=place.end if place else 0,
        category=finding.category,
        severity=finding.severity,
        text=finding.text,
        suggestion=finding.suggestion,
    )
