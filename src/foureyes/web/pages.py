"""The routes of all pages, and the page for an address where there is nothing."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foureyes.app.calls.office import Office
from foureyes.web import accounts, by_link, reviews, sessions, signing, waiting
from foureyes.web.door import Show, signed
from foureyes.web.frame import BESIDE, beside, link, told

_NOT_FOUND = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What the pages need: the office, how agents are connected, and the hosts that are reached by TLS."""

    office: Office
    connect: accounts.Connect = lambda _: ()
    tls_hosts: frozenset[str] = frozenset()

    def routes(self) -> list[Route]:
        """The routes of all pages; everything that changes something is a POST from a form."""
        entrance = signing.SigningIn(office=self.office, tls_hosts=self.tls_hosts)
        return [
            *(Route(path, _beside, methods=["GET"]) for path in BESIDE),
            Route(signing.PATH, entrance.ask, methods=["GET"]),
            Route(signing.PATH, entrance.take, methods=["POST"]),
            self._page("/sign-out", entrance.leave, "POST"),
            Route(by_link.PATH, by_link.ByLink(office=self.office).ask, methods=["GET"]),
            Route(by_link.PATH, by_link.ByLink(office=self.office).decide, methods=["POST"]),
            self._page("/", waiting.show),
            self._page("/reviews/{review}", reviews.show),
            self._page("/reviews/{review}/work", reviews.work),
            self._page("/reviews/{review}/record", reviews.record),
            self._page("/reviews/{review}/{act}", reviews.act, "POST"),
            self._page("/sessions", sessions.every),
            self._page("/sessions/{session}", sessions.show),
            self._page("/sessions/{session}/{act}", sessions.act, "POST"),
            self._page("/accounts", accounts.show),
            self._page("/accounts/{act}", accounts.acting(self.connect), "POST"),
        ]

    def _page(self, path: str, show: Show, method: str = "GET") -> Route:
        return Route(path, signed(self.office, show), methods=[method])


def strayed(request: Request, status: int) -> Response | None:
    """A page for a browser at an unknown address; None for programs, which get the API's answer."""
    if "text/html" not in request.headers.get("accept", "") or request.url.path.startswith("/api/"):
        return None
    step = "Look at the address." if status == _NOT_FOUND else "A form that was sent is not there to be opened again."
    return told("Nothing here", "There is no such page.", step, status=status, back=link("/", "What waits"))


async def _beside(request: Request) -> Response:
    return beside(request.url.path)
