"""The whole web application: the API, its description, and the check of host and origin that runs before all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from foureyes.app.calls.office import Office
from foureyes.app.pulse import Around, nothing_around
from foureyes.http import others
from foureyes.http.calling import Door
from foureyes.http.problems import problem
from foureyes.http.routes import BASE
from foureyes.http.table import Table

#: Answers a request to an unknown path or method, or returns None to leave it to the API's own answer.
Strayed = Callable[[Request, int], Response | None]
Failed = Callable[[Request, Exception], Awaitable[Response]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The host names and origins of this server; requests with any other are refused."""

    hosts: frozenset[str]
    origins: frozenset[str]


def build(
    office: Office,
    site: Site,
    more: Sequence[BaseRoute] = (),
    lifespan: Lifespan[Starlette] | None = None,
    strayed: Strayed = lambda _, __: None,
    *,
    around: Callable[[], Awaitable[Around]] = nothing_around,
) -> ASGIApp:
    """Build the ASGI application; `more` are the routes of other doors.

    `strayed` may answer a request to an unknown path or method, given its status; `around` is what the process knows
    that is not in the store.
    """
    door = Door(office=office, around=around)
    calls, beside = door.routes(), others.routes(door)
    app = Starlette(
        routes=[*calls, *beside, *more],
        exception_handlers={404: _not_found(strayed), 405: _not_allowed(strayed), Exception: _broken},
        lifespan=lifespan,
    )
    # No redirect to another spelling of a path: the client would send its body and its credential again.
    app.router.redirect_slashes = False
    table = Table(app, _broken)
    for one in (*calls, *beside):
        table.add(one, one.endpoint)
    for other in more:
        # A route without methods is an ASGI application of its own.
        if isinstance(other, Route) and not other.methods:
            table.add_app(other.path, other.app)
    return Guarded(table, site)


class Guarded:
    """Middleware that refuses requests with an unknown host name or a foreign origin (DNS rebinding, CSRF)."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        """Wrap an application."""
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check host and origin, then pass the request on or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1").lower() for name, value in headers if name == b"origin"]
        # A repeated Host header is refused: another parser might use the other value.
        if len(hosts) != 1 or hosts[0] not in self._site.hosts:
            answer = problem(421, "wrong_host", "Unknown host name.", "Use the address that `foureyes up` prints.")
            await answer(scope, receive, send)
        elif any(one not in self._site.origins for one in origins):
            answer = problem(
                403, "wrong_origin", "The request comes from a page of another origin.", "Use a page of this server."
            )
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _not_found(strayed: Strayed) -> Failed:
    async def answer(request: Request, _: Exception) -> Response:
        step = f"See {BASE}/openapi.json for what there is."
        return strayed(request, 404) or problem(404, "no_such_place", "There is nothing here.", step)

    return answer


def _not_allowed(strayed: Strayed) -> Failed:
    async def answer(request: Request, _: Exception) -> Response:
        # The router knows only the first matching path; other routes may take other methods at it.
        fitting = (one for one in request.app.routes if one.matches(request.scope)[0] is not Match.NONE)
        methods = {method for one in fitting for method in getattr(one, "methods", None) or ()}
        headers = {"allow": ", ".join(sorted(methods))}
        step = f"See {BASE}/openapi.json for what there is."
        said = problem(405, "wrong_method", "This place does not take that method.", step, headers)
        return strayed(request, 405) or said

    return answer


async def _broken(_: Request, __: Exception) -> Response:
    return problem(500, "internal", "Something went wrong here, and nothing was done.", "Try again; see the log.")
