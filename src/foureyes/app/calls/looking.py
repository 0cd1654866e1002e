"""Which calls only look? What they show is what the caller may know, by one function for every door."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from foureyes.app.calls.blindness import live_blindly
from foureyes.app.calls.bodies import picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import ReviewShown, mark_of, shown
from foureyes.app.calls.whole import shown_to
from foureyes.app.heads import HUMANS, group
from foureyes.app.ports import Quick, Reading
from foureyes.app.rows import InboxRow, Listing, ReviewRow
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal, refuse

PAGE_MAX = 200
#: So few rows with a title each are looked up in a moment.
QUICK_ROWS_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm:
    """Which review."""

    review: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShown:
    """A review and the mark of what is shown of it."""

    mark: str
    review: ReviewShown


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
    """How much of what waits for the caller."""

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
    """What waits for the caller, the most urgent first."""

    waiting: tuple[Waiting, ...]


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
    one = shown(await shown_to(office, caller, form.review))
    return SeenShown(mark=mark_of(one), review=one)


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
    limit = _limited(form.limit)
    listing = Listing(
        state=form.state, author=form.author, kind=form.kind, before=_cursor(form.cursor), limit=limit + 1
    )
    rows = await office.store.read(lambda reading: reading.reviews(listing))
    more = _token(rows[limit - 1]) if len(rows) > limit else ""
    return ListShown(reviews=tuple(map(_listed, rows[:limit])), next=more)


async def inbox(office: Office, caller: Caller, form: InboxForm) -> InboxShown:
    """What waits for the caller."""
    limit = _limited(form.limit)

    def owed(reading: Reading) -> list[Waiting]:
        rows = ((one, reading.review(one.review)) for one in reading.inbox(caller.who.name, limit))
        return [_waiting(one, review.title if review else "") for one, review in rows]

    found = await office.store.read(Quick(owed) if limit <= QUICK_ROWS_MAX else owed)
    if caller.who.is_human:
        found += await _decisions(office, caller, limit)
    return InboxShown(waiting=tuple(found[:limit]))


async def gate(office: Office, caller: Caller, form: GateForm) -> GateShown:
    """Whether bytes may go live: judged anew."""
    found = await live_blindly(office.gate, caller.who, await office.may_go_live(form.digest, form.target))
    return picked(GateShown, found)


async def _decisions(office: Office, caller: Caller, limit: int) -> list[Waiting]:
    """What any human, or one of the caller's group, is asked to decide; not where they sit and have not reported."""

    def asked(reading: Reading) -> list[InboxRow]:
        groups = office.gate.policies.current(reading).policy.rules.groups
        mine = (group(one.name) for one in groups if normal(caller.who.name) in map(normal, one.members))
        return [row for name in (HUMANS, *mine) for row in reading.inbox(name, limit)]

    found = list[Waiting]()
    for row in (await office.store.read(asked))[:limit]:
        with suppress(Refusal):
            seen = await office.gate.read(row.review, caller.who)
            if row.request in seen.view.review.requests:
                found.append(_waiting(row, seen.view.review.title))
    return found


def _text(content: bytes) -> tuple[str | None, str | None]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None, base64.b64encode(content).decode()
    return (None, base64.b64encode(content).decode()) if "\0" in text else (text, None)


def _limited(limit: int) -> int:
    if not 1 <= limit <= PAGE_MAX:
        raise refuse(Code.BAD_NUMBER, what="The limit", value=limit, low=1, high=PAGE_MAX)
    return limit


def _token(row: ReviewRow) -> str:
    return base64.urlsafe_b64encode(json.dumps([row.opened, row.review]).encode()).decode()


def _cursor(token: str) -> tuple[str, str] | None:
    if not token:
        return None
    try:
        opened, review = json.loads(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, TypeError):
        raise refuse(Code.UNKNOWN_WORD, what="The cursor", word=token[:80], allowed="what a page before said") from None
    return str(opened), str(review)


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
