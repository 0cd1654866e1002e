"""Which calls only look? What they show is what the caller may know, by one function for every door."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from foureyes.app.calls.blindness import live_blindly
from foureyes.app.calls.bodies import given, picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import ReviewShown, mark_of, shown
from foureyes.app.calls.whole import shown_to
from foureyes.app.heads import HUMANS, OPEN, group
from foureyes.app.ports import Quick, Reading
from foureyes.app.rows import FIRST, InboxRow, Listing, ReviewRow, Urgency
from foureyes.codec import Json
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Outcome

#: So few rows with a title each are looked up in a moment: a page as it is by itself, and whether there is another.
QUICK_ROWS_MAX = 51
#: What waits, and the title of its review.
Titled = tuple[InboxRow, str]
STATES = (OPEN, *(one.value for one in Outcome))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm:
    """Which review."""

    review: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShown:
    """A review and the mark of what is shown of it."""

    mark: str
    review: ReviewShown
    #: The mark is a hash of what is given, so that is known.
    as_given: Json | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, review: ReviewShown) -> Self:
        """A review with its mark."""
        told = given(review)
        made = cls(mark=mark_of(told), review=review)
        object.__setattr__(made, "as_given", {"mark": made.mark, "review": told})
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class FileShown:
    """One file of the version under review; text where it is text, else base64."""

    path: str
    mode: str
    digest: str
    text: str | None
    base64: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkShown:
    """The bytes of the current version, exactly; whoever got them may judge them."""

    review: str
    revision: int
    digest: str
    files: tuple[FileShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListForm:
    """Which reviews, the newest first; `cursor` is what the page before said comes next."""

    state: str = ""
    author: str = ""
    kind: str = ""
    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A review in a list: nothing that would tell of reports the caller may not know of."""

    review: str
    kind: str
    title: str
    author: str
    state: str
    revision: int
    digest: str
    opened: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListShown:
    """A page of reviews."""

    reviews: tuple[Listed, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxForm:
    """How much of what waits for the caller; `cursor` is what the page before said comes next."""

    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something that waits for the caller: theirs to do, or theirs to take."""

    review: str
    title: str
    request: str
    #: report, revision or ruling.
    kind: str
    held: bool
    revision: int
    due: str
    lease: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxShown:
    """A page of what waits for the caller, the most urgent first."""

    waiting: tuple[Waiting, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateForm:
    """Bytes by their digest or another name of them, and where they shall go."""

    digest: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateShown:
    """May exactly these bytes go live there now?"""

    allowed: bool
    #: cleared, blocked, pending, unknown, damaged or unavailable.
    state: str
    digest: str
    review: str
    reason: str
    level: int
    flags: tuple[str, ...]


async def read_review(office: Office, caller: Caller, form: ReviewForm) -> SeenShown:
    """A review, as far as the caller may see it."""
    return SeenShown.of(shown(await shown_to(office, caller, form.review)))


async def read_work(office: Office, caller: Caller, form: ReviewForm) -> WorkShown:
    """The bytes of the current version; what was served is noted, so that nobody judges what they did not get."""
    found = await office.gate.serve(form.review, caller.who)
    current = found.seen.view.review.current
    files = tuple(
        FileShown(path=one.name, mode=one.mode, digest=one.digest, text=text, base64=encoded)
        for one in current.parts
        if one.name in found.files
        for text, encoded in (_text(found.files[one.name]),)
    )
    return WorkShown(review=form.review, revision=current.number, digest=current.digest, files=files)


async def list_reviews(office: Office, _: Caller, form: ListForm) -> ListShown:
    """A page of reviews."""
    limit = limited(form.limit)
    if form.state and form.state not in STATES:
        raise refuse(Code.UNKNOWN_WORD, what="The state", word=form.state[:80], allowed=", ".join(STATES))
    before = parts_of(form.cursor, tuple[str, str]) if form.cursor else None
    listing = Listing(state=form.state, author=form.author, kind=form.kind, before=before, limit=limit + 1)
    rows = await office.store.read(lambda reading: reading.reviews(listing))
    more = cursor_of(rows[limit - 1].opened, rows[limit - 1].review) if len(rows) > limit else ""
    return ListShown(reviews=tuple(map(_listed, rows[:limit])), next=more)


async def inbox(office: Office, caller: Caller, form: InboxForm) -> InboxShown:
    """What waits for the caller."""
    limit = limited(form.limit)
    after: Urgency = parts_of(form.cursor, Urgency) if form.cursor else FIRST
    look = _everything if caller.who.is_human else _owed
    found = await look(office, caller, limit + 1, after)
    more = cursor_of(*found[limit - 1][0].urgency) if len(found) > limit else ""
    return InboxShown(waiting=tuple(_waiting(row, title) for row, title in found[:limit]), next=more)


async def gate(office: Office, caller: Caller, form: GateForm) -> GateShown:
    """Whether bytes may go live: judged anew."""
    found = await live_blindly(office.gate, caller.who, await office.may_go_live(form.digest, form.target))
    return picked(GateShown, found)


async def _owed(office: Office, caller: Caller, limit: int, after: Urgency) -> list[Titled]:
    """What is theirs by name, each with its title."""

    def owed(reading: Reading) -> list[Titled]:
        rows = ((one, reading.review(one.review)) for one in reading.inbox(caller.who.name, limit, after))
        return [(one, review.title if review else "") for one, review in rows]

    return await office.store.read(Quick(owed) if limit <= QUICK_ROWS_MAX else owed)


async def _everything(office: Office, caller: Caller, limit: int, after: Urgency) -> list[Titled]:
    """What is theirs by name or as a human's or of their group to decide, in one order.

    What they may not know of is passed over before it is counted: a page says of the next one only what it shows.
    """
    found = list[Titled]()
    while len(found) < limit:
        rows = await office.store.read(partial(_asked, office, caller, limit, after))
        found += [one for row in rows if (one := await _titled(office, caller, row)) is not None]
        if len(rows) < limit:
            break
        after = rows[-1].urgency
    return found


def _asked(office: Office, caller: Caller, limit: int, after: Urgency, reading: Reading) -> list[InboxRow]:
    groups = office.gate.policies.current(reading).policy.rules.groups
    mine = (group(one.name) for one in groups if normal(caller.who.name) in map(normal, one.members))
    rows = (row for name in (*mine, HUMANS, caller.who.name) for row in reading.inbox(name, limit, after))
    once = {row.urgency: row for row in rows}
    return [once[at] for at in sorted(once)][:limit]


async def _titled(office: Office, caller: Caller, row: InboxRow) -> Titled | None:
    """What is theirs; a decision unless they sit in that review and have not reported."""
    if row.who == caller.who.name:
        review = await office.store.read(lambda reading: reading.review(row.review))
        return row, review.title if review else ""
    with suppress(Refusal):
        seen = await office.gate.read(row.review, caller.who)
        if row.request in seen.view.review.requests:
            return row, seen.view.review.title
    return None


def _text(content: bytes) -> tuple[str | None, str | None]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None, base64.b64encode(content).decode()
    return (None, base64.b64encode(content).decode()) if "\0" in text else (text, None)


def _listed(row: ReviewRow) -> Listed:
    return picked(Listed, row)


def _waiting(row: InboxRow, title: str) -> Waiting:
    return picked(Waiting, row, title=title)


def calls() -> Iterator[Call[Any]]:
    """Every call that only looks."""
    for form, answer in (
        (ReviewForm, read_review),
        (ReviewForm, read_work),
        (ListForm, list_reviews),
        (InboxForm, inbox),
        (GateForm, gate),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=Need.READ, form=form, answer=answer, changes=False)
