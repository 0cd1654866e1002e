"""The client's address behind a reverse proxy, taken from X-Forwarded-For.

Only the last address is believed: the proxy added that one, and everything before it was sent by the client.
"""

from __future__ import annotations

from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = b"x-forwarded-for"


class Forwarded:
    """Stands before everything else behind a proxy, and takes an asker's address from what the proxy says of it.

    Nothing else that a proxy may say is believed: which names are ours is known, and so is which of them have TLS.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Stand there."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, as from the asker; as from the proxy where it names nobody."""
        if scope["type"] == "http" and (asker := _asker(scope)):
            scope = {**scope, "client": (asker, 0)}
        await self._app(scope, receive, send)


def _asker(scope: Scope) -> str:
    """The address that the proxy added: the last one, because what came to it stands before what it adds."""
    said = [value for name, value in scope["headers"] if name == HEADER]
    if not said:
        return ""
    last = said[-1].rpartition(b",")[2].strip().decode("latin-1")
    for one in (last, last.rpartition(":")[0], last.removeprefix("[").partition("]")[0]):
        try:
            return str(ip_address(one))
        except ValueError:
            continue  # it may stand beside its port
    return ""
