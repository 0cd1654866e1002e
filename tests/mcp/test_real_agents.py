"""Claude Code, Codex and Gemini CLI themselves, connected with a token, are author and reviewer.

Collected by `make test-all` alone (see conftest.py). What their model says is told beforehand; everything between that
and the gate is theirs: how they connect, which era they speak, how they call a tool.
"""

from __future__ import annotations

import asyncio
import json
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

SECONDS_MAX = 120
NAMES = ("claude", "codex", "gemini")
TITLES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
#: How each of them names a tool of ours.
CALLS: dict[str, dict[str, str]] = {
    "claude": {"name": "mcp__foureyes__{}"},
    "codex": {"name": "{}", "namespace": "mcp__foureyes"},
    "gemini": {"name": "mcp_foureyes_{}"},
}
GEMINI = {"security": {"folderTrust": {"enabled": False}, "auth": {"selectedType": "gemini-api-key"}}}


def asking(name: str, model: ScriptedModel) -> list[str]:
    """How one of them is asked something by a script; it may use the tools without asking back."""
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
    """Let one of them connect by the lines that we print, and make these calls; what its model was told."""
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
