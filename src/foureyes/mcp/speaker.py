"""Answer MCP messages over HTTP with the SDK, in the cheaper of two ways where the request allows it.

The SDK supervises an answer that may take long: a task watches whether the client is still connected, and keep-alive
messages are sent. A call that does not wait is done before that is set up, so it is answered as plain JSON. The content
of the answer is the same in both ways.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from sse_starlette.sse import AppStatus

from foureyes.mcp.strict import MESSAGE_BYTES_MAX
from foureyes.mcp.tools import TOOLS

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]

_ERAS = frozenset(one.encode() for one in MODERN_PROTOCOL_VERSIONS)
#: In the newer era the tool's name is in a header too, and the SDK refuses a message that does not match it.
_NAMES = frozenset(one.encode() for one in TOOLS)
#: A call that waits contains this word: as the tool's name, or as an argument.
_WAITS = b'"wait"'


class Speaker:
    """The MCP servers by path, each with two ways to answer."""

    def __init__(self, servers: Mapping[str, Server[Any]], security: TransportSecuritySettings) -> None:
        """Answer with the server at the request's path."""
        self.servers = servers
        # Otherwise the SDK's event streams are cut off when the server begins to shut down. Ours end by themselves.
        AppStatus.enable_automatic_graceful_drain = False
        self._managers = {
            (path, is_brief): StreamableHTTPSessionManager(
                server,
                json_response=is_brief,
                stateless=True,
                security_settings=security,
                max_request_body_size=MESSAGE_BYTES_MAX,
            )
            for path, server in servers.items()
            for is_brief in (False, True)
        }

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Answer requests while this context is open."""
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            yield

    async def answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer one request whose body was already read."""
        speaks = self._managers[scope["path"], _is_brief(scope, body)]
        await speaks.handle_request(scope, _replayed(body, receive), send)


def _is_brief(scope: Scope, body: bytes) -> bool:
    """True if the request is a tool call that does not wait; in doubt, it is answered the supervised way."""
    said = dict(scope["headers"])
    return (
        said.get(b"mcp-protocol-version") in _ERAS
        and said.get(b"mcp-method") == b"tools/call"
        and said.get(b"mcp-name") in _NAMES
        and b"text/event-stream" in said.get(b"accept", b"")  # otherwise the SDK reports what is missing
        and _WAITS not in body
    )


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that yields the body once more, then the messages after it."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Scope:
        return left.pop() if left else await receive()

    return again
