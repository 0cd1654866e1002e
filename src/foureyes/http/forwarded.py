"""The client's address behind a reverse proxy, taken from X-Forwarded-For.

Only the last address is believed: the proxy added that one, and everything before it was sent by the client.
"""

from __future__ import annotations

from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = b"x-forwarded-for"


class Forwarded:
    """Middleware behind a proxy: takes the client's address from the proxy's X-Forwarded-For header.

    Other forwarding headers are not believed: the server knows its own host names, and which of them use TLS.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the client's address, or with the proxy's if the header names none."""
        if scope["type"] == "http" and (asker := _asker(scope)):
            scope = {**scope, "client": (asker, 0)}
        await self._app(scope, receive, send)


def _asker(scope: Scope) -> str:
    """The client's address: the last one in the header, which the proxy itself added."""
    said = [value for name, value in scope["headers"] if name == HEADER]
    if not said:
        return ""
    last = said[-1].rpartition(b",")[2].strip().decode("latin-1")
    for one in (last, last.rpartition(":")[0], last.removeprefix("[").partition("]")[0]):
        try:
            return str(ip_address(one))
        except ValueError:
            continue  # the address may be followed by a port
    return ""
