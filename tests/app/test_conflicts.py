"""A conflict with a faster writer is no error, and a store that cannot answer never means yes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from foureyes.app.gate import CONFLICTS_MAX
from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.ports import Conflict, Reading, Unavailable, Writing
from foureyes.app.rows import Listing
from foureyes.app.work import work_of
from foureyes.core import commands as c
from foureyes.core.values import Outcome
from foureyes.store.memory import MemoryStore
from tests.app.house import FIRST, SECOND, House, played
from tests.cast import CODEX, DEV, HUGO

T = TypeVar("T")


class Contended(MemoryStore):
    """A store on which others are faster for a while, or that is gone."""

    faster = 0
    gone = False

    async def write(self, work: Callable[[Writing], T]) -> T:
        if self.gone:
            raise Unavailable("The database is down.", "Try again later.")
        if self.faster:
            self.faster -= 1
            raise Conflict
        return await super().write(work)

    async def read(self, work: Callable[[Reading], T]) -> T:
        if self.gone:
            raise Unavailable("The database is down.", "Try again later.")
        return await super().read(work)


@played
async def test_a_command_is_decided_again_as_often_as_somebody_else_was_faster() -> None:
    store = Contended()
    house = House(store=store)
    stream = await house.open()
    store.faster = CONFLICTS_MAX - 1
    assert (await house.approve(stream)).state == "cleared"
    assert (await house.log(stream)).count("ReviewCleared") == 1


@played
async def test_beyond_that_the_caller_is_told_to_come_back_and_nothing_has_happened() -> None:
    store = Contended()
    house = House(store=store)
    stream = await house.open()
    before = await house.log(stream)
    store.faster = CONFLICTS_MAX
    with pytest.raises(Unavailable, match="too busy"):
        await house.approve(stream)
    assert await house.log(stream) == before


@played
async def test_a_store_that_cannot_answer_lets_nothing_go_live() -> None:
    """B27: while the database is down the gate answers not approved, whatever was cleared before."""
    store = Contended()
    house = House(store=store)
    await house.cleared()
    store.gone = True
    answer = await house.gate.may_go_live(work_of(FIRST).digest)
    assert (answer.allowed, answer.state) == (False, "unavailable")
    with pytest.raises(Unavailable):
        await house.do(DEV, c.AddNote(text="Anybody there?"), "review/r1")
    store.gone = False
    assert (await house.gate.may_go_live(work_of(FIRST).digest)).allowed


@played
async def test_the_rows_beside_the_log_are_those_of_the_folded_review() -> None:
    """I21: lists, digests and the inbox are functions of the state, after every command."""
    house = House()
    stream = await house.open()
    steps: list[Callable[[], object]] = [
        lambda: house.object_to(stream, "No test", "No docstring"),
        lambda: house.do(DEV, c.RequestRuling(reason="I disagree", argument="It is a script"), stream),
        lambda: _ruled(house, stream),
        lambda: house.revise(stream),
        lambda: house.approve(stream, settled=_settled("solo.1-F1", "solo.1-F2", "solo.1-F3")),
        lambda: house.revise(stream, {"hello.py": b"print(3)\n"}),
        lambda: house.do(DEV, c.WithdrawReview(reason="Enough"), stream),
    ]
    seen: set[str] = set()
    for step in steps:
        await step()  # type: ignore[misc]
        seen.add(await _compare(house, stream))
    assert {"open", Outcome.CLEARED, Outcome.WITHDRAWN} <= seen


def _settled(*names: str) -> tuple[c.Settlement, ...]:
    return tuple(c.Settlement(finding=name, resolved=True, note="Seen") for name in names)


async def _ruled(house: House, stream: str) -> None:
    ruling = (await house.review(stream)).ruling()
    assert ruling
    option = next(one.id for one in ruling.options if one.effect == "revise")
    await house.do(HUGO, c.GiveRuling(request=ruling.id, option=option, reason="Please", demands=("A test",)), stream)


async def _compare(house: House, stream: str) -> str:
    review = await house.review(stream)

    def look(reading: Reading) -> None:
        (row,) = reading.reviews(Listing())
        assert row == review_row(review, opened=row.opened, updated=row.updated)
        for one in digest_rows(review):
            assert one in reading.digests(one.digest)
        names = {row.who for row in inbox_rows(review)} | {"dev", "codex", "humans", "role:agent"}
        found = [row for name in sorted(names) for row in reading.inbox(name)]
        assert sorted(map(str, found)) == sorted(map(str, inbox_rows(review)))
        counts = reading.counts(["codex"]).get("codex")
        held = [row for row in inbox_rows(review) if row.who == "codex" and row.kind == "report" and not row.queued]
        assert (counts.active if counts else 0) == len(held)

    await house.store.read(look)
    return "open" if review.outcome is None else review.outcome.value


@played
async def test_a_gate_that_fell_behind_reads_on_from_where_it_was() -> None:
    house = House()
    other = house.another_gate()
    stream = await house.open()
    name = stream.removeprefix("review/")
    assert (await other.read(name, HUGO)).view.review.revision == 1
    await house.revise(stream, SECOND)
    assert (await other.read(name, HUGO)).view.review.revision == 2
    report = house.ask(CODEX, c.SubmitReport(revision=2, verdict="approve"), stream)
    assert (await other.handle(report)).state == "cleared"
