"""The first page: what waits for this human, places where hooks are off, and the list of reviews."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlencode

from starlette.responses import Response

from foureyes.app.calls.inbox import Waiting
from foureyes.app.calls.looking import Listed
from foureyes.app.silences import Silence
from foureyes.app.silent_places import silences
from foureyes.core.situation import by_severity
from foureyes.web.door import Visit, path_to
from foureyes.web.frame import badge, link, page
from foureyes.web.html import Html, element, together, when

LISTED_MAX = 50
#: At most this many places where hooks are off are listed.
OFF_MAX = 10
_KINDS = {"ruling": "a decision", "report": "a report", "revision": "a new version", "finding": "your finding"}
GRAVE = frozenset({"critical", "important"})
_FILTERS = (("", "All"), ("open", "Open"), ("cleared", "Cleared"), ("rejected", "Rejected"))


async def show(visit: Visit) -> Response:
    """The first page: what waits for the human, and the reviews."""
    asked = visit.request.query_params
    waits = await visit.call("inbox", limit=LISTED_MAX, cursor=asked.get("waits", ""))
    state, cursor = asked.get("state", ""), asked.get("cursor", "")
    found = await visit.call("list_reviews", limit=LISTED_MAX, cursor=cursor, state=state)
    older = urlencode({name: text for name, text in (("state", state), ("cursor", found.next)) if text})
    now = visit.office.clock()
    off = await visit.office.store.read(lambda reading: silences(reading, now))
    return page(
        "What waits",
        _off(off, now) if off else None,
        _waits(waits.waiting, now) if waits.waiting else element("p", "Nothing waits for you.", class_="card"),
        element("p", link(f"/?{urlencode({'waits': waits.next})}", "What is less urgent")) if waits.next else None,
        element("h2", "Reviews"),
        _filters(state),
        _reviews(found.reviews, now) if found.reviews else _none(state),
        element("p", link(f"/?{older}", "Older ones")) if found.next else None,
        signed=visit.signed,
    )


def tone_of(state: str) -> str:
    """The colour of a review's state."""
    return {"cleared": "good", "open": "care"}.get(state, "bad")


def _waits(waits: tuple[Waiting, ...], now: datetime) -> Html:
    rows = (
        element(
            "li",
            link(path_to("reviews", one.review), one.title or one.review),
            badge(_KINDS.get(one.kind, one.kind), "care"),
            _findings(one.findings),
            element("span", f"version {one.revision}", class_="soft small"),
            element("span", "due ", when(_time(one.due), now), class_="soft small end") if one.due else None,
        )
        for one in waits
    )
    return element("ul", *rows, class_="list")


def _off(off: tuple[Silence, ...], now: datetime) -> Html:
    """The places where hooks are off, shown to everybody; it has no effect on the gate."""
    rows = (
        element(
            "li",
            f"{one.machine}, {one.place}",
            badge("hooks off", "care"),
            element("span", "until ", when(one.until, now), class_="soft small end"),
            element("span", f"{one.by}: {one.reason}", class_="soft small whole"),
        )
        for one in off[:OFF_MAX]
    )
    return element("ul", *rows, class_="list")


def _filters(state: str) -> Html:
    ways = (link(f"/?state={word}" if word else "/", label, here=word == state) for word, label in _FILTERS)
    return element("nav", *ways, class_="filters", aria_label="Which reviews")


def _reviews(reviews: tuple[Listed, ...], now: datetime) -> Html:
    rows = (
        element(
            "li",
            link(path_to("reviews", one.review), one.title),
            badge(one.state, tone_of(one.state)),
            _findings(one.findings),
            element(
                "span",
                together(
                    f"{one.kind} by {one.author}, {one.files}, ",
                    f"from {one.origin}, " if one.origin else "",
                    f"version {one.revision}, opened ",
                    when(_time(one.opened), now),
                ),
                class_="soft small whole",
            ),
            element("span", f"Turn: {one.turn}", class_="soft small whole") if one.turn else None,
        )
        for one in reviews
    )
    return element("ul", *rows, class_="list")


def _findings(findings: Mapping[str, int]) -> Html | None:
    """The number of open findings, by severity."""
    return badge(by_severity(findings), "bad" if GRAVE & findings.keys() else "") if findings else None


def _none(state: str) -> Html:
    if state:
        return element("p", "There is none.", class_="card soft")
    first = together("There is none yet: an agent asks for the first one. ", link("/accounts", "Enrol an agent"))
    return element("p", first, class_="card soft")


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
