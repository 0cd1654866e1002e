"""How does every page look, and what is a browser told about it? One frame, and headers that allow nothing foreign."""

from __future__ import annotations

from importlib import resources

from starlette.responses import Response

from foureyes.app.signing_in import form_mark
from foureyes.web.html import Child, Html, element, together

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With no-referrer a browser would say `Origin: null` when it sends a form, which looks like a foreign page.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
STYLE = "/pages/style.css"
#: The hidden field with which a form of ours says that it is one.
FORM_FIELD = "form"


def page(title: str, *body: Child, session: str = "", status: int = 200) -> Response:
    """A whole page; who is signed in gets the way around and out."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title} · foureyes"),
        element("link", rel="stylesheet", href=STYLE),
    )
    around = _around(session) if session else None
    whole = element("html", head, element("body", around, element("main", element("h1", title), *body)), lang="en")
    return Response(f"<!doctype html>{whole}", status, HEADERS, media_type="text/html")


def told(title: str, sentence: str, next_step: str, *, status: int, session: str = "") -> Response:
    """A page that says what is wrong and what to do."""
    return page(title, element("p", sentence, class_="bad"), element("p", next_step), session=session, status=status)


def form(action: str, session: str, *fields: Child, button: str) -> Html:
    """A form that only this session can send."""
    mark = element("input", type="hidden", name=FORM_FIELD, value=form_mark(session))
    inside = together(mark, *fields, element("button", button, type="submit"))
    return element("form", inside, method="post", action=action, class_="act")


def hidden(name: str, value: str) -> Html:
    """A field that is sent as it is."""
    return element("input", type="hidden", name=name, value=value)


def line(name: str, label: str, *, value: str = "", required: bool = False) -> Html:
    """A field of one line."""
    field = element("input", type="text", name=name, value=value, required=required, autocomplete="off")
    return element("label", label, field)


def words(name: str, label: str, *, required: bool = True) -> Html:
    """A field of several lines."""
    return element("label", label, element("textarea", name=name, required=required))


def link(address: str, label: str) -> Html:
    """A way to another page of ours."""
    return element("a", label, href=address)


def style() -> Response:
    """How it looks."""
    text = resources.files("foureyes.web").joinpath("style.css").read_text(encoding="utf-8")
    headers = {**HEADERS, "cache-control": "public, max-age=3600"}
    return Response(text, 200, headers, media_type="text/css")


def _around(session: str) -> Html:
    out = form("/sign-out", session, button="Sign out")
    return element("header", link("/", "What waits"), link("/accounts", "Accounts"), out)
