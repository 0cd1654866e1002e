"""Nobody does what only others may do: invariants I13 to I17, and the rules beside them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Finding, Review
from tests.sim.checker.shapes import OPENING, SEVERITY, Delivered, Json, Who
from tests.sim.checker.world import World

Texts = Iterator[str]

#: Events that name the actor in full.
NAMES_WHO = {
    "SeatTaken": "reviewer",
    "ReportSubmitted": "reviewer",
    "StageOverridden": "by",
    "FindingWaived": "by",
    "ReviewReopened": "by",
    "LessonRecorded": "by",
}
#: Events that name the actor by name alone.
NAMES_NAME = {
    "FindingResolved": "by",
    "FindingReopened": "by",
    "NoteAdded": "by",
    "EscapeReported": "by",
    "SkipEnabled": "by",
    "SessionPaused": "by",
    "SessionResumed": "by",
    "PolicyActivated": "by",
    "LessonRetired": "by",
}
JUDGING = frozenset(
    {"SubmitReport", "KeepReport", "SettleFinding", "VerifyFinding", "OverrideStage", "ReportInconclusive"}
)
#: Commands that require the actor to have been served the bytes; a human who overrides names the digest.
READERS = frozenset({"SubmitReport", "KeepReport", "SettleFinding", "VerifyFinding"})
HUMAN_COMMANDS = frozenset({"GiveRuling", "OverrideStage", "WaiveFinding", "ReopenReview", "EnableSkip"})
LEAVES_MAX = 3
AFTER_THE_END = frozenset({"ReviewReopened", "EscapeReported", "NoteAdded"})
#: Events that lift an objection to the bytes of an ended review.
LIFTING = frozenset({"FindingResolved", "StageOverridden"})
ASKING = frozenset({"RulingRequested", "RulingGiven", "DeadlinePassed"})


def i13_events_name_who_asked(kind: str, body: Json, actor: Who, step: Delivered) -> Texts:
    if actor != step.principal:
        yield f"{kind} is said to be by {actor['name']}, {step.principal['name']} was authenticated"
    field = NAMES_WHO.get(kind)
    if field is not None and body[field] != step.principal:
        yield f"{kind}.{field} is {body[field]['name']}, {step.principal['name']} was authenticated"
    field = NAMES_NAME.get(kind)
    if field is not None and body[field] != step.principal["name"]:
        yield f"{kind}.{field} is {body[field]}, {step.principal['name']} was authenticated"


def i13_the_author_is_who_asked(_world: World, _review: Review, body: Json, step: Delivered) -> Texts:
    """Only a human, or the service that watches a session, opens a review for another author."""
    if body["author"] != step.principal and step.principal["kind"] not in ("human", "service"):
        yield f"{step.principal['name']} opened a review in the name of {body['author']['name']}"
    if step.principal["name"] not in {one["name"] for one in (body["author"], *body["contributors"])}:
        yield f"{step.principal['name']} opened the review and is no contributor"


def i13_rulings_name_who_ruled(_world: World, _review: Review, body: Json, step: Delivered) -> Texts:
    if body["by"] != step.principal:
        yield f"ruled by {body['by']['name']}, {step.principal['name']} was authenticated"
    if step.principal["kind"] != "human" and not (body["by_clock"] and step.principal["kind"] == "clock"):
        yield f"{step.principal['name']} ({step.principal['kind']}) gave a ruling"


def i14_only_humans_use_human_commands(step: Delivered) -> Texts:
    if step.accepted and step.command in HUMAN_COMMANDS and step.principal["kind"] != "human":
        yield f"{step.command} was taken from {step.principal['name']} ({step.principal['kind']})"
    if step.accepted and step.command == "PassDeadline" and step.principal["kind"] != "clock":
        yield f"PassDeadline was taken from {step.principal['name']}"


def i14_only_the_owner_revises(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if review.revisions and body["by"] != step.principal:
        yield f"revision {body['number']} names {body['by']['name']}, {step.principal['name']} was authenticated"
    if body["by"]["name"] != review.author["name"]:
        yield f"{body['by']['name']} revised the work of {review.author['name']}"


def i14_only_the_owner_answers(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if step.principal["name"] != review.author["name"]:
        yield f"{step.principal['name']} answered {body['finding']} for {review.author['name']}"


def i14_only_the_owner_withdraws(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if body["outcome"] == "withdrawn" and step.principal["name"] != review.author["name"]:
        yield f"{step.principal['name']} withdrew the work of {review.author['name']}"


def i14_only_the_holder_settles(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    finding = review.findings.get(body["finding"])
    if finding is not None and finding.origin[0]:
        if finding.raiser != step.principal["name"]:
            yield f"{step.principal['name']} settled {finding.id}, which {finding.raiser} raised elsewhere"
        return
    holder = review.seats[finding.seat].holder if finding else None
    is_holder = holder is not None and holder["name"] == step.principal["name"]
    if not is_holder and not (finding and _breaks_the_tie(review, finding, step)):
        yield f"{step.principal['name']} settled {body['finding']}, its seat is held by {holder and holder['name']}"
    if step.principal["name"] in review.contributors:
        yield f"the contributor {step.principal['name']} settled {body['finding']}"
    if body["revision"] != review.number:
        yield f"{body['finding']} was settled on revision {body['revision']}, current is {review.number}"


def _breaks_the_tie(review: Review, finding: Finding, step: Delivered) -> bool:
    """Whether a tie-break report ends a dispute about this finding; never for a critical one or a veto's."""
    ties = [one for one in review.seats.values() if one.stage == finding.stage and one.part == "tie_break"]
    held = any(one.holder and one.holder["name"] == step.principal["name"] for one in ties)
    return held and step.command == "SubmitReport" and finding.severity < SEVERITY["critical"]


