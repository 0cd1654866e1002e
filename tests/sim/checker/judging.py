"""Who vouches for these bytes, and which stages need nobody? What several invariants of going live ask."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Counted, Finding, Review
from tests.sim.checker.shapes import SEVERITY, Policy, StagePolicy, Who, differ
from tests.sim.checker.world import World


def exempt(review: Review, stage: StagePolicy) -> bool:
    """Whether a human passed the stage on this very revision, or a recorded skip covers it."""
    key = (stage.name, review.number)
    return key in review.overridden or (key in review.skipped and not stage.has_veto)


def counted_in(review: Review, stage: str, part: str = "judge") -> list[Counted]:
    """The reports of a stage's seats that name the current revision and digest and still have a ground."""
    found = []
    for seat in review.seats.values():
        if seat.stage == stage and seat.part == part:
            report = review.counted.get((seat.id, review.number))
            if report is not None and report.digest == review.digest:
                found.append(report)
    return found


def vouching(review: Review, stage: StagePolicy) -> list[Who]:
    """Reviewers without a hand in the work who do not speak against these bytes."""
    return [
        report.who
        for report in counted_in(review, stage.name)
        if report.verdict in (None, "approve") and report.who["name"] not in review.contributors
    ]


def count_distinct(who: list[Who], stage: StagePolicy, author: Who) -> int:
    """How many differ in the demanded fact from each other and from the author; unknown never does."""
    key = "name" if stage.distinct == "reviewer" else stage.distinct
    return len({one[key] for one in who if one[key] and one[key] != author[key]})


def tie_broken(review: Review, stage: StagePolicy) -> bool:
    """Whether a tie-break reviewer approved these bytes; that never stands in for a veto stage."""
    reports = [] if stage.has_veto else counted_in(review, stage.name, "tie_break")
    return any(one.verdict == "approve" and one.who["name"] not in review.contributors for one in reports)


def outvoted(world: World, review: Review, policy: Policy) -> set[str]:
    """Layers of a majority chain that rejected while a strict majority approves."""
    found: set[str] = set()
    for protocol in world.protocols_of(review, policy):
        layers = [stage for stage in protocol.stages if stage.vote == "majority"]
        against = {one.name for one in layers if any(r.verdict != "approve" for r in counted_in(review, one.name))}
        against -= {one.name for one in layers if exempt(review, one)}
        if 2 * (len(layers) - len(against)) > len(layers):
            found |= against
    return found


def blocking(review: Review, stage: StagePolicy) -> Iterator[Finding]:
    """Unsettled findings of a stage that stop the work under its rules."""
    at_least = SEVERITY[stage.blocking]
    for finding in review.findings.values():
        if finding.stage != stage.name or finding.standing in ("resolved", "waived"):
            continue
        if finding.severity >= at_least and not (finding.advisory or finding.suppressed or finding.refuted):
            yield finding


def why_not_passed(review: Review, stage: StagePolicy, lost: set[str]) -> str:
    """What speaks against a stage on these bytes; empty when nothing does."""
    if tie_broken(review, stage):
        return ""
    reports = counted_in(review, stage.name)
    judged = {one.id for one in review.seats.values() if one.stage == stage.name and one.part == "judge"}
    asked = [one for one in stage.seats if one.get("part", "judge") == "judge"]
    silent = [one for one in judged if review.seats[one].required and (one, review.number) not in review.counted]
    if stage.vote != "none" and (silent or len(judged) < len(asked)):
        return f"seats {sorted(silent)} of {stage.name} have not reported on this revision"
    doubts = [one for one in reports if one.verdict in ("concerns", "reject")]
    if stage.vote == "tally" and len(doubts) == 1 and doubts[0].verdict == "concerns":
        return ""
    if stage.vote == "majority" and stage.name in lost:
        return ""
    if doubts:
        return f"{doubts[0].who['name']} says {doubts[0].verdict} in {stage.name}"
    return ""


def independent(review: Review, stage: StagePolicy, who: list[Who]) -> str:
    """Which demanded independence is missing; empty when none is."""
    for index, one in enumerate(who):
        for fact in stage.independence:
            for other in (review.author, *who[:index]):
                if not differ(fact, one, other):
                    return f"{one['name']} and {other['name']} do not differ in {fact}"
    return ""
