"""A server knows the arrival time of a request, even if it was busy then."""

import asyncio
import time

from starlette.types import Message, Receive, Scope, Send
from uvicorn.server import ServerState

from foureyes.app.turns import CAME
from foureyes.bootstrap.serving import listening
from tests.app.house import played

_ASKED = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
_ANSWER: tuple[Message, ...] = (
    {"type": "http.response.start", "status": 204, "headers": []},
    {"type": "http.response.body", "body": b""},
)


@played
async def test_two_requests_that_come_while_nobody_has_time_came_before_the_first_was_answered() -> None:
    """T18: a request that waits behind others is counted as having waited."""
    came, over = list[float](), list[float]()

    async def app(scope: Scope, _: Receive, send: Send) -> None:
        came.append(scope[CAME])
        for message in _ANSWER:
            await send(message)
        over.append(time.perf_counter())

    config = listening(app)
    config.load()
    state = ServerState()

    def line() -> asyncio.Protocol:
        return config.http_protocol_class(config=config, server_state=state, app_state={})  # type: ignore[call-arg]  # the types know only the base

    server = await asyncio.get_running_loop().create_server(line, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        ends = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for _, writer in ends:
            writer.write(_ASKED)
        for reader, _ in ends:
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 204")
        for _, writer in ends:
            writer.close()
            await writer.wait_closed()
    assert came[1] < over[0]
