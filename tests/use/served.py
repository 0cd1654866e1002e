"""A started server with a shipped policy, and callers who use it over HTTP, over MCP and from the command line."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from foureyes.app.signing_in import COOKIE, form_mark
from foureyes.http.calling import FORM_HEADER
from foureyes.http.routes import GET, WAYS
from foureyes.http.way import Way
from foureyes.mcp.tools import SEVEN
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.doors_used import RECORD
from tests.http.web import Answer
from tests.shape import ROOT
from tests.web.browser import Browser

SHIPPED = ROOT / "src/foureyes/policy/shipped"
HTTP, MCP = "http", "mcp"
#: Both doors of an agent; a test parametrized with them plays the same story through each.
DOORS = (HTTP, MCP)
#: Calls that judge the bytes of a version, which must have been read before.
JUDGING = ("report", "keep_report", "settle_finding", "verify_finding")
_MCP_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
}


@dataclass(frozen=True)
class Reply:
    """The answer of a door: the value of the call, or the refusal with its code, sentence and next step."""

    is_ok: bool
    data: Any
    text: str

    @property
    def code(self) -> str:
        """The code of a refusal, the same at both doors; empty for a success."""
        if self.is_ok:
            return ""
        if isinstance(self.data, dict) and "code" in self.data:
            return str(self.data["code"])
        found = re.search(r"^Code: (\S+)$", self.text, re.MULTILINE)
        return found[1] if found else ""

    def __getitem__(self, name: str) -> Any:
        assert self.is_ok, self.text
        return self.data[name]


@dataclass(frozen=True)
class Caller:
    """An account that makes calls through one door; `at` gives the same account at another."""

    server: Running
    headers: dict[str, str]
    door: str = HTTP
    reads: bool = True
    #: The address of this machine that requests come from; by default that of the server.
    source: str = ""

    def at(self, door: str) -> Caller:
        """Return the caller at another door."""
        return replace(self, door=door)

    def speaking_for(self, agent: str) -> Caller:
        """A service's credential, speaking for an agent it vouches for."""
        return replace(self, headers={**self.headers, "foureyes-agent": agent})

    def coming_from(self, source: str) -> Caller:
        """Return the caller with another source address."""
        return replace(self, source=source)

    def unread(self) -> Caller:
        """Return the caller without the read before a report."""
        return replace(self, reads=False)

    def call(self, name: str, /, **arguments: Any) -> Reply:
        """Make a call by its name, as tool or as request; a reviewer reads a version before a report."""
        if self.reads and name in JUDGING and "review" in arguments:
            self.call("read_work", review=arguments["review"])
        return self._tool(name, arguments) if self.door == MCP else self._request(WAYS[name], arguments)

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Send one request unchanged."""
        sent = {**self.headers, "content-type": "application/json", **headers}
        return asyncio.run(self.server.send(method, path, sent, body, self.source))

    def sent(self, method: str, path: str, arguments: dict[str, Any]) -> Reply:
        """Send one request with these arguments, in the query of a GET and otherwise as JSON."""
        spelt = {name: json.dumps(one) if isinstance(one, bool) else one for name, one in arguments.items()}
        query = f"?{urlencode(spelt)}" if method == GET and arguments else ""
        answer = self.raw(method, f"{path}{query}", b"" if method == GET else json.dumps(arguments).encode())
        text = answer.body.decode(errors="replace")
        data = json.loads(text) if text.startswith(("{", "[")) else None
        return Reply(is_ok=answer.status < 300, data=data, text=text)

    def tools(self, path: str = "/mcp") -> list[dict[str, Any]]:
        """The tools that are listed to this caller."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        body = self.raw("POST", path, json.dumps(message).encode(), **_MCP_HEADERS).body.decode()
        found: list[dict[str, Any]] = json.loads(body.partition("data: ")[2] or body)["result"]["tools"]
        return found

    def _request(self, way: Way, arguments: dict[str, Any]) -> Reply:
        left = dict(arguments)
        path = re.sub(r"\{(\w+)\}", lambda found: quote(str(left.pop(found[1])), safe=""), way.paths[0])
        if way.method == GET:
            return self.sent(GET, path, left)
        queried = {name: left.pop(name) for name in way.query if name in left}
        return self.sent(way.method, f"{path}?{urlencode(queried)}" if queried else path, left)

    def _tool(self, name: str, arguments: dict[str, Any]) -> Reply:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        path = "/mcp/review-server" if name in SEVEN else "/mcp"
        answer = self.raw("POST", path, json.dumps(message).encode(), **_MCP_HEADERS)
        body = answer.body.decode()
        if answer.status >= 300:
            return Reply(is_ok=False, data=None, text=body)
        result = json.loads(body.partition("data: ")[2] or body)["result"]
        text = "\n".join(str(part.get("text", "")) for part in result["content"])
        failed = bool(result.get("isError"))
        return Reply(is_ok=not failed, data=result.get("structuredContent"), text=text)


@dataclass
class Served:
    """A running server, the first human, and the accounts that human enrolled."""

    server: Running
    browser: Browser
    callers: dict[str, Caller] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """The server's data folder."""
        return Path(self.server.environment["HOME"], ".local/share/foureyes")

    @property
    def human(self) -> Caller:
        """The human who started the server, signed in."""
        session = self.browser.cookies[COOKIE]
        headers = {
            "cookie": f"{COOKIE}={session}",
            FORM_HEADER: form_mark(session),
            "origin": self.server.begun["address"],
        }
        return Caller(server=self.server, headers=headers)

    def account(self, name: str, *roles: str, scopes: tuple[str, ...] = (), **fields: Any) -> Caller:
        """Enrol an account as the human, give it a token, and return it as a caller over HTTP."""
        body = {"name": name, "operator": f"{name}-co", "roles": roles or ("agent",), "model_family": name, **fields}
        enrolled = self.human.call("enrol", **body)
        assert enrolled.is_ok, enrolled.text
        issued = self.human.call("issue_token", name=name, **({"scopes": scopes} if scopes else {}))
        headers = {"authorization": f"Bearer {issued['secret']}"}
        return self.callers.setdefault(name, Caller(server=self.server, headers=headers))

    def run(self, *arguments: str, timeout: int = 60) -> subprocess.CompletedProcess[str]:
        """Run a command of `foureyes` in the server's home."""
        return self.server.run(*arguments, timeout=timeout)

    def page(self, path: str) -> str:
        """The text of a page as the human sees it."""
        return asyncio.run(self.browser.open(path)).text


@contextmanager
def served(folder: Path, policy: str = "solo", *arguments: str, **environment: str) -> Iterator[Served]:
    """`foureyes up` with a policy that ships, its first human signed in."""
    with started(Running(folder / "home", arguments=arguments), policy, environment) as up:
        yield up


@contextmanager
def started(server: Running, policy: str, environment: dict[str, str]) -> Iterator[Served]:
    """Start a server with a policy that ships; its first human is signed in."""
    server.environment |= {"FOUREYES_POLICY": str(SHIPPED / f"{policy}.yaml"), **environment}
    with server:
        with RECORD.resting():
            browser = asyncio.run(signed_in(server))
        yield Served(server=server, browser=browser)
