"""Agents on a server started by one command, from their enrolment to the gate's yes, by MCP alone."""

from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.app.house import played
from tests.cli.running import Running
from tests.cli.test_up import CHECKED, FINDING, enrolled, signed_in
from tests.conftest import EFFORT
from tests.mcp.desk import LEGACY, MODERN, tool
from tests.mcp.stdio import started

WAIT_SECONDS = 45
#: The eras of the author, who uses its own stdio process, and of the reviewer, who uses HTTP.
PAIRS = {"test": ((LEGACY, MODERN),), "all": ((LEGACY, MODERN), (MODERN, LEGACY), (MODERN, MODERN))}[EFFORT]


@pytest.mark.timeout(300)
def test_two_agents_take_work_from_its_opening_to_the_gate_by_mcp_alone(tmp_path: Path) -> None:
    """One command and a human who enrols two agents; each connects with a token, one by a process and one over HTTP."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            human = await signed_in(server)
            data = tmp_path / "home" / ".local" / "share" / "foureyes"
            dev = await enrolled(server, human, "dev", "--family", "claude")
            codex = await enrolled(server, human, "codex", "--family", "gpt", "--role", "agent")
            headers = {"authorization": f"Bearer {codex}"}
            for number, (first, second) in enumerate(PAIRS):
                async with (
                    started(data, dev, first) as author,
                    httpx2.AsyncClient(headers=headers, trust_env=False) as web,
                    Client(streamable_http_client(server.begun["mcp"], http_client=web), mode=second) as reviewer,
                ):
                    assert (await tool(author, "me"))["who"]["name"] == "dev"
                    assert (await tool(reviewer, "me"))["who"]["name"] == "codex"
                    assert (await reviewer.list_prompts()).prompts
                    await _from_its_opening_to_the_gate(author, reviewer, number)
            assert server.end() == 0

    story()


async def _from_its_opening_to_the_gate(author: Client, reviewer: Client, number: int) -> None:
    """Play a lifecycle as an agent that knows only the tools, while built-in programs review in parallel.

    Each time it is other work: findings follow the text that they were raised on.
    """
    hello, world = _greeting(f"hello {number}"), _greeting(f"hello, world {number}")
    review = (await tool(author, "open_review", kind="script", title="Say hello", files=hello))["review"]
    waiting = (await tool(reviewer, "inbox"))["waiting"]
    assert review in {one["review"] for one in waiting}
    said = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
    await tool(reviewer, "read_work", review=review)
    await tool(reviewer, "report", review=review, **said)
    before = await _now(author, review)
    (finding,) = (one["finding"] for one in before["findings"])
    assert not (await tool(author, "gate", digest=before["digest"]))["allowed"]
    answers = [{"finding": finding, "text": "Greets the world now."}]
    await tool(author, "revise", review=review, files=world, answers=answers)
    settled = [{"finding": finding, "resolved": True}]
    await tool(reviewer, "read_work", review=review)
    await tool(reviewer, "report", review=review, revision=2, verdict="approve", evidence=CHECKED, settled=settled)
    after = await _now(author, review, wait=WAIT_SECONDS)
    assert after["state"] == "cleared"
    assert after["digest"] != before["digest"]
    assert (await tool(author, "gate", digest=after["digest"]))["allowed"]
    assert not (await tool(reviewer, "gate", digest=before["digest"]))["allowed"]


def _greeting(words: str) -> list[dict[str, str]]:
    return [{"path": "hello.py", "text": f'"""Say {words}."""\n\nprint("{words}")\n'}]


async def _now(client: Client, review: str, wait: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = (await tool(client, "read_review", review=review, wait=wait))["review"]
    return found
