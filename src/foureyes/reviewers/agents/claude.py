"""Claude Code as a reviewer: `claude -p` in safe mode, with read-only tools and our answer schema."""

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
from foureyes.reviewers.agents.words import number_in, parsed, said, section

#: Each of these is a login by itself; the first that is set is used.
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105 - the name of a variable
FILE = ".claude/.credentials.json"
HOST = "api.anthropic.com"
TOOLS = "Read,Grep,Glob"
UNAUTHORIZED, TOO_MANY = 401, 429
_MICRO = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Claude:
    """Claude Code, of Anthropic."""

    name: str = "claude"
    called: str = "Claude Code"
    provider: str = "anthropic"
    receiver: str = "Anthropic"
    family: str = "claude"
    oldest: tuple[int, int, int] = (2, 1, 0)
    package: str = "@anthropic-ai/claude-code"
    install: str = "npm install -g @anthropic-ai/claude-code"
    log_in: str = "run claude and type /login, or set CLAUDE_CODE_OAUTH_TOKEN from: claude setup-token"
    answers_in_schema: bool = True
    acts_on: frozenset[str] = frozenset({".claude", ".mcp.json"})

    def login(self, environ: Mapping[str, str]) -> Login | None:
        """Return a key, else the token for programs, else the login's access token; never the refresh token."""
        host, url = receiver(environ, "ANTHROPIC_BASE_URL", HOST)
        own = all_set(environ, "ANTHROPIC_MODEL").items()
        if found := first_set(environ, *KEYS):
            return Login(called=f"the key in {found[0]}", host=host, url=url, variables=dict([found, *own]))
        if found := first_set(environ, TOKEN):
            called = f"the token in {TOKEN}"
            return Login(called=called, host=host, url=url, variables=dict([found, *own]), is_paid=False)
        folder = Path(environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME", "/"), ".claude"))
        kept = section(read_json(folder / ".credentials.json"), "claudeAiOauth")
        if not kept.get("accessToken"):
            return None
        # Refreshing a login makes the old one void: a run of ours must not do that.
        content = json.dumps({"claudeAiOauth": {**kept, "refreshToken": ""}}).encode()
        called = f"the login in {folder}"
        return Login(called=called, host=host, url=url, variables=dict(own), content=content, place=FILE, is_paid=False)

    def command(self, errand: Errand) -> Command:
        """Return the command; it loads nothing of the checkout or of the user's settings, and allows reading only."""
        system = errand.folder / "system.txt"
        system.write_text(errand.system, encoding="utf-8")
        argv = (
            *(str(errand.program), "-p", "--safe-mode", "--setting-sources", "", "--strict-mcp-config"),
            *("--tools", TOOLS, "--permission-mode", "dontAsk", "--no-session-persistence", "--no-chrome"),
            *("--output-format", "json", "--json-schema", json.dumps(errand.schema, separators=(",", ":"))),
            *("--system-prompt-file", str(system)),
            *("--max-budget-usd", f"{errand.bounds.usd_micro / _MICRO:.6f}"),
        )
        variables = {
            "CLAUDE_CODE_MAX_RETRIES": "2",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            **({"ANTHROPIC_BASE_URL": errand.login.url} if errand.login.url else {}),
        }
        return Command(argv=argv, variables=variables)

    def watch(self, line: bytes) -> None:
        """Do nothing: it gives up by itself."""

    def read(self, ended: Ended, errand: Errand) -> Reply:
        """Parse the one JSON object; a failed request says `success` too, so its other fields decide."""
        found = parsed(ended.out)
        if found.get("type") != "result":
            raise said(self.called, "printed no result", ended)
        cost = _cost(found, errand, ended.seconds)
        if found.get("is_error") or ended.code:
            raise self._wrong(found, cost, ended)
        return Reply(
            value=found.get("structured_output"), text=str(found.get("result") or ""), cost=cost, is_priced=True
        )

    def _wrong(self, found: dict[str, object], cost: Cost, ended: Ended) -> Inconclusive:
        words = str(found.get("result") or "")
        status, kind = found.get("api_error_status"), found.get("subtype")
        if status == TOO_MANY or "hit your" in words:
            until = limit_end(words, datetime.now(UTC))
            return Inconclusive(Failure.OUT_OF_BUDGET, over_its_limit(self.called, until), cost=cost, until=until)
        if found.get("stop_reason") == "refusal":
            return Inconclusive(Failure.REFUSED, f"{self.called}: the model refused to look at this.", cost=cost)
        if kind == "error_max_budget_usd":
            return Inconclusive(Failure.OUT_OF_BUDGET, f"{self.called} reached the most it may cost.", cost=cost)
        if kind == "error_max_structured_output_retries":
            text = f"{self.called} answered in another shape than it was asked for."
            return Inconclusive(Failure.MALFORMED, text, cost=cost)
        return self._trouble(words, cost, ended, strange=status == UNAUTHORIZED)

    def _trouble(self, words: str, cost: Cost, ended: Ended, *, strange: bool) -> Inconclusive:
        if strange or "/login" in words:
            text = f"{self.called} is not logged in, or no longer: {self.log_in}."
            return Inconclusive(Failure.CRASHED, text, cost=cost)
        if "Unable to connect" in words:
            return Inconclusive(Failure.CRASHED, f"{self.called} could not reach {self.receiver}.", cost=cost)
        return said(self.called, words or "failed", ended, cost=cost)


def _cost(found: dict[str, object], errand: Errand, seconds: float) -> Cost:
    """Return the cost; tokens that the provider read from its own cache are not counted."""
    tokens = sum(
        number_in(section(used, ""), "inputTokens", "outputTokens", "cacheCreationInputTokens")
        for used in section(found, "modelUsage").values()
    )
    usd = found.get("total_cost_usd")
    paid = round(usd * _MICRO) if isinstance(usd, int | float) and errand.login.is_paid else 0
    return Cost(usd_micro=max(0, paid), tokens=tokens, seconds=round(seconds))
