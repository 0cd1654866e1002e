"""Planted bugs that show a blind reviewer what the others found, said or were asked."""

from __future__ import annotations

from dataclasses import replace

from foureyes.core.model import Request, Review, Revision, Seat
from foureyes.core.rules import Rules, Stage
from foureyes.core.values import Who
from foureyes.core.views import View
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.views:view", source="S5", found_by="I18")
def everything_is_shown_to_all(
    _original: Function, _rules: Rules, review: Review, _viewer: Who, _stricter: Rules | None = None
) -> View:
    """The whole review is shown to every viewer."""
    return View(review=review, whole=frozenset(), hides=False)


@bug("foureyes.core.views:_is_unlocked", source="OpenReview 2025", found_by="I18")
def a_seat_is_enough_to_see(_original: Function, review: Review, stage: Stage, viewer: Who) -> bool:
    """The holder of a seat sees everything before their own report."""
    seats = [one for one in review.seats.values() if one.stage == stage.name and one.reviewer]
    return any(one.reviewer is not None and one.reviewer.name == viewer.name for one in seats)


@bug("foureyes.core.views:_plain", source="S19", found_by="I18")
def the_author_tells_what_others_found(_original: Function, revision: Revision) -> Revision:
    """The note of a new version, which mentions the others' findings, is shown to every viewer."""
    return revision


@bug("foureyes.core.views:_may_see", source="T13", found_by="I18")
def requests_are_shown(_original: Function, _request: Request, _seats: dict[str, Seat], _whole: frozenset[str]) -> bool:
    """Requests to the author and to humans are shown, which reveals what the others found."""
    return True


@bug("foureyes.core.views:_redacted", source="S15", found_by="I18")
def counts_are_shown(original: Function, review: Review, *given: object, hides: bool) -> Review:
    """The number of rulings and the cost of the others are shown."""
    found: Review = original(review, *given, hides=hides)
    return replace(found, rulings=review.rulings, usd_micro=review.usd_micro)


@bug("foureyes.core.views:_redacted", source="T13", found_by="I18")
def findings_are_shown(original: Function, review: Review, *given: object, hides: bool) -> Review:
    """The list of findings is not filtered."""
    found: Review = original(review, *given, hides=hides)
    return replace(found, findings=review.findings)
