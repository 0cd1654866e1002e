"""The options and the start-up information of servers and workers, and the lines that connect an agent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foureyes.core.vacancies import Vacancy
from foureyes.home.trouble import Trouble

HOST, PORT = "127.0.0.1", 8004
PORT_MAX = 65_535
_USUAL = {"http": 80, "https": 443}
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
#: A URL whose host is a name as in a Host header (non-ASCII names in their ASCII form), or an IP address.
_PUBLIC = re.compile(
    rf"(?P<scheme>https?)://(?P<host>{_LABEL}(?:\.{_LABEL}){{0,30}}|\[[0-9a-f:.]{{2,45}}\])(?::(?P<port>[0-9]{{1,5}}))?/?"
).fullmatch
TOKEN = "TOKEN"  # noqa: S105 - the place for one


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where to listen, the public URL, and whether the server is behind a proxy."""

    host: str = HOST
    #: 0 means any free port.
    port: int = PORT
    public_url: str = ""
    behind_proxy: bool = False
    #: Reviewers of the policy that may receive the work, and commands of it that may run here.
    yes_send: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Normalise the public URL as browsers do; raises Trouble if it is not valid."""
        if self.public_url:
            object.__setattr__(self, "public_url", _as_browsers_write_it(self.public_url))


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A server that has started to answer."""

    #: The URL on this machine.
    address: str
    #: The public URL.
    public: str
    #: The human who was enrolled by this start; empty on later starts.
    first_human: str = ""
    #: Whether the sign-in page was opened in a browser.
    opened: bool = False
    #: Seats of the policy in force that nobody can hold, with what fills each.
    vacant: tuple[Vacancy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AtWork:
    """A worker that is ready for runs."""

    name: str
    #: The names of the reviewers that it hosts.
    reviewers: tuple[str, ...]


def _as_browsers_write_it(url: str) -> str:
    """The URL in lower case, without a trailing slash and without the scheme's default port."""
    found = _PUBLIC(url.lower())
    port = int(found["port"] or 0) if found else 0
    if not found or not 0 <= port <= PORT_MAX or found["port"] == "0":
        raise Trouble(f"--public-url is {url[:200]!r}.", "It looks like https://gate.example.com", usage=True)
    beside = "" if port in (0, _USUAL[found["scheme"]]) else f":{port}"
    return f"{found['scheme']}://{found['host']}{beside}"


def connecting(address: str, token: str = TOKEN) -> tuple[tuple[str, str], ...]:
    """The exact commands that connect an agent, by the agent's name."""
    place = f"{address}/mcp"
    variable = "--bearer-token-env-var FOUREYES_TOKEN"
    header = f'--header "Authorization: Bearer {token}"'
    return (
        ("Claude Code", f"claude mcp add --scope user --transport http foureyes {place} {header}"),
        ("Codex", f"export FOUREYES_TOKEN={token}\ncodex mcp add foureyes --url {place} {variable}"),
        ("Gemini CLI", f"gemini mcp add --scope user --transport http foureyes {place} {header}"),
        (
            "The seven tools of review-server alone, at their own address",
            f"claude mcp add --scope user --transport http review-server {place}/review-server {header}",
        ),
    )
