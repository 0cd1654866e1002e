"""Records which human saw, by right, what is hidden from others: beside the review, once for each version.

The review's own stream stays unchanged: nobody waits for a look, and no blind reviewer learns of one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.chain import ROOT, appended
from foureyes.app.gate import CONFLICTS_MAX, Seen
from foureyes.app.ports import Conflict, Reading, Store, Unavailable, Writing
from foureyes.app.rows import Changes
from foureyes.app.shelf import read_events
from foureyes.codec.shapes import shape
from foureyes.core.events import WholeSeen
from foureyes.core.views import whole_seen

SEEN = "seen/"
CAUSE = "read"

_write_time = shape(datetime)[0]


async def shown_to(office: Office, caller: Caller, review: str) -> Seen:
    """The review as the caller may see it; a human who sees all by right is written down before they see it."""
    seen = await office.gate.read(review, caller.who)
    await note(office, caller, (seen,))
    return seen


async def note(office: Office, caller: Caller, shown: Iterable[Seen]) -> None:
    """Write down what this caller is about to see by right, where it is not written yet; raises Unavailable."""
    found = [event for one in shown if (event := whole_seen(one.view, caller.who))]
    await write_down(office.store, found, office.clock())


async def write_down(store: Store, found: list[WholeSeen], now: datetime) -> None:
    """Write down what somebody is about to see by right, where it is not written yet; raises Unavailable."""
    if not found or not (new := await store.read(partial(_unwritten, found))):
        return None
    for _ in range(CONFLICTS_MAX):
        try:
            return await store.write(partial(_write, new, _write_time(now)))
        except Conflict:
            continue
    raise Unavailable("What you look at could not be written down.", "Try again in a moment.")


def _unwritten(found: list[WholeSeen], reading: Reading) -> list[WholeSeen]:
    return [event for event in found if not _is_written(event, reading)]


def _is_written(event: WholeSeen, reading: Reading) -> bool:
    stream = SEEN + event.review
    known = reading.known(stream, "", "")
    return known.version > 0 and any(one == event for one, _ in read_events(reading, stream, known))


def _write(new: list[WholeSeen], at: str, tx: Writing) -> None:
    tx.lock(*sorted(SEEN + event.review for event in new))
    for event in _unwritten(new, tx):
        known = tx.known(SEEN + event.review, "", "")
        end = known.version, known.chain or ROOT
        tx.apply(Changes(appends=(appended(SEEN + event.review, end, (event,), at=at, actor=event.by, cause=CAUSE),)))
