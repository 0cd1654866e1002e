"""The MCP endpoint over HTTP, beside the API: authentication by token, limits, and the hand-over to the SDK.

The SDK is imported by the first request, because it is slow to load and many servers never need it. No session is kept
between requests: there is no handle that another client could use, and a restart is not noticed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.credentials import credential_of
from foureyes.app.limits import TooFast
from foureyes.app.patience import KNOWN
from foureyes.app.ports import Unavailable
from foureyes.app.turns import CAME, Turn, Within
from foureyes.codec.sizes import is_too_full
from foureyes.core.refusals import Refusal
from foureyes.mcp.listing import Which, which_of
from foureyes.mcp.strict import MESSAGE_BYTES_MAX, flaw

if TYPE_CHECKING:
    from foureyes.mcp.speaker import Speaker

PATH = "/mcp"
#: The address of the review server, whose seven tools other agents were written for.
REVIEW_SERVER_PATH = f"{PATH}/review-server"
CALLER = "foureyes.caller"
WHICH = "foureyes.which_tools"
RETRY_SECONDS = "2"
_STREAM = b"text/event-stream"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
#: Builds a problem document as the HTTP door does: status, code, sentence, next step, headers.
Problem = Callable[[int, str, str, str, Mapping[str, str]], App]
Make = Callable[[], "Speaker"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The host names and origins of this server; requests with any other are refused here too."""

    hosts: frozenset[str]
    origins: frozenset[str]


class Endpoint:
    """The ASGI endpoint before the SDK: it authenticates and limits every request before the SDK sees it."""

    def __init__(self, office: Office, names: Names, problem: Problem, make: Make | None = None) -> None:
        """Answer for this office; the SDK's servers are created by the first request."""
        self._office = office
        self._problem = problem
        self._make = make or (lambda: _speaker(office, names))
        self._wanted = asyncio.Event()
        self._over = asyncio.Event()
        self._ready: asyncio.Future[Speaker] | None = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Answer requests while this context is open; it encloses the application's lifespan."""
        self._ready = asyncio.get_running_loop().create_future()
        running = asyncio.create_task(self._run(self._ready))
        try:
            yield
        finally:
            self._over.set()
            self._wanted.set()
            await running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            caller = await self._caller(scope)
            # Counted before the message is read; the calls in it are not counted again.
            asked, came = self._office.quotas.asked, scope.get(CAME)
            turn = asked(caller.who, self._office.clock(), came) if caller else None
        except Unavailable as error:
            later = {"retry-after": RETRY_SECONDS}
            no = self._problem(507 if error.full else 503, error.word, error.sentence, error.next_step, later)
        except TooFast as error:
            later = {"retry-after": str(error.seconds)}
            no = self._problem(429, error.code.value, error.sentence, error.next_step, later)
        else:
            if turn is not None:
                named = {**scope, "headers": _named(scope), CALLER: caller}
                try:
                    await self._let_in(named, turn, receive, _after_its_turn(turn, send))
                finally:
                    turn.leave()
                return
            no = self._nobody()
        await no(scope, receive, send)

    def _nobody(self) -> App:
        return self._problem(401, "credential_needed", _WHO, _HOW, {"www-authenticate": 'Bearer realm="foureyes"'})

    def _not_posted(self) -> App:
        return self._problem(405, "wrong_method", "Messages are posted.", "Send a POST.", {"allow": "POST"})

    async def _let_in(self, scope: Scope, turn: Turn | Within, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._not_posted()(scope, receive, send)
            return
        try:
            scope[WHICH] = which_of(scope["query_string"])
        except Refusal as error:
            # Answered to every message, so that a wrong address is noticed when the client connects.
            await self._problem(400, error.code.value, error.sentence, error.next_step, {})(scope, receive, send)
            return
        body = await _body(receive)
        if isinstance(body, _Edges):
            await self._too_large(scope, body, receive, send)
            return
        async with turn:
            wrong = flaw(body)
            if wrong is None:
                speaker = await self._speaking()
                await speaker.answer(scope, body, receive, send)
            else:
                # A status that counts towards the back-off of a client that keeps sending such messages.
                await _answer(send, 413 if is_too_full(body) else 400, json.dumps(wrong).encode())

    async def _too_large(self, scope: Scope, edges: _Edges, receive: Receive, send: Send) -> None:
        from foureyes.mcp.oversize import too_large  # noqa: PLC0415 - see above

        told = too_large(bytes(edges.start), bytes(edges.end)) if edges.whole else None
        if told is not None:
            await _answer(send, 200, json.dumps(told).encode())
            return
        step = "Send large files one by one to /api/v1/blobs and name them by their digest."
        sentence = f"A message has at most {MESSAGE_BYTES_MAX} bytes."
        await self._problem(413, "too_large", sentence, step, {})(scope, receive, send)

    async def _speaking(self) -> Speaker:
        self._wanted.set()
        if self._ready is None:
            raise RuntimeError("serve it inside of `serving`")
        return await asyncio.shield(self._ready)

    async def _caller(self, scope: Scope) -> Caller | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        credential = credential_of(headers)
        if not credential.token:
            return None
        caller = await self._office.recognised(credential, spools=True)
        if caller is not None:
            scope[KNOWN] = caller.who.name
        return caller

    async def _run(self, ready: asyncio.Future[Speaker]) -> None:
        await self._wanted.wait()
        if self._over.is_set():
            ready.cancel()
            return
        try:
            speaker = await asyncio.to_thread(self._make)
            async with speaker.run():
                ready.set_result(speaker)
                await self._over.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
            with suppress(Exception):
                await ready  # waiting requests get the error; without any, it must not be reported as never retrieved


_WHO = "This needs a token that opens something."
_HOW = "Send a token of an enrolled agent as `Authorization: Bearer …`; a human makes one with `foureyes agents add`."


async def caller_of_request(request: object) -> Caller:
    """The caller that was authenticated before the request was passed to the SDK."""
    scope: Scope = getattr(request, "scope", {})
    found = scope.get(CALLER)
    if not isinstance(found, Caller):
        raise TypeError("a request came in without a caller")
    return found


def which_of_request(request: object) -> Which:
    """The list of tools that the request's address asks for, as read before it was passed to the SDK."""
    scope: Scope = getattr(request, "scope", {})
    return Which(scope[WHICH])


def _speaker(office: Office, names: Names) -> Speaker:
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415 - see above

    from foureyes.mcp.near import Near  # noqa: PLC0415 - likewise
    from foureyes.mcp.server import REVIEW_SERVER, build  # noqa: PLC0415 - likewise
    from foureyes.mcp.speaker import Speaker  # noqa: PLC0415 - likewise
    from foureyes.mcp.tools import OWN, SEVEN  # noqa: PLC0415 - likewise

    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=sorted(names.hosts),
        allowed_origins=sorted(names.origins),
    )
    own = build(Near(office, caller_of_request, OWN, which_of_request, beside=SEVEN))
    seven = build(Near(office, caller_of_request, SEVEN, which_of_request), REVIEW_SERVER)
    return Speaker({PATH: own, REVIEW_SERVER_PATH: seven}, security)


