"""A browser without a screen: it keeps cookies, parses the forms of a page and submits them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

from foureyes.app.signing_in import new_link
from foureyes.http.app import build
from foureyes.web.pages import Pages, strayed
from tests.http.web import HOST, SITE, Answer, Web

Send = Callable[[str, str, dict[str, str], bytes], Awaitable[Answer]]
REDIRECTS_MAX = 5


@dataclass
class Form:
    """A form on a page: its target and its default fields."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    """Finds forms, and every element and attribute there is."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._select = ""
        self._area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append((tag, given))
        if tag == "form":
            assert given["method"] == "post"
            self.forms.append(Form(action=given["action"] or ""))
        elif tag in ("input", "textarea") and given.get("name"):
            if given.get("type") not in ("radio", "checkbox") or "checked" in given:
                self.forms[-1].fields[given["name"] or ""] = given.get("value") or ""
            self._area = given["name"] or "" if tag == "textarea" else ""
        elif tag == "select":
            self._select = given["name"] or ""
        elif tag == "option" and (self._select not in self.forms[-1].fields or "selected" in given):
            self.forms[-1].fields[self._select] = given["value"] or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            # A browser leaves out the first line break of the field.
            self.forms[-1].fields[self._area] += data.removeprefix("\n")
        self.text.append(data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A page that was shown."""

    answer: Answer
    forms: list[Form]
    elements: list[tuple[str, dict[str, str | None]]]
    text: str

    @property
    def status(self) -> int:
        return self.answer.status

    @property
    def token(self) -> str:
        """The token that it shows."""
        found = re.search(r'<pre id="token">([^<]+)<', self.answer.body.decode())
        assert found, self.text
        return found[1]

    def form(self, action: str, **holds: str) -> Form:
        """The form with this target and these default fields."""
        found = [one for one in self.forms if one.action == action and holds.items() <= one.fields.items()]
        assert found, f"no form goes to {action}: {[one.action for one in self.forms]}"
        return found[0]


def shown(answer: Answer) -> Shown:
    """A parsed page."""
    parser = _Forms()
    parser.feed(answer.body.decode())
    return Shown(answer=answer, forms=parser.forms, elements=parser.elements, text="".join(parser.text))


@dataclass
class Browser:
    """A user's browser on the pages."""

    send: Send
    origin: str = f"http://{HOST}"
    cookies: dict[str, str] = field(default_factory=dict)

    async def open(self, address: str) -> Shown:
        """Go to a page."""
        return await self._request("GET", address, {}, b"")

    async def submit(self, form: Form, **filled: str) -> Shown:
        """Fill a form in and send it."""
        body = urlencode({**form.fields, **filled}).encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": self.origin}
        return await self._request("POST", form.action, headers, body)

    async def _request(self, method: str, address: str, headers: dict[str, str], body: bytes) -> Shown:
        for _ in range(REDIRECTS_MAX):
            if self.cookies:
                headers = {**headers, "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
            answer = await self.send(method, address, headers, body)
            self._keep(answer.headers.get("set-cookie", ""))
            if answer.status != 303:
                return shown(answer)
            method, address, headers, body = "GET", answer.headers["location"], {}, b""
        raise AssertionError("sent around in circles")

    def _keep(self, header: str) -> None:
        if not header:
            return
        name, _, value = header.partition(";")[0].partition("=")
        if "max-age=0" in header.lower():
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


@dataclass
class Site(Web):
    """The whole application with its pages, in process."""

    def __post_init__(self) -> None:
        super().__post_init__()
        pages = Pages(office=self.office, connect=lambda token: (("An agent", f"connect {token}"),))
        self.app = build(self.office, SITE, pages.routes(), strayed=strayed)

    async def browser(self, name: str = "sue") -> Browser:
        """A browser of a human who came with a link and pressed its button."""
        await self.human(name)
        fresh = Browser(send=self._sent)
        await fresh.submit((await fresh.open(await self.link(name))).form("/sign-in"))
        return fresh

    def stranger(self) -> Browser:
        """A browser without a session."""
        return Browser(send=self._sent)

    async def link(self, name: str = "sue") -> str:
        """A link for a human who is enrolled."""
        secret = await self.house.store.write(lambda tx: new_link(tx, name, self.house.now))
        return f"/sign-in?link={secret}"

    async def _sent(self, method: str, address: str, headers: dict[str, str], body: bytes) -> Answer:
        parts = urlsplit(address)
        return await self.request(method, parts.path, headers, body, query=parts.query)
