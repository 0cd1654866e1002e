"""What is told to somebody who listens all the time? That what they see of a review has changed, and nothing else.

Whatever happens to a review, it is compared what this viewer saw before it and sees after it. Where that is the same,
nothing is sent: no event, no number that was left out, no later id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from foureyes.app.bell import Listener
from foureyes.app.calls.about_reviews import REVIEW
from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import mark_of, shown
from foureyes.app.places import place_after
from foureyes.app.ports import Conflict, Damaged, Reading, Unavailable
from foureyes.core.refusals import Refusal

HEARTBEAT_SECONDS = 15.0
#: Reviews that are compared in one look at the store.
LOOK_MAX = 50
UPDATED, RESET = "review.updated", "feed.reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something a listener is told. `feed.reset` means: too much happened to tell it, look at everything again."""

    id: str
    kind: str
    review: str = ""
    mark: str = ""


async def feed(
    office: Office,
    caller: Caller,
    last: str,
    may_listen: Callable[[], Awaitable[bool]],
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> AsyncGenerator[News | None]:
    """What happens from now on, or since the last thing this caller was told; None where nothing did for a while.

    It ends with the server, or when the caller may listen no longer.
    """
    viewer = caller.who.name
    since = office.places.find(viewer, last) if last else None
    place = last if since is not None else ""
    async with office.bell.listening(office.store, since=since) as listener:
        if last and since is None:
            place = place_after(last, RESET)
            office.places.keep(viewer, place, listener.cursor)
            yield News(id=place, kind=RESET)
        done = since if since is not None else listener.cursor
        clock = asyncio.get_running_loop().time
        told_at = clock()
        while not office.bell.closed():
            # Counted from what the caller was told last: what is hidden from them must not put off a sign of life.
            woken = await _woken(listener, told_at + heartbeat_seconds - clock())
            if office.bell.closed() or not await may_listen():
                return
            if not woken:
                told_at = clock()
                yield None
                continue
            grown, cursor, overrun = listener.take()
            found = None if overrun else await _changed(office, caller, grown)
            news = [(RESET, "", "")] if found is None else [(UPDATED, *one) for one in found]
            for number, (kind, review, mark) in enumerate(news, start=1):
                place = place_after(place, kind, review, mark)
                # Who stops in the middle is told all of it again: twice is harmless, never is not.
                office.places.keep(viewer, place, cursor if number == len(news) else done)
                told_at = clock()
                yield News(id=place, kind=kind, review=review, mark=mark)
            done = cursor


async def _woken(listener: Listener, seconds: float) -> bool:
    try:
        await asyncio.wait_for(listener.woken.wait(), seconds)
    except TimeoutError:
        return False
    return True


async def _changed(office: Office, caller: Caller, grown: dict[str, int]) -> list[tuple[str, str]] | None:
    """The reviews that look otherwise to the caller now, with their marks; nothing at all where it cannot be said."""
    names = [(name.removeprefix(REVIEW), at) for name, at in grown.items() if name.startswith(REVIEW)]
    found = list[tuple[str, str]]()
    try:
        for begin in range(0, len(names), LOOK_MAX):
            found += await office.store.read(partial(_compared, office, caller, names[begin : begin + LOOK_MAX]))
    except (Unavailable, Conflict):
        return None
    return found


def _compared(office: Office, caller: Caller, names: list[tuple[str, int]], reading: Reading) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    for review, version in names:
        try:
            now = mark_of(given(shown(office.gate.look(reading, review, caller.who))))
            earlier = shown(office.gate.look(reading, review, caller.who, version)) if version else None
            before = mark_of(given(earlier)) if earlier else ""
        except (Damaged, Refusal):
            continue  # what was altered is told by whoever verifies the log, to those who may know
        if now != before:
            found.append((review, now))
    return found


__all__ = ["HEARTBEAT_SECONDS", "RESET", "UPDATED", "News", "feed"]
