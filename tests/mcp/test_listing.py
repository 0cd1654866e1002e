"""The list of tools is short unless all are requested; an unlisted tool can still be called by its name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from mcp.shared.exceptions import MCPError

from foureyes.cli.mcp import LISTS
from foureyes.core.principals import SCOPES
from foureyes.core.values import WhoKind
from foureyes.mcp.instructions import instructions_for
from foureyes.mcp.listing import USUAL, Which, listed, parts_of
from foureyes.mcp.over_http import PATH
from foureyes.mcp.prompts import PROMPTS
from foureyes.mcp.tools import OWN, SEVEN, TOOLS
from tests.app.house import House, played
from tests.calls.test_calls import CHECKED, FINDING, HELLO
from tests.http.test_http import told
from tests.mcp.desk import ERAS, MODERN, Desk, tool
from tests.mcp.stdio import enrolled, home_with, server_at, started
from tests.mcp.wire import message, path_of, said

TOOLS_MAX, BYTES_MAX = 18, 14_000
BOTH = frozenset((Which.AUTHOR, Which.REVIEWER))
PARTS = (frozenset({Which.AUTHOR}), frozenset({Which.REVIEWER}), BOTH)
WORDS = [("", Which.USUAL), *((f"?tools={one}", one) for one in Which)]


def names(which: Which, parts: frozenset[Which] = BOTH) -> set[str]:
    """The names on a list, for a token that is for everything an agent does."""
    return {one["name"] for one in listed(OWN.values(), which, parts)}


async def asked(desk: Desk, headers: dict[str, str], query: str = "", era: str = MODERN) -> Any:
    """The answer of `tools/list` at this address."""
    head, body = message("tools/list", {}, era)
    return await desk.request("POST", PATH, head | headers, body, query=query)


@pytest.mark.parametrize("era", ERAS)
def test_what_a_plain_agent_is_listed_is_short(era: str) -> None:
    """U-41: an agent is listed the tools of the parts its token is for; it pays for them with every turn."""

    @played
    async def story() -> None:
        for scopes in ((), ("read", "author"), ("read", "review"), ("read", "signal"), ("read",)):
            desk = Desk()
            async with desk.endpoint.serving():
                answer = await asked(desk, await desk.agent(f"dev-{'-'.join(scopes)}x", *scopes), era=era)
            tools = said(answer)["result"]["tools"]
            parts = parts_of(scopes or ("author", "review", "signal", "read"))
            assert {one["name"] for one in tools} <= {name for name, listed in USUAL.items() if listed & parts}
            assert len(tools) <= TOOLS_MAX
            assert len(answer.body) <= BYTES_MAX

    story()


def test_the_usual_tools_are_whatever_an_agent_is_told_to_use_and_none_of_the_seven() -> None:
    """U-41: no instruction, prompt or description names a tool that is not listed beside it."""
    assert USUAL.keys() <= OWN.keys()
    assert not SEVEN.keys() & USUAL.keys()
    for parts in (*PARTS, frozenset({Which.SESSION}), frozenset({Which.READER})):
        mine = names(Which.USUAL, parts)
        texts = [instructions_for(parts), *(TOOLS[name].says for name in mine)]
        if parts == BOTH:
            texts += [one.text for one in PROMPTS.values()]
        named = set(re.findall(r"`(\w+)`", " ".join(texts))) & TOOLS.keys()
        assert named <= mine | {"wait", "request_review"}, (parts, named - mine)  # an argument, and a type of signal


@played
async def test_with_the_lists_of_their_roles_alone_two_agents_come_to_a_yes() -> None:
    """Found, rebutted, settled, reported and asked of the gate, each with a tool that is listed to whoever needs it."""
    desk = Desk()
    dev, codex = await desk.agent("dev"), await desk.agent("codex")

    async with desk.near(dev, MODERN) as author, desk.near(codex, MODERN) as reviewer:

        async def asks(name: str, **arguments: Any) -> Any:
            assert name in names(Which.AUTHOR)
            return await tool(author, name, **arguments)

        async def judges(name: str, **arguments: Any) -> Any:
            assert name in names(Which.REVIEWER)
            return await tool(reviewer, name, **arguments)

        review = (await asks("open_review", kind="script", title="Say hello", files=HELLO))["review"]
        assert [one["review"] for one in (await judges("inbox"))["waiting"]] == [review]
        await judges("take_seat", review=review)
        digest = (await judges("read_work", review=review))["digest"]
        report = {"review": review, "revision": 1, "evidence": CHECKED}
        await judges("report", **report, verdict="concerns", findings=[FINDING])
        (found,) = (await asks("read_review", review=review))["review"]["findings"]
        about = {"review": review, "finding": found["finding"]}
        await asks("answer_finding", **about, text="It is right as it is.", rebuttal=True, evidence="Ran it.")
        await judges("settle_finding", **about, revision=1, resolved=True, note="So it is.")
        assert (await asks("explain", review=review))["turns"][0]["who"] == ["codex"]
        assert not (await asks("gate", digest=digest))["allowed"]
        await judges("report", **report, verdict="approve")
        assert (await asks("gate", digest=digest))["allowed"]


def test_a_list_by_role_is_of_the_usual_tools_and_both_make_it_up() -> None:
    assert names(Which.ALL) == OWN.keys()
    assert names(Which.AUTHOR) | names(Which.REVIEWER) == names(Which.USUAL)
    for part in (Which.AUTHOR, Which.REVIEWER, Which.SESSION, Which.READER):
        assert names(part) == names(Which.USUAL, frozenset({part}))
    assert {"open_review", "revise", "gate"} <= names(Which.AUTHOR) - names(Which.REVIEWER)
    assert {"take_seat", "read_work", "report"} <= names(Which.REVIEWER) - names(Which.AUTHOR)
    assert {"inbox", "read_review", "escalate"} <= names(Which.AUTHOR) & names(Which.REVIEWER)
    assert tuple(Which) == LISTS


@pytest.mark.parametrize(("query", "which"), WORDS)
def test_an_agent_is_listed_what_the_address_asks_for(query: str, which: Which) -> None:
    """Only the whole list says what answers look like; what a token is not for is on none."""

    @played
    async def story() -> None:
        desk = Desk()
        dev, reader = await desk.agent("dev"), await desk.agent("reader", "read")
        async with desk.endpoint.serving():
            for headers, scopes in ((dev, SCOPES[WhoKind.AGENT]), (reader, ("read",))):
                async with desk.over_http(headers, MODERN, query) as client:
                    found = (await client.list_tools()).tools
                mine = {name for name in names(which, parts_of(scopes)) if TOOLS[name].call.needs.value in scopes}
                assert {one.name for one in found} == mine
                assert {one.output_schema is not None for one in found} == {which is Which.ALL}

    story()


@pytest.mark.parametrize("query", ["tools=everything", "tools=", "tools=ALL", "tools=all&tools=author"])
def test_a_list_that_there_is_not_is_refused_with_those_there_are(query: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        async with desk.endpoint.serving():
            dev = await desk.agent("dev")
            answer = await asked(desk, dev, query)
            told(answer, 400, "bad_value")
            assert "usual, author, reviewer, session, reader, all" in answer.data["next_step"]
            told(await asked(desk, {}, query), 401, "credential_needed")
            assert (await asked(desk, dev, "another=word")).status == 200

    story()


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_is_called_by_its_name_whether_it_is_listed_or_not(era: str) -> None:
    """001-41: only what there is not is unknown."""

    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        async with desk.endpoint.serving():
            for query in ("", "tools=reviewer"):
                for name in TOOLS:
                    params = {"name": name, "arguments": {"nothing": [1], "limit": "x", "review": 1}}
                    head, body = message("tools/call", params, era)
                    for path in {PATH, path_of("tools/call", params)}:
                        answer = said(await desk.request("POST", path, head | dev, body, query=query))
                        assert "result" in answer, (name, path)
            async with desk.over_http(dev, era, "") as client:
                assert (await tool(client, "me"))["who"]["name"] == "dev"
                with pytest.raises(MCPError, match="Unknown tool: rule"):
                    await client.call_tool("rule", {})

    story()


@played
async def test_no_list_changes_with_what_happens() -> None:
    """T10: it depends on what a token is for and on the word asked for, so nothing hidden shows in it."""
    desk = Desk()
    dev, codex = await desk.agent("dev"), await desk.agent("codex")
    async with desk.endpoint.serving():
        before = [(await asked(desk, dev, query.lstrip("?"))).body for query, _ in WORDS]
        async with desk.over_http(dev, MODERN) as client:
            await tool(client, "open_review", kind="script", title="Say hello", files=HELLO)
        for headers in (dev, codex):
            assert [(await asked(desk, headers, query.lstrip("?"))).body for query, _ in WORDS] == before


def test_what_is_listed_of_a_form_says_the_same_in_fewer_words() -> None:
    """What may be sent stays the same, fields that are named as words of JSON Schema are among it."""
    for one in listed(TOOLS.values(), Which.ALL, BOTH):
        short, full = one["inputSchema"], TOOLS[one["name"]].takes()
        Draft202012Validator.check_schema(short)
        assert short["properties"].keys() == full["properties"].keys()
        assert short.get("required") == full.get("required")
        assert "additionalProperties" not in short  # what a client adds is ignored, and named
        assert '"title": "' not in json.dumps(short)
    few = {one["name"]: one["inputSchema"] for one in listed(OWN.values(), Which.USUAL, BOTH)}
    for name, short in few.items():
        Draft202012Validator.check_schema(short)
        assert short["properties"].keys() <= TOOLS[name].takes()["properties"].keys()
        assert short.get("required") == TOOLS[name].takes().get("required")
    form = few["open_review"]
    assert form["properties"]["title"] == {"type": "string"}
    assert form["properties"]["files"]["items"]["properties"]["mode"]["default"] == "100644"


@pytest.mark.parametrize(
    ("arguments", "which"), [((), Which.USUAL), (("--tools", "author"), Which.AUTHOR), (("--all-tools",), Which.ALL)]
)
@pytest.mark.parametrize("beside", [True, False])
def test_a_process_lists_what_it_was_started_for(
    arguments: tuple[str, ...], which: Which, beside: bool, tmp_path: Path
) -> None:
    """On the store itself and through a server alike."""

    async def lists(home: Path, token: str) -> None:
        async with started(home, token, MODERN, *arguments) as client:
            assert {one.name for one in (await client.list_tools()).tools} == names(which)
            assert (await tool(client, "me"))["who"]["name"] == "dev"

    @played
    async def story() -> None:
        home = tmp_path / "home"
        if not beside:
            await lists(home, (await home_with(home, "dev"))["dev"])
            return
        house = House()
        tokens = await enrolled(house, "dev")
        async with server_at(home, house):
            await lists(home, tokens["dev"])

    story()
