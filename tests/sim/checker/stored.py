"""The store and the background work agree with the log: checks for worlds where both are real."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.model import Request, Review
from tests.sim.checker.shapes import Delivered
from tests.sim.checker.world import World

Texts = Iterator[str]
ANSWERS = frozenset({"ReportSubmitted", "ReportFailed", "ReportKept"})
#: A row of the inbox: review, request, kind, addressee, whether it is theirs, whether it is queued, due.
Owed = tuple[str, str, str, str, bool, bool, str]

#: A review in a list: its state, revision and digest.
Listed = tuple[str, int, str]


def d3_the_hosted_speak_when_asked(world: World, review: Review, step: Delivered) -> Texts:
    """One report per seat and revision, unless the gate asks again: a reviewer started twice does not count twice."""
    if step.principal["name"] not in world.hosted:
        return
    for one in step.envelopes:
        kind, body = one["event"]["type"], one["event"]["body"]
        if kind not in ANSWERS or review.request_of(body["seat"]) is not None:
            continue
        key = (body["seat"], review.number)
        # A first report that comes late is still the first.
        is_late = any(request == body["seat"] for request, _ in review.fired)
        if not is_late and (key in review.counted or key in review.failed):
            yield f"{step.principal['name']} speaks again from {body['seat']}, where nobody is asked"


def i21_the_inbox_is_what_the_events_say(world: World, rows: set[Owed]) -> Texts:
    """The rows equal what the log alone says is owed, by whom and until when."""
    expected = {
        row for stream, review in world.reviews.items() for row in _all_rows(stream.removeprefix("review/"), review)
    }
    for row in sorted(expected - rows):
        yield f"the inbox lacks {row}"
    for row in sorted(rows - expected):
        yield f"the inbox has {row}"


def i21_the_list_is_what_the_events_say(world: World, stream: str, row: Listed | None) -> Texts:
    review = world.reviews[stream]
    expected = (review.outcome or "open", review.number, review.digest)
    if row != expected:
        yield f"it is listed as {row}, the log says {expected}"


def i21_a_replay_gives_the_same(kept: str, anew: str) -> Texts:
    if kept != anew:
        yield f"the rows are {kept}, made anew they are {anew}"


def i22_what_was_told_is_in_the_log(told: tuple[int, list[str]], written: tuple[int, list[str]]) -> Texts:
    if told != written:
        yield f"the answer was {told}, the log has {written}"


def i29_what_is_due_passes(request: str, due: str) -> Texts:
    yield f"{request} was due {due}, and the clock passed it by"


def _all_rows(name: str, review: Review) -> Iterator[Owed]:
    """The rows of all requests and, for an open review, of inherited findings for their raisers."""
    for request in review.requests.values():
        yield from _rows(name, review, request)
    for one in review.findings.values():
        if not review.outcome and one.origin[0] and one.standing not in ("resolved", "waived"):
            yield name, one.id, "finding", one.raiser, True, False, ""


def _rows(name: str, review: Review, request: Request) -> Iterator[Owed]:
    held, queued = True, False
    if request.kind == "report":
        seat = review.seats[request.seat]
        held, queued = seat.holder is not None, request.queued
        names = [seat.holder["name"]] if seat.holder else [f"role:{one}" for one in seat.candidates] or ["anyone"]
    elif request.kind == "revision":
        names = [review.author["name"]]
    else:
        held, names = False, [f"group:{request.group}" if request.group else "humans"]
    for who in names:
        yield name, request.id, request.kind, who, held, queued, request.due
