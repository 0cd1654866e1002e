"""Look at what is shown and drawn in a simulated world between its steps, for the checker."""

from __future__ import annotations

from dataclasses import replace

from foureyes.codec import encode
from foureyes.core import commands as c
from foureyes.core import decide as deciding
from foureyes.core import views
from foureyes.core.model import ReportRequest, Review, RevisionRequest, RulingRequest
from foureyes.core.refusals import Refusal
from foureyes.core.rules import Blind
from foureyes.core.stack import stages_of
from foureyes.core.values import Part, Who
from tests.sim.checker import Shown
from tests.sim.run import Run
from tests.sim.script import Delivery

HIDDEN = "nobody may read this yet"


def look_at(run: Run) -> None:
    """Show the last touched review to every holder of a seat, also with other hidden contents."""
    stream = run.script[-1].stream
    review = run.world.reviews.get(stream)
    if review is None:
        return
    rules, stricter = run.world.rules[review.rules], run.world.rules.get(review.stricter)
    for viewer in {one.reviewer.name: one.reviewer for one in review.seats.values() if one.reviewer}.values():
        blind = _blind_stages(run, review, viewer)
        if blind and not review.is_contributor(viewer.name):
            other = _other(review, viewer, blind)
            text, elsewhere = (repr(views.view(rules, one, viewer, stricter)) for one in (review, other))
            shown = Shown(stream=stream, viewer=viewer.name, text=text, elsewhere=elsewhere)
            run.world.violations += run.world.checker.show(shown)


def _blind_stages(run: Run, review: Review, viewer: Who) -> frozenset[str]:
    """Stages where the viewer holds a seat, has never reported and must not see the others."""
    stages = stages_of(run.world.rules[review.rules], review, run.world.rules.get(review.stricter))
    mine = {one.stage for one in review.seats.values() if one.reviewer and one.reviewer.name == viewer.name}
    spoken = {review.seats[one.seat].stage for one in review.reports.values() if one.reviewer.name == viewer.name}
    blind = {one.name for one in stages if one.options.blind is not Blind.OFF}
    return frozenset(mine & blind - spoken)


def _other(review: Review, viewer: Who, blind: frozenset[str]) -> Review:
    """A copy of the review with other reports and requests in the stages the viewer is blind to."""
    foreign = {
        one.id
        for one in review.seats.values()
        if one.stage in blind and (one.reviewer is None or one.reviewer.name != viewer.name)
    }
    asked = _asked_about(review, viewer)
    return replace(
        review,
        reports={
            key: replace(one, summary=HIDDEN, confidence=1) if one.seat in foreign else one
            for key, one in review.reports.items()
        },
        # A verifying seat knows the finding as raised, and nothing said about it since.
        findings={
            key: replace(one, raiser=HIDDEN, answer=HIDDEN, note=HIDDEN) if one.seat in foreign else one
            for key, one in review.findings.items()
            if one.seat not in foreign or key in asked
        },
        revisions=tuple(replace(one, note=HIDDEN) if one.number > 1 else one for one in review.revisions),
        requests={key: one for key, one in review.requests.items() if not _is_about(one, foreign, blind)},
        rulings=review.rulings + 1,
        usd_micro=review.usd_micro + 1,
    )


def _asked_about(review: Review, viewer: Who) -> set[str]:
    """The findings that a verifying seat of the viewer is asked about."""
    mine = {
        one.id
        for one in review.seats.values()
        if one.part is Part.VERIFY and one.reviewer and one.reviewer.name == viewer.name
    }
    asked = (one for one in review.requests.values() if isinstance(one, ReportRequest) and one.seat in mine)
    return {name for one in asked for name in one.about}


def _is_about(request: object, foreign: set[str], blind: frozenset[str]) -> bool:
    if isinstance(request, ReportRequest):
        return request.seat in foreign
    return isinstance(request, RevisionRequest | RulingRequest) and request.stage in blind


def draw_twice(run: Run) -> None:
    """Open the same work twice without appending; only the author's words differ, the draw must not."""
    last = run.script[-1]
    if not isinstance(last.command, c.OpenReview) or last.command.digest not in run.world.works:
        return
    reworded = replace(last.command, title=f"{last.command.title}, at last", note="please be kind", confidence=99)
    try:
        first, second = (_drawn(run, replace(last, command=one)) for one in (last.command, reworded))
    except Refusal:
        return
    run.world.violations += run.world.checker.drawn(last.stream, first, second)


def _drawn(run: Run, delivery: Delivery) -> list[dict[str, object]]:
    rules, facts = run.world.rules[run.world.in_force.digest], run.world.facts(delivery, None)
    command = delivery.command
    assert isinstance(command, c.OpenReview)
    facts = replace(facts, vetoes={})
    found = deciding.decide(rules, None, command, actor=delivery.who, facts=facts, now=delivery.at)
    return [encode(one) for one in found]
