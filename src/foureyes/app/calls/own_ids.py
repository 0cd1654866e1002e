"""Resolves ids of the caller's own to reviews: the id sent when it asked, or the one an old system used for content."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.ports import Quick, Reading, Unavailable
from foureyes.app.projections.own_ids import OWN_IDS, reviews_named

Answer = Callable[[Office, Caller, Any], Awaitable[Any]]


async def review_meant(office: Office, caller: Caller, name: str, kinds: Collection[str] = ()) -> str:
    """The review of this name; else the caller's own under this id, or the only one there is, of these kinds."""
    try:
        if await office.store.read(Quick(lambda reading: reading.review(name) is not None)):
            return name
        await office.caught_up(OWN_IDS)
        return await office.store.read(Quick(partial(_meant, caller.who.name, name, kinds)))
    except Unavailable:
        return name  # a spooled command names the review as the caller does


def _meant(caller: str, name: str, kinds: Collection[str], reading: Reading) -> str:
    rows = ((author, reading.review(review)) for review, author, _ in reviews_named(reading, name))
    found = {author: row.review for author, row in rows if row and (not kinds or row.kind in kinds)}
    only = next(iter(found.values())) if len(found) == 1 else name
    return found.get(caller, only)


def by_own_id(field: str, answer: Answer, kinds: Collection[str] = ()) -> Answer:
    """The same answer, to forms that name a review by an id of the caller's own in this field."""

    @wraps(answer)
    async def answered(office: Office, caller: Caller, form: Any) -> Any:
        name = getattr(form, field)
        if name:
            form = replace(form, **{field: await review_meant(office, caller, name, kinds)})
        return await answer(office, caller, form)

    return answered
