"""Objections follow the bytes. Invariant U03: an objection of one review to a version holds for every other."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Finding, Review
from tests.sim.checker.shapes import SEVERITY, Delivered, Json
from tests.sim.checker.world import World

Texts = Iterator[str]


def u03_objected_bytes_enter_nowhere(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """A version with an objection enters no other review, and not its own again."""
    digest = body["digest"]
    if review.revisions and digest == review.digest:
        return
    for stream in sorted(world.holders.get(digest, ())):
        for why in standing(world, world.reviews[stream], digest):
            yield f"{digest} was taken although {stream} has {why} against it"


def u03_objected_bytes_do_not_go_live(world: World, _review: Review, body: Json, _step: Delivered) -> Texts:
    """A clearance is not valid while another review has an objection to the same bytes."""
    for stream in sorted(world.holders.get(body["digest"], ())):
        for why in standing(world, world.reviews[stream], body["digest"]):
            yield f"{body['digest']} went live although {stream} has {why} against it"


def standing(world: World, review: Review, digest: str) -> Texts:
    """Blocking findings of a review that were not lifted for these bytes, and a rejection."""
    if digest in review.cleared:
        return
    if review.outcome == "rejected" and review.digest == digest:
        yield "a rejection"
    numbers = [one.number for one in review.revisions if one.digest == digest]
    for finding in review.findings.values():
        if any(_stands(world, review, finding, number, digest) for number in numbers):
            yield finding.id


def _stands(world: World, review: Review, finding: Finding, number: int, digest: str) -> bool:
    stage = world.stage(review, finding.stage)
    if stage is None or finding.advisory or finding.suppressed or finding.refuted or finding.standing == "waived":
        return False
    if finding.severity < SEVERITY[stage.blocking] or finding.revision > number:
        return False
    if (finding.stage, number) in review.overridden:
        return False
    resolved_number, resolved_digest = finding.resolved_on
    return finding.standing != "resolved" or (resolved_number > number and resolved_digest != digest)


def u03_no_text_is_shed(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """No clearance while another review of the author has a finding on text in this work that is not settled here."""
    work, taken = world.works.get(body["digest"]), {one.origin: one for one in review.findings.values()}
    for stream, other in world.reviews.items() if work else ():
        if stream == review.id or other.author.get("name") != review.author["name"]:
            continue
        for finding in other.findings.values():
            origin = (stream.removeprefix("review/"), finding.id)
            if finding.origin[0] or not _is_in(world, other, finding, body["digest"]):
                continue
            if not _holds(world, other, finding):
                continue
            mine = taken.get(origin)
            passed = mine is not None and (mine.stage, review.number) in review.overridden
            if mine is None or (mine.standing not in ("resolved", "waived") and not passed):
                yield f"{finding.id} of {stream} stands on text of {body['digest']}, which was cleared"


def _is_in(world: World, review: Review, finding: Finding, digest: str) -> bool:
    raised, work = world.works.get(review.revisions[finding.revision - 1].digest), world.works[digest]
    if raised is None or not raised.family or not finding.path:
        return False
    return raised.family == work.family and finding.path in work.paths


def _holds(world: World, review: Review, finding: Finding) -> bool:
    """Whether it was neither settled, overridden nor cleared on a version that has its text."""
    stage = world.stage(review, finding.stage)
    if stage is None or finding.advisory or finding.suppressed or finding.refuted or finding.standing == "waived":
        return False
    raised = review.revisions[finding.revision - 1].digest
    same = [one for one in review.revisions if one.digest == raised or finding.id in one.keeps]
    if finding.severity < SEVERITY[stage.blocking] or any(one.digest in review.cleared for one in same):
        return False
    if any((finding.stage, one.number) in review.overridden for one in same):
        return False
    return finding.standing != "resolved" or finding.resolved_on[0] not in [one.number for one in same]
