"""The frame of every page, its security headers, and the form elements that pages share."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from starlette.responses import Response

from foureyes.app.signing_in import form_mark
from foureyes.web.html import Child, Html, element, prose, together

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With no-referrer a browser sends `Origin: null` with a form, which looks like a foreign page.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
#: The files that a page loads: their paths here, file names and media types.
STYLE, ICON = "/pages/style.css", "/pages/icon.svg"
BESIDE = {STYLE: ("style.css", "text/css"), ICON: ("icon.svg", "image/svg+xml")}
#: The hidden field with the CSRF token of a form.
FORM_FIELD = "form"
_PLACES = (("/", "What waits"), ("/sessions", "Sessions"), ("/accounts", "Accounts"))
#: The target of the link that skips the navigation.
_MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """The signed-in human, their session, and the page they are on."""

    session: str
    name: str
    here: str = ""


def page(title: str, *body: Child, signed: Signed | None = None, status: int = 200, above: Child = None) -> Response:
    """A whole page; a signed-in human gets the navigation and the sign-out button."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · foureyes"),
        element("link", rel="stylesheet", href=STYLE),
        element("link", rel="icon", type="image/svg+xml", href=ICON),
    )
    skip = element("a", "Skip to the content", href=f"#{_MAIN}", class_="skip") if signed else None
    main = element("main", above, element("h1", title), *body, id=_MAIN, class_=None if signed else "narrow")
    whole = element("html", head, element("body", skip, _around(signed), main), lang="en")
    return Response(f"<!doctype html>{whole}", status, HEADERS, media_type="text/html")


def told(
    title: str, sentence: str, next_step: str, *, status: int, signed: Signed | None = None, back: Child = None
) -> Response:
    """A page that says what is wrong or was done, and what to do next."""
    tone = "note" if status < 400 else "note bad"  # noqa: PLR2004 - where HTTP begins to say no
    said = element("p", prose(sentence), class_=tone, role="status" if status < 400 else "alert")  # noqa: PLR2004 - likewise
    on = element("p", back) if back else None
    return page(title, said, element("p", prose(next_step)), on, signed=signed, status=status)


def form(action: str, session: str, *fields: Child, button: str, tone: str = "") -> Html:
    """A form with the session's CSRF token, so that only this session can send it."""
    mark = element("input", type="hidden", name=FORM_FIELD, value=form_mark(session))
    inside = together(mark, *fields, element("button", button, type="submit", class_=tone or None))
    return element("form", inside, method="post", action=action, class_="act")


def folded(summary: str, *inside: Child, opened: bool = False) -> Html:
    """Content that is rarely needed, folded behind its summary."""
    return element("details", element("summary", summary), *inside, open=opened)


def badge(word: str, tone: str = "") -> Html:
    """A highlighted word."""
    return element("span", word, class_=f"badge {tone}".strip())


def hidden(name: str, value: str) -> Html:
    """A hidden field."""
    return element("input", type="hidden", name=name, value=value)


def line(name: str, label: str, hint: str = "", *, value: str = "", required: bool = False) -> Html:
    """A field of one line."""
    field = element("input", type="text", name=name, value=value, required=required, autocomplete="off")
    return element("label", label, element("small", hint) if hint else None, field)


def words(name: str, label: str, hint: str = "", *, value: str = "", required: bool = True) -> Html:
    """A field of several lines."""
    # A browser drops the first line break in the field.
    field = element("textarea", f"\n{value}" if value else None, name=name, required=required, spellcheck="false")
    return element("label", label, element("small", hint) if hint else None, field)


def ticked(name: str, label: str, *, checked: bool = False) -> Html:
    """A checkbox."""
    box = element("input", type="checkbox", name=name, value="yes", checked=checked)
    return element("label", box, element("span", label), class_="choice")


def link(address: str, label: str, *, here: bool = False) -> Html:
    """A link to another page of this site."""
    return element("a", label, href=address, aria_current="page" if here else None)


def beside(path: str) -> Response:
    """The style sheet or the icon."""
    name, media_type = BESIDE[path]
    text = resources.files("foureyes.web").joinpath(name).read_text(encoding="utf-8")
    headers = {**HEADERS, "cache-control": "public, max-age=3600"}
    return Response(text, 200, headers, media_type=media_type)


def _around(signed: Signed | None) -> Html:
    if signed is None:
        return element("header", element("div", element("span", "foureyes", class_="brand")), class_="top")
    places = (link(address, label, here=address == signed.here) for address, label in _PLACES)
    ways = element("nav", element("a", "foureyes", href="/", class_="brand"), *places, aria_label="Pages")
    out = form("/sign-out", signed.session, button="Sign out", tone="quiet")
    me = element("div", element("span", f"Signed in as {signed.name}"), out, class_="me")
    return element("header", element("div", ways, me), class_="top")
