"""Planted bugs that let a review run for ever, hang, wait for nobody, or forget whom it asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from foureyes.core import settle as settling
from foureyes.core.assess import Assessment
from foureyes.core.commands import PassDeadline, SubmitRevision
from foureyes.core.events import (
    DeadlinePassed,
    ReportRequested,
    ReviewEvent,
    RevisionRequested,
    RevisionSubmitted,
)
from foureyes.core.model import Review, RevisionRequest, RulingRequest
from foureyes.core.scene import Scene
from foureyes.core.values import ChangeKind, Who
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.scene:Scene.remaining", source="S3", found_by="I27")
def attempts_are_not_counted(_original: Function, _scene: Scene) -> int:
    """The author may try for ever."""
    return 9


@bug("foureyes.core.answers.author:submit_revision", source="S3", found_by="I27")
def the_client_numbers_versions(original: Function, *given: object) -> Iterator[ReviewEvent]:
    """Every version is called number 2."""
    for one in original(*given):
        yield replace(one, number=2) if isinstance(one, RevisionSubmitted) else one


@bug("foureyes.core.answers.author:_is_prompted", source="U-13", found_by="I27")
def nothing_was_asked_of_the_author(_original: Function, _review: Review) -> bool:
    """No new version uses an attempt, whatever the reports on the one before."""
    return False


@bug("foureyes.core.settle:_cause_is_gone", source="U-12", found_by="Y2")
def what_somebody_asked_of_a_human_lapses(_original: Function, ruling: RulingRequest, _found: Assessment) -> bool:
    """A question put to a human is dropped at once."""
    return bool(ruling.by)


@bug("foureyes.core.answers.reports:_check_may_report", source="own mutation", found_by="I27")
def reports_are_not_capped(_original: Function, *_given: object) -> None:
    """A seat reports on one version as often as it likes."""


@bug("foureyes.core.settle:escalate", source="own mutation", found_by="Y1")
def nobody_is_asked(_original: Function, *_given: object) -> Iterator[ReviewEvent]:
    """No human is asked where one should decide."""
    return iter(())


@bug("foureyes.core.asks:ask_revision", source="own mutation", found_by="Y1")
def the_author_is_asked_too_late(
    original: Function, scene: Scene, *given: object, **named: object
) -> RevisionRequested:
    """A request is overdue when it is made."""
    found: RevisionRequested = original(scene, *given, **named)
    return replace(found, due=scene.now - timedelta(hours=1))


@bug("foureyes.core.asks:_request", source="own mutation", found_by="Y1")
def an_old_version_is_asked_about(original: Function, *given: object) -> ReportRequested:
    """Reviewers are asked about the first version for ever."""
    found: ReportRequested = original(*given)
    return replace(found, revision=1)


@bug("foureyes.core.settle:_is_needed", source="Y2", found_by="Y2")
def an_order_lapses_by_itself(original: Function, asked: RevisionRequest, *given: object) -> bool:
    """A human's order lapses when a reviewer settles it."""
    return bool(original(replace(asked, ordered_by=""), *given))


@bug("foureyes.core.answers.author:_change_of", source="CVE-2026-104632", found_by="Y10", seed=11)
def a_rerun_loses_the_pending_decision(original: Function, scene: Scene, command: SubmitRevision) -> ChangeKind:
    """A new version is taken while a human decides, and the question is lost."""
    pending = scene.review.ruling()
    rest = {key: one for key, one in scene.review.requests.items() if one is not pending}
    found: ChangeKind = original(replace(scene, review=replace(scene.review, requests=rest)), command)
    return found


@bug("foureyes.core.answers.author:_change_of", source="Y12", found_by="Y12")
def the_same_bytes_are_a_new_version(original: Function, scene: Scene, command: SubmitRevision) -> ChangeKind:
    """The author submits the same bytes again and again."""
    if command.digest == scene.review.digest and scene.review.ruling() is None and scene.review.outcome is None:
        return ChangeKind.CONTENT
    found: ChangeKind = original(scene, command)
    return found


@bug("foureyes.core.answers.clock:pass_deadline", source="F9", found_by="I29")
def deadlines_fire_early(original: Function, scene: Scene, command: PassDeadline, actor: Who) -> Iterator[ReviewEvent]:
    """A deadline fires at every call of the clock, also before it is due."""
    request = scene.review.requests.get(command.request)
    yield from original(replace(scene, now=max(scene.now, request.due)) if request else scene, command, actor)


@bug("foureyes.core.answers.clock:_reviewer_late", source="F9", found_by="I29")
def a_reminder_fires_again_at_once(original: Function, scene: Scene, *given: object) -> Iterator[ReviewEvent]:
    """A deadline that fired stays due."""
    for one in original(scene, *given):
        yield replace(one, due=scene.now) if isinstance(one, DeadlinePassed) and one.due else one


@bug("foureyes.core.assign:_is_free", source="T18", found_by="I28")
def nobody_is_ever_busy(_original: Function, *_given: object) -> bool:
    """One reviewer is assigned everything."""
    return True


@bug("foureyes.core.answers.seats:renew_seat", source="own mutation", found_by="I22")
def a_sign_of_life_leaves_no_trace(_original: Function, *_given: object) -> Iterator[ReviewEvent]:
    """A command is acknowledged but not recorded."""
    return iter(())


@bug("foureyes.core.evolve.reports:seat_left", source="S23", found_by="I21")
def state_is_more_than_the_log(original: Function, review: Review, event: object, _seen: list[object] = []) -> Review:  # noqa: B006 - the state outside the log is the bug
    """A counter is kept outside the log, so folding the log again gives another state."""
    _seen.append(event)
    found: Review = original(review, event)
    return replace(found, reason=f"{len(_seen)} have left")


@bug("foureyes.core.settle:_next", source="Y10", found_by="Y10")
def work_is_cleared_past_the_human(original: Function, scene: Scene) -> Iterator[ReviewEvent]:
    """Work is cleared while a human still decides about it."""
    pending = scene.review.ruling()
    if pending is not None and scene.review.outcome is None:
        assessment = scene.assess()
        if assessment.speaking is None:
            yield from settling._clear(scene, assessment)
        return
    yield from original(scene)


@bug("foureyes.core.settle:_is_ordered", source="Y2", found_by="Y10", seed=11)
def reviewers_overrule_a_human(_original: Function, _asked: RevisionRequest | None) -> bool:
    """A human asked for new bytes, and the old ones are cleared."""
    return False