def i14_only_a_human_waives(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if step.principal["kind"] != "human":
        yield f"{step.principal['name']} ({step.principal['kind']}) waived {body['finding']}"
    if step.principal["name"] in review.makers:
        yield f"{step.principal['name']}, who made it, waived {body['finding']}"
    if not body["reason"].strip():
        yield f"{body['finding']} was waived without a reason"


def i14_only_the_eligible_report(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    seat, name = review.seats.get(body["seat"]), step.principal["name"]
    if name in review.contributors:
        yield f"the contributor {name} reported as {body['seat']}"
    if seat is None:
        yield f"{name} reported on the unknown seat {body['seat']}"
    elif seat.holder is None or seat.holder["name"] != name:
        yield f"{name} reported on {seat.id}, held by {seat.holder and seat.holder['name']}"
    if step.principal["kind"] in ("clock", "service"):
        yield f"a {step.principal['kind']} reported"
    session = step.principal["session"]
    if session and session == review.author["session"]:
        yield f"{name} works in the author's own session"
    yield from _within_lease(review, body, step)


def _within_lease(review: Review, body: Json, step: Delivered) -> Texts:
    seat = review.seats.get(body["seat"])
    if seat is not None and seat.lease and seat.lease < step.at:
        yield f"{step.principal['name']} reported on {seat.id} after the lease ended {seat.lease}"


def i14_seats_go_to_other_eyes(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    name = step.principal["name"]
    if name in review.contributors:
        yield f"the contributor {name} took {body['seat']}"
    seat = review.seats.get(body["seat"])
    if seat is None:
        return
    if seat.holder is not None and seat.holder["name"] != name and seat.lease > step.at:
        yield f"{name} took {seat.id}, which {seat.holder['name']} holds until {seat.lease}"
    if seat.left.count(name) >= LEAVES_MAX:
        yield f"{name} took {seat.id} again after leaving it {LEAVES_MAX} times"


def i14_only_the_holder_stays_or_leaves(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    """A lease is renewed by the holder; a seat is left by its holder, or vacated by the clock."""
    seat = review.seats.get(body["seat"])
    holder = seat.holder["name"] if seat is not None and seat.holder is not None else ""
    if body.get("reviewer", holder) != holder or step.principal["name"] not in (holder, "clock"):
        yield f"{step.principal['name']} speaks for {body['seat']}, held by {holder or 'nobody'}"


def i14_only_a_verifying_seat_verifies(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    seat, finding = review.seats.get(body["seat"]), review.findings.get(body["finding"])
    if seat is None or seat.part != "verify" or seat.holder is None or seat.holder["name"] != step.principal["name"]:
        yield f"{step.principal['name']} verified {body['finding']} without a verifying seat"
    if finding is not None and finding.raiser == step.principal["name"]:
        yield f"{step.principal['name']} verified their own finding {finding.id}"
    if step.principal["name"] in review.contributors:
        yield f"the contributor {step.principal['name']} verified {body['finding']}"


def i15_one_voice_per_stage(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    mine = review.seats.get(body["seat"])
    if mine is None:
        return
    for (seat, number), report in review.counted.items():
        other = review.seats[seat]
        beside = number == body["revision"] and other.id != mine.id and other.stage == mine.stage
        if beside and report.who["name"] == step.principal["name"]:
            yield f"{step.principal['name']} counts on {other.id} and {mine.id}"


def i16_a_report_names_these_bytes(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    if body["revision"] != review.number or body["digest"] != review.digest:
        yield f"{body['seat']} reported on {body['digest']}, current is {review.digest}"
    if body["served"] != body["digest"]:
        given = body["served"] or "nothing"
        yield f"{body['seat']} reported on {body['digest']} and the record says it was given {given}"


def i16_judging_names_the_current_revision(review: Review, step: Delivered) -> Texts:
    if step.repeated or not step.accepted or step.command not in JUDGING or step.revision is None:
        return
    # A report on version 0 means the version its reviewer was served last, which is checked next.
    is_of_served = step.command == "SubmitReport" and step.revision == 0
    if step.revision != review.number and not is_of_served:
        yield f"{step.command} named revision {step.revision}, current is {review.number}"
    if step.command in READERS and step.served != review.digest:
        given = step.served or "nothing"
        yield f"{step.principal['name']} was given {given} and judged {review.digest} by {step.command}"


def i17_nobody_with_a_hand_in_it_is_drawn(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    reviewer = body["seat"]["reviewer"]
    names = {reviewer["name"]} if reviewer else set()
    hand = names & review.contributors
    if hand:
        yield f"{body['seat']['id']} was given to the contributor {min(hand)}"
    if body["draw"] not in (0, step.draw):
        yield f"{body['seat']['id']} was drawn with {body['draw']}, the seed was {step.draw}"


def i17_the_author_cannot_steer_the_draw(first: list[Json], second: list[Json]) -> Texts:
    """Two openings that differ only in what the author controls ask the same reviewers."""
    if _drawn(first) != _drawn(second):
        yield f"drawn {_drawn(first)}, and {_drawn(second)} when the author words it otherwise"


def _drawn(events: list[Json]) -> list[tuple[str, str]]:
    asked = (one["body"]["seat"] for one in events if one["type"] == "ReportRequested")
    return [(seat["id"], (seat["reviewer"] or {"name": ""})["name"]) for seat in asked]


def y10_opening_needs_enough_people(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    request = review.requests.get(body["request"])
    if request is None or not body["final"] or body["effect"] not in OPENING:
        return
    voters = request.votes.get(body["option"], set()) | {step.principal["name"]}
    members: set[str] | frozenset[str] = voters
    if request.group:
        members = {one for policy in world.policies_of(review) for one in policy.groups.get(request.group, ())}
    voters = (voters & members) - review.makers
    protocol = world.protocol_of(review, request.stage)
    needs = max(1, protocol.ruling_needs if protocol else 1)
    if len(voters) < needs:
        yield f"{body['effect']} was final with {len(voters)} of {needs} people"


def y10_nobody_overrides_for_themselves(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if step.principal["name"] in review.makers:
        yield f"{step.principal['name']}, who made it, overrode {body['stage']}"


def y8_nothing_happens_after_the_end(review: Review, kind: str, body: Json) -> Texts:
    """Except notes, a reopening, the author's acceptance of a rejection, and events that lift an objection."""
    accepted = review.outcome == "rejected" and kind == "ReviewClosed" and body["outcome"] == "withdrawn"
    lifted = kind in ("FindingWaived", "FindingLifted") or (review.outcome != "cleared" and kind in LIFTING)
    asked = review.outcome == "withdrawn" and kind in ASKING
    confirmed = review.outcome == "withdrawn" and kind == "ReviewClosed" and body["outcome"] == "rejected"
    if review.outcome and kind not in AFTER_THE_END and not (accepted or lifted or asked or confirmed):
        yield f"{kind} although the review is {review.outcome}"
