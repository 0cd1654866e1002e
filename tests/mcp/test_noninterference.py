"""Over MCP no viewer learns what is hidden from them: not by a tool, a list, a resource, or a refusal."""

import json
from dataclasses import dataclass, replace
from functools import wraps
from random import Random
from string import Formatter
from typing import Any

import pytest

from foureyes.app.calls.registry import CALLS
from foureyes.app.credentials import caller_of, credential_of
from foureyes.mcp import prompts, resources
from foureyes.mcp.near import Near
from foureyes.mcp.told import NotThere, words_of
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import OWN_WORD, Ground, at_the_end, differing, ground
from tests.doors.requests import REQUESTS
from tests.doors.states import SESSION, Facts
from tests.doors.test_noninterference import with_order
from tests.doors.worlds import World

#: Pairs of worlds in all, in addition to those compared over HTTP.
PAIRS = {"test": 60, "all": 600}
GROUNDS = [
    (kind, viewer) for kind in ("story", "script", "task") for viewer in ("ann", "ann begun", "eve", "dweller", "robot")
]
#: Number of changing calls tried in each pair; over all pairs every call is tried.
ACTS_ASKED = 6
Asked = tuple[str, dict[str, Any]]


def door(world: World, viewer: str) -> Near:
    """The tools of a world, for this viewer."""
    credential = credential_of(world.headers[viewer])

    async def who(_: object) -> Any:
        return await caller_of(world.office.store, credential, world.office.clock())

    return Near(world.office, who, TOOLS)


async def answer(world: World, viewer: str, asked: Asked) -> str:
    """The answer as text, including protocol errors."""
    try:
        found = await door(world, viewer).answer(asked[0], asked[1], None)
    except NotThere as error:
        return str(error)
    except Exception as error:
        words = words_of(error)
        if words is None:
            raise
        return json.dumps(words)
    return json.dumps(found, sort_keys=True)


async def looks(start: Ground) -> list[Asked]:
    """All reads of the registries, by name; one without parameters here fails."""
    near, facts = door(start.world, start.viewer), start.facts
    named = {"review": facts.review, "session": SESSION}
    there = (await near.answer("resources/list", {}, None))["resources"]
    templates = (await near.answer("resources/templates/list", {}, None))["resourceTemplates"]
    told = (await near.answer("prompts/list", {}, None))["prompts"]
    uris = {*(one["uri"] for one in there), *(one["uriTemplate"].format_map(named) for one in templates)}
    about = {argument["name"] for one in told for argument in one["arguments"]}
    about |= {name for one in templates for _, name, _, _ in Formatter().parse(one["uriTemplate"]) if name}
    asked: dict[str, list[dict[str, Any]]] = {
        "tools/list": [{}],
        "tools/call": [{"name": name, "arguments": _body(name, facts)} for name in TOOLS if not _changes(name)],
        "resources/list": [{}],
        "resources/templates/list": [{}],
        "resources/read": [{"uri": one} for one in sorted(uris)],
        "prompts/list": [{}],
        "prompts/get": [
            {"name": one["name"], "arguments": {argument["name"]: named[argument["name"]]}}
            for one in told
            for argument in one["arguments"]
        ],
        "completion/complete": [{"argument": {"name": one, "value": ""}} for one in sorted(about)],
    }
    return [(method, params) for method in near._methods for params in asked[method]]


def acts(start: Ground) -> list[Asked]:
    """All that can be done."""
    names = [name for name in TOOLS if _changes(name)]
    return [("tools/call", {"name": name, "arguments": _body(name, start.facts)}) for name in names]


def _changes(tool: str) -> bool:
    return TOOLS[tool].call.changes


def _body(tool: str, facts: Facts) -> dict[str, Any]:
    return REQUESTS[TOOLS[tool].call.name](facts)


@dataclass
class Looked:
    """A world under test; each act runs on a copy."""

    world: World
    now: World | None = None

    async def answer(self, viewer: str, asked: Asked, ids: int) -> str:
        """The answer; the next minted id is no secret."""
        self.now = self.now or self.world.copy()
        before, self.now.house.ids = self.now.events, ids
        found = await answer(self.now, viewer, asked)
        if self.now.events > before:
            self.now = None
        return found


async def leaks(start: Ground, other: World, random: Random) -> list[str]:
    """Every answer that differs by a byte."""
    found, ids, doing = list[str](), start.world.house.ids, acts(start)
    one, two = Looked(at_the_end(start.world)), Looked(other)
    for asked in [*await looks(start), *random.sample(doing, min(ACTS_ASKED, len(doing)))]:
        known, got = await one.answer(start.viewer, asked, ids), await two.answer(start.viewer, asked, ids)
        if known != got and not _own_word(asked, known, got):
            found.append(f"{asked}\n  {known[:900]}\n  {got[:900]}")
    return found


def _own_word(asked: Asked, known: str, got: str) -> bool:
    """Whether the call submits or gives up the viewer's own report, so that its answer may depend on others."""
    both_done = not any(json.loads(one).get("isError") for one in (known, got) if one.startswith("{"))
    return both_done and asked[0] == "tools/call" and TOOLS[asked[1]["name"]].call.name in OWN_WORD


async def found_in(kind: str, viewer: str, pairs: int) -> list[str]:
    """What the viewer learns over so many pairs of worlds."""
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


@played
async def test_whatever_can_be_asked_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new tool, resource, prompt or method without a question fails; here one of each is planted."""
    start = await ground("story", "ann")
    tried = {one[1]["name"] for one in [*await looks(start), *acts(start)] if one[0] == "tools/call"}
    assert tried == TOOLS.keys()
    with monkeypatch.context() as planted:
        planted.setitem(prompts.PROMPTS, "new", replace(prompts.PROMPTS["author"], name="new", about="planet"))
        with pytest.raises(KeyError, match="planet"):
            await looks(start)
    with monkeypatch.context() as planted:
        planted.setitem(CALLS, "new", replace(CALLS["me"], name="new"))
        planted.setitem(TOOLS, "new", replace(TOOLS["me"], name="new"))
        with pytest.raises(KeyError, match="new"):
            await looks(start)

    async def new(*_: object) -> dict[str, Any]:
        return {"resourceTemplates": [{"uriTemplate": "review://planets/{planet}"}]}

    with monkeypatch.context() as planted:
        planted.setattr(resources, "templates", new)
        with pytest.raises(KeyError, match="planet"):
            await looks(start)
