"""One page on this machine where the person at it signs in for one decision; no server is needed.

It listens on loopback while the command waits. The only way to it is a secret that is never printed: it goes to the
browser in a file that only its owner can read, as every sign-in link does. Looking at the page decides nothing; its
button does, once. A request from anywhere else, or from another page, is refused.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from foureyes.cli import browser
from foureyes.cli.parts import PageQuestion
from foureyes.web.html import Html, element, together

PATH, FIELD, ANSWER = "/sign-in", "link", "answer"
YES, NO = "yes", "no"
FORM_BYTES_MAX = 8 * 1024
SECRET_BYTES = 32
#: A connection is closed after this long without data.
SILENT_SECONDS = 10
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
_STYLE = Html(
    "body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;padding:.75rem;border:1px solid #8888}button{font:inherit;padding:.4rem 1rem}"
)
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_OVER = "This page was used already, is over, or is none of ours."


@dataclass(slots=True)
class SignInPage:
    """Asks one question on a page of its own, and waits for the answer."""

    question: PageQuestion
    _secret: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES), repr=False)
    _answered: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _answer: str = ""
    _netloc: str = ""

    def ask(self, shows: Callable[[str], bool], page: Path, seconds: float) -> bool | None:
        """Open the page by a file that leads to it; True means yes, None that nobody answered or no page was shown."""
        with ThreadingHTTPServer(("127.0.0.1", self.question.port), self._handler()) as server:
            self._netloc = f"127.0.0.1:{server.server_port}"
            serving = threading.Thread(target=server.serve_forever, daemon=True)
            serving.start()
            try:
                browser.leading(f"http://{self._netloc}{PATH}?{FIELD}={self._secret}", page)
                if not shows(page.as_uri()):
                    return None
                self._answered.wait(seconds)
            finally:
                server.shutdown()
                serving.join()
                with suppress(OSError):
                    page.unlink()
        return self._answer == YES if self._answer else None

    def shown(self, secret: str) -> tuple[int, Html]:
        """The status and page of the question; looking at it decides nothing."""
        if not self._is_ours(secret):
            return _UNAUTHORIZED, _page("Sign in", element("p", _OVER))
        one = self.question
        send = element("input", type="hidden", name=FIELD, value=self._secret)
        yes = element("button", one.button, type="submit", name=ANSWER, value=YES)
        no = element("button", "Leave it as it is", type="submit", name=ANSWER, value=NO)
        return 200, _page(
            one.title,
            *(element("p", line) for line in one.lines),
            element("pre", one.quote) if one.quote else None,
            element("p", f"You sign in as {one.person}. What you decide is kept under this name."),
            element("form", send, yes, " ", no, method="post", action=PATH),
        )

    def take(self, secret: str, answer: str) -> tuple[int, Html]:
        """Take the answer, once."""
        with self._lock:
            if self._answered.is_set() or not self._is_ours(secret) or answer not in (YES, NO):
                return _UNAUTHORIZED, _page("Sign in", element("p", _OVER))
            self._answer = answer
            self._answered.set()
        said = self.question.done if answer == YES else "Nothing was changed."
        return 200, _page("Thank you", element("p", said), element("p", "You can close this page."))

    def is_here(self, host: str, origin: str | None) -> bool:
        """True for a request to this exact address that was not sent by another page."""
        return host == self._netloc and origin in (None, f"http://{self._netloc}")

    def _is_ours(self, secret: str) -> bool:
        return secrets.compare_digest(secret.encode(), self._secret.encode())

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            timeout = SILENT_SECONDS
            server_version, sys_version = "foureyes", ""

            def do_GET(self) -> None:
                """Show the question."""
                parts = urlsplit(self.path)
                if not page.is_here(self.headers.get("host", ""), None):
                    self._say(_FORBIDDEN, _page("Sign in", element("p", _OVER)))
                elif parts.path != PATH:
                    self._say(_NOT_FOUND, _page("Nothing here", element("p", "There is no such page.")))
                else:
                    self._say(*page.shown(_first(parts.query, FIELD)))

            def do_POST(self) -> None:
                """Take the answer."""
                size = self.headers.get("content-length", "")
                is_short = size.isdigit() and int(size) <= FORM_BYTES_MAX
                text = self.rfile.read(int(size)).decode("latin-1") if is_short else ""
                if not page.is_here(self.headers.get("host", ""), self.headers.get("origin", "")):
                    self._say(_FORBIDDEN, _page("Sign in", element("p", _OVER)))
                else:
                    self._say(*page.take(_first(text, FIELD), _first(text, ANSWER)))

            def log_message(self, *_: object) -> None:
                """Log nothing, because the address holds the secret."""

            def _say(self, status: int, body: Html) -> None:
                content = f"<!doctype html>{body}".encode()
                self.send_response(status)
                for name, value in {**_HEADERS, "content-type": "text/html; charset=utf-8"}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        return Handler


def _first(query: str, name: str) -> str:
    return next(iter(parse_qs(query, max_num_fields=10).get(name, ())), "")


def _page(title: str, *body: Html | None) -> Html:
    head = together(
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · foureyes"),
        element("style", _STYLE),
    )
    inside = element("main", element("h1", title), *body)
    return element("html", element("head", head), element("body", inside), lang="en")
