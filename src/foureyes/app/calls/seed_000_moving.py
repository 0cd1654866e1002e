"""The call that moves in content which another system was validating. It enters review; old votes do not count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from foureyes.app.accounts import account
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import check_room
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_000 import content_files, content_kind
from foureyes.app.calls.seed_work import work_of
from foureyes.app.ports import Reading
from foureyes.app.projections.own_ids import OWN_IDS, reviews_named
from foureyes.app.work import Work
from foureyes.core import commands as c
from foureyes.core.model import Review
from foureyes.core.principals import Account
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Origin

TRIGGER = "moved_in"
#: Most pieces of content in one call; send the rest with another.
MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OldContent:
    """Content as the old system knew it, by its old id."""

    content_type: str
    content_id: str
    proposer_id: str
    content: object
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveForm:
    """Content that was being validated elsewhere. Sent again it is the same content; new text is a new version."""

    contents: tuple[OldContent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One piece: its old id, its review here, or why it was not taken."""

    old_id: str
    content_id: str | None
    state: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedIn:
    """What became of each, in the order it was sent."""

    moved: tuple[Moved, ...]


async def move_in(office: Office, caller: Caller, form: MoveForm) -> MovedIn:
    """Take over content that another system was validating; by its service, or a human, in the proposers' names."""
    if len(form.contents) > MOST:
        raise refuse(Code.TOO_MANY, what="Pieces of content", size=len(form.contents), most=MOST)
    for number, one in enumerate(form.contents):
        _check_names(number, one)
    return MovedIn(moved=tuple([await _moved(office, caller, one) for one in form.contents]))


def _check_names(number: int, one: OldContent) -> None:
    """What names a piece is said again in the answer, whatever becomes of it: no NUL is in it."""
    for name in ("content_type", "content_id", "proposer_id", "title"):
        if "\0" in getattr(one, name):
            raise refuse(
                Code.BAD_VALUE, what=f"contents[{number}].{name}: the character NUL, which no database can hold"
            )


async def _moved(office: Office, caller: Caller, one: OldContent) -> Moved:
    """Each by itself: one that is not taken holds up no other."""
    try:
        review = await _opened(office, caller, one)
    except Refusal as refusal:
        return Moved(old_id=one.content_id, content_id=None, state="", problem=refusal.sentence)
    seen = await office.gate.read(review, caller.who)
    state = words.content_state(seen.view.review)
    return Moved(old_id=one.content_id, content_id=review, state=state, problem="")


async def _opened(office: Office, caller: Caller, one: OldContent) -> str:
    """The review that this content is here: the one that it became before, with a new version where the text changed.

    Text that the review has had already changes nothing: what was revised here since is newer than the old system's.
    """
    kind = content_kind(one.content_type)
    work = await work_of(office, content_files(one.content))
    office.quotas.sent(caller.who, office.clock(), sum(map(len, work.blobs.values())))
    proposer = await _proposer(office, caller, one.proposer_id)
    await office.caught_up(OWN_IDS)
    found = await office.store.read(partial(_moved_before, one.content_id, kind, proposer.who.name))
    if found:
        review = (await office.gate.read(found, proposer.who)).view.review
        if all(version.digest != work.digest for version in review.revisions):
            await _revised(office, caller, proposer, review, work)
        return found
    await check_room(office, caller)
    command = c.OpenReview(
        review="",
        kind=kind,
        title=one.title or f"{kind} {one.content_id}",
        digest=work.digest,
        parts=work.parts,
        protocols=(words.RESOLVE,),
        trigger=TRIGGER,
        origin=Origin(ref=one.content_id),
        on_behalf_of=proposer.who,
    )
    # The old id and the bytes are the key: moving in may be repeated until everything is here.
    handed = Handed(key=f"{TRIGGER} {kind}/{one.content_id[:80]} {work.digest[:16]}", blobs=work.blobs)
    reply = await office.do(caller, command, handed)
    office.quotas.opened(caller.who)
    return reply.review


def _moved_before(old_id: str, kind: str, proposer: str, reading: Reading) -> str:
    """The review of this type that this proposer's content with this old id became; empty where there is none."""
    for review, author, trigger in reviews_named(reading, old_id):
        row = reading.review(review) if (author, trigger) == (proposer, TRIGGER) else None
        if row is not None and row.kind == kind:
            return review
    return ""


async def _revised(office: Office, caller: Caller, proposer: Account, review: Review, work: Work) -> None:
    """Hand in the text as it is now in the old system, in its proposer's name as its first version was."""
    command = c.SubmitRevision(
        digest=work.digest,
        parts=work.parts,
        note=f"Moved in again by {caller.who.name}: the text has changed.",
    )
    key = f"{TRIGGER} {review.id} {review.revision} {work.digest[:16]}"
    in_name = Caller(account=proposer, credential=caller.credential)
    await office.do(in_name, command, Handed(key=key, stream=REVIEW + review.id, blobs=work.blobs))


async def _proposer(office: Office, caller: Caller, name: str) -> Account:
    """Whose content it is: an account that is enrolled, and that a service vouches for itself."""
    found = await office.store.read(lambda reading: account(reading, name))
    if found is None or found.removed or found.who.is_human:
        raise Refusal(Code.NOT_ELIGIBLE, f"{name[:80]} is no agent here.", "Enrol the proposer first.")
    if caller.signed_in is None and found.vouched_by != caller.who.name:
        raise Refusal(
            Code.NOT_ELIGIBLE, f"{caller.who.name} does not vouch for {name[:80]}.", "Ask a human to move it."
        )
    return found


def calls() -> Iterator[Call[Any]]:
    """The one call that moves content in."""
    says = (move_in.__doc__ or "").strip()
    yield Call(name="move_in", says=says, needs=Need.VOUCH, form=MoveForm, answer=move_in, keyed=False)
