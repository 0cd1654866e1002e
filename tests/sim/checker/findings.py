"""A finding is made harmless only for a good reason: decisions Y4, Y5, P12 and the rules of identity."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Review, Seat
from tests.sim.checker.shapes import SEVERITY, Delivered, Json
from tests.sim.checker.world import World

Texts = Iterator[str]


def u06_places_exist(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """A finding is in a file of these bytes, or says that a file is missing."""
    work, place = world.works.get(review.digest), body["place"]
    if work is None or not work.paths or place is None or place["path"].startswith("missing:"):
        return
    if place["path"] not in work.paths:
        yield f"{body['finding']} lies in {place['path']}, which is not in {review.digest}"


def u04_an_approval_says_what_was_checked(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """The evidence has three different words, and names no file that does not exist."""
    if body["verdict"] != "approve" or review.seats[body["seat"]].part == "counsel":
        return
    said = [*(one["why"] for one in body["evidence"]), body["summary"]]
    if not any(len({word for word in text.split() if any(map(str.isalpha, word))}) >= 3 for text in said):
        yield f"{body['seat']} approved and did not say what was checked"
    work = world.works.get(review.digest)
    places = [one["place"]["path"] for one in body["evidence"] if one["place"]]
    if work is not None and work.paths and not {*places} <= {*work.paths}:
        yield f"{body['seat']} approved {places}, which are not all in {review.digest}"


def y4_advisory_only_for_a_reason(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    """Out of scope, below the floor of a later round, late, or from a reviewer who no longer holds the seat."""
    if not body["advisory"]:
        return
    seat, stage = review.seats[body["seat"]], world.stage(review, review.seats[body["seat"]].stage)
    severity = SEVERITY[body["severity"]]
    if seat.part != "judge" or _foreign(seat, body) or _not_holding(seat, step):
        return
    if severity < SEVERITY["critical"] and stage is not None and not (seat.veto or step.principal["kind"] == "program"):
        if review.number > 1 and severity < SEVERITY[stage.floor]:
            return
        last = seat.reported if seat.reported < review.number else seat.reported_before
        if last and stage.late_is_advisory and _unchanged(review, last, body):
            return
    yield f"{body['finding']} ({body['severity']}) is advisory: {body['advisory']}"


def _foreign(seat: Seat, body: Json) -> bool:
    return bool(seat.scope) and bool(body["scope"]) and seat.scope != body["scope"]


def _not_holding(seat: Seat, step: Delivered) -> bool:
    held = seat.holder is not None and seat.holder["name"] == step.principal["name"]
    return not held or (bool(seat.lease) and seat.lease < step.at)


def _unchanged(review: Review, last: int, body: Json) -> bool:
    """Whether no revision since the seat's last report touched the place."""
    place = body["place"]
    if place is None:
        return False
    since = [one for one in review.revisions if one.number > last]
    touched = (
        change
        for one in since
        for change in one.changed
        if change["path"] == place["path"]
        and (
            not place["start"]
            or (change["start"] <= max(place["end"], place["start"]) and place["start"] <= change["end"])
        )
    )
    return next(touched, None) is None


def p12_suppressed_only_by_a_human(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    source = body["suppressed_by"]
    if not source:
        return
    if body["severity"] == "critical" or review.seats[body["seat"]].veto:
        yield f"{body['finding']} ({body['severity']}) was silenced by {source}"
    lesson = world.lessons.get(source) or world.suppressors.get(source)
    if lesson is None:
        yield f"{body['finding']} was silenced by the unknown {source}"
        return
    by = lesson.get("actor") or lesson["by"]
    if by["kind"] != "human":
        yield f"{body['finding']} was silenced by {by['name']}, no human"
    if lesson["expires"] is not None and lesson["expires"] <= step.at:
        yield f"{body['finding']} was silenced by {source}, which expired"


def s2_findings_count_per_seat(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """The id tells a blind reviewer nothing about the others."""
    seat = review.seats.get(body["seat"])
    if seat is None:
        yield f"{body['finding']} belongs to the unknown seat {body['seat']}"
    elif body["finding"] != f"{seat.id}-F{seat.findings + 1}":
        yield f"{body['finding']} should be {seat.id}-F{seat.findings + 1}"
    if body["finding"] in review.findings:
        yield f"{body['finding']} exists"


def a1_only_an_unsettled_finding_is_answered(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    finding = review.findings.get(body["finding"])
    if finding is None or finding.standing in ("resolved", "waived"):
        yield f"{body['finding']} was answered although {finding.standing if finding else 'unknown'}"


def y15_approval_beside_an_own_blocking_finding(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    seat = review.seats.get(body["seat"])
    stage = world.stage(review, seat.stage) if seat else None
    if seat is None or stage is None or body["verdict"] != "approve":
        return
    least = SEVERITY[stage.own_blocking or stage.blocking]
    for finding in review.findings.values():
        unsettled = finding.standing not in ("resolved", "waived")
        harmless = finding.advisory or finding.suppressed or finding.refuted
        if finding.seat == seat.id and unsettled and not harmless and finding.severity >= least:
            yield f"{seat.id} approves beside its own {finding.id}"
