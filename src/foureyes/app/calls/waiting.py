"""How does a caller wait for a review to come to them, without asking again and again?

What wakes them is any change of the review; what they are told, and when, depends on their own view of it alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from foureyes.app.calls.about_reviews import REVIEW
from foureyes.app.calls.call import Caller
from foureyes.app.calls.looking import ReviewForm, SeenShown, read_review
from foureyes.app.calls.office import Office

#: Another process writes to the same store without ringing our bell: so often we look by ourselves.
POLL_SECONDS = 1.0
OPEN = "open"


async def waited(
    office: Office, caller: Caller, review: str, seconds: float, until: Callable[[SeenShown], bool]
) -> SeenShown:
    """The review as the caller sees it, once that is as they want it, or when the time is over."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    form = ReviewForm(review=review)
    with office.bell.listening(REVIEW + review) as rung:
        while True:
            rung.clear()
            seen = await read_review(office, caller, form)
            left = end - loop.time()
            if left <= 0 or until(seen):
                return seen
            await _heard(rung, min(left, POLL_SECONDS))


def is_turn_of(caller: Caller) -> Callable[[SeenShown], bool]:
    """Whether the caller has something to do in a review, or nobody has any more."""
    name = caller.who.name

    def until(seen: SeenShown) -> bool:
        return seen.review.state != OPEN or any(name in one.who for one in seen.review.turns)

    return until


async def _heard(rung: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(rung.wait(), seconds)
    except TimeoutError:
        return
