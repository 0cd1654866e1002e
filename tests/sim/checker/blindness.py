"""A reviewer sees nothing that is still hidden from them: invariants I18 and I19."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterator

from tests.sim.checker.model import Review
from tests.sim.checker.shapes import Json, Shown
from tests.sim.checker.world import World

Texts = Iterator[str]


def i18_hidden_reports_change_nothing(_world: World, _review: Review, shown: Shown) -> Texts:
    """A blind viewer sees the same whatever the others wrote."""
    if shown.text != shown.elsewhere:
        at = next((i for i, (a, b) in enumerate(zip(shown.text, shown.elsewhere, strict=False)) if a != b), -1)
        yield f"{shown.viewer} can tell: …{shown.text[max(0, at - 60) : at + 60]}…"


def i18_no_foreign_word_is_shown(world: World, review: Review, shown: Shown) -> Texts:
    """No text of another seat in a stage where this viewer has not reported yet; a successor may read their own."""
    mine = {one.id for one in review.seats.values() if one.holder is not None and one.holder["name"] == shown.viewer}
    given = _asked_about(review, mine)
    for stage in _blind_stages(world, review, shown.viewer):
        for seat, name, word in review.tokens.get(stage, ()):
            if name != shown.viewer and seat not in mine and word not in given and word in shown.text:
                yield f"{shown.viewer} was shown {word!r} of {name} in {stage}"
                return


def _asked_about(review: Review, mine: set[str]) -> set[str]:
    """The texts of the findings that a verifying seat of the viewer is asked about, which it must see."""
    seats = {one for one in mine if review.seats[one].part == "verify"}
    asked = (one for one in review.requests.values() if one.kind == "report" and one.seat in seats)
    return {review.findings[name].text for one in asked for name in one.about if name in review.findings}


def _blind_stages(world: World, review: Review, viewer: str) -> list[str]:
    """Stages in which the viewer holds a seat and has not given, on any seat, the report that ends blindness."""
    found = []
    for seat in review.seats.values():
        stage = world.stage(review, seat.stage)
        if stage is None or stage.blind == "off" or seat.holder is None or seat.holder["name"] != viewer:
            continue
        reported = [
            number
            for (one, number), report in review.counted.items()
            if review.seats[one].stage == seat.stage and report.who["name"] == viewer
        ]
        if not reported or (stage.blind == "each_round" and review.number not in reported):
            found.append(seat.stage)
    return found


def print_of(before: bytes, event: Json) -> bytes:
    """Chain one more event to the fingerprint of a stream."""
    # The oldest format has no references and no interned texts, so equal values give equal bytes.
    return hashlib.blake2b(before + marshal.dumps(event, 0), digest_size=16).digest()


def i19_what_was_stored_stays(world: World, stream: str, events: list[Json]) -> Texts:
    """The log handed over at the end is the one that was appended, event by event."""
    found = b""
    for event in events:
        found = print_of(found, event)
    if found != world.prints.get(stream, b""):
        yield "the log is not what was appended"
