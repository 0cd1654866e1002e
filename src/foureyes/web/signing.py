"""Sign-in and sign-out pages. A sign-in link is first shown, and used up only when its button is pressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from foureyes.app.calls.office import Office
from foureyes.app.ports import Unavailable
from foureyes.app.signing_in import COOKIE, SIGN_IN_LIFE, human_of, redeemed, sign_out
from foureyes.web.door import LINK, Turned, Visit, away, read_form, status_of
from foureyes.web.frame import hidden, page, told
from foureyes.web.html import element

PATH = "/sign-in"
FIELD = "link"
#: Longer than the secret of any link.
SECRET_CHARS_MAX = 200
OVER = "This link was used already, is over, or is none of ours."


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningIn:
    """Sign-in pages for an office; on hosts that are reached by TLS the cookie is sent over TLS only."""

    office: Office
    tls_hosts: frozenset[str]

    async def ask(self, request: Request) -> Response:
        """Show the sign-in button. A program that follows links does not use the link up."""
        secret = request.query_params.get(FIELD, "")
        if not secret or len(secret) > SECRET_CHARS_MAX:
            return told("Sign in", "Signing in needs a link that works once.", LINK, status=401)
        try:
            human = await self.office.store.read(lambda reading: human_of(reading, secret, self.office.clock()))
        except Unavailable as error:
            return told("Sign in", error.sentence, error.next_step, status=status_of(error))
        if human is None:
            return told("Sign in", OVER, LINK, status=401)
        button = element("button", f"Sign in as {human}", type="submit")
        form = element("form", hidden(FIELD, secret), button, method="post", action=PATH, class_="act")
        says = "You are about to sign in here, in this browser. What you decide then is kept under this name."
        return page("Sign in", element("p", says), form)

    async def take(self, request: Request) -> Response:
        """Use the link up, and begin a session."""
        try:
            secret = (await read_form(request)).get(FIELD, "")[:SECRET_CHARS_MAX]
            session = await self.office.store.write(lambda tx: redeemed(tx, secret, self.office.clock()))
        except Turned as no:
            return told("Sign in", no.sentence, no.next_step, status=no.status)
        except Unavailable as error:
            return told("Sign in", error.sentence, error.next_step, status=status_of(error))
        if session is None:
            return told("Sign in", OVER, LINK, status=401)
        answer = away("/")
        answer.set_cookie(COOKIE, session, max_age=int(SIGN_IN_LIFE.total_seconds()), **self._cookie(request))
        return answer

    async def leave(self, visit: Visit) -> Response:
        """End the session, in the browser and on the server."""
        await visit.office.store.write(lambda tx: sign_out(tx, visit.session))
        answer = told("Signed out", "You are signed out.", LINK, status=200)
        answer.delete_cookie(COOKIE, **self._cookie(visit.request))
        return answer

    def _cookie(self, request: Request) -> dict[str, Any]:
        # A proxy may use another host name than the browser did; the Origin header has the one the browser used.
        host, origin = (request.headers.get(name, "").lower() for name in ("host", "origin"))
        secure = host in self.tls_hosts or origin.startswith("https://")
        return {"path": "/", "httponly": True, "samesite": "strict", "secure": secure}
