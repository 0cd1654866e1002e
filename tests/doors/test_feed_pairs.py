"""A listener of the feed receives the same events that they may see, whatever hidden acts happen."""

from random import Random

import pytest

from foureyes.app import feeding
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import KINDS, WINDOW, Ground, differing, ground
from tests.doors.worlds import World
from tests.http.listening import Connection

PAIRS = {"test": 2, "all": 12}
GROUNDS = [(kind, viewer) for kind in KINDS for viewer in ("ann begun", "eve")]
OPEN = {"kind": "script", "title": "For everybody to see", "files": [{"path": "new.txt", "text": "Something new."}]}


async def heard(start: Ground, random: Random | None, worlds: list[World]) -> str:
    """The first event of a listener, with hidden acts before it; None if the acts are visible to them."""
    world = start.world.copy()
    worlds.append(world)
    async with Connection(world, start.headers) as line:
        if random is not None and await differing(start, random, world) is None:
            return ""
        world.house.now = start.world.house.now + WINDOW
        await world.done("dev", "/reviews", **OPEN)
        return await line.read()


async def told_apart(kind: str, viewer: str, pairs: int, worlds: list[World]) -> list[str]:
    """The differences by which a listener learns of hidden acts."""
    start, random = await ground(kind, viewer), Random(f"feed {kind} {viewer}")
    known, found = await heard(start, None, worlds), list[str]()
    assert known
    while pairs:
        got = await heard(start, random, worlds)
        pairs -= bool(got)
        found += [f"{known}\n{got}"] if got not in ("", known) else []
    return found


@pytest.mark.parametrize(("kind", "viewer"), GROUNDS, ids=[" ".join(one).replace(" ", "-") for one in GROUNDS])
def test_what_is_hidden_is_not_heard_in_the_feed(kind: str, viewer: str) -> None:
    """T13: no event of it, and no id, mark or time of another that would tell."""

    @played
    async def story() -> None:
        assert await told_apart(kind, viewer, PAIRS[EFFORT], []) == []

    story()


def test_a_planted_id_made_from_the_log_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: the id of an event is not how long the log is."""
    worlds = list[World]()
    monkeypatch.setattr(feeding, "place_after", lambda *_: str(worlds[-1].events))

    @played
    async def story() -> None:
        assert await told_apart("story", "ann begun", 3, worlds)

    story()
