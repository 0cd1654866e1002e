"""Handlers for taking, renewing and leaving a seat, and the checks on who may hold one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

from foureyes.core.assign import has_role, may_review, party_problem
from foureyes.core.checks import check_open
from foureyes.core.commands import LeaveSeat, RenewSeat, TakeSeat
from foureyes.core.events import ReviewEvent, SeatLeft, SeatRenewed, SeatTaken
from foureyes.core.facts import Principal
from foureyes.core.model import Seat
from foureyes.core.parties import check_party
from foureyes.core.refusals import Code, NextCall, Refusal, refuse
from foureyes.core.rules import Blind, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import LeftBecause, Part, Who

#: A reviewer who left a seat this often does not get it again.
LEAVES_MAX = 3
#: Hash digits in the name of a volunteer's seat; more are used if another seat has that name.
NAME_DIGITS_MIN = 8
NAME_DIGITS_MAX = 64


def take_seat(scene: Scene, command: TakeSeat, actor: Who) -> Iterator[ReviewEvent]:
    """Begin on a named seat, or on a free or additional seat of an open stage."""
    check_open(scene.review)
    seat, stage = seat_to_take(scene, actor, seat=command.seat, stage=command.stage)
    known = scene.review.seats.get(seat)
    if known and known.lease and scene.now < known.lease:
        raise refuse(Code.DUPLICATE, what="Taking this seat")
    lease = scene.now + min(command.lease, stage.options.times.silent)
    yield SeatTaken(seat=seat, stage=stage.name, reviewer=actor, lease=lease)


def renew_seat(scene: Scene, command: RenewSeat, actor: Who) -> Iterator[ReviewEvent]:
    """Renew the lease, never beyond the limit of the request; a volunteer has no request."""
    check_open(scene.review)
    seat, stage = held_seat(scene, command.seat, actor)
    request = scene.review.report_request(seat.id)
    is_over = request is not None and scene.now >= request.limit
    if is_over or seat.lease is None or scene.now > seat.lease:
        raise refuse(Code.LEASE_ENDED, seat=seat.id)
    lease = scene.now + min(command.lease, stage.options.times.silent)
    yield SeatRenewed(seat=seat.id, lease=lease, draft=command.draft)


def leave_seat(scene: Scene, command: LeaveSeat, actor: Who) -> Iterator[ReviewEvent]:
    """Leave the seat; the draft is kept for the successor."""
    check_open(scene.review)
    seat, _ = held_seat(scene, command.seat, actor)
    words = [one for one in LeftBecause if one is not LeftBecause.REMOVED]
    if command.reason not in words:
        raise refuse(Code.UNKNOWN_WORD, what="The reason", word=command.reason, allowed=words, field="reason")
    yield SeatLeft(seat=seat.id, reviewer=actor.name, reason=LeftBecause(command.reason), draft=command.draft)


def held_seat(scene: Scene, name: str, actor: Who) -> tuple[Seat, Stage]:
    """The seat of this name, if the actor holds it."""
    seat = scene.review.seats.get(name)
    stage = scene.stage(seat.stage) if seat else None
    if seat is None or stage is None:
        raise refuse(Code.UNKNOWN_SEAT, seat=name)
    if seat.reviewer is None or seat.reviewer.name != actor.name:
        raise refuse(Code.NOT_THE_HOLDER, holder=holder_told(seat, stage))
    return seat, stage


def check_fresh(scene: Scene, seat: Seat) -> None:
    """Refuse to vouch for bytes that were not served, or after the lease has ended."""
    check_served(scene)
    if seat.lease is not None and scene.now > seat.lease:
        raise refuse(Code.LEASE_ENDED, seat=seat.id)


def check_served(scene: Scene) -> None:
    """Refuse a judgement of bytes that were not served to the actor, whatever revision it names."""
    served, current = scene.facts.served, scene.review.digest
    read = NextCall(call="read_work", arguments={"review": scene.review.id})
    if not served:
        raise refuse(Code.UNREAD, next_call=read)
    if served != current:
        sentence = f"The last version you were given is {served[:12]}, the current one is {current[:12]}."
        step = "Call read_work for this review and judge the version it gives you."
        raise Refusal(Code.STALE, sentence, step, next_call=read)


def check_given_whole(scene: Scene) -> None:
    """Refuse to vouch for a revision of which a file was withheld from the actor; objections are still accepted."""
    if scene.facts.withheld:
        raise Refusal(
            Code.UNREAD,
            f"You were not given {scene.facts.withheld}: it was withheld, so you cannot vouch for this version.",
            "Report what speaks against it, ask its author to split or remove that file, or leave it to a human, who "
            "reads all of it when signed in.",
        )


def check_turn(scene: Scene, seat: Seat) -> None:
    """Refuse a report for a later stage before the earlier ones pass, unless it was requested."""
    if seat.part is not Part.JUDGE or scene.review.report_request(seat.id) is not None:
        return
    speaking = scene.assess().speaking
    names = [one.name for one in scene.stages()]
    if speaking is not None and seat.stage in names[names.index(speaking.stage.name) + 1 :]:
        raise refuse(Code.NOT_YET, stage=seat.stage, before=speaking.stage.name)


def holder_told(seat: Seat, stage: Stage) -> str:
    """How to name a seat's holder to others: by the seat only where reviewers must not know of each other."""
    named = seat.reviewer if stage.options.blind is Blind.OFF else None
    return named.name if named else f"the holder of seat {seat.id}"


