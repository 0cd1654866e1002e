"""HTTP endpoints that are not calls: event feed, metrics, OpenAPI, health and readiness, and a retired path."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from datetime import datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from foureyes.app.calls.call import Caller, Need
from foureyes.app.calls.measures import may_watch
from foureyes.app.credentials import caller_of
from foureyes.app.feeding import Following, News, feed
from foureyes.app.ports import Conflict, Damaged, Unavailable
from foureyes.app.pulse import pulse
from foureyes.app.session_feed import session_feed
from foureyes.codec.shapes import shape
from foureyes.core.refusals import Code, Refusal
from foureyes.http.calling import Door, log, told
from foureyes.http.gauges import text_of
from foureyes.http.meter import MEDIA_TYPE
from foureyes.http.openapi import described
from foureyes.http.problems import problem
from foureyes.http.routes import BASE, GET, OTHERS

LAST = "last-event-id"
LAST_CHARS_MAX = 80
#: Sent to the client of a feed: how long to wait before it connects again.
RETRY_MILLISECONDS = 2_000
SOURCE = f"{BASE}/feed"
STREAM = "text/event-stream"
GONE = 410
#: When voting was removed, in seconds since the epoch: 2026-02-13.
VOTING_ENDED = "@1770940800"
QUOTED_CHARS_MAX = 200
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def routes(door: Door) -> list[Route]:
    """A route for each endpoint in `OTHERS`."""
    handlers = _Others(door)
    found = {name: getattr(handlers, name) for name in OTHERS}
    return [
        Route(way.path, door.meter.around(name, told(found[name])), methods=[way.method], name=name)
        for name, way in OTHERS.items()
    ]


class _Others:
    def __init__(self, door: Door) -> None:
        self._door = door

    async def feed(self, request: Request) -> Response:
        """Stream events for as long as the caller listens; every check is made before the first event."""
        caller = await self._door.caller(request)
        caller.check(Need.READ)
        if request.method != GET:
            return Response(headers=_HEADERS, media_type=STREAM)  # a HEAD request opens no feed
        following = Following(
            last=request.headers.get(LAST, "")[:LAST_CHARS_MAX], session=request.query_params.get("session", "")
        )
        session_feed(self._door.office, following.session)
        held = ExitStack()
        held.enter_context(self._door.office.quotas.holding(caller.who, "feeds"))
        return _Events(self._sent(request, caller, following), held)

    async def prometheus(self, request: Request) -> Response:
        """Metrics of the server and the reviews, for callers who may see the totals of everybody's work."""
        caller, office = await self._door.caller(request), self._door.office
        async with office.quotas.asked(caller.who, office.clock()):
            if not await may_watch(office, caller):
                raise Refusal(
                    Code.NOT_ELIGIBLE,
                    "How busy the server is tells what others do.",
                    "Use the token of a program that is for reading alone, or sign in.",
                )
            now = office.clock()
            found = await office.store.read(lambda reading: pulse(reading, now))
            text = self._door.meter.text() + text_of(found, await self._door.around(), now)
        return Response(text, media_type=MEDIA_TYPE, headers={"cache-control": "no-store"})

    async def openapi(self, _: Request) -> Response:
        """The OpenAPI description of the API."""
        return JSONResponse(described())

    async def health(self, _: Request) -> Response:
        """Report that the server is alive."""
        return JSONResponse({"status": "alive"})

    async def ready(self, _: Request) -> Response:
        """Report that the server can read from its store."""
        await self._door.office.store.read(lambda reading: reading.heads(limit=1))
        return JSONResponse({"status": "ready"})

    async def old_validation(self, request: Request) -> Response:
        """Answer 410 to a vote of the previous system, with what to do instead and a Deprecation header (RFC 9745)."""
        feedback = f"/review/{quote(request.path_params['content_id'], safe='')}/feedback"
        return problem(
            GONE,
            "gone",
            "Votes count for nothing here: a review is a list of issues, each resolved by whoever raised it.",
            f"Move the content in with POST /review/import, then send issues to POST {feedback[:QUOTED_CHARS_MAX]}.",
            {"deprecation": VOTING_ENDED, "link": f'<{feedback}>; rel="successor-version"'},
        )

    async def _sent(self, request: Request, caller: Caller, following: Following) -> AsyncGenerator[bytes]:
        office, credential = self._door.office, self._door.credential(request)

        async def may_listen() -> bool:
            found = await caller_of(office.store, credential, office.clock())
            return found is not None and (found.signed_in is not None or Need.READ.value in found.scopes)

        yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        try:
            async with aclosing(feed(office, caller, following, may_listen)) as news:
                async for one in news:
                    yield b": still here\n\n" if one is None else self._event(one)
        except (Conflict, Damaged, Unavailable) as error:
            # Whether the caller may still listen is not known. The client reconnects and goes on from its last event.
            log.warning("a feed ended: %s", error)

    def _event(self, one: News) -> bytes:
        named = {"review": one.review, "mark": one.mark, "session": one.session, "status": one.status}
        envelope: dict[str, object] = {
            "specversion": "1.0",
            "id": one.id,
            "source": SOURCE,
            "type": f"foureyes.{one.kind}",
            "time": _write_time(self._door.office.clock()),
            "datacontenttype": "application/json",
            "data": {name: value for name, value in named.items() if value},
        }
        if subject := one.review or one.session:
            envelope["subject"] = subject
        data = json.dumps(envelope, separators=(",", ":"))
        return f"id: {one.id}\nevent: {one.kind}\ndata: {data}\n\n".encode()


class _Events(StreamingResponse):
    """A stream of events that counts as an open connection of its caller until it ends, for whatever reason."""

    def __init__(self, sent: AsyncGenerator[bytes], held: ExitStack) -> None:
        super().__init__(sent, headers=_HEADERS, media_type=STREAM)
        self._sent, self._held = sent, held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            async with aclosing(self._sent):
                await super().__call__(scope, receive, send)


_write_time = shape(datetime)[0]
