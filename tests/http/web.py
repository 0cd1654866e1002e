"""The application in process: requests are passed to it as a server does, without a socket."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from foureyes.app.accounts import new_token, stream_of
from foureyes.app.bell import Bell
from foureyes.app.calls.office import Office
from foureyes.app.signing_in import form_mark, new_link, redeemed
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.http.app import Site, build
from foureyes.http.calling import COOKIE, FORM_HEADER
from tests.app.house import House
from tests.calls.counter import OWNER, SUE

HOST = "127.0.0.1:8004"
SITE = Site(hosts=frozenset({HOST}), origins=frozenset({f"http://{HOST}"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass
class Web:
    """An application on a store, and those who call it."""

    house: House = field(default_factory=House)

    def __post_init__(self) -> None:
        self.office = Office(
            gate=self.house.gate,
            store=self.house.store,
            clock=lambda: self.house.now,
            bell=Bell(poll_seconds=0.01),
        )
        self.app = build(self.office, SITE)

    async def agent(self, name: str, *scopes: str, kind: str = "agent", **fields: Any) -> dict[str, str]:
        """Enrol an agent with a token and return its headers."""
        command = EnrolPrincipal(kind=kind, operator=f"{name}-co", roles=("agent",), **fields)
        await self.house.do(SUE, command, stream_of(name))
        return await self.issued(name, *scopes)

    async def issued(self, name: str, *scopes: str) -> dict[str, str]:
        """The headers of another token of an enrolled account."""
        made = new_token()
        await self.house.do(SUE, IssueToken(token=made.id, hash=made.hash, scopes=scopes), stream_of(name))
        return {"authorization": f"Bearer {made.secret}"}

    async def human(self, name: str = "sue") -> dict[str, str]:
        """The headers of a human who signed in."""
        await self.house.do(OWNER if name == "sue" else SUE, EnrolPrincipal(kind="human"), stream_of(name))
        secret = await self.house.store.write(lambda tx: new_link(tx, name, self.house.now))
        session = await self.house.store.write(lambda tx: redeemed(tx, secret or "", self.house.now))
        return {"cookie": f"{COOKIE}={session}", FORM_HEADER: form_mark(session or "")}

    async def get(self, path: str, headers: dict[str, str], **query: Any) -> Answer:
        """Look."""
        return await self.request("GET", path, headers, query=urlencode(query))

    async def post(self, path: str, headers: dict[str, str], **body: Any) -> Answer:
        """Do."""
        return await self.request("POST", path, headers, json.dumps(body).encode())

    async def request(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b"", *, query: str = ""
    ) -> Answer:
        """Send a request; the host is the server's unless another is given."""
        named = {"host": HOST, "content-length": str(len(body)), **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
            "client": ("127.0.0.1", 5000),
            "server": ("127.0.0.1", 8004),
            "state": {},
        }
        sent: list[dict[str, Any]] = []

        asked = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return asked.pop() if asked else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        start = sent[0]
        found = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(status=start["status"], headers=found, body=b"".join(one.get("body", b"") for one in sent[1:]))
