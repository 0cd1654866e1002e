"""Claude Code, Codex and Gemini CLI themselves, connected with a token, are author and reviewer.

Collected by `make test-all` alone (see conftest.py). Their model is scripted; everything between that
and the gate is theirs: how they connect, which era they speak, how they call a tool.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from foureyes.cli.serving import connecting
from tests.agents.fakes import KEYS
from tests.agents.model import ScriptedModel, scripted_model
from tests.agents.real import installed, node_folder
from tests.app.house import House, played
from tests.calls.test_calls import CHECKED, FINDING, HELLO
from tests.mcp.stdio import enrolled, server_at
from tests.use.served import MCP, served

SECONDS_MAX = 120
NAMES = ("claude", "codex", "gemini")
TITLES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
#: How each agent names a foureyes tool.
CALLS: dict[str, dict[str, str]] = {
    "claude": {"name": "mcp__foureyes__{}"},
    "codex": {"name": "{}", "namespace": "mcp__foureyes"},
    "gemini": {"name": "mcp_foureyes_{}"},
}
GEMINI = {"security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "gemini-api-key"}}}


def asking(name: str, model: ScriptedModel) -> list[str]:
    """The command line that runs an agent with a prompt and permission to use the tools."""
    provider = f'model_providers.x={{name="x",base_url="{model.url}/v1",wire_api="responses"}}'
    return {
        "claude": ["claude", "-p", "Do your part.", "--allowedTools", "mcp__foureyes"],
        "codex": [
            *("codex", "exec", "-m", "gpt-4.1", "--skip-git-repo-check"),
            *("--dangerously-bypass-approvals-and-sandbox", "-c", provider, "-c", "model_provider=x", "Do your part."),
        ],
        "gemini": ["gemini", "--yolo", "-m", "gemini-2.5-flash", "-p", "Do your part."],
    }[name]


async def does(name: str, folder: Path, address: str, token: str, calls: list[tuple[str, dict[str, Any]]]) -> str:
    """Connect an agent by the printed configuration, make these calls, and return what its model received."""
    for one in ("user/.gemini", "work"):
        (folder / one).mkdir(parents=True)
    (folder / "user/.gemini/settings.json").write_text(json.dumps(GEMINI), encoding="utf-8")
    named = CALLS[name]
    turns: list[dict[str, Any]] = [
        {"call": {**named, "name": named["name"].format(call), "input": body}} for call, body in calls
    ]
    programs = installed()
    with scripted_model(folder, [*turns, {"text": "Done."}]) as model:
        environment = {
            **KEYS,
            "PATH": f"{programs}:{node_folder()}:/usr/bin:/bin",
            "HOME": str(folder / "user"),
            "TMPDIR": str(folder),
            "ANTHROPIC_BASE_URL": model.url,
            "GOOGLE_GEMINI_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CODEX_API_KEY": "key-of-codex",
            "FOUREYES_TOKEN": token,
        }
        lines = dict(connecting(address, token))[TITLES[name]].split("\n")
        for argv in (shlex.split(lines[-1]), asking(name, model)):
            await _ran(argv, environment, folder / "work")
        return model.received()


async def _ran(argv: list[str], environment: dict[str, str], folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *argv,
        env=environment,
        cwd=folder,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    except TimeoutError:
        process.kill()
        raise
    assert process.returncode == 0, out.decode()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_connects_with_its_token_and_is_author_and_reviewer(name: str, tmp_path: Path) -> None:
    @played
    async def story() -> None:
        house = House()
        tokens = await enrolled(house, "dev", "codex")
        report = {"review": "r1", "revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
        author: list[tuple[str, dict[str, Any]]] = [
            ("open_review", {"kind": "script", "title": "Say hello", "files": HELLO})
        ]
        reviewer: list[tuple[str, dict[str, Any]]] = [
            ("inbox", {}),
            ("read_work", {"review": "r1"}),
            ("report", report),
        ]
        async with server_at(tmp_path / "home", house) as address:
            told = await does(name, tmp_path / "author", address, tokens["dev"], author)
            assert "r1" in told
            told = await does(name, tmp_path / "reviewer", address, tokens["codex"], reviewer)
            assert "print('hello')" in told
            assert "nothing goes live until others have reviewed" in told or name != "codex"
        review = await house.review("review/r1")
        assert review.author.name == "dev"
        assert [one.text for one in review.findings.values()] == [FINDING["text"]]

    story()


OPENED = {"kind": "script", "title": "Say hello", "files": HELLO}
SECOND = [{"path": "hello.py", "text": "print('hello, everybody')\n"}]
NOTE = "The greeting names nobody; it was answered, and the new version names everybody."
AT = [
    {
        "what": "Read hello.py whole.",
        "why": "It prints the greeting and does nothing else.",
        "place": {"path": "hello.py"},
    }
]
OBJECTION = {
    "severity": "important",
    "text": "It greets nobody by name.",
    "evidence": NOTE,
    "place": {"path": "hello.py"},
}
#: The author's calls from the opening to the gate's yes: no call is repeated or made only to poll.
AUTHOR_LOOP: list[tuple[str, dict[str, Any]]] = [
    ("open_review", OPENED),
    ("read_review", {"review": "$review", "wait": 45}),
    ("revise", {"review": "$review", "files": SECOND, "answers": [{"finding": "$finding", "text": NOTE}]}),
    ("read_review", {"review": "$review", "wait": 45, "mark": "$mark"}),
    ("gate", {"digest": "$digest+findings"}),
]
REVIEWER_LOOP: list[tuple[str, dict[str, Any]]] = [
    ("inbox", {"wait": 45}),
    ("read_work", {"review": "$review"}),
    ("report", {"review": "$review", "revision": 1, "verdict": "concerns", "findings": [OBJECTION], "evidence": AT}),
    ("inbox", {"wait": 45, "mark": "$mark"}),
    ("read_work", {"review": "$review"}),
    (
        "report",
        {
            "review": "$review",
            "revision": 2,
            "verdict": "approve",
            "evidence": AT,
            "settled": [{"finding": "$findings", "resolved": True, "note": NOTE}],
        },
    ),
    ("read_review", {"review": "$review", "wait": 45}),
]


def as_sent_by(name: str, calls: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """The calls with what the client's own schema has its model add."""
    return [(call, {**body, "wait_for_previous": True}) for call, body in calls] if name == "gemini" else calls


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("author", "reviewer"), [("claude", "codex"), ("codex", "gemini"), ("gemini", "claude")])
def test_real_agents_come_to_clearance_without_polling(author: str, reviewer: str, tmp_path: Path) -> None:
    """U-40: on a started server with the policy that it has by itself; every wait is one call."""
    with served(tmp_path) as house:
        dev, judge = house.account("dev"), house.account("judge")
        address = house.server.begun["address"]
        # Codex asks its model before the server has answered, so a script may call an unlisted tool.
        assert dev.at(MCP).call("me").is_ok

        async def both() -> tuple[str, str]:
            tokens = [one.headers["authorization"].removeprefix("Bearer ") for one in (dev, judge)]
            reviewing = does(reviewer, tmp_path / "r", address, tokens[1], as_sent_by(reviewer, REVIEWER_LOOP))
            asking = does(author, tmp_path / "a", address, tokens[0], as_sent_by(author, AUTHOR_LOOP))
            return await asyncio.gather(asking, reviewing)

        told, heard = asyncio.run(both())
        (row,) = house.human.call("list_reviews")["reviews"]
        assert row["state"] == "cleared", heard[-3000:]
        assert dev.at(MCP).call("gate", digest=row["digest"])["allowed"]
    assert re.search(r'allowed\\*"\s*:\s*true', told)
    assert re.search(r'state\\*"\s*:\s*\\*"cleared', heard), "the reviewer learns that its report cleared it"


@pytest.mark.timeout(600)
def test_a_client_that_ends_loops_lets_its_agent_wait(tmp_path: Path) -> None:
    """U-40: Gemini CLI stops after five equal calls; waiting on with the mark of each answer, there are none."""
    with served(tmp_path) as house:
        token = house.account("dev").headers["authorization"].removeprefix("Bearer ")
        calls = [("inbox", {"wait": 1, **({"mark": "$mark"} if number else {})}) for number in range(8)]
        told = asyncio.run(does("gemini", tmp_path / "a", house.server.begun["address"], token, calls))
    assert set(re.findall(r'mark\\*"\s*:\s*\\*"[0-9a-f]{16}\.(\d+)', told)) == {str(one) for one in range(1, 9)}
