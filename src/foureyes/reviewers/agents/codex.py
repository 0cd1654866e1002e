"""Codex as a reviewer: `codex exec`, whose commands can read only the work and the system's programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Cost, Failure
from foureyes.reviewers.agents.cli import Command, Errand, Login, Reply
from foureyes.reviewers.agents.credentials import first_set, read_json, receiver
from foureyes.reviewers.agents.limits import limit_end, over_its_limit
from foureyes.reviewers.agents.process import Ended
from foureyes.reviewers.agents.words import number_in, parsed, said, section

#: The variable `codex exec` reads; a key in OPENAI_API_KEY is passed on in it.
KEY = "CODEX_API_KEY"
KEYS = (KEY, "OPENAI_API_KEY")
HOST = "api.openai.com"
LOGIN_HOST = "chatgpt.com"
PROFILE = "foureyes"
LAST = "last.json"
EVENTS_MAX = 20_000
#: Features that are not needed for reading, and would run, load or fetch something.
OFF = (
    *("apps", "browser_use", "computer_use", "goals", "hooks", "image_generation", "memories", "multi_agent"),
    *("plugins", "shell_snapshot", "skill_search", "sleep_tool", "tool_suggest", "view_image"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Codex:
    """Codex, of OpenAI."""

    name: str = "codex"
    called: str = "Codex"
    provider: str = "openai"
    receiver: str = "OpenAI"
    family: str = "gpt"
    #: Older ones have no permission profiles, and would let their commands read the whole disk.
    oldest: tuple[int, int, int] = (0, 166, 0)
    package: str = "@openai/codex"
    install: str = "npm install -g @openai/codex"
    log_in: str = "run codex login"
    answers_in_schema: bool = True
    acts_on: frozenset[str] = frozenset({".agents", ".codex"})

    def login(self, environ: Mapping[str, str]) -> Login | None:
        """Return a key, else what `codex login` keeps; never the refresh token."""
        if found := first_set(environ, *KEYS):
            return _with_key(found[1], found[0], environ)
        folder = Path(environ.get("CODEX_HOME") or Path(environ.get("HOME", "/"), ".codex"))
        kept = read_json(folder / "auth.json")
        tokens = section(kept, "tokens")
        if not tokens.get("access_token"):
            key = kept.get("OPENAI_API_KEY")
            return _with_key(str(key), str(folder), environ) if key else None
        # Refreshing a login makes the old one void: a run of ours must not do that.
        content = json.dumps({**kept, "tokens": {**tokens, "refresh_token": ""}}).encode()
        called = f"the login in {folder}"
        return Login(called=called, host=LOGIN_HOST, content=content, place=".codex/auth.json", is_paid=False)

    def command(self, errand: Errand) -> Command:
        """Return the command: no configuration of the user or the checkout, no network, and only the work to read."""
        schema = errand.folder / "schema.json"
        schema.write_text(json.dumps(errand.schema), encoding="utf-8")
        (errand.home / ".codex").mkdir(mode=0o700, exist_ok=True)
        argv = (
            *(str(errand.program), "exec", "--ephemeral", "--ignore-user-config", "--ignore-rules"),
            *("--skip-git-repo-check", "--json", "--color", "never", "-C", str(errand.work)),
            *("--output-schema", str(schema), "-o", str(errand.folder / LAST)),
            *(word for key, value in _settings(errand) for word in ("-c", f"{key}={value}")),
            "-",
        )
        return Command(argv=argv, variables={"CODEX_HOME": str(errand.home / ".codex")})

    def watch(self, line: bytes) -> None:
        """Stop a run that would retry for minutes to reach a provider that is away or over its limit."""
        event = parsed(line) if b'"error"' in line else {}
        if event.get("type") != "error":
            return
        words = str(event.get("message") or "")
        if "waiting for network" in words:
            raise Inconclusive(Failure.CRASHED, f"{self.called} could not reach its provider.")
        if "429" in words or "usage limit" in words:
            raise self._limit(words)
        if "401" in words:
            raise self._stranger()

    def read(self, ended: Ended, errand: Errand) -> Reply:  # noqa: ARG002 - one shape for all of them
        """Parse the output, one JSON object a line for each event; items of type error also appear in good runs."""
        events = [parsed(line) for line in ended.out.split(b"\n")[:EVENTS_MAX] if line.startswith(b"{")]
        cost = _cost(events, ended.seconds)
        failed = [section(one, "error").get("message") for one in events if one.get("type") == "turn.failed"]
        if failed or ended.code:
            raise self._wrong(str(failed[-1] if failed else ""), cost, ended)
        if not any(one.get("type") == "turn.completed" for one in events):
            raise said(self.called, "printed no result", ended, cost=cost)
        text = _last_words(events)
        if not text:
            raise Inconclusive(Failure.REFUSED, f"{self.called}: the model refused to look at this.", cost=cost)
        return Reply(text=text, cost=cost)

    def _wrong(self, words: str, cost: Cost, ended: Ended) -> Inconclusive:
        if "usage limit" in words or "429" in words:
            return self._limit(words, cost)
        if "401" in words or "not logged in" in words.lower() or "could not be refreshed" in words:
            return self._stranger(cost)
        return said(self.called, words or "failed", ended, cost=cost)

    def _limit(self, words: str, cost: Cost | None = None) -> Inconclusive:
        until = limit_end(words, datetime.now(UTC))
        return Inconclusive(Failure.OUT_OF_BUDGET, over_its_limit(self.called, until), cost=cost, until=until)

    def _stranger(self, cost: Cost | None = None) -> Inconclusive:
        text = f"{self.called} is not logged in, or no longer: {self.log_in}."
        return Inconclusive(Failure.CRASHED, text, cost=cost)


def _with_key(key: str, place: str, environ: Mapping[str, str]) -> Login:
    """Return a login by key. A key may go to any base URL; the login of `codex login` only to OpenAI itself."""
    host, url = receiver(environ, "OPENAI_BASE_URL", HOST)
    return Login(called=f"the key in {place}", host=host, url=url, variables={KEY: key})


def _settings(errand: Errand) -> Iterator[tuple[str, str]]:
    readable: dict[str, object] = {":minimal": "read", "/etc": "deny", ":workspace_roots": {".": "read"}}
    readable[str(_installed(errand.program))] = "read"
    yield "default_permissions", _toml(PROFILE)
    yield f"permissions.{PROFILE}.filesystem", _toml(readable)
    yield f"permissions.{PROFILE}.network", _toml({"enabled": False})
    yield "approval_policy", _toml("never")
    yield "shell_environment_policy", _toml({"inherit": "none", "set": {"PATH": "/usr/bin:/bin"}})
    yield "allow_login_shell", "false"
    yield "project_doc_max_bytes", "0"
    yield "skills", _toml({"bundled": {"enabled": False}, "include_instructions": False})
    yield "web_search", _toml("disabled")
    yield "check_for_update_on_startup", "false"
    yield "analytics", _toml({"enabled": False})
    yield "cli_auth_credentials_store", _toml("file")
    yield "developer_instructions", _toml(errand.system)
    yield from ((f"features.{one}", "false") for one in OFF)
    if errand.login.url:
        entry = {"name": PROFILE, "base_url": errand.login.url, "wire_api": "responses", "env_key": KEY}
        yield f"model_providers.{PROFILE}", _toml(entry)
        yield "model_provider", _toml(PROFILE)


def _installed(program: Path) -> Path:
    """Return what its own sandbox must be able to read: its npm package, else the program alone."""
    real = program.resolve()
    return next((folder for folder in real.parents if folder.name == "@openai"), real)


def _toml(value: object) -> str:
    """Return a value as TOML on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "{" + ",".join(f"{_toml(str(key))}={_toml(one)}" for key, one in value.items()) + "}"
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _last_words(events: Iterable[dict[str, object]]) -> str:
    items = (section(one, "item") for one in events if one.get("type") == "item.completed")
    texts = [str(item.get("text") or "") for item in items if item.get("type") == "agent_message"]
    return texts[-1].strip() if texts else ""


def _cost(events: Iterable[dict[str, object]], seconds: float) -> Cost:
    """Return the cost; tokens that the provider read from its own cache are not counted."""
    used = [section(one, "usage") for one in events if one.get("type") == "turn.completed"]
    tokens = sum(
        number_in(one, "input_tokens", "output_tokens") - number_in(one, "cached_input_tokens") for one in used
    )
    return Cost(tokens=max(0, tokens), seconds=round(seconds))
