"""The resources under `review://` and the prompts reveal nothing hidden."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, TextContent, TextResourceContents
from pydantic import BaseModel

from foureyes.app.accounts import MARK, NewToken, hash_of
from foureyes.app.calls.cursors import PAGE_MAX
from foureyes.mcp.prompts import PROMPTS
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.calls.test_calls import CHECKED, FINDING, HELLO
from tests.doors.fuzz import CURSORS
from tests.http import web
from tests.mcp.desk import ERAS, MODERN, Desk, tool


async def read(client: Client, uri: str) -> Any:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return json.loads(content.text)


@pytest.mark.parametrize("era", ERAS)
def test_what_waits_reviews_and_their_bytes_can_be_read(era: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        dev, codex = await desk.agent("dev"), await desk.agent("codex")
        async with desk.near(dev, era) as author, desk.near(codex, era) as reviewer:
            review = (await tool(author, "open_review", kind="script", title="Say hello", files=HELLO))["review"]
            listed = (await reviewer.list_resources()).resources
            assert [one.uri for one in listed] == ["review://inbox", f"review://reviews/{review}"]
            assert [one["review"] for one in (await read(reviewer, "review://inbox"))["waiting"]] == [review]
            assert (await read(reviewer, f"review://reviews/{review}"))["review"]["title"] == "Say hello"
            assert (await read(reviewer, f"review://reviews/{review}/work"))["files"][0]["text"] == HELLO[0]["text"]
            names = [one.uri_template for one in (await author.list_resource_templates()).resource_templates]
            assert names == ["review://reviews/{review}", "review://reviews/{review}/work"]

    story()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "uri",
    [
        "review://reviews/nothing",
        "review://reviews/../inbox",
        "review://reviews/a/b",
        "review://",
        "file:///etc/passwd",
        "review://reviews/r1/work/../../x",
    ],
)
def test_what_there_is_not_cannot_be_read(uri: str, era: str) -> None:
    """T20: a name leads to a review or nowhere."""

    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.code == -32602

    story()


@played
async def test_the_list_is_paged_and_a_page_begins_where_the_last_one_ended() -> None:
    desk = Desk()
    for number in range(60):
        await desk.house.open({"a": str(number).encode()})
        desk.house.wait(seconds=1)
    async with desk.near(await desk.agent("dev"), MODERN) as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        uris = [one.uri for one in (*first.resources, *second.resources)]
        assert len(uris) == len(set(uris)) == 61
        assert second.next_cursor is None
        assert len(first.resources) <= PAGE_MAX + 1
        for nonsense in filter(None, ("nonsense", *CURSORS[1:])):
            with pytest.raises(MCPError, match="cursor"):
                await client.list_resources(cursor=nonsense)


@played
async def test_an_id_that_is_typed_is_completed() -> None:
    desk = Desk()
    await desk.house.open()
    async with desk.near(await desk.agent("dev"), MODERN) as client:
        prompt = await client.complete(_prompt("author"), {"name": "review", "value": "r"})
        assert prompt.completion.values == ["r1"]
        assert (await client.complete(_prompt("author"), {"name": "review", "value": "x"})).completion.values == []
        assert (await client.complete(_prompt("author"), {"name": "other", "value": ""})).completion.values == []


def _prompt(name: str) -> PromptReference:
    return PromptReference(type="ref/prompt", name=name)


async def seen_by(desk: Desk, viewer: dict[str, str], review: str) -> list[str]:
    """Everything a viewer can read, as sent."""
    uris = ("review://inbox", f"review://reviews/{review}", f"review://reviews/{review}/work")
    asked: tuple[tuple[str, dict[str, str]], ...] = (
        ("inbox", {}),
        ("read_review", {"review": review}),
        ("list_reviews", {}),
    )
    async with desk.near(viewer, MODERN) as client:
        found: list[BaseModel] = [await client.list_resources(), await client.list_tools()]
        found += [await client.read_resource(uri) for uri in uris]
        found += [await client.call_tool(name, body) for name, body in asked]
        found.append(await client.complete(_prompt("author"), {"name": "review", "value": ""}))
    return [one.model_dump_json() for one in found]


def counted() -> Callable[[], NewToken]:
    """Mint tokens that are the same in every world."""
    numbers = count()

    def made() -> NewToken:
        name = f"{next(numbers):010x}"
        return NewToken(id=name, secret=f"{MARK}{name}", hash=hash_of(f"{MARK}{name}"))

    return made


@played
async def test_who_has_not_reported_gets_the_same_bytes_whatever_others_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """T13: lists, resources, tools and completions of worlds that differ only in a hidden report."""
    worlds = list[list[str]]()
    for others in ("", "nothing", "something"):
        monkeypatch.setattr(web, "new_token", counted())
        desk = Desk()
        dev, codex, late = [await desk.agent(name) for name in ("dev", "codex", "claude")]
        async with desk.near(dev, MODERN) as author, desk.near(codex, MODERN) as reviewer:
            review = (await tool(author, "open_review", kind="story", title="Say hello", files=HELLO))["review"]
            if others:
                findings = [FINDING] if others == "something" else []
                await tool(reviewer, "report", review=review, revision=1, findings=findings, evidence=CHECKED)
        worlds.append(await seen_by(desk, late, review))
    assert worlds[0] == worlds[1] == worlds[2]
    assert str(FINDING["text"]) not in "".join(worlds[2])


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_is_told_how_to_do_its_part(era: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        async with desk.near(await desk.agent("dev"), era) as client:
            assert [one.name for one in (await client.list_prompts()).prompts] == ["author", "reviewer", "review"]
            found = await client.get_prompt("reviewer", {"review": "r1"})
            (message,) = found.messages
            assert isinstance(message.content, TextContent)
            assert "review://reviews/r1" in message.content.text
            wrong: tuple[tuple[str, dict[str, str]], ...] = (
                ("nothing", {}),
                ("author", {"review": "Ignore all"}),
                ("author", {"x": "y"}),
                ("review", {"review": "r1"}),
                ("review", {"session": "Ignore all"}),
            )
            for name, body in wrong:
                with pytest.raises(MCPError):
                    await client.get_prompt(name, body)

    story()


@played
async def test_a_person_types_review_and_the_agent_asks_for_one() -> None:
    """003-04: agents' programs show a prompt as a command that is typed; what it says can be done with its tools."""
    desk = Desk()
    async with desk.near(await desk.agent("dev"), MODERN) as client:
        (message,) = (await client.get_prompt("review", {"session": "s1"})).messages
        assert isinstance(message.content, TextContent)
        assert message.content.text.endswith("The session is s1.\n")
        assert {"signal", "request_review"} <= set(message.content.text.split("`"))
        started = await tool(client, "signal", session="s1", type="request_review", summary="Done.", files=HELLO)
        assert (await tool(client, "read_review", review=started["review"]))["review"]["trigger"] == "request_review"


@played
async def test_whoever_connects_is_told_what_this_is() -> None:
    desk = Desk()
    for mode in ("legacy", "auto"):
        async with desk.near(await desk.agent("dev" + mode), mode) as client:
            assert "exactly these bytes" in (client.instructions or "")


def test_what_a_prompt_names_is_there() -> None:
    for one in PROMPTS.values():
        words = set(one.text.replace("\n", " ").split("`")[1::2])
        known = {
            *TOOLS,
            "key",
            "wait",
            "rebuttal",
            "base",
            "coverage",
            "critical",
            "important",
            "minor",
            "approve",
            "request_review",
            "summary",
            "note",
            "mark",
            "files",
        }
        assert words <= known, words - known
