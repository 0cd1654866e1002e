"""Back-off for clients that keep failing authentication or limits; all other requests pass without delay."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from ipaddress import IPv6Address

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foureyes.app.credentials import CREDENTIAL_HEADERS
from foureyes.app.patience import KNOWN, WAIT_SECONDS_MAX, Patience
from foureyes.app.turns import CAME
from foureyes.http.problems import TOO_MANY, problem

#: The headers that identify a credential.
_CREDENTIALS = (b"cookie", *(one.encode() for one in CREDENTIAL_HEADERS))
#: How many credentials are remembered with their accounts.
CREDENTIALS_MAX = 4_096
#: Statuses that count as failures even for a known account: too many requests, and bodies that are too long.
_NO_TO_ANYBODY = frozenset((TOO_MANY, 413))
#: IPv6 addresses with the same first 64 bits count as one client.
_HOUSE_BITS = 64

Pause = Callable[[float], Awaitable[None]]


class Patient:
    """Middleware before all others: a client in back-off is delayed or refused before anything is read or looked up."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """Wrap an application; tests replace the clock and the pause."""
        self._app = app
        self._patience = patience or Patience()
        self._clock, self._pause = clock, pause
        #: The account that each credential belonged to when it was last used, by the credential's hash.
        self._accounts: dict[bytes, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, at once or after a delay, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        credential = _credential(scope)
        party = self._accounts.get(credential) or _house(scope)
        wait = self._patience.wait(party, self._clock())
        if wait.seconds:
            await self._waited(wait.seconds)
        if not wait.is_looked_at:
            await _no(scope, receive, send)
            return
        if wait.seconds:
            scope.pop(CAME, None)  # the back-off caused this wait, not the queue
            first = await receive()
            if first["type"] == "http.disconnect":
                return
            receive = _again(first, receive)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._learn(scope, credential, message["status"])
            await send(message)

        await self._app(scope, receive, told)

    async def _waited(self, seconds: float) -> None:
        self._patience.waiting += 1
        try:
            await self._pause(seconds)
        finally:
            self._patience.waiting -= 1

    def _learn(self, scope: Scope, credential: bytes, status: int) -> None:
        """Remember the credential's account, and count failures. Every answer to an unknown caller counts as one."""
        who = scope.get(KNOWN)
        if who is None:
            self._accounts.pop(credential, None)
            self._patience.told_no(_house(scope), self._clock())
            return
        party = f"account/{who}"
        if self._accounts.get(credential) != party:
            if len(self._accounts) >= CREDENTIALS_MAX:
                self._accounts.clear()
            self._accounts[credential] = party
        if status in _NO_TO_ANYBODY:
            self._patience.told_no(party, self._clock())


def _credential(scope: Scope) -> bytes:
    parts = [value for name, value in scope["headers"] if name in _CREDENTIALS]
    return hashlib.sha256(b"\0".join(parts)).digest() if parts else b""


def _house(scope: Scope) -> str:
    """The client's address as a back-off key: an IPv4 address, or the first 64 bits of an IPv6 address."""
    client = scope.get("client")
    if not client:
        return "address/"
    host: str = client[0]
    if ":" not in host:
        return f"address/{host}"
    try:
        number = int(IPv6Address(host.partition("%")[0]))
    except ValueError:
        return f"address/{host}"
    return f"address/{number >> _HOUSE_BITS:x}"


async def _no(scope: Scope, receive: Receive, send: Send) -> None:
    later = {"retry-after": str(int(WAIT_SECONDS_MAX)), "connection": "close"}
    sentence, step = "Too many requests from there were refused.", "Stop for a minute; then send fewer."
    await problem(TOO_MANY, "limit_reached", sentence, step, later)(scope, receive, send)


def _again(first: Message, receive: Receive) -> Receive:
    """A `receive` that yields the message already taken, then the messages after it."""
    left = [first]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again
