"""A human's view of hidden contents is recorded, and no blind reviewer learns of it."""

import json
from typing import Any

import pytest

from foureyes.app.calls.registry import CALLS
from foureyes.app.calls.whole import SEEN
from foureyes.app.ports import Conflict, Unavailable
from foureyes.http.routes import BASE, GET, WAYS
from tests.app.house import played
from tests.doors.requests import REQUESTS, play, sent
from tests.doors.states import CHECKED, FINDING, OTHER_FILES, facts_of, opened
from tests.doors.worlds import World

#: Text of a report that is hidden until the viewer's own.
HIDDEN = "Greets nobody by name."
#: Reads whose answer tells a human that the view is recorded.
TELLING = {"read_review", "audit", "decisions"}


async def blind() -> World:
    """A reviewer has begun, and another's report is in; no human has looked yet."""
    world = await opened()
    await world.done("ann", f"/reviews/{world.review}/seats")
    said = {"findings": [FINDING | {"text": HIDDEN}], "summary": HIDDEN}
    await world.done("bob", f"/reviews/{world.review}/reports", revision=1, **said)
    return world


async def written(world: World) -> list[tuple[str, int]]:
    """Who saw the whole review, and at which version, according to the log."""
    stored = await world.house.store.read(lambda reading: list(reading.events(SEEN + world.review)))
    bodies = [json.loads(one.body) for one in stored]
    assert all(one["review"] == world.review for one in bodies)
    return [(one["by"], one["revision"]) for one in bodies]


async def trail(world: World, who: str, **form: str) -> list[tuple[str, str]]:
    """The views that a caller finds in the trail."""
    rows: list[dict[str, Any]] = (await play(world, sent("audit", form), world.headers[who])).data["rows"]
    return [(one["who"], one["says"]) for one in rows if one["what"] == "view"]


@played
async def test_what_a_human_sees_by_right_is_written_down_once_for_each_version() -> None:
    """A6: who, of which version and when, in the trail of the review."""
    world = await blind()
    for _ in range(2):
        assert [one["text"] for one in (await world.shown("hugo"))["findings"]] == [HIDDEN]
    assert await written(world) == [("hugo", 1)]
    for who in ("hugo", "dev"):
        assert await trail(world, who, review=world.review) == [("hugo", "the whole review")]
    await world.done("ann", f"/reviews/{world.review}/reports", revision=1, evidence=CHECKED)
    finding = (await world.shown("dev"))["findings"][0]["finding"]
    answers = [{"finding": finding, "text": "It greets everybody now."}]
    await world.done("dev", f"/reviews/{world.review}/revisions", files=OTHER_FILES, answers=answers)
    await world.shown("hugo")
    assert await written(world) == [("hugo", 1), ("hugo", 2)]


@played
async def test_whoever_sees_no_more_than_they_may_leaves_no_such_trace() -> None:
    """A6: nothing is hidden yet, it is the author's own, or the own report has unlocked it."""
    world = await opened()
    await world.shown("hugo")
    assert await written(world) == []
    await world.done("hugo", f"/reviews/{world.review}/seats")
    await world.done("bob", f"/reviews/{world.review}/reports", revision=1, findings=[FINDING])
    assert (await world.shown("hugo"))["findings"] == []
    await world.done("hugo", f"/reviews/{world.review}/reports", revision=1, evidence=CHECKED)
    assert (await world.shown("hugo"))["findings"]
    for name in ("dev", "ann", "bob", "eve"):
        await world.shown(name)
    assert await written(world) == []


@played
async def test_a_blind_reviewer_finds_no_view_in_the_trail_before_their_own_report() -> None:
    """A6, T13: that a human saw something tells that there is something to be seen."""
    world = await blind()
    await world.shown("hugo")
    assert await trail(world, "ann", review=world.review) == await trail(world, "eve", review=world.review) == []
    await world.done("ann", f"/reviews/{world.review}/reports", revision=1, evidence=CHECKED)
    assert await trail(world, "ann", review=world.review) == [("hugo", "the whole review")]


LOOKS = [name for name in REQUESTS if WAYS[name].method == GET and not CALLS[name].changes]


@pytest.mark.parametrize("name", LOOKS)
def test_no_call_that_only_looks_shows_hidden_words_unwritten(name: str) -> None:
    """A6: whichever call a human uses, hidden contents are shown only with a record of the view."""

    @played
    async def story() -> None:
        world = await blind()
        request = sent(name, REQUESTS[name](await facts_of(world.copy())))
        answer = await play(world, request, world.headers["hugo"])
        tells = HIDDEN.encode() in answer.body
        assert (await written(world) == [("hugo", 1)]) or not tells
        assert tells or name not in TELLING

    story()


@played
async def test_the_trail_of_everything_shows_a_human_no_report_unwritten() -> None:
    """A6: for each review that a page of it tells of."""
    world = await blind()
    assert await trail(world, "hugo") == []
    assert await written(world) == [("hugo", 1)]
    assert await trail(world, "hugo") == [("hugo", "the whole review")]


@played
async def test_what_cannot_be_written_down_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A6: a store that takes nothing shows a human nothing that others may not see."""
    world = await blind()

    async def full(_: Any) -> None:
        raise Unavailable("The disk is full.", "Make room.", full=True)

    monkeypatch.setattr(world.house.store, "write", full)
    answer = await world.get(f"{BASE}/reviews/{world.review}", world.headers["hugo"])
    assert answer.status >= 500
    assert HIDDEN.encode() not in answer.body

    async def busy(_: Any) -> None:
        raise Conflict

    monkeypatch.setattr(world.house.store, "write", busy)
    assert (await world.get(f"{BASE}/reviews/{world.review}", world.headers["hugo"])).status >= 500
