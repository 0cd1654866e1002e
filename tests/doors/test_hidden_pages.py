"""The pages show a human who owes a report nothing hidden, and no act of a viewer makes both worlds differ."""

import re
from dataclasses import replace
from random import Random
from string import Formatter

import pytest

from foureyes.http.app import build
from foureyes.http.routes import GET, WAYS
from foureyes.web.pages import Pages, strayed
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import OWN_WORD, Ground, _looks, at_the_end, differing, ground
from tests.doors.requests import REQUESTS, Sent, play, sent
from tests.doors.states import SESSION
from tests.doors.worlds import World
from tests.http.web import SITE, Answer

#: Pairs of worlds for each style.
PAIRS = {"test": 4, "all": 40}
#: Each form has a key that is random whenever it is shown.
_KEY = re.compile(rb'(name="key" value=")[^"]+')


def paged(world: World) -> World:
    """A copy of the world with its pages."""
    world.app = build(world.office, SITE, Pages(office=world.office).routes(), strayed=strayed)
    return world


def pages(world: World) -> list[Sent]:
    """Every page, by its route; a route with a parameter that is unknown here fails."""
    named = {"review": world.review, "session": SESSION}
    routes = Pages(office=world.office).routes()
    return [Sent(method=GET, path=one.path.format_map(named)) for one in routes if GET in (one.methods or ())]


async def opened(world: World, request: Sent, headers: dict[str, str]) -> Answer:
    """A page, without the keys of its forms."""
    answer = await play(world, request, headers | {"accept": "text/html"})
    body = _KEY.sub(rb"\1", answer.body)
    length = {"content-length": str(len(body))} if "content-length" in answer.headers else {}
    return replace(answer, body=body, headers=answer.headers | length)


async def another(start: Ground, random: Random) -> World:
    """A world that differs in what is hidden."""
    while True:
        other = await differing(start, random)
        if other is not None:
            return other


async def shown_apart(start: Ground, other: World) -> list[str]:
    """Every page that differs between both."""
    one, two, found = paged(at_the_end(start.world)), paged(other.copy()), list[str]()
    for request in pages(one):
        known, got = await opened(one, request, start.headers), await opened(two, request, start.headers)
        if known != got:
            found.append(f"{request.path}\n  {known.body[:3000]!r}\n  {got.body[:3000]!r}")
    return found


@pytest.mark.parametrize("kind", ["story", "script"])
def test_worlds_that_differ_in_what_is_hidden_show_a_human_with_a_seat_the_same_pages(kind: str) -> None:
    """T13: a reviewer who owes a report is blind on the pages too."""

    @played
    async def story() -> None:
        start, random = await ground(kind, "hugo begun"), Random(kind)
        for _ in range(PAIRS[EFFORT]):
            found = await shown_apart(start, await another(start, random))
            assert not found, "\n".join(found)

    story()


@played
async def test_a_human_without_a_seat_is_shown_what_is_hidden_so_the_pages_do_differ() -> None:
    """Tests the comparison itself, with a viewer who may see the differences."""
    start, random = await ground("story", "hugo begun"), Random("seen")
    start.world.headers["hugo"] = start.world.headers["sue"]
    found = [one for _ in range(4) for one in await shown_apart(start, await another(start, random))]
    assert any(one.startswith(f"/reviews/{start.world.review}\n") for one in found)


@played
async def test_every_page_that_can_be_opened_is_compared() -> None:
    """A new page is found by its route."""
    start = await ground("story", "hugo begun")
    found = {one.path for one in pages(start.world)}
    assert found >= {"/", "/accounts", f"/reviews/{start.world.review}", f"/sessions/{SESSION}"}
    assert not [one for one in found if any(name for _, name, _, _ in Formatter().parse(one))]


@pytest.mark.parametrize("viewer", ["ann", "eve", "dweller"])
@pytest.mark.parametrize("kind", ["story", "task"])
def test_after_an_act_of_the_viewer_both_worlds_still_look_the_same(kind: str, viewer: str) -> None:
    """T13: what their act leaves behind tells no more than its answer; the own word, which opens eyes, is left out."""

    @played
    async def story() -> None:
        start, random = await ground(kind, viewer), Random(f"{kind} {viewer} after")
        acts = [name for name in REQUESTS if WAYS[name].method != GET and name not in OWN_WORD]
        for _ in range(PAIRS[EFFORT]):
            one, two = at_the_end(start.world), await another(start, random)
            name = random.choice(acts)
            act = sent(name, REQUESTS[name](start.facts))
            for request in (act, *_looks(start)):
                one.house.ids = two.house.ids = start.world.house.ids + 1_000
                known, got = await play(one, request, start.headers), await play(two, request, start.headers)
                assert known == got, f"after {name}: {request.method} {request.path}\n  {known}\n  {got}"

    story()
