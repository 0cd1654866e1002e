"""Five tool calls take work from its opening to the gate, in both eras of the protocol, in process and over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import pytest
from mcp import Client

from tests.app.house import played
from tests.calls.test_calls import CHECKED, FINDING, HELLO, WORLD
from tests.mcp.desk import ERAS, LEGACY, MODERN, Desk, no, text_of, tool

WAYS = ("near", "over_http")


class Entering(Protocol):
    """The way in which an agent connects."""

    def __call__(self, headers: dict[str, str], era: str) -> AbstractAsyncContextManager[Client]: ...


async def lifecycle(author: Client, reviewer: Client) -> None:
    """The five calls, and the question at the gate."""
    opened = await tool(author, "open_review", kind="script", title="Say hello", files=HELLO, key="k1")
    review = opened["review"]
    await tool(reviewer, "report", review=review, revision=1, verdict="concerns", findings=[FINDING], evidence=CHECKED)
    seen = await tool(author, "read_review", review=review)
    (finding,) = seen["review"]["findings"]
    answers = [{"finding": finding["finding"], "text": "Greets the world now."}]
    await tool(author, "revise", review=review, files=WORLD, answers=answers)
    settled = [{"finding": finding["finding"], "resolved": True}]
    approved = {"revision": 2, "verdict": "approve", "evidence": CHECKED, "settled": settled}
    assert (await tool(reviewer, "report", review=review, **approved))["state"] == "cleared"
    digest = (await tool(author, "read_review", review=review))["review"]["digest"]
    assert (await tool(author, "gate", digest=digest))["allowed"] is True


@asynccontextmanager
async def two(desk: Desk, way: str, era: str) -> AsyncIterator[tuple[Client, Client]]:
    entering: Entering = getattr(desk, way)
    dev, codex = await desk.agent("dev"), await desk.agent("codex")
    async with desk.endpoint.serving(), entering(dev, era) as author, entering(codex, era) as reviewer:
        yield author, reviewer


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", WAYS)
def test_five_tool_calls_take_work_from_its_opening_to_the_gate(way: str, era: str) -> None:
    @played
    async def story() -> None:
        async with two(Desk(), way, era) as (author, reviewer):
            assert (author.protocol_version == MODERN) == (era == MODERN)
            await lifecycle(author, reviewer)

    story()


@pytest.mark.parametrize("way", WAYS)
def test_the_two_eras_meet_in_one_review(way: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        entering: Entering = getattr(desk, way)
        dev, codex = await desk.agent("dev"), await desk.agent("codex")
        async with desk.endpoint.serving(), entering(dev, LEGACY) as author, entering(codex, MODERN) as reviewer:
            await lifecycle(author, reviewer)

    story()


@played
async def test_the_text_says_the_same_as_the_value() -> None:
    async with two(Desk(), "near", MODERN) as (author, _):
        result = await author.call_tool("me", {})
        assert json.loads(text_of(result)) == result.structured_content


@played
async def test_who_asks_for_a_review_has_the_answer_at_once_or_waits_for_their_turn() -> None:
    """001-02: the author goes on; only who says so waits, and then until it is their turn."""
    async with two(Desk(), "over_http", MODERN) as (author, reviewer):
        opened = await tool(author, "open_review", kind="script", title="Say hello", files=HELLO)
        assert (opened["state"], opened["revision"], opened["turn"], opened["findings"]) == ("open", 1, "others", [])
        assert opened["next_call"] == {"call": "read_review", "arguments": {"review": opened["review"], "wait": 45}}
        waiting = asyncio.create_task(tool(author, "add_note", review=opened["review"], text="I wait."))
        await waiting
        reading = asyncio.create_task(tool(author, "read_review", review=opened["review"], wait=30))
        while not reading.done():
            found = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
            await reviewer.call_tool("report", {"review": opened["review"], **found})
            await asyncio.wait((reading,), timeout=0.05)
        assert (await reading)["review"]["findings"]


@played
async def test_waiting_has_a_limit_and_says_how_it_stands_then() -> None:
    async with two(Desk(), "near", LEGACY) as (author, _):
        body = {"kind": "script", "title": "Say hello", "files": HELLO}
        for wait in (46, -1, True, "5"):
            assert "Code: bad_number" in await no(author, "open_review", **body, wait=wait)
        opened = await tool(author, "open_review", **body, wait=1)
        assert opened["now"]["review"]["state"] == "open"


@played
async def test_the_same_key_does_nothing_twice() -> None:
    async with two(Desk(), "over_http", MODERN) as (author, _):
        body = {"kind": "script", "title": "Say hello", "files": HELLO, "key": "k"}
        assert await tool(author, "open_review", **body) == await tool(author, "open_review", **body)
        assert "Code: key_reused" in await no(author, "open_review", **{**body, "title": "Other"})
