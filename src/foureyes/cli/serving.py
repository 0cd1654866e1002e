"""What is a server told on the command line, and what does it say when it is there?"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from foureyes.home.trouble import Trouble

HOST, PORT = "127.0.0.1", 8004
TOKEN = "TOKEN"  # noqa: S105 - the place for one


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where to listen, how the outside names us, and whether a proxy stands before us."""

    host: str = HOST
    #: 0: any free one.
    port: int = PORT
    public_url: str = ""
    behind_proxy: bool = False
    #: Reviewers of the policy that may receive the work, and commands of it that may run here.
    yes_send: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an address that is none."""
        if self.public_url:
            parts = urlsplit(self.public_url)
            named = parts.scheme in ("http", "https") and parts.hostname and parts.path in ("", "/")
            if not named or parts.query or parts.fragment or parts.username:
                raise Trouble(
                    f"--public-url is {self.public_url[:200]!r}.", "It looks like https://gate.example.com", usage=True
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A server that answers."""

    #: Where it is reached on this machine.
    address: str
    #: Where everybody reaches it.
    public: str
    #: The human who was enrolled by this start; empty on every later one.
    first_human: str = ""
    #: Whether the sign-in page was opened in a browser.
    opened: bool = False


def connecting(address: str, token: str = TOKEN) -> tuple[tuple[str, str], ...]:
    """The exact lines that connect an agent, by the agent's name."""
    place = f"{address}/mcp"
    variable = "--bearer-token-env-var FOUREYES_TOKEN"
    header = f'--header "Authorization: Bearer {token}"'
    return (
        ("Claude Code", f"claude mcp add --scope user --transport http foureyes {place} {header}"),
        ("Codex", f"export FOUREYES_TOKEN={token}\ncodex mcp add foureyes --url {place} {variable}"),
        ("Gemini CLI", f"gemini mcp add --scope user --transport http foureyes {place} {header}"),
    )
