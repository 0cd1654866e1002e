"""Gemini CLI as a reviewer: `gemini -p` in plan mode, with our settings only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Cost, Failure
from foureyes.reviewers.agents.cli import Command, Errand, Login, Reply
from foureyes.reviewers.agents.credentials import all_set, first_set, read_json, receiver
from foureyes.reviewers.agents.limits import limit_end, over_its_limit
from foureyes.reviewers.agents.process import Ended
from foureyes.reviewers.agents.words import last_line, number_in, parsed, said, section

KEY = "GEMINI_API_KEY"
KEYS = (KEY, "GOOGLE_API_KEY")
#: The variable that names the model, if the user set it.
MODEL = "GEMINI_MODEL"
FILE = "oauth_creds.json"
HOST = "generativelanguage.googleapis.com"
LOGIN_HOST = "cloudcode-pa.googleapis.com"
TOOLS = ("list_directory", "read_file", "grep_search", "glob")
#: Exit code and status of a login that is missing or not accepted.
NOT_LOGGED_IN = 41
TOO_MANY = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemini:
    """Gemini CLI, of Google."""

    name: str = "gemini"
    called: str = "Gemini CLI"
    provider: str = "google"
    receiver: str = "Google"
    family: str = "gemini"
    #: Older ones do not support all the settings that restrict it.
    oldest: tuple[int, int, int] = (0, 61, 0)
    package: str = "@google/gemini-cli"
    install: str = "npm install -g @google/gemini-cli"
    log_in: str = "run gemini and sign in, or set GEMINI_API_KEY"
    answers_in_schema: bool = False
    #: Its instruction file cannot be switched off, only left out.
    acts_on: frozenset[str] = frozenset({".agents", ".env", ".gemini", ".geminiignore", "gemini.md"})

    def login(self, environ: Mapping[str, str]) -> Login | None:
        """Return a key, else what signing in left; Google's logins stay valid when a copy of them is used."""
        if found := first_set(environ, *KEYS):
            host, url = receiver(environ, "GOOGLE_GEMINI_BASE_URL", HOST)
            called = f"the key in {found[0]}"
            return Login(called=called, host=host, url=url, variables={**all_set(environ, MODEL), KEY: found[1]})
        folder = Path(environ.get("HOME", "/"), ".gemini")
        kept = read_json(folder / FILE)
        if not (kept.get("refresh_token") or kept.get("access_token")):
            return None
        return Login(
            called=f"the login in {folder}",
            host=LOGIN_HOST,
            variables=all_set(environ, MODEL, "GOOGLE_CLOUD_PROJECT"),
            content=json.dumps(kept).encode(),
            place=f".gemini/{FILE}",
            is_paid=False,
        )

    def command(self, errand: Errand) -> Command:
        """Return the command; the folder it trusts is read-only, without the files it would act on."""
        system, own = errand.folder / "system.md", errand.home / ".gemini"
        own.mkdir(mode=0o700, exist_ok=True)
        (own / "settings.json").write_text(json.dumps(_settings(errand)), encoding="utf-8")
        system.write_text(errand.system, encoding="utf-8")
        # By default it switches to a smaller model at its limit, and at that one's limit retries without a pause.
        model = errand.login.variables.get(MODEL, "pro")
        argv = (
            *(str(errand.program), "-p", "", "-o", "json", "-m", model),
            *("--approval-mode", "plan", "--skip-trust", "-e", "none"),
        )
        variables = {
            "GEMINI_SYSTEM_MD": str(system),
            "GEMINI_TELEMETRY_ENABLED": "false",
            **({"GOOGLE_GEMINI_BASE_URL": errand.login.url} if errand.login.url else {}),
        }
        return Command(argv=argv, variables=variables)

    def watch(self, line: bytes) -> None:
        """Stop a run that would retry for minutes because it is over its limit."""
        if line.startswith(b"Attempt ") and b"failed with status 429" in line:
            raise self._limit(line.decode(errors="replace"))

    def read(self, ended: Ended, errand: Errand) -> Reply:  # noqa: ARG002 - one shape for all of them
        """Parse the one JSON object; errors are printed to stderr, and any exit code but 0 is a failure."""
        found = parsed(ended.out[max(0, ended.out.find(b"{")) :])
        cost = _cost(found, ended.seconds)
        wrong = section(found, "error") or section(parsed(ended.err[max(0, ended.err.rfind(b"\n{")) :]), "error")
        if ended.code or "error" in found:
            raise self._wrong(wrong, cost, ended)
        if "response" not in found:
            raise said(self.called, "printed no result", ended, cost=cost)
        text = str(found["response"] or "").strip()
        if not text:
            raise Inconclusive(Failure.REFUSED, f"{self.called}: the model refused to look at this.", cost=cost)
        return Reply(text=text, cost=cost)

    def _wrong(self, wrong: dict[str, object], cost: Cost, ended: Ended) -> Inconclusive:
        words = str(wrong.get("message") or "") or last_line(ended.err)
        if wrong.get("code") == TOO_MANY or "RESOURCE_EXHAUSTED" in words or "quota" in words.lower():
            return self._limit(words, cost)
        if NOT_LOGGED_IN in (ended.code, wrong.get("code")) or "API key not valid" in words:
            text = f"{self.called} is not logged in, or no longer: {self.log_in}."
            return Inconclusive(Failure.CRASHED, text, cost=cost)
        if "blocked due to" in words:
            return Inconclusive(Failure.REFUSED, f"{self.called}: the model refused to look at this.", cost=cost)
        if "fetch failed" in words:
            return Inconclusive(Failure.CRASHED, f"{self.called} could not reach {self.receiver}.", cost=cost)
        return said(self.called, words or "failed", ended, cost=cost)

    def _limit(self, words: str, cost: Cost | None = None) -> Inconclusive:
        until = limit_end(words, datetime.now(UTC))
        return Inconclusive(Failure.OUT_OF_BUDGET, over_its_limit(self.called, until), cost=cost, until=until)


def _settings(errand: Errand) -> dict[str, object]:
    login = "oauth-personal" if errand.login.content else "gemini-api-key"
    return {
        "security": {"auth": {"selectedType": login}, "disableYoloMode": True},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "tools": {"core": list(TOOLS)},
        "mcp": {"allowed": ["none"]},
        "admin": {"mcp": {"enabled": False}, "extensions": {"enabled": False}, "skills": {"enabled": False}},
        "skills": {"enabled": False},
        "hooksConfig": {"enabled": False},
        "experimental": {"enableAgents": False},
        "ide": {"enabled": False},
        "advanced": {"ignoreLocalEnv": True},
        "context": {
            "includeDirectoryTree": False,
            "fileFiltering": {"respectGitIgnore": False, "respectGeminiIgnore": False},
        },
    }


def _cost(found: dict[str, object], seconds: float) -> Cost:
    """Return the cost; tokens that the provider read from its own cache are not counted."""
    models = section(section(found, "stats"), "models")
    used = [section(one, "tokens") for one in models.values()]
    tokens = sum(number_in(one, "total") - number_in(one, "cached") for one in used)
    return Cost(tokens=max(0, tokens), seconds=round(seconds))
