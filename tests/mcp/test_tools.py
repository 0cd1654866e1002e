"""The tools: every call for agents, by a list written by hand, and none that is for humans."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ErrorData

from foureyes.app.accounts import stream_of
from foureyes.app.calls.call import Need
from foureyes.app.calls.registry import CALLS
from foureyes.core.principals import SCOPES, RemovePrincipal
from foureyes.core.values import WhoKind
from foureyes.mcp.server import REVIEW_SERVER as AS_REVIEW_SERVER
from foureyes.mcp.tools import AUTHOR, EVERYBODY, NOT_OFFERED, OTHERS, REVIEW_SERVER, REVIEWER, SEVEN, TOOLS, offered
from tests.app.house import played
from tests.calls.counter import SUE
from tests.mcp.desk import ERAS, LEGACY, MODERN, Desk, no, tool

EVERY = (*EVERYBODY, *AUTHOR, *REVIEWER, *REVIEW_SERVER, *OTHERS)
FOR_HUMANS = sorted(name for name, one in CALLS.items() if one.needs is Need.HUMAN)


def test_every_call_is_a_tool_or_for_humans_or_left_out_for_a_reason() -> None:
    """Whoever adds a call says whether agents get it, or the build fails."""
    for name, call in CALLS.items():
        places = [name in TOOLS, call.needs is Need.HUMAN, name in NOT_OFFERED]
        assert places.count(True) == 1, name
    assert len({one.name for one in EVERY}) == len(EVERY)
    assert all(NOT_OFFERED.values())


def test_no_tool_leads_to_what_is_for_humans() -> None:
    """T10: not by its name, nor by being put on the list by mistake."""
    assert all(one.call.needs is not Need.HUMAN for one in TOOLS.values())
    assert not any(one.call.answer is CALLS[name].answer for one in TOOLS.values() for name in FOR_HUMANS)
    planted = tuple(EVERYBODY[0].__class__(name=name, says="x") for name in FOR_HUMANS)
    assert offered(planted) == {}


@pytest.mark.parametrize("era", ERAS)
def test_whoever_asks_for_what_is_for_humans_finds_no_such_tool(era: str) -> None:
    """T10: with a token of any kind and every scope it can have."""

    @played
    async def story() -> None:
        desk = Desk()
        for kind in SCOPES:
            headers = await desk.agent(f"a-{kind}", kind=kind)
            async with desk.near(headers, era) as client:
                for name in FOR_HUMANS:
                    with pytest.raises(MCPError, match=f"Unknown tool: {name}"):
                        await client.call_tool(name, {})

    story()


@pytest.mark.parametrize("era", ERAS)
def test_nothing_is_asked_of_a_client(era: str) -> None:
    """T10: an answer to an elicitation cannot count, because none is ever asked for."""

    @played
    async def story() -> None:
        desk = Desk()
        asked = list[Any]()

        async def elicited(context: object, params: object) -> ErrorData:
            asked.append((context, params))
            return ErrorData(code=0, message="no")

        async with desk.near(await desk.agent("dev"), era) as plain:
            names = [one.name for one in (await plain.list_tools()).tools]
            server = plain.server
        async with Client(server, mode=era, elicitation_callback=elicited) as client:
            for name in names:
                await client.call_tool(name, {})
        assert asked == []

    story()


def test_what_a_tool_takes_and_gives_is_described() -> None:
    for one in TOOLS.values():
        for schema in (one.takes(), one.gives()):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert one.takes()["additionalProperties"] is False
        assert len(one.says) > 20
        assert one.says.endswith(".")


@played
async def test_a_token_sees_the_tools_it_is_for() -> None:
    desk = Desk()
    async with desk.near(await desk.agent("reader", "read"), MODERN) as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert "read_review" in names
        assert not names & {"open_review", "report"}
        said = await no(client, "open_review", kind="script", title="x", files=[])
        assert "Code: not_eligible" in said
    async with desk.near(await desk.agent("dev"), MODERN) as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert names == {name for name, one in TOOLS.items() if one.call.needs.value in SCOPES[WhoKind.AGENT]}


@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_tool_is_told_so(era: str) -> None:
    """001-41: error "Unknown tool: X"."""

    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("approve_everything", {})
            assert caught.value.error.message == "Unknown tool: approve_everything"

    story()


@pytest.mark.parametrize("era", ERAS)
def test_as_review_server_it_has_that_name_and_those_seven_tools(era: str) -> None:
    """001-42: name `review-server`, version 1.0.0; nothing else is offered."""

    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era, AS_REVIEW_SERVER) as client:
            names = {one.name for one in (await client.list_tools()).tools}
            assert names == set(SEVEN)
            with pytest.raises(MCPError, match="Unknown tool: open_review"):
                await client.call_tool("open_review", {})
            if era == LEGACY:
                assert client.server_info is not None
                assert (client.server_info.name, client.server_info.version) == ("review-server", "1.0.0")
                capabilities = client.server_capabilities
                assert (capabilities.resources, capabilities.prompts) == (None, None)

    story()


def test_the_seven_are_named_as_they_were() -> None:
    """001-34 … 001-40."""
    assert [one.name for one in REVIEW_SERVER] == [
        "check_review_required",
        "request_review",
        "submit_review",
        "get_review",
        "request_re_review",
        "escalate_review",
        "get_review_metrics",
    ]


@played
async def test_who_i_am_is_what_the_token_says() -> None:
    """S1: an identity in the arguments must be the credential's."""
    desk = Desk()
    async with desk.near(await desk.agent("dev"), MODERN) as client:
        assert (await tool(client, "me"))["who"]["name"] == "dev"
        body = {"kind": "script", "title": "x", "files": [{"path": "a", "text": "b"}]}
        assert "Code: identity_mismatch" in await no(client, "open_review", **body, author="codex")


@pytest.mark.parametrize("era", ERAS)
def test_one_process_is_one_account_for_as_long_as_its_token_opens(era: str) -> None:
    """T5: the token is looked up with every request, and nothing a client says is taken instead of it."""

    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era) as client:
            assert (await tool(client, "me"))["who"]["name"] == "dev"
            await desk.house.do(SUE, RemovePrincipal(reason="Gone."), stream_of("dev"))
            for asking in (client.call_tool("me", {}), client.list_resources(), client.read_resource("review://inbox")):
                with pytest.raises(MCPError, match="The token opens nothing"):
                    await asking

    story()
