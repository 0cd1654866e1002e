"""Calls that only read. They show what the caller may know, by one function for every door."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

from foureyes.app.calls.bodies import given, picked
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Office
from foureyes.app.calls.shown import ReviewShown, mark_of, shown
from foureyes.app.calls.whole import note, shown_to
from foureyes.app.diffs import compared_with, diff_of
from foureyes.app.gate import Seen
from foureyes.app.heads import OPEN
from foureyes.app.live import PENDING, UNKNOWN, Live
from foureyes.app.ports import Reading
from foureyes.app.redaction import Cut, is_served_whole
from foureyes.app.rows import Listing, ReviewRow
from foureyes.codec import Json
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.situation import files_of, open_by_severity
from foureyes.core.values import Outcome

STATES = (OPEN, *(one.value for one in Outcome))
#: Ids of reviews are at most this long, and digests are longer.
ID_CHARS_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm:
    """Which review."""

    review: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkForm:
    """Which review. `glance` only looks: what is given is not noted as read, so nothing can be judged after it."""

    review: str
    glance: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenShown:
    """A review and the mark of what is shown of it."""

    mark: str
    review: ReviewShown
    #: The answer as plain JSON, known because the mark is its hash.
    as_given: Json | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, review: ReviewShown) -> Self:
        """A review with its mark."""
        told = given(review)
        return cls._made(mark_of(told), review, told)

    def marked(self, mark: str) -> Self:
        """The same with another mark."""
        return self._made(mark, self.review, (self.as_given or given(self))["review"])

    @classmethod
    def _made(cls, mark: str, review: ReviewShown, told: Json) -> Self:
        made = cls(mark=mark, review=review)
        object.__setattr__(made, "as_given", {"mark": mark, "review": told})
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
    #: What it was compared with: a base the gate knows, the author's unchecked statement, or nothing.
    compared_with: str
    #: What it changes there; empty if it is compared with nothing.
    diff: str
    #: The paths that this version removes.
    deleted: tuple[str, ...]
    #: Recognised secrets in the files, by place. The digest is that of the real bytes.
    secrets: tuple[Cut, ...] = ()
    #: True if they are cut out of files and diff; a signed-in human gets them, with their places.
    is_cut: bool = False


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
    """A review in a list, as far as the caller may see it."""

    review: str
    kind: str
    title: str
    author: str
    state: str
    revision: int
    digest: str
    opened: str
    #: Where the work comes from: a branch or other reference, a task or a session, as its author said.
    origin: str
    #: The first file that the newest version changes, and how many more.
    files: str
    #: Number of open findings, by severity.
    findings: Mapping[str, int]
    #: Whose turn it is, and with what; empty if nobody is asked.
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListShown:
    """A page of reviews."""

    reviews: tuple[Listed, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateForm:
    """Bytes by their digest or another name of them, and where they shall go."""

    digest: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateShown:
    """Whether exactly these bytes may go live there now."""

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


async def read_work(office: Office, caller: Caller, form: WorkForm) -> WorkShown:
    """The bytes of the current version; what was served is noted, because nobody may judge what they did not get.

    Nobody vouches for a version of which a file was withheld from them; a human who is signed in gets all of it.
    """
    found = await office.gate.take(form.review, caller.who)
    clean = await (office.cleaned(found) if form.glance else office.hand_over(caller, found))
    if office.redaction is None or clean is None:
        return _work(form.review, found.seen, found.files, found.before)
    if is_served_whole(caller):
        return replace(_work(form.review, found.seen, found.files, found.before), secrets=clean.cuts)
    shown = _work(form.review, found.seen, clean.files, clean.before)
    told = partial(office.redaction.text, seen=found.seen, clean=clean)
    return replace(
        shown,
        files=tuple(replace(one, path=told(one.path)) for one in shown.files),
        deleted=tuple(map(told, shown.deleted)),
        compared_with=told(shown.compared_with),
        secrets=tuple(replace(one, path=told(one.path)) for one in clean.cuts),
        is_cut=True,
    )


def _work(review: str, seen: Seen, contents: Mapping[str, bytes], before: Mapping[str, bytes]) -> WorkShown:
    current = seen.view.review.current
    files = tuple(
        FileShown(path=one.name, mode=one.mode, digest=one.digest, text=text, base64=encoded)
        for one in current.parts
        if one.name in contents
        for text, encoded in (_text(contents[one.name]),)
    )
    blobs = {**before, **{one.digest: contents[one.name] for one in current.parts if one.name in contents}}
    return WorkShown(
        review=review,
        revision=current.number,
        digest=current.digest,
        files=files,
        deleted=tuple(one.name for one in current.parts if one.name not in contents),
        compared_with=compared_with(current),
        diff=diff_of(current.before, current.parts, blobs) if current.before else "",
    )


async def list_reviews(office: Office, caller: Caller, form: ListForm) -> ListShown:
    """A page of reviews: where each comes from, its open findings by severity, and whose turn it is."""
    limit = limited(form.limit)
    if form.state and form.state not in STATES:
        raise refuse(Code.UNKNOWN_WORD, what="The state", word=form.state[:80], allowed=STATES, field="state")
    before = parts_of(form.cursor, tuple[str, str]) if form.cursor else None
    listing = Listing(state=form.state, author=form.author, kind=form.kind, before=before, limit=limit + 1)

    rows, seen = await office.store.read(partial(_page, office, caller, listing))
    await note(office, caller, seen.values())  # the counts tell a human how much others found
    more = cursor_of(rows[limit - 1].opened, rows[limit - 1].review) if len(rows) > limit else ""
    listed = tuple(_listed(row, seen[row.review]) for row in rows[:limit] if row.review in seen)
    return ListShown(reviews=listed, next=more)


def _page(
    office: Office, caller: Caller, listing: Listing, reading: Reading
) -> tuple[tuple[ReviewRow, ...], dict[str, Seen]]:
    """The rows of a page and one more, and each review as the caller may see it; local reviews are left out."""
    rows, seen = reading.reviews(listing), dict[str, Seen]()
    for row in rows[: listing.limit - 1]:
        with suppress(Refusal):
            seen[row.review] = office.gate.look(reading, row.review, caller.who)
    return rows, seen


async def gate(office: Office, caller: Caller, form: GateForm) -> GateShown:
    """Whether bytes may go live: judged anew."""
    live = await office.may_go_live(form.digest, form.target, caller.who)
    if live.state == UNKNOWN and len(form.digest) <= ID_CHARS_MAX:
        live = await _by_its_id(office, caller, live, form.digest)
    return picked(GateShown, await _for_author(office, caller, live) if live.state == PENDING else live)


async def _by_its_id(office: Office, caller: Caller, live: Live, name: str) -> Live:
    """Tell a caller who sent the id of a review instead of a digest which digest that review has."""
    try:
        digest = (await office.gate.read(name, caller.who)).view.review.digest
    except Refusal:
        return live
    return replace(live, reason=f"This is the id of a review. Ask with the digest of its current version: {digest}.")


async def _for_author(office: Office, caller: Caller, live: Live) -> Live:
    """Tell an author whose turn it is that waiting does not help; everybody else is told what they were."""
    try:
        seen = await office.gate.read(live.review, caller.who)
    except Refusal:
        return live
    review = seen.view.review
    turn = next((one for one in seen.explanation.turns if caller.who.name in one.who), None)
    if review.author.name != caller.who.name or turn is None:
        return live
    return replace(live, reason=f"Review {review.id} waits for you: {turn.what.rstrip('.')}. {turn.how}.")


def _text(content: bytes) -> tuple[str | None, str | None]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None, base64.b64encode(content).decode()
    return (None, base64.b64encode(content).decode()) if "\0" in text else (text, None)


def _listed(row: ReviewRow, seen: Seen) -> Listed:
    review = seen.view.review
    turn = seen.explanation.situation.turn
    found = open_by_severity(review)
    return picked(Listed, row, origin=origin_of(review), files=files_of(review), findings=found, turn=turn)


def origin_of(review: Review) -> str:
    """Where the work comes from, in the words of its author."""
    return review.origin.ref or review.origin.task or review.origin.session


def calls() -> Iterator[Call[Any]]:
    """Every call that only looks."""
    for form, answer in (
        (WorkForm, read_work),
        (ListForm, list_reviews),
        (GateForm, gate),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(
            name=answer.__name__,
            says=says,
            needs=Need.READ,
            form=form,
            answer=answer,
            changes=False,
            cuts=answer is read_work,
        )
