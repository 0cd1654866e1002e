"""Planted bugs that let a party do what only others may do, or judge what it did not see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.answers.seats import seat_to_take
from foureyes.core.asks import ask_ruling
from foureyes.core.commands import OpenReview, RequestRuling, SubmitReport, TakeSeat
from foureyes.core.events import FindingResolved, ReportKept, ReportSubmitted, ReviewEvent, ReviewOpened, SeatTaken
from foureyes.core.facts import Principal
from foureyes.core.model import Report, Review, Seat
from foureyes.core.parties import Bars
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Rules, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import KeptBy, Verdict, Who
from tests.sim.people import MATES
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.independence:eligible", source="S14", found_by="I17")
def the_author_is_eligible(_original: Function, candidate: Who, **named: object) -> bool:
    """The author is drawn to review their own work."""
    others = named.get("others", ())
    return isinstance(others, tuple | list) and all(one.name != candidate.name for one in others)


@bug("foureyes.core.assign:_others", source="S14", found_by="I15")
def one_agent_is_two_reviewers(_original: Function, *_given: object) -> list[Who]:
    """One reviewer holds two seats of a stage and counts twice."""
    return []


@bug("foureyes.core.answers.reports:_seat_for", source="F17", found_by="I14")
def a_dead_worker_still_votes(original: Function, *given: object) -> tuple[str, Stage, bool]:
    """A report after the lease counts."""
    name, stage, _ = original(*given)
    return name, stage, False


@bug("foureyes.core.answers.seats:take_seat", source="own mutation", found_by="I14")
def seats_are_stolen(_original: Function, scene: Scene, command: TakeSeat, actor: Who) -> Iterator[ReviewEvent]:
    """A seat is taken from a reviewer who works on it."""
    known = scene.review.seats.get(command.seat)
    if known is None:
        name, stage = seat_to_take(scene, actor, seat=command.seat, stage=command.stage)
        yield SeatTaken(seat=name, stage=stage.name, reviewer=actor, lease=scene.now + stage.options.times.silent)
    elif scene.review.is_contributor(actor.name):
        raise refuse(Code.AUTHOR_MAY_NOT, name=actor.name)
    else:
        yield SeatTaken(seat=known.id, stage=known.stage, reviewer=actor, lease=scene.now + command.lease)


@bug("foureyes.core.answers.seats:held_seat", source="T24", found_by="I14")
def the_id_is_the_right(original: Function, scene: Scene, name: str, actor: Who) -> tuple[Seat, Stage]:
    """A caller who knows the name of a seat acts for it."""
    seat = scene.review.seats.get(name)
    found: tuple[Seat, Stage] = original(scene, name, seat.reviewer if seat and seat.reviewer else actor)
    return found


@bug("foureyes.core.checks:check_author", source="S3", found_by="I14")
def anyone_revises(_original: Function, *_given: object) -> None:
    """A new version, an answer or a withdrawal is accepted from any caller."""


@bug("foureyes.core.checks:check_human", source="T10", found_by="I14")
def agents_are_humans(_original: Function, *_given: object) -> None:
    """An agent gives rulings, overrides vetoes and waives findings."""


@bug("foureyes.core.checks:check_current", source="own mutation", found_by="I16")
def a_stale_report_is_taken(_original: Function, *_given: object) -> None:
    """A report on an older version counts for the current one."""


@bug("foureyes.core.claims:claim_of", source="GitLab 436977", found_by="I16")
def a_report_names_other_bytes(original: Function, scene: Scene, *given: object, **named: object) -> ReportSubmitted:
    """A report is recorded for the bytes that were first submitted."""
    found: ReportSubmitted = original(scene, *given, **named)
    return replace(found, digest=scene.review.revisions[0].digest)


@bug("foureyes.core.answers.reports:submit_report", source="T6", found_by="I16")
def what_was_served_is_not_asked(
    original: Function, scene: Scene, command: SubmitReport, actor: Who
) -> Iterator[ReviewEvent]:
    """A reviewer who was served older bytes vouches for the current ones."""
    yield from original(replace(scene, facts=replace(scene.facts, served=scene.review.digest)), command, actor)


@bug("foureyes.core.answers.seats:check_served", source="U-04", found_by="I16")
def only_who_read_something_else_is_stale(original: Function, scene: Scene) -> None:
    """A reviewer who was never given the work judges it; only one who was given an older version is refused."""
    if scene.facts.served:
        original(scene)


@bug("foureyes.core.answers.settling:settlements", source="own mutation", found_by="I13")
def a_successor_signs_with_another_name(original: Function, scene: Scene, *given: object) -> Iterator[ReviewEvent]:
    """A settlement is recorded in the name of the finding's raiser."""
    for one in original(scene, *given):
        yield (replace(one, by=scene.review.findings[one.finding].raiser) if isinstance(one, FindingResolved) else one)