def _named(scope: Scope) -> list[tuple[bytes, bytes]]:
    """The headers with host and origin in lower case and values stripped: the SDK compares them exactly."""
    return [
        (name, value.lower() if name in (b"host", b"origin") else value.strip(b" \t"))
        for name, value in scope["headers"]
    ]


def _after_its_turn(turn: Turn | Within, send: Send) -> Send:
    """Leave the queue when the answer is sent, so that a client that reads slowly does not keep others waiting.

    A stream may begin before any work was done, and keep-alive messages come in between: there, the turn ends with the
    first event.
    """
    is_stream = False

    async def sent(message: Message) -> None:
        nonlocal is_stream
        if message["type"] == "http.response.start":
            is_stream = dict(message.get("headers", ())).get(b"content-type", b"").startswith(_STREAM)
            if not is_stream:
                turn.leave()
        elif is_stream and message.get("body", b":")[:1] != b":":
            turn.leave()
        await send(message)

    return sent


@dataclass(slots=True)
class _Edges:
    """What is kept of a message that is too large: its start, its end, and whether it was read to its end."""

    start: bytearray
    end: bytearray
    whole: bool = False


async def _body(receive: Receive) -> bytes | _Edges:
    """The body, or its edges if it is larger than a message may be."""
    pieces, size, more = list[bytes](), 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        more = message.get("more_body", False)
        if size > MESSAGE_BYTES_MAX:
            return await _drained(b"".join(pieces), receive, more=more)
    return b"".join(pieces)


async def _drained(begun: bytes, receive: Receive, *, more: bool) -> _Edges:
    from foureyes.mcp.oversize import DRAINED_BYTES_MAX, EDGE_BYTES  # noqa: PLC0415 - see above

    edges, size = _Edges(start=bytearray(begun[:EDGE_BYTES]), end=bytearray(begun[-EDGE_BYTES:])), len(begun)
    while more and size <= DRAINED_BYTES_MAX:
        message = await receive()
        if message["type"] == "http.disconnect":
            return edges
        piece = message.get("body", b"")
        edges.end = (edges.end + piece)[-EDGE_BYTES:]
        size += len(piece)
        more = message.get("more_body", False)
    edges.whole = not more
    return edges


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
