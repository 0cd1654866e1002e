"""Agents on the server that one command starts: over HTTP and by a process of their own, in both eras.

Collected by `make test-all` alone (see conftest.py); a shorter way to the same is taken in test_stdio.py.
"""

from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.app.house import played
from tests.cli.running import Running
from tests.cli.test_up import enrolled, signed_in
from tests.mcp.desk import ERAS, LEGACY, MODERN, tool
from tests.mcp.stdio import started


@pytest.mark.timeout(300)
def test_agents_of_both_eras_meet_on_the_server_that_one_command_starts(tmp_path: Path) -> None:
    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            human = await signed_in(server)
            data = tmp_path / "home" / ".local" / "share" / "foureyes"
            dev = await enrolled(server, human, "dev", "--family", "claude")
            codex = await enrolled(server, human, "codex", "--family", "gpt", "--role", "agent")
            for era in ERAS:
                headers = {"authorization": f"Bearer {codex}"}
                async with (
                    started(data, dev, LEGACY if era == MODERN else MODERN) as author,
                    httpx2.AsyncClient(headers=headers, trust_env=False) as web,
                    Client(streamable_http_client(server.begun["mcp"], http_client=web), mode=era) as reviewer,
                ):
                    assert (await tool(author, "me"))["who"]["name"] == "dev"
                    assert (await tool(reviewer, "me"))["who"]["name"] == "codex"
                    assert (await reviewer.list_prompts()).prompts
            assert server.end() == 0

    story()
