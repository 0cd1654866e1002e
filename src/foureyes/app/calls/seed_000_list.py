"""The list of content in seed 000's words: what is in review, live, withdrawn or shelved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Office
from foureyes.app.ports import Reading
from foureyes.app.rows import Listing, ReviewRow
from foureyes.core.kinds import canonical_kind
from foureyes.core.refusals import Code, refuse

#: State of a review for each state of content.
STATES = {words.IN_REVIEW: "open", words.LIVE: "cleared", "withdrawn": "withdrawn", "shelved": "shelved"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsForm:
    """Which content, the newest first; `cursor` is what the page before said comes next."""

    state: str = words.IN_REVIEW
    content_type: str = ""
    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentListed:
    """A piece of content in a list: nothing that would tell of feedback the caller may not know of."""

    content_type: str
    content_id: str
    title: str
    proposer_id: str
    state: str
    revision: int
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsShown:
    """A page of content."""

    content: tuple[ContentListed, ...]
    next: str


async def list_content(office: Office, _: Caller, form: ContentsForm) -> ContentsShown:
    """Content by its state; without one, what is in review."""
    limit = limited(form.limit)
    kinds: tuple[str, ...] = words.CONTENT_TYPES
    if form.state not in STATES:
        raise refuse(Code.UNKNOWN_WORD, what="The state", word=form.state[:80], allowed=tuple(STATES), field="state")
    if form.content_type:
        kinds = (canonical_kind(form.content_type),)
        if kinds[0] not in words.CONTENT_TYPES:
            allowed = ", ".join(words.CONTENT_TYPES)
            raise refuse(Code.UNKNOWN_WORD, what="The content_type", word=form.content_type[:80], allowed=allowed)
    before = parts_of(form.cursor, tuple[str, str]) if form.cursor else None
    listings = [Listing(state=STATES[form.state], kind=kind, before=before, limit=limit + 1) for kind in kinds]
    page, more = await office.store.read(partial(_page, office, listings, limit))
    return ContentsShown(content=tuple(_listed(one, form.state) for one in page), next=more)


def _page(office: Office, listings: list[Listing], limit: int, reading: Reading) -> tuple[list[ReviewRow], str]:
    """What is judged in this style, the newest first, and where the next page begins.

    A review of the same kind in another style is no content; it takes a place on the page, and so no content is lost.
    """
    found = [row for one in listings for row in reading.reviews(one)]
    page = sorted(found, key=lambda row: (row.opened, row.review), reverse=True)[:limit]
    more = cursor_of(page[-1].opened, page[-1].review) if len(found) > limit else ""
    return [row for row in page if words.RESOLVE in office.gate.whole(reading, row.review).protocols], more


def _listed(row: ReviewRow, state: str) -> ContentListed:
    return ContentListed(
        content_type=row.kind,
        content_id=row.review,
        title=row.title,
        proposer_id=row.author,
        state=state,
        revision=row.revision,
        created_at=row.opened,
    )


def calls() -> Iterator[Call[Any]]:
    """The one call of the list."""
    says = (list_content.__doc__ or "").strip()
    yield Call(name="list_content", says=says, needs=Need.READ, form=ContentsForm, answer=list_content, changes=False)
