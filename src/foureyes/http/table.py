"""Find the handler of a request segment by segment, so that the router need not try all routes in turn.

Only an exact match of method and path is answered from this table. Every other request goes to Starlette's router,
which answers 404 or 405.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class _Branch:
    """What may follow a path segment: literal segments, and one path parameter."""

    spelled: dict[str, _Branch] = field(default_factory=dict)
    named: _Branch | None = None
    #: The handler of the path that ends here, and the names of its path parameters.
    handler: Handler | None = None
    names: tuple[str, ...] = ()


class Table:
    """Middleware before the router, with the same routes."""

    def __init__(self, app: ASGIApp, broken: Callable[[Request, Exception], Awaitable[Response]]) -> None:
        """Pass on to the router what is not found here; `broken` answers unexpected exceptions."""
        self._app = app
        self._broken = broken
        self._roots: dict[str, _Branch] = {}
        self._apps: dict[str, ASGIApp] = {}

    def add(self, route: Route, handler: Handler) -> None:
        """Add a route."""
        for method in route.methods or ():
            branch, names = self._roots.setdefault(method, _Branch()), list[str]()
            for one in route.path.split("/"):
                if one.startswith("{"):
                    names.append(one[1:-1])
                    branch.named = branch.named or _Branch()
                    branch = branch.named
                else:
                    branch = branch.spelled.setdefault(one, _Branch())
            if branch.handler is None:
                branch.handler, branch.names = handler, tuple(names)

    def add_app(self, path: str, app: ASGIApp) -> None:
        """Add an application that answers every method at one path."""
        self._apps[path] = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on to the router."""
        if scope["type"] != "http" or scope.get("root_path"):
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path in self._apps:
            await self._asked(self._apps[path], scope, receive, send)
            return
        root, values = self._roots.get(scope["method"]), list[str]()
        found = _found(root, path.split("/"), 0, values) if root else None
        if found is None or found.handler is None:
            await self._app(scope, receive, send)
            return
        scope["path_params"] = dict(zip(found.names, values, strict=True))
        request = Request(scope, receive, send)
        try:
            response = await found.handler(request)
        except Exception as error:
            await (await self._broken(request, error))(scope, receive, send)
            raise  # the server logs it
        await response(scope, receive, send)

    async def _asked(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await app(scope, receive, told)
        except Exception as error:
            if not begun:
                await (await self._broken(Request(scope, receive), error))(scope, receive, send)
            raise  # the server logs it


def _found(branch: _Branch, path: list[str], at: int, values: list[str]) -> _Branch | None:
    """The branch that a path leads to; a literal segment takes precedence over a path parameter."""
    while at < len(path) and branch.named is None:  # only one way on
        spelled = branch.spelled.get(path[at])
        if spelled is None:
            return None
        branch, at = spelled, at + 1
    if at == len(path):
        return branch if branch.handler else None
    spelled = branch.spelled.get(path[at])
    found = _found(spelled, path, at + 1, values) if spelled else None
    if found is not None or branch.named is None or not path[at]:
        return found
    values.append(path[at])
    found = _found(branch.named, path, at + 1, values)
    if found is None:
        values.pop()
    return found