@bug("foureyes.core.answers.author:open_review", source="a bot's upload", found_by="I13")
def who_uploads_for_another_has_no_hand_in_it(original: Function, *given: object) -> Iterator[ReviewEvent]:
    """A human opens a review for a bot and may then approve it."""
    for one in original(*given):
        yield replace(one, contributors=(one.author,)) if isinstance(one, ReviewOpened) else one


@bug("foureyes.core.evolve.lifecycle:opened", source="CVE-2026-94205", found_by="I14")
def who_triggered_counts_not_who_made_it(original: Function, event: ReviewOpened) -> Review:
    """Eligibility is decided by the account that triggered the review."""
    trigger = event.contributors[-1]
    found: Review = original(replace(event, author=trigger, contributors=(trigger,)))
    return found


@bug("foureyes.core.assign:_candidates", source="S11", found_by="I17")
def the_author_steers_the_draw(original: Function, scene: Scene, *rest: object) -> tuple[list[Principal], bool]:
    """The seed of the draw depends on what the author writes."""
    steered = replace(scene.facts, draw=len(scene.review.title))
    found: tuple[list[Principal], bool] = original(replace(scene, facts=steered), *rest)
    return found


@bug("foureyes.core.parties:service_of", source="T42", found_by="T42")
def a_service_is_as_many_parties_as_it_says(_original: Function, *_given: object) -> str:
    """The agents of one service judge each other's work, and their families are believed."""
    return ""


@bug("foureyes.core.parties:Bars.problem", source="T42", found_by="T42")
def a_mate_of_the_session_sits(original: Function, bars: Bars, one: Principal) -> Refusal | None:
    """A member of the author's session judges the author's work."""
    found: Refusal | None = original(bars, one)
    return None if one.who.name in MATES else found


@bug("foureyes.core.checks:check_open", source="S4", found_by="Y8")
def nothing_is_ever_over(_original: Function, *_given: object) -> None:
    """An ended review continues."""


@bug("foureyes.core.answers.settling:_own_report", source="GerriScary", found_by="I9", seed=2)
def a_label_is_copied_by_anyone(original: Function, scene: Scene, seat: Seat, _actor: Who) -> Report | None:
    """A successor carries the predecessor's approval over to a new version."""
    last = scene.review.reports.get((seat.id, seat.reported))
    found: Report | None = original(scene, seat, last.reviewer) if last else None
    return found


@bug("foureyes.core.answers.author:_kept_by_rule", source="GerriScary", found_by="I9")
def every_change_is_a_rebase(_original: Function, scene: Scene) -> Iterator[ReviewEvent]:
    """Approvals are copied forward whatever has changed."""
    review = scene.review
    for seat in review.seats.values():
        report = review.reports.get((seat.id, review.revision - 1))
        if report is not None and report.verdict in (None, Verdict.APPROVE):
            yield ReportKept(seat=seat.id, revision=review.revision, digest=review.digest, by=KeptBy.RULE)


@bug("foureyes.core.decide:decide", source="S2", found_by="S2")
def a_known_name_is_overwritten(
    original: Function, rules: Rules, review: Review | None, command: object, **named: object
) -> tuple[ReviewEvent, ...]:
    """Opening a review under a known name restarts it."""
    found: tuple[ReviewEvent, ...] = original(
        rules, None if isinstance(command, OpenReview) else review, command, **named
    )
    return found


@bug("foureyes.core.answers.anyone:request_ruling", source="S4", found_by="Y8")
def anyone_escalates_from_any_state(
    _original: Function, scene: Scene, command: RequestRuling, actor: Who
) -> Iterator[ReviewEvent]:
    """Any caller asks for a human at any time, also when the work is cleared."""
    pending = scene.review.ruling()
    if pending is not None:
        raise refuse(Code.RULING_PENDING, request=pending.id)
    yield ask_ruling(scene, None, "asked", command.reason, by=actor.name)
