"""A reviewer who has not reported learns nothing of what others said, not by any byte of any answer."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foureyes.app.calls import office
from foureyes.app.calls.registry import CALLS
from foureyes.app.rows import Listing
from foureyes.core.answers import seats
from foureyes.core.refusals import Refusal
from foureyes.http.openapi import described
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import GROUNDS, LATECOMER, OPEN_KINDS, differing, ground, leaks

#: Pairs of worlds in all, at least.
PAIRS = {"test": 150, "all": 2_000}
#: The most pairs before a planted leak must be found.
SOON = 12


async def found_in(kind: str, viewer: str, pairs: int, seed: str) -> list[str]:
    """What the viewer learns over so many pairs of worlds."""
    start, random, found = await ground(kind, viewer), Random(seed), list[str]()
    while pairs and not found:
        other = await differing(start, random)
        if other is not None:
            found, pairs = await leaks(start, other, random), pairs - 1
    return found


@pytest.mark.parametrize(("kind", "viewer"), GROUNDS, ids=[" ".join(one).replace(" ", "-") for one in GROUNDS])
def test_worlds_that_differ_in_what_is_hidden_answer_with_the_same_bytes(kind: str, viewer: str) -> None:
    """T13, T24, S5, S15: number, verdicts, lengths and times of hidden reports; on every way, refusal and mark."""

    @played
    async def story() -> None:
        found = await found_in(kind, viewer, -(-PAIRS[EFFORT] // len(GROUNDS)), f"{kind} {viewer}")
        assert not found, "\n".join(found)

    story()


Answer = Callable[[Any, Any, Any], Awaitable[Any]]


def with_version(answer: Answer) -> Answer:
    """A mark made from how long the review's log is."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        known = await desk.store.read(lambda reading: reading.known(f"review/{form.review}", "", ""))
        return replace(found, mark=f"{found.mark}-{known.version}")

    return leaky


def with_total(answer: Answer) -> Answer:
    """Planted leak: a page with the total count."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        return replace(found, next=str(len(await desk.store.read(lambda reading: reading.tail((0, 0), 1_000)))))

    return leaky


def with_order(answer: Answer) -> Answer:
    """A page with what changed last first."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        rows = await desk.store.read(lambda reading: reading.reviews(Listing()))
        updated = {row.review: row.updated for row in rows}
        latest = sorted(found.reviews, key=lambda one: updated[one.review], reverse=True)
        return replace(found, reviews=tuple(latest))

    return leaky


def with_feed_id(answer: Answer) -> Answer:
    """A change that is named by its place in the log."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        events = await desk.store.read(lambda reading: reading.tail((0, 0), 1_000))
        return replace(found, mark=f"{events[-1].seq}")

    return leaky


def with_hidden_objections(answer: Answer) -> Answer:
    """Planted leak: the gate names objections also to a reviewer who owes a report on these bytes (U-09)."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        plain = await desk.may_go_live(form.digest, form.target)
        return replace(found, state=plain.state, review=plain.review, reason=plain.reason)

    return leaky


def with_load(answer: Answer) -> Answer:
    """An estimate as it was: it counted what others still have on the table (U-09)."""

    async def leaky(desk: Any, caller: Any, form: Any) -> Any:
        found = await answer(desk, caller, form)
        held = await desk.store.read(lambda reading: reading.counts(["ann", "bob", "eve", "hugo"]))
        busy = sum(one.active + one.queued for one in held.values())
        return replace(found, **({"estimated_time": 30 * (1 + busy)} if hasattr(found, "estimated_time") else {}))

    return leaky


LEAKS = [
    ("the gate names what is hidden", "gate", with_hidden_objections),
    ("an estimate counts others", "check_review_required", with_load),
    ("an ETag made from the version", "read_review", with_version),
    ("a total", "list_reviews", with_total),
    ("an order", "list_reviews", with_order),
    ("the id of a change in a feed", "wait", with_feed_id),
]


@pytest.mark.parametrize(("call", "leak"), [one[1:] for one in LEAKS], ids=[one[0].replace(" ", "-") for one in LEAKS])
def test_a_planted_leak_is_found(call: str, leak: Callable[[Answer], Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: the comparison itself is tried on leaks that are there."""
    described()  # cached without the leak, whichever test comes first
    monkeypatch.setitem(CALLS, call, replace(CALLS[call], answer=leak(CALLS[call].answer)))

    @played
    async def story() -> None:
        assert await found_in("story", "ann", SOON, call)

    story()


def test_a_planted_leak_in_the_sentence_of_a_refusal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """S15: without the one answer to names of hidden seats, a refusal says how many there are."""

    async def as_it_is(*given: Any) -> Refusal:
        refusal: Refusal = given[-1]
        return refusal

    monkeypatch.setattr(office, "told_blindly", as_it_is)

    @played
    async def story() -> None:
        assert await found_in("story", "ann", SOON, "error")

    story()


@pytest.mark.parametrize("kind", OPEN_KINDS)
def test_a_planted_leak_in_the_name_of_a_volunteers_seat_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """T13, S15: numbered by all the seats there are, the own seat tells a volunteer how many came before."""

    def numbered(scene: Any, stage: Any, _: Any) -> str:
        return f"{stage.name}.{len(scene.review.seats_of(stage.name)) + 1}"

    monkeypatch.setattr(seats, "_volunteers_seat", numbered)

    @played
    async def story() -> None:
        found = await found_in(kind, LATECOMER, 4 * SOON, "numbered")
        assert found
        assert all(one.startswith(("after take_seat: ", "POST /api/v1/reviews/r1/seats")) for one in found), found

    story()
