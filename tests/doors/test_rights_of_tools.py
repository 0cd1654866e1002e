"""MCP has the permissions of the same table, and no tool that is for humans."""

import asyncio

import pytest

from foureyes.app.calls.call import Need
from foureyes.app.calls.registry import CALLS
from foureyes.app.credentials import credential_of
from foureyes.core.refusals import Refusal
from foureyes.mcp.near import Near, by_credential
from foureyes.mcp.told import CODE, NotThere
from foureyes.mcp.tools import NOT_OFFERED, TOOLS
from tests.app.house import played
from tests.doors.requests import REQUESTS
from tests.doors.rights import PRINCIPALS, row
from tests.doors.states import STATES, Facts, found_in
from tests.doors.worlds import World

#: Principals with a token; neither a session nor a missing credential opens a tool.
WITH_TOKEN = ("author", "reviewer", "other", "program", "service", "vouched", "small")


def test_every_call_is_a_tool_or_has_its_reason_or_is_a_humans() -> None:
    """Whoever adds a call says whether agents get it."""
    for_humans = {name for name, call in CALLS.items() if call.needs is Need.HUMAN}
    assert TOOLS.keys() | NOT_OFFERED.keys() | for_humans == CALLS.keys()
    assert not TOOLS.keys() & (NOT_OFFERED.keys() | for_humans)


async def code_of(world: World, who: str, tool: str, facts: Facts) -> str:
    """The result of a tool call."""
    asks = by_credential(world.office, credential_of(world.headers[PRINCIPALS[who][1]]))
    params = {"name": tool, "arguments": REQUESTS[tool](facts)}
    try:
        found = await Near(world.office, asks, TOOLS).answer("tools/call", params, None)
    except Refusal as refusal:
        return refusal.code.value
    return str(found["_meta"][CODE]) if found["isError"] else "ok"


async def unlike(tool: str) -> list[str]:
    """Every cell of one tool that is not as it is written."""
    wrong = []
    for column, state in enumerate(STATES):
        made, facts = await found_in(state)
        world = made.copy()
        for who in WITH_TOKEN:
            before, found = world.events, await code_of(world, who, tool, facts)
            if found != row(tool, who)[column]:
                wrong.append(f"{tool}, {who}, {state}: {found} instead of {row(tool, who)[column]}")
            if world.events > before:
                world = made.copy()
    return wrong


@pytest.mark.parametrize("tool", TOOLS)
def test_each_may_use_the_tools_that_the_table_says(tool: str) -> None:
    """T1, T10, T24: the same at this door as at the other."""
    assert asyncio.run(unlike(tool)) == []


@played
async def test_what_is_a_humans_is_no_tool_for_anybody() -> None:
    """T10: whatever an agent calls it by."""
    made, facts = await found_in("ruling")
    for name, call in CALLS.items():
        if call.needs is Need.HUMAN:
            with pytest.raises(NotThere):
                await code_of(made.copy(), "author", name, facts)


@played
async def test_no_tool_answers_without_a_token_that_opens() -> None:
    """A session of a human is no token, and neither is one that was taken back or is over."""
    made, facts = await found_in("open")
    world = made.copy()
    for who in ("revoked", "expired", "nobody", "person"):
        for tool in TOOLS:
            assert await code_of(world, who, tool, facts) == "not_eligible"
    assert world.events == made.events
