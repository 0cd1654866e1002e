"""Every cell of the permission table is played against the real application, and the page has the same table."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS
from foureyes.bootstrap.addresses import addresses
from foureyes.bootstrap.serving import application
from foureyes.bootstrap.speaking import endpoint
from foureyes.cli.serving import Serving
from foureyes.core.refusals import Code
from foureyes.http.routes import OTHERS, WAYS, Way
from foureyes.mcp.over_http import PATH as MCP_PATH
from foureyes.mcp.over_http import REVIEW_SERVER_PATH
from foureyes.web.pages import Pages
from tests.app.house import House, played
from tests.doors.requests import REQUESTS, asked_for
from tests.doors.rights import PLACES, PRINCIPALS, RIGHTS, STATES_SAID, place_row, row
from tests.doors.states import STATES, found_in
from tests.doors.worlds import told
from tools import rights_page

ROOT = Path(__file__).resolve().parents[2]
#: Codes of the door itself, before there is a refusal.
AT_THE_DOOR = {"credential_needed"}
#: Bytes alone are nothing that happened.
NO_EVENT = {"put_blob", "send_file"}


def test_a_call_without_a_row_or_a_request_fails_the_build() -> None:
    """Whoever adds a call says who may make it in which state, and how it is made."""
    assert RIGHTS.keys() == CALLS.keys()
    assert REQUESTS.keys() == CALLS.keys() == WAYS.keys()
    assert STATES_SAID.keys() == STATES.keys()
    known = {"ok", *AT_THE_DOOR, *(code.value for code in Code)}
    for call in RIGHTS:
        for who in PRINCIPALS:
            assert known.issuperset(row(call, who)), (call, who)


async def unlike(call: str) -> list[str]:
    """Every cell of one call that is not as it is written."""
    wrong = []
    for column, state in enumerate(STATES):
        made, facts = await found_in(state)
        world = made.copy()
        for who, (_, name) in PRINCIPALS.items():
            before = world.acts
            answer = await asked_for(world, call, REQUESTS[call](facts), world.headers[name])
            found, wanted = told(answer), row(call, who)[column]
            records = wanted == "ok" and CALLS[call].changes and call not in NO_EVENT
            if found != wanted or (world.acts > before) != records:
                wrong.append(f"{call}, {who}, {state}: {found} instead of {wanted}")
            if world.acts > before:
                world = made.copy()
    return wrong


@pytest.mark.parametrize("call", RIGHTS)
def test_each_may_do_what_the_table_says_and_nothing_else(call: str) -> None:
    """T1, T10, T24: by every kind of credential, in every state; what is refused leaves the log as it was."""
    assert asyncio.run(unlike(call)) == []


@played
async def test_what_is_served_beside_the_calls_is_for_whom_the_table_says() -> None:
    """T13: the feed, the figures, the description; a new place without a row fails the build."""
    made, _ = await found_in("open")
    world = made.copy()
    assert PLACES.keys() == OTHERS.keys()
    known = _paths((*WAYS.values(), *OTHERS.values()))
    assert {route.path for route in world.routes if isinstance(route, Route)} == known
    for place, way in OTHERS.items():
        for who, (_, name) in PRINCIPALS.items():
            found = told(await world.request(way.method, way.path, world.headers[name]))
            assert found == place_row(place, who), (place, who)


def test_a_server_serves_the_calls_the_places_the_tools_and_the_pages_and_nothing_else() -> None:
    """T22: what is added where the doors are put together has no row, and fails the build."""
    house, named = House(), addresses(Serving(), 8004)
    office = Office(gate=house.gate, store=house.store, clock=lambda: house.now)
    app: Any = application(office, named, endpoint(office, named.hosts, named.origins))
    while not hasattr(app, "routes"):
        app = app._app
    ways = [*WAYS.values(), *OTHERS.values()]
    pages = {(one.path, frozenset(one.methods or ())) for one in Pages(office=office).routes()}
    assert {(one.path, frozenset(one.methods or ())) for one in app.routes if one.path not in _paths(ways)} == {
        *pages,
        (MCP_PATH, frozenset()),
        (REVIEW_SERVER_PATH, frozenset()),
    }
    assert {one.path for one in app.routes} >= _paths(ways)


def _paths(ways: Iterable[Way]) -> set[str]:
    return {path for way in ways for path in way.paths}


@played
async def test_a_right_that_is_given_by_mistake_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The playing itself notices a call that asks for less than the table says."""
    rule = CALLS["withdraw"]
    monkeypatch.setitem(RIGHTS, "withdraw", {**RIGHTS["withdraw"], "author": "not_the_author"})
    assert len(await unlike("withdraw")) == len(STATES)
    assert rule.changes


def test_the_page_of_rights_says_what_the_table_says() -> None:
    """Made by `python -m tools.rights_page`."""
    assert (ROOT / "docs" / "reference" / "who-may-do-what.md").read_text(encoding="utf-8") == rights_page.page()
