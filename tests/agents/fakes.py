"""Fake agents: small programs that do exactly as told and record what they were given."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foureyes.app.reviewers import Bounds, Change, File, Task
from foureyes.reviewers import agents
from foureyes.reviewers.agents import AgentReviewer

VERSIONS = {"claude": "2.1.197 (Claude Code)", "codex": "codex-cli 0.166.0", "gemini": "0.61.0"}
NAMES = tuple(VERSIONS)
#: Longer than a word, as real keys are.
KEYS = {"ANTHROPIC_API_KEY": "key-of-claude", "OPENAI_API_KEY": "key-of-codex", "GEMINI_API_KEY": "key-of-gemini"}

APP = b"import os\n\n\ndef start(command):\n    os.system(command)\n"
FINDING: dict[str, Any] = {
    "path": "app.py",
    "line": 5,
    "end_line": 5,
    "evidence": "os.system(command)",
    "text": "Whatever the caller passes is run by a shell.",
    "severity": "critical",
    "category": "security",
    "rule": "",
    "suggestion": "Run a list of arguments without a shell.",
}
ANSWER: dict[str, Any] = {
    "findings": [FINDING],
    "examined": [{"path": "app.py", "line": 5, "what": "the call of the shell", "why": "its argument is not checked"}],
    "settled": [],
    "checklist": [],
    "answers": [],
    "checked": [],
    "strengths": [],
    "summary": "One problem.",
    "confidence": 80,
    "verdict": "reject",
}

_HEAD = """#!{python} -IS
import json, os, pathlib, signal, subprocess, sys, time
if "--version" in sys.argv:
    print({version!r})
    raise SystemExit
FOLDER = pathlib.Path({folder!r})
asked = sys.stdin.read()
def files(top):
    found = [p for p in sorted(pathlib.Path(top).rglob("*")) if p.is_file()]
    return {{str(p.relative_to(top)): [oct(p.stat().st_mode & 0o777), p.read_text(errors="replace")] for p in found}}
given = dict(argv=sys.argv, environ=dict(os.environ), cwd=os.getcwd(), asked=asked)
given.update(work=files("."), home=files(os.environ["HOME"]))
given.update(links=[str(p) for p in pathlib.Path(".").rglob("*") if p.is_symlink()])
(FOLDER / "given.json").write_text(json.dumps(given))
def says(value, text=""):
    text = text or json.dumps(value)
    if {name!r} == "claude":
        used = {{"m": {{"inputTokens": 900, "outputTokens": 100, "cacheReadInputTokens": 7}}}}
        result = dict(type="result", subtype="success", is_error=False, result=text, structured_output=value)
        print(json.dumps(result | dict(total_cost_usd=0.0125, modelUsage=used)))
    elif {name!r} == "codex":
        print(json.dumps({{"type": "thread.started"}}))
        print(json.dumps({{"type": "item.completed", "item": {{"type": "error", "message": "a warning"}}}}))
        print(json.dumps({{"type": "item.completed", "item": {{"type": "agent_message", "text": text}}}}))
        usage = {{"input_tokens": 907, "cached_input_tokens": 7, "output_tokens": 100}}
        print(json.dumps({{"type": "turn.completed", "usage": usage}}))
    else:
        tokens = {{"m": {{"tokens": {{"total": 1007, "cached": 7}}}}}}
        print(json.dumps({{"response": text, "stats": {{"models": tokens}}}}, indent=1))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where fake agents are installed, and what they were given."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / "bin"

    def install(self, name: str, body: str, version: str = "") -> None:
        """Install an agent with this program as its body."""
        self.path.mkdir(exist_ok=True)
        head = _HEAD.format(
            python=sys.executable, version=version or VERSIONS[name], folder=str(self.folder), name=name
        )
        program = self.path / name
        program.write_text(head + body, encoding="utf-8")
        program.chmod(0o755)

    def environ(self, **more: str) -> dict[str, str]:
        home = self.folder / "user"
        home.mkdir(exist_ok=True)
        return {"PATH": f"{self.path}:/usr/bin:/bin", "HOME": str(home), **more}

    def reviewer(self, name: str, **environ: str) -> AgentReviewer:
        """The reviewer detected for this agent."""
        found, missing = agents.at_hand(self.environ(**(environ or KEYS)), self.folder / "work")
        assert name in {one.who.name for one in found}, missing
        return next(one for one in found if one.who.name == name)

    def wait_until_given(self) -> None:
        """Wait until the agent runs."""
        until = time.monotonic() + 20
        while not (self.folder / "given.json").exists():
            assert time.monotonic() < until, "the agent never started"
            time.sleep(0.01)

    def given(self) -> dict[str, Any]:
        """What the agent received at its last run."""
        found = json.loads((self.folder / "given.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found


def task(*files: File, seconds: float = 20, **bounds: Any) -> Task:
    """A task about these files, or about one small program."""
    own = files or (File(path="app.py", content=APP, changed=((1, 5),)),)
    change = Change(title="start programs", kind="code", files=own)
    return Task(change=change, bounds=Bounds(seconds=seconds, **bounds))


def nobody_listens(_: str) -> None:
    """Ignore progress messages."""
