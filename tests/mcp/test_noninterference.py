"""Over MCP too nobody learns what is hidden from them: not by a tool, a list, a resource, or a no."""

import json
from dataclasses import replace
from functools import wraps
from random import Random
from typing import Any

import pytest

from foureyes.app.calls.registry import CALLS
from foureyes.app.credentials import caller_of, credential_of
from foureyes.core.principals import SCOPES
from foureyes.core.values import WhoKind
from foureyes.mcp.near import Near
from foureyes.mcp.told import NotThere, words_of
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import OWN_WORD, Ground, differing, ground
from tests.doors.requests import REQUESTS
from tests.doors.test_noninterference import with_order
from tests.doors.worlds import World

PAIRS = {"test": 24, "all": 400}
GROUNDS = [(kind, viewer) for kind in ("story", "script", "task") for viewer in ("ann", "ann begun", "eve", "robot")]
Asked = tuple[str, dict[str, Any]]


async def answer(world: World, viewer: str, asked: Asked) -> str:
    """What comes back, as text; a no of the protocol too."""
    credential = credential_of(world.headers[viewer])

    async def who(_: object) -> Any:
        return await caller_of(world.office.store, credential, world.office.clock())

    try:
        found = await Near(world.office, who, TOOLS).answer(asked[0], asked[1], None)
    except NotThere as error:
        return str(error)
    except Exception as error:
        words = words_of(error)
        if words is None:
            raise
        return json.dumps(words)
    return json.dumps(found, sort_keys=True)


def questions(start: Ground, random: Random) -> list[Asked]:
    """All that can be looked at, and some of what can be done."""
    review = start.facts.review
    looks: list[Asked] = [
        ("tools/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "review://inbox"}),
        ("resources/read", {"uri": f"review://reviews/{review}"}),
        ("resources/read", {"uri": f"review://reviews/{review}/work"}),
        ("prompts/get", {"name": "reviewer", "arguments": {"review": review}}),
        ("completion/complete", {"argument": {"name": "review", "value": ""}}),
    ]
    calls: list[Asked] = [
        ("tools/call", {"name": name, "arguments": REQUESTS[name](start.facts)})
        for name in TOOLS
        if name in REQUESTS and name not in OWN_WORD and name != "wait"
    ]
    changing = [one for one in calls if CALLS[one[1]["name"]].changes]
    reading = [one for one in calls if not CALLS[one[1]["name"]].changes]
    return [*looks, *reading, *random.sample(changing, min(6, len(changing)))]


async def leaks(start: Ground, other: World, random: Random) -> list[str]:
    """Every answer that is not the same, byte for byte."""
    found = list[str]()
    for asked in questions(start, random):
        one, two = start.world.copy(), other.copy()
        one.house.now, two.house.ids = other.house.now, start.world.house.ids
        known, got = await answer(one, start.viewer, asked), await answer(two, start.viewer, asked)
        if known != got:
            found.append(f"{asked}\n  {known[:900]}\n  {got[:900]}")
    return found


async def found_in(kind: str, viewer: str, pairs: int) -> list[str]:
    """What the viewer learns, over so many pairs of worlds."""
    start, random, found = await ground(kind, viewer), Random(f"{kind} {viewer}"), list[str]()
    while pairs and not found:
        other = await differing(start, random)
        if other is not None:
            found, pairs = await leaks(start, other, random), pairs - 1
    return found


@pytest.mark.parametrize(("kind", "viewer"), GROUNDS, ids=[" ".join(one).replace(" ", "-") for one in GROUNDS])
def test_worlds_that_differ_in_what_is_hidden_answer_agents_with_the_same_bytes(kind: str, viewer: str) -> None:
    """T13: tools, lists, resources and completions, as the registries enumerate them."""

    @played
    async def story() -> None:
        found = await found_in(kind, viewer, PAIRS[EFFORT] // len(GROUNDS))
        assert not found, "\n".join(found)

    story()


def test_a_planted_order_is_found_in_the_list_of_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: the comparison itself is tried on a leak that is there."""
    call = CALLS["list_reviews"]
    leaky = wraps(call.answer)(with_order(call.answer))  # what it gives is still described
    monkeypatch.setitem(CALLS, "list_reviews", replace(call, answer=leaky))

    @played
    async def story() -> None:
        found = await found_in("story", "ann", 12)
        assert any("resources/list" in one for one in found)

    story()


def test_whatever_an_agent_may_call_is_compared() -> None:
    for_agents = {name for name, one in TOOLS.items() if one.call.needs.value in SCOPES[WhoKind.AGENT]}
    assert not for_agents - REQUESTS.keys()
