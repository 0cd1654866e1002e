"""Which reviewers vouch for the bytes, and which stages are exempt; shared by several invariants of going live."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Counted, Finding, Review
from tests.sim.checker.shapes import SEVERITY, Policy, StagePolicy, Who, differ
from tests.sim.checker.world import World


def exempt(world: World, review: Review, stage: StagePolicy, policy: Policy) -> bool:
    """Whether a human passed the stage on this very revision, or a recorded skip that this policy allows covers it."""
    key = (stage.name, review.number)
    if key in review.overridden:
        return True
    skip = review.skipped.get(key)
    if skip is None or stage.has_veto:
        return False
    work = world.works.get(review.digest)
    return policy.may_skip(review.kind, work, review.context, learned=bool(skip["pattern"]))


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
    """Reviewers without a part in the work who do not object to these bytes, a tie-break reviewer included."""
    reports = counted_in(review, stage.name)
    if not stage.has_veto:
        reports = [*reports, *(one for one in counted_in(review, stage.name, "tie_break") if one.verdict == "approve")]
    return [
        report.who
        for report in reports
        if report.verdict in (None, "approve") and report.who["name"] not in review.contributors
    ]


def count_distinct(who: list[Who], stage: StagePolicy, author: Who) -> int:
    """How many differ in the demanded fact from each other and from the author; an unknown fact never differs."""
    key = "name" if stage.distinct == "reviewer" else stage.distinct
    minds = [one for one in who if stage.programs or one["kind"] != "program"]
    return len({one[key] for one in minds if one[key] and one[key] != author[key]})


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
        against -= {one.name for one in layers if exempt(world, review, one, policy)}
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
    """Why a stage is not passed for these bytes; empty if it is."""
    # A human who accepted an earlier step of a panel is not asked again if the models find nothing after it.
    taken = {name for name in stage.agreed if (name, review.number) in review.overridden}
    if stage.human and not taken:
        return f"{stage.name} is a human's to pass and no human did"
    if tie_broken(review, stage):
        return ""
    reports = counted_in(review, stage.name)
    if stage.vote != "none":
        asked = sum(one.get("part", "judge") == "judge" for one in stage.seats)
        seats = [f"{stage.name}.{index + 1}" for index in range(asked)]
        silent = [one for one in seats if (one, review.number) not in review.counted]
        if silent:
            return f"seats {silent} of {stage.name} have not reported on this revision"
    doubt = _doubt(stage, reports) if stage.vote != "none" and stage.name not in lost else ""
    return doubt or _short(review, stage, reports)


def _doubt(stage: StagePolicy, reports: list[Counted]) -> str:
    doubts = [one for one in reports if one.verdict in ("concerns", "reject")]
    if stage.vote == "tally" and len(doubts) == 1 and doubts[0].verdict == "concerns":
        return ""
    return f"{doubts[0].who['name']} says {doubts[0].verdict} in {stage.name}" if doubts else ""


def _short(review: Review, stage: StagePolicy, reports: list[Counted]) -> str:
    """What an approval lacks: confidence, the checklist, coverage, agreement of the models."""
    wanted = stage.criteria.get(review.kind, stage.criteria.get("", ()))
    for one in reports:
        name = one.who["name"]
        if one.coverage < stage.coverage:
            return f"{name} read {one.coverage} % in {stage.name}"
        if stage.confidence_min and (one.confidence is None or one.confidence < stage.confidence_min):
            return f"{name} is {one.confidence} % sure in {stage.name}"
        if not one.passed.issuperset(wanted):
            return f"{name} did not pass {sorted(set(wanted) - one.passed)} in {stage.name}"
        if any(not differ(fact, one.who, review.author) for fact in stage.of_author):
            return f"{name} is not independent of the author in {stage.of_author}"
    taken = {name for name in stage.agreed if (name, review.number) in review.overridden}
    names = [name for name in stage.agreed if name not in taken]
    at_odds = [one for name in names for one in review.contradicted.get((name, review.number), ())]
    return f"the models contradict each other about {at_odds}" if at_odds else ""


def independent(review: Review, stage: StagePolicy, who: list[Who]) -> str:
    """The demanded independence that is missing; empty if none is."""
    for index, one in enumerate(who):
        for fact in stage.independence:
            for other in (review.author, *who[:index]):
                if not differ(fact, one, other):
                    return f"{one['name']} and {other['name']} do not differ in {fact}"
    return ""
