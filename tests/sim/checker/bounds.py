"""Everything ends and stays within its bounds: invariants I26 to I29, and decision Y1."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Request, Review
from tests.sim.checker.shapes import Delivered, Json
from tests.sim.checker.world import World

Texts = Iterator[str]

EVENTS_PER_COMMAND_MAX = 30
EVENTS_PER_ITEM_MAX = 3
EVENTS_PER_REVIEW_MAX = 3_000
UNPROMPTED_MAX = 10
DOUBTS = ("concerns", "reject")


def y1_somebody_owes_an_answer(_world: World, review: Review, step: Delivered) -> Texts:
    """An open review has a pending request with an addressee and a due time."""
    if review.outcome:
        return
    if not review.requests:
        yield f"after {step.command} nobody owes anything"
    for request in review.requests.values():
        if not request.due:
            yield f"{request.id} has no due time"
        if request.kind == "report" and request.seat not in review.seats:
            yield f"{request.id} is addressed to the unknown seat {request.seat}"
        if request.revision != review.number and request.kind != "ruling":
            yield f"{request.id} asks about revision {request.revision}, current is {review.number}"


def y1_requests_have_their_own_names(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    old = review.requests.get(body["request"])
    if old is not None and (old.kind == "ruling" or (old.ordered_by and step.principal["kind"] != "human")):
        yield f"{body['request']} is asked again while it is pending"
    if body["due"] < step.at and (old is None or body["due"] != old.due):
        yield f"{body['request']} was due {body['due']} before it was asked"
    if body["revision"] != review.number:
        yield f"{body['request']} asks about revision {body['revision']}, current is {review.number}"


def y2_an_order_lapses_only_by_a_human(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    request = review.requests.get(body["request"])
    if request is None:
        yield f"{body['request']} lapsed and was not pending"
    elif request.kind == "ruling":
        yield from _ruling_lapses(review, request, step)
    elif request.kind == "revision" and request.ordered_by and step.principal["kind"] != "human":
        yield f"{request.id}, ordered by {request.ordered_by}, lapsed by {step.command} of {step.principal['name']}"


def _ruling_lapses(review: Review, request: Request, step: Delivered) -> Texts:
    """A ruling lapses by a human, or by a reviewer who settles its cause; an author can only end their own wait."""
    by = f"the ruling {request.id} lapsed by {step.command} of {step.principal['name']}"
    is_back = request.reason == "author_silent" and step.principal["name"] in review.makers
    if step.principal["kind"] == "human" or (is_back and step.command == "SubmitRevision"):
        return
    if request.veto or step.principal["kind"] == "clock":
        yield by
    elif request.asked_by and request.reason != "creator_disagrees":
        yield f"{by}, although {request.asked_by} asked for it"
    elif step.principal["name"] in review.makers:
        yield by


def y10_no_revision_while_a_ruling_is_pending(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    ruling = review.ruling()
    if ruling is not None:
        yield f"revision {body['number']} was taken while {ruling.id} is pending"


def y12_clarifications_are_asked_for(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    same = bool(review.revisions) and body["digest"] == review.digest
    request = review.revision_request()
    if body["change"] == "clarification":
        if not same:
            yield f"revision {body['number']} clarifies with other bytes"
        if request is None or not request.clarify:
            yield f"revision {body['number']} clarifies what nobody asked"
    elif same and not review.outcome and not review.reopened:
        yield f"revision {body['number']} has the same bytes as {review.number}"


def i26_no_review_waits_on_a_dead_lease(_world: World, review: Review, _step: Delivered) -> Texts:
    if review.outcome:
        return
    for request in review.requests.values():
        seat = review.seats.get(request.seat)
        if seat is not None and seat.holder is not None and seat.lease and request.due > seat.lease:
            yield f"{request.id} is due {request.due}, its holder's lease ends {seat.lease}"


def i27_the_server_counts_revisions(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if body["number"] != review.number + 1:
        yield f"revision {body['number']} follows {review.number}"
    new = body["digest"] != review.digest and bool(review.revisions)
    cap, request = world.revisions_max(review), review.revision_request()
    ordered = request is not None and bool(request.ordered_by)
    comes_back = any(one["event"]["type"] == "ReviewReopened" for one in step.envelopes)
    if not new or ordered or comes_back:
        return
    if not body["prompted"]:
        yield from _unprompted(review, request)
    elif review.resubmissions + 1 > cap:
        yield f"resubmission {review.resubmissions + 1} of {cap} without a human's word"


def _unprompted(review: Review, request: Request | None) -> Texts:
    """A version that uses no attempt replaces one without a negative report, and there are few of them."""
    doubted = [key for key, one in review.counted.items() if key[1] == review.number and one.verdict in DOUBTS]
    if request is not None or doubted:
        yield f"revision {review.number + 1} uses up no attempt, although it was asked for"
    if review.unprompted + 1 > UNPROMPTED_MAX:
        yield f"{review.unprompted + 1} revisions came before anybody had judged"


def i27_reports_and_failures_are_capped(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    seat = review.seats.get(body["seat"])
    protocol = world.protocol_of(review, seat.stage) if seat else None
    if seat is None or protocol is None:
        return
    before = review.counted.get((seat.id, body["revision"]))
    if before is not None and before.count >= protocol.reports_max:
        yield f"{seat.id} reported more than {protocol.reports_max} times on revision {body['revision']}"


def i28_a_command_writes_little(step: Delivered) -> Texts:
    most = EVENTS_PER_COMMAND_MAX + EVENTS_PER_ITEM_MAX * step.items
    if len(step.envelopes) > most:
        yield f"{step.command} wrote {len(step.envelopes)} events, at most {most} are expected"


def i28_a_review_stays_small(_world: World, review: Review, _step: Delivered) -> Texts:
    if review.length > EVENTS_PER_REVIEW_MAX:
        yield f"the log has {review.length} events"


def i28_nobody_is_overloaded(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    reviewer = body["seat"]["reviewer"]
    policy = world.policies.get(review.policy)
    if reviewer is None or policy is None or body["queued"]:
        return
    held = review.seats.get(body["seat"]["id"])
    if held is not None and held.holder is not None and held.holder["name"] == reviewer["name"]:
        return
    active = world.active.get(reviewer["name"], 0)
    if active >= policy.parallel_max:
        yield f"{reviewer['name']} was given {body['seat']['id']} with {active} others on the table"


def i29_deadlines_pass_once_and_not_early(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    request = review.requests.get(body["request"])
    if request is None:
        yield f"the deadline of {body['request']} passed and it is not pending"
        return
    if step.principal["kind"] != "clock":
        yield f"{step.principal['name']} passed the deadline of {request.id}"
    if step.at < request.due:
        yield f"{request.id} is due {request.due}, it passed {step.at}"
    if body["due"] is not None and body["due"] <= step.at:
        yield f"{request.id} fired at {step.at} and is due again {body['due']}"
