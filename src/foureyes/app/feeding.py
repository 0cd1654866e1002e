"""The live feed: tells a listener which visible reviews have changed, and the status of the sessions it follows.

For every event of a review, what this viewer saw before it is compared with what they see after it. If both are equal,
nothing is sent: no event, no skipped number, no later id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from foureyes.app.bell import Listener
from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Caller
from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import mark_of, shown
from foureyes.app.places import place_after
from foureyes.app.ports import Conflict, Damaged, Reading, Unavailable
from foureyes.app.session_feed import SessionFeed, session_feed
from foureyes.core.refusals import Refusal

HEARTBEAT_SECONDS = 15.0
#: Reviews compared in one look at the store.
LOOK_MAX = 50
UPDATED, RESET, SESSION = "review.updated", "feed.reset", "session.updated"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something a listener is told. `feed.reset` means: too much happened to tell it, look at everything again."""

    id: str
    kind: str
    review: str = ""
    mark: str = ""
    #: If sessions are followed: which one it is about, and its status.
    session: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Where a listener goes on, and the sessions it follows: by name, `*` for all, none where it follows none."""

    last: str = ""
    session: str = ""


async def feed(
    office: Office,
    caller: Caller,
    following: Following,
    may_listen: Callable[[], Awaitable[bool]],
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> AsyncGenerator[News | None]:
    """Yield what happens from now on, or since the last news this caller was told; None as a heartbeat.

    It ends with the server, or when the caller may no longer listen.
    """
    viewer, last = caller.who.name, following.last
    since = office.places.find(viewer, last) if last else None
    place = last if since is not None else ""
    sessions = session_feed(office, following.session)
    async with office.bell.listening(office.store, since=since) as listener:
        done = since if since is not None else listener.cursor
        first = [News(id="", kind=RESET)] if last and since is None else []
        first += [News(id="", kind=SESSION, session=name, status=status) for name, status in await sessions.begin()]
        for one in first:
            place = _place_after(place, one)
            office.places.keep(viewer, place, done)
            yield replace(one, id=place)
        clock = asyncio.get_running_loop().time
        told_at = clock()
        while not office.bell.closed():
            # Counted from the last news sent: hidden changes must not delay the heartbeat.
            woken = await _woken(listener, told_at + heartbeat_seconds - clock())
            if office.bell.closed() or not await may_listen():
                return
            if not woken:
                told_at = clock()
                yield None
                continue
            grown, cursor, overrun = listener.take()
            news = [News(id="", kind=RESET)] if overrun else await _news(office, caller, sessions, grown)
            for number, one in enumerate(news, start=1):
                place = _place_after(place, one)
                # A listener that stops in the middle is told all of it again: duplicates are harmless, gaps are not.
                office.places.keep(viewer, place, cursor if number == len(news) else done)
                told_at = clock()
                yield replace(one, id=place)
            done = cursor


async def _woken(listener: Listener, seconds: float) -> bool:
    try:
        await asyncio.wait_for(listener.woken.wait(), seconds)
    except TimeoutError:
        return False
    return True


async def _news(office: Office, caller: Caller, sessions: SessionFeed, grown: dict[str, int]) -> list[News]:
    """Return the sessions with a new status first, so that an agent that must stop hears it first; then the reviews.

    If the store cannot tell, the listener is told to look at everything again.
    """
    try:
        changed = await sessions.changed(grown)
        found = [News(id="", kind=SESSION, session=name, status=status) for name, status in changed]
        names = [(name.removeprefix(REVIEW), at) for name, at in grown.items() if name.startswith(REVIEW)]
        for begin in range(0, len(names), LOOK_MAX):
            page = names[begin : begin + LOOK_MAX]
            found += await office.store.read(partial(_compared, office, caller, sessions, page))
    except (Unavailable, Conflict):
        return [News(id="", kind=RESET)]
    return found


def _compared(
    office: Office, caller: Caller, sessions: SessionFeed, names: list[tuple[str, int]], reading: Reading
) -> list[News]:
    """Return the reviews that look different to the caller now, with their marks."""
    found = list[News]()
    for review, version in names:
        try:
            seen = office.gate.look(reading, review, caller.who)
            now = mark_of(given(shown(seen)))
            earlier = shown(office.gate.look(reading, review, caller.who, version)) if version else None
            before = mark_of(given(earlier)) if earlier else ""
        except (Damaged, Refusal):
            continue  # verifying the log reports alterations, to those who may know
        session = seen.view.review.origin.session
        if now != before and sessions.follows(session):
            found.append(News(id="", kind=UPDATED, review=review, mark=now, session=session if sessions.wanted else ""))
    return found


def _place_after(place: str, one: News) -> str:
    return place_after(place, one.kind, one.review or one.session, one.mark or one.status)


__all__ = ["HEARTBEAT_SECONDS", "RESET", "SESSION", "UPDATED", "Following", "News", "feed"]
