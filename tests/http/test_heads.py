"""Until a request's head is complete, little of it is buffered, and not for long."""

import asyncio
import resource
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from foureyes.http import heads
from foureyes.http.heads import HEAD_BYTES_MAX, Bounded, connections_max
from tests.app.house import played

ASK = b"POST /%s HTTP/1.1\r\nhost: here\r\n"
PIECE = b"x-a: " + b"a" * 993 + b"\r\n"
PIECES = HEAD_BYTES_MAX // len(PIECE)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Says how long the body was, when all of it is there."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message["body"]), message["more_body"]
    text = b"%s %d." % (scope["path"].encode(), size)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


class Wire(asyncio.Transport):
    """The server's end of a connection: input is given piece by piece, and output is recorded."""

    def __init__(self, state: ServerState | None = None) -> None:
        super().__init__()
        self.sent, self.is_over, self.went = b"", False, asyncio.Event()
        config = uvicorn.Config(app, http=Bounded, ws="none", lifespan="off", log_config=None)
        config.load()
        state = state or ServerState()
        self.server = Bounded(config=config, server_state=state, app_state={}, _loop=asyncio.get_running_loop())
        self.server.connection_made(self)

    def say(self, *pieces: bytes) -> None:
        for one in pieces:
            if not self.is_over:
                self.server.data_received(one)

    def write(self, data: Any) -> None:
        self.sent += bytes(data)
        self.went.set()

    def close(self) -> None:
        if not self.is_over:
            self.is_over = True
            self.went.set()
            self.server.connection_lost(None)

    def is_closing(self) -> bool:
        return self.is_over

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    async def until(self, text: bytes) -> None:
        """Wait until this was sent; or, for nothing, until it is over."""
        while (text not in self.sent) if text else not self.is_over:
            self.went.clear()
            await self.went.wait()


@played
async def test_a_head_without_an_end_is_refused_before_it_is_kept() -> None:
    """T19: in headers, in one header, and in the address."""
    for begin, piece in ((ASK % b"", PIECE), (ASK % b"" + b"x-a: ", b"a" * 1_000), (b"POST /", b"a" * 1_000)):
        wire = Wire()
        wire.say(begin, *[piece] * PIECES)
        assert (wire.sent, wire.is_over) == (b"", False)
        wire.say(piece)
        assert wire.is_over
        assert wire.sent.startswith(b"HTTP/1.1 431 ")
        assert b"application/problem+json" in wire.sent
        assert b"at most 65536 bytes" in wire.sent


@played
async def test_a_long_head_in_pieces_and_a_longer_body_are_taken_and_more_after_them() -> None:
    wire = Wire()
    for name in (b"one", b"two"):
        wire.say(ASK % name, *[PIECE] * PIECES, b"content-length: 200000\r\n\r\n", *[b"b" * 1_000] * 200)
        await wire.until(b"/%s 200000." % name)
    wire.close()


@played
async def test_who_says_nothing_or_not_all_of_it_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """F21: a connection is held for those who ask."""
    monkeypatch.setattr(heads, "HEAD_SECONDS_MAX", 0.01)
    for said in ((), (ASK % b"half",), (ASK % b"one" + b"content-length: 0\r\n\r\n" + ASK % b"half",)):
        wire = Wire()
        wire.say(*said)
        await wire.until(b"")
        assert wire.sent.endswith(b"/one 0.") if len(b"".join(said)) > len(ASK % b"half") else not wire.sent


async def refusing(scope: Scope, _: Receive, send: Send) -> None:
    """Says no before any of the body is there, and which headers it knows of."""
    text = b"no %d" % len(scope["headers"])
    await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


@played
async def test_who_was_answered_holds_no_connection_by_what_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """F21: an empty line, the rest of a body nobody wants, or half of its last piece."""
    monkeypatch.setattr(heads, "HEAD_SECONDS_MAX", 0.01)
    chunked, long = b"transfer-encoding: chunked\r\n\r\n", b"content-length: 9\r\n\r\n"
    for begin, piece in ((b"\r\n", b"\r\n"), (long, b"b"), (chunked, b"1;a"), (chunked, b"0\r\nx-a: ")):
        wire = Wire()
        wire.server.app = refusing
        wire.say(ASK % b"one" + begin)
        await wire.until(b"no ")
        wire.say(piece)
        async with asyncio.timeout(5):
            await wire.until(b"")


@played
async def test_headers_behind_a_body_are_bounded_as_those_before_it_and_say_nothing() -> None:
    """T19: nobody looked at them, and nobody does."""
    for begin, piece in ((b"", PIECE), (b"x-a: ", b"a" * 1_000)):
        wire = Wire()
        wire.server.app = refusing
        wire.say(ASK % b"one" + b"transfer-encoding: chunked\r\n\r\n3\r\n", b"abc", b"\r\n0\r\n" + begin)
        wire.say(*[piece] * PIECES)
        assert (wire.sent, wire.is_over) == (b"", False)
        wire.say(piece)
        assert wire.is_over
        assert wire.sent.startswith(b"HTTP/1.1 431 ")
    wire = Wire()
    wire.server.app = refusing
    said = b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nauthorization: Bearer x\r\n\r\n"
    for _ in range(2):
        wire.sent = b""
        wire.say(ASK % b"one" + said)
        await wire.until(b"no 2")
    wire.close()


@played
async def test_a_body_in_many_small_pieces_is_taken() -> None:
    wire = Wire()
    wire.say(ASK % b"one" + b"transfer-encoding: chunked\r\n\r\n")
    wire.say(*[piece for _ in range(20_000) for piece in (b"1\r\n", b"a\r\n")], b"0\r\n\r\n")
    await wire.until(b"/one 20000.")
    wire.close()


@played
async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """F21: the form to sign in is for anybody, and nobody who reads one looks at a clock."""
    monkeypatch.setattr(heads, "BODY_SECONDS_MAX", 0.01)
    for said in (b"content-length: 9\r\n\r\n", b"transfer-encoding: chunked\r\n\r\n9\r\n"):
        wire = Wire()
        wire.say(ASK % b"one" + said)
        async with asyncio.timeout(5):
            await wire.until(b"")
        assert not wire.sent


@played
async def test_who_asked_before_is_answered_first() -> None:
    """Half of the next head or body breaks nothing off, however long the answer takes."""
    for half in (ASK % b"half", ASK % b"half" + b"content-length: 2\r\n\r\n1"):
        wire, may = Wire(), asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send, may: asyncio.Event = may) -> None:
            await may.wait()
            await app(scope, receive, send)

        wire.server.app = slow
        wire.say(ASK % b"one" + b"content-length: 0\r\n\r\n" + half)
        wire.server._tired()
        assert not wire.is_over
        may.set()
        await wire.until(b"/one 0.")
        wire.server._tired()
        assert wire.is_over


@played
async def test_one_connection_too_many_is_told_so_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """F21: file descriptors are left for the store, and later clients are accepted once others have gone."""
    monkeypatch.setattr(Bounded, "most", 1)
    state = ServerState()
    first, second = Wire(state), Wire(state)
    assert second.is_over
    assert second.sent.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 2" in second.sent
    second.server.data_received(ASK % b"two" + b"content-length: 0\r\n\r\n")
    first.say(ASK % b"one" + b"content-length: 0\r\n\r\n")
    await first.until(b"/one 0.")
    assert b"/two" not in second.sent
    first.close()
    third = Wire(state)
    assert not third.is_over
    third.close()


def test_fewer_may_be_connected_than_files_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    for files, most in ((1_024, 924), (10**6, 10_000), (resource.RLIM_INFINITY, 10_000), (50, 1)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert connections_max() == most
