"""Claude Code, Codex and Gemini CLI themselves, against a model with scripted answers.

Collected by `make test-all` alone (see conftest.py): they are installed by npm, a gigabyte of programs.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.reviewers import Bounds, Change, File, Inconclusive, Task
from foureyes.core.values import Failure
from foureyes.reviewers import agents
from foureyes.reviewers.agents import AgentReviewer
from tests.agents.fakes import ANSWER, APP, KEYS, NAMES, nobody_listens
from tests.agents.hostile import hostile
from tests.agents.model import ScriptedModel, scripted_model
from tests.agents.real import installed, node_folder

SECONDS_MAX = 120
KEY_LOGIN = {"selectedType": "gemini-api-key"}


@pytest.fixture(scope="module")
def programs() -> Path:
    return installed()


@contextmanager
def asked(
    programs: Path, folder: Path, name: str, turns: list[dict[str, Any]]
) -> Iterator[tuple[AgentReviewer, ScriptedModel]]:
    """A real agent whose provider is a scripted model."""
    home = folder / "user"
    home.mkdir()
    with scripted_model(folder, turns) as model:
        environ = {
            **KEYS,
            "PATH": f"{programs}:{node_folder()}:/usr/bin:/bin",
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": model.url,
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "GOOGLE_GEMINI_BASE_URL": model.url,
        }
        found, missing = agents.at_hand(environ, folder / "repository")
        assert missing == ()
        yield next(one for one in found if one.who.name == name), model


@pytest.mark.parametrize("name", NAMES)
def test_the_traps_work_on_an_agent_that_trusts_the_folder(programs: Path, tmp_path: Path, name: str) -> None:
    trap = hostile(tmp_path, base_too=True)
    home = tmp_path / "user"
    for folder, file, text in (
        (".codex", "config.toml", f'[projects."{trap.ground.path}"]\ntrust_level = "trusted"\n'),
        (".gemini", "settings.json", json.dumps({"security": {"folderTrust": {"enabled": False}, "auth": KEY_LOGIN}})),
    ):
        (home / folder).mkdir(parents=True)
        (home / folder / file).write_text(text, encoding="utf-8")
    environ = {**KEYS, "CODEX_API_KEY": "k", "HOME": str(home), "PATH": f"{programs}:{node_folder()}:/usr/bin:/bin"}
    # Nobody answers there: what the traps do, they do before.
    dead = dict.fromkeys(("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"), "http://127.0.0.1:9")
    own = ["-c", 'model_providers.x={name="x",base_url="http://127.0.0.1:9",wire_api="responses"}']
    argv = {"codex": ["codex", "exec", *own, "-c", "model_provider=x", "hello"]}.get(name, [name, "-p", "hello"])
    argv[0] = str(programs / name)
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            argv,
            cwd=trap.ground.path,
            env={**environ, **dead, "TMPDIR": str(home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
    assert [one for one in trap.sung() if name in one]


def small() -> Task:
    change = Change(title="t", kind="code", files=(File(path="app.py", content=APP, changed=((1, 5),)),))
    return Task(change=change, bounds=Bounds(seconds=SECONDS_MAX))


OVER = {
    "claude": {"type": "error", "error": {"type": "rate_limit_error", "message": "Too many. Retry in 3600s"}},
    "codex": {"error": {"type": "usage_limit_reached", "message": "The limit", "resets_at": 4_000_000_000}},
    "gemini": {"error": {"code": 429, "message": "Please retry in 3600s.", "status": "RESOURCE_EXHAUSTED"}},
}
STRANGE: dict[str, tuple[int, dict[str, Any]]] = {
    "claude": (401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
    "codex": (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
    "gemini": (400, {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_over_its_limit_is_inconclusive(programs: Path, tmp_path: Path, name: str) -> None:
    turns = [{"status": 429, "body": OVER[name]}]
    with asked(programs, tmp_path, name, turns) as (reviewer, _), pytest.raises(Inconclusive) as none:
        asyncio.run(reviewer.look(small(), nobody_listens))
    assert none.value.reason is Failure.OUT_OF_BUDGET
    assert "is over its limit" in none.value.text


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_whose_login_is_not_accepted_says_what_to_do(programs: Path, tmp_path: Path, name: str) -> None:
    status, body = STRANGE[name]
    turns = [{"status": status, "body": body}]
    with asked(programs, tmp_path, name, turns) as (reviewer, _), pytest.raises(Inconclusive) as none:
        asyncio.run(reviewer.look(small(), nobody_listens))
    assert none.value.reason is Failure.CRASHED
    assert "is not logged in" in none.value.text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ({"refuse": True}, Failure.REFUSED),
        ({"text": "I like it."}, Failure.MALFORMED),
        ({"hang": True}, Failure.TIMED_OUT),
    ],
)
def test_a_real_agent_without_an_answer_is_inconclusive(
    programs: Path, tmp_path: Path, name: str, turn: dict[str, Any], reason: Failure
) -> None:
    what = small()
    if reason is Failure.TIMED_OUT:
        what = Task(change=what.change, bounds=Bounds(seconds=15))
    with asked(programs, tmp_path, name, [turn]) as (reviewer, _), pytest.raises(Inconclusive) as none:
        asyncio.run(reviewer.look(what, nobody_listens))
    assert none.value.reason is reason


@pytest.mark.parametrize("name", NAMES)
def test_a_real_agent_is_alive(programs: Path, tmp_path: Path, name: str) -> None:
    with asked(programs, tmp_path, name, [{"answer": {"ready": True}}]) as (reviewer, _):
        health = asyncio.run(agents.health(reviewer))
    assert health.alive, health.says
    assert health.version


def test_a_copied_login_of_claude_code_is_used(programs: Path, tmp_path: Path) -> None:
    kept = {
        "claudeAiOauth": {"accessToken": "token-of-the-user", "refreshToken": "renewing", "scopes": ["user:inference"]}
    }
    kept["claudeAiOauth"]["expiresAt"] = 4_000_000_000_000  # type: ignore[assignment] # milliseconds, as it keeps them
    with asked(programs, tmp_path, "claude", [{"answer": ANSWER}]) as (reviewer, model):
        environ = {name: one for name, one in reviewer.agent.environ.items() if name not in KEYS}
        (Path(environ["HOME"]) / ".claude").mkdir()
        (Path(environ["HOME"]) / ".claude/.credentials.json").write_text(json.dumps(kept), encoding="utf-8")
        found, _ = agents.at_hand(environ, tmp_path / "repository")
        look = asyncio.run(found[0].look(small(), nobody_listens))
        received = model.requests()
    assert look.verdict == "reject"
    assert not look.cost_known
    headers = [{name.lower(): value for name, value in one["headers"].items()} for one in received]
    assert "Bearer token-of-the-user" in [one.get("authorization") for one in headers]
    assert "renewing" not in json.dumps(received)