def seat_to_take(scene: Scene, actor: Who, *, seat: str = "", stage: str = "") -> tuple[str, Stage]:
    """Choose the seat the actor may begin on: the named one, one assigned or free, else a new one on an open stage."""
    if scene.review.is_contributor(actor.name):
        raise refuse(Code.AUTHOR_MAY_NOT, name=actor.name)
    held = {one.id for one in scene.review.seats.values() if one.reviewer and one.reviewer.name == actor.name}
    if held:
        # A shared session does not cost the holder their seat: the party check happens when they report.
        found, on = _seat_to_take(scene.without_mates(), actor, seat, stage)
        if found in held:
            return found, on
    return _seat_to_take(scene, actor, seat, stage)


def _seat_to_take(scene: Scene, actor: Who, seat: str, stage: str) -> tuple[str, Stage]:
    check_party(scene, actor)
    if seat:
        return _named(scene, actor, seat)
    stages = [one for one in scene.stages() if stage in ("", one.name)]
    if not stages:
        raise refuse(Code.UNKNOWN_STAGE, stage=stage)
    for one in stages:
        found = _free_seat(scene, one, actor) or _extra_seat(scene, one, actor)
        if found:
            return found, one
    none = refuse(Code.NO_FREE_SEAT, stage=stage or "the review", name=actor.name)
    raise _party_refusal(scene, stages, actor) or none


def _named(scene: Scene, actor: Who, name: str) -> tuple[str, Stage]:
    seat = scene.review.seats.get(name)
    stage = scene.stage(seat.stage) if seat else None
    if seat is None or stage is None:
        raise refuse(Code.UNKNOWN_SEAT, seat=name)
    if not _is_free_for(scene, stage, seat, actor):
        raise refuse(Code.SEAT_TAKEN, seat=name, holder=holder_told(seat, stage))
    if not _may_hold(scene, stage, seat, actor):
        raise party_problem(scene, stage, actor, name) or refuse(Code.NOT_ELIGIBLE, name=actor.name, seat=name)
    return name, stage


def _party_refusal(scene: Scene, stages: Sequence[Stage], actor: Who) -> Refusal | None:
    """The refusal for an actor who may not judge the work on any of these stages, if party is the reason."""
    problems = [party_problem(scene, one, actor, "") for one in stages]
    return next((one for one in problems if one is not None), None) if all(problems) else None


def _free_seat(scene: Scene, stage: Stage, actor: Who) -> str:
    seats = [one for one in scene.review.seats.values() if one.stage == stage.name and one.part is not Part.VERIFY]
    mine = [one.id for one in seats if one.reviewer and one.reviewer.name == actor.name]
    free = [one.id for one in seats if _is_free_for(scene, stage, one, actor) and _may_hold(scene, stage, one, actor)]
    return next(iter(mine or free), "")


def _extra_seat(scene: Scene, stage: Stage, actor: Who) -> str:
    """Name a volunteer's seat if the stage has room for one and its own seats exist."""
    seats = scene.review.seats_of(stage.name)
    own = sum(rule.part is Part.JUDGE and not rule.beside for rule in stage.seats)
    is_open = len(seats) >= own > 0 and not _is_full(scene, stage)
    is_lasting = all(one.required or one.left.count(actor.name) < LEAVES_MAX for one in seats)
    name = _volunteers_seat(scene, stage, actor)
    may = _may_join(scene, stage, actor) and may_review(scene, stage, actor, name)
    return name if is_open and is_lasting and may else ""


def _is_full(scene: Scene, stage: Stage) -> bool:
    return len(scene.review.seats_of(stage.name)) >= stage.seats_max


def _volunteers_seat(scene: Scene, stage: Stage, actor: Who) -> str:
    """Name the seat by a hash of its holder: a number would disclose how many reviewers came before."""
    said = f"{scene.review.id}\x00{stage.name}\x00{actor.name}"
    digits = sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
    # The letter keeps the name distinct from the numbered seats of the policy.
    names = (f"{stage.name}.v{digits[:size]}" for size in range(NAME_DIGITS_MIN, NAME_DIGITS_MAX + 1))
    return next((name for name in names if name not in scene.review.seats), "")


def _may_join(scene: Scene, stage: Stage, actor: Who) -> bool:
    """True if the actor may volunteer: where every seat names roles, the volunteer must hold one of them too."""
    judges = [rule.roles for rule in stage.seats if rule.part is Part.JUDGE]
    roles = tuple(role for named in judges for role in named)
    principal = scene.facts.principal(actor.name) or Principal(who=actor)
    return not all(judges) or has_role(principal, roles, scene.review.author)


def _is_free_for(scene: Scene, stage: Stage, seat: Seat, actor: Who) -> bool:
    """True if the seat has no holder, is the actor's own, its lease has ended, or its request is only queued."""
    if seat.reviewer is not None and seat.reviewer.name == actor.name:
        return True
    request = scene.review.report_request(seat.id)
    if request is None and _is_volunteers(seat) and actor.name not in seat.left and not _is_full(scene, stage):
        return False  # taking it over would disclose an earlier volunteer, and there is room for a new seat
    if seat.reviewer is None:
        return True
    return (seat.lease is not None and scene.now > seat.lease) or (request is not None and request.queued)


def _is_volunteers(seat: Seat) -> bool:
    return seat.part is Part.JUDGE and not seat.required


def _may_hold(scene: Scene, stage: Stage, seat: Seat, actor: Who) -> bool:
    if not may_review(scene, stage, actor, seat.id) or seat.left.count(actor.name) >= LEAVES_MAX:
        return False
    if seat.reviewer is not None and seat.reviewer.name == actor.name:
        return True
    principal = scene.facts.principal(actor.name) or Principal(who=actor)
    return has_role(principal, seat.candidates, scene.review.author)
