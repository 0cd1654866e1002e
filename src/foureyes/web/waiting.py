"""What waits for this human, and what is open beside it?"""

from __future__ import annotations

from starlette.responses import Response

from foureyes.app.calls.looking import Listed, Waiting
from foureyes.web.door import Visit, path_to
from foureyes.web.frame import link, page
from foureyes.web.html import Html, element

LISTED_MAX = 50
_KINDS = {"ruling": "a decision", "report": "a report", "revision": "a new version"}


async def show(visit: Visit) -> Response:
    """The first page."""
    waits = (await visit.call("inbox", limit=LISTED_MAX)).waiting
    cursor = visit.request.query_params.get("cursor", "")
    found = await visit.call("list_reviews", limit=LISTED_MAX, cursor=cursor)
    more = element("p", link(f"/?cursor={found.next}", "Older ones")) if found.next else None
    return page(
        "What waits",
        _waits(waits) if waits else element("p", "Nothing waits for you."),
        element("h2", "Reviews"),
        _reviews(found.reviews) if found.reviews else element("p", "There is none yet.", class_="soft"),
        more,
        session=visit.session,
    )


def _waits(waits: tuple[Waiting, ...]) -> Html:
    rows = (
        element(
            "tr",
            element("td", link(path_to("reviews", one.review), one.review), class_="mono"),
            element("td", _KINDS.get(one.kind, one.kind)),
            element("td", f"version {one.revision}"),
            element("td", f"due {one.due}", class_="soft"),
        )
        for one in waits
    )
    return element("table", *rows)


def _reviews(reviews: tuple[Listed, ...]) -> Html:
    rows = (
        element(
            "tr",
            element("td", link(path_to("reviews", one.review), one.title)),
            element("td", one.kind),
            element("td", one.author),
            element("td", one.state),
            element("td", f"version {one.revision}"),
        )
        for one in reviews
    )
    return element("table", *rows)
