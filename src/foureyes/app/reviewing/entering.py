"""Under which review does this work come in? The open one of its place with a new version, or a new one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from foureyes.app.asks import Ask
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Store
from foureyes.app.reviewers import Change
from foureyes.app.reviewing.places import alias_of, review_here
from foureyes.app.work import Work, work_of_change
from foureyes.core.commands import Answer, OpenReview, SubmitRevision, WithdrawReview
from foureyes.core.model import Review
from foureyes.core.refusals import Refusal
from foureyes.core.values import Origin, Severity, Who

TITLE_CHARS_MAX = 300
NOTE_CHARS_MAX = 4_000
STARTED_OVER = "The author started over with a new review."
WENT_ON = "The author went on working; nothing stood against this version."


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """How the work comes in: which style is added, what the author says to earlier findings, or all from the start."""

    author: Who
    style: str = ""
    answers: tuple[Answer, ...] = ()
    #: Leave the open review of this place and begin a new one.
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """The review the work is under now; `held_up` says why these bytes could not come in as a new version of it."""

    review: str
    held_up: str = ""


async def enter(gate: Gate, store: Store, change: Change, entry: Entry) -> Entered:
    """Open a review, or hand in the next version; the same bytes again change nothing."""
    work, before, old = work_of_change(change)
    known = await _known(gate, store, change, entry.author)
    if known is not None and known.outcome is None:
        if known.digest == work.digest and not entry.anew:
            return Entered(review=known.id)
        if not entry.anew and _is_argued(known):
            return await _next_version(gate, known, change, entry)
        await _withdraw(gate, known, entry.author, STARTED_OVER if entry.anew else WENT_ON)
    elif known is not None and known.digest == work.digest and not entry.anew:
        return Entered(review=known.id)
    opening = OpenReview(
        review="",
        kind=change.kind,
        title=change.title[:TITLE_CHARS_MAX] or "untitled",
        digest=work.digest,
        base=change.base,
        parts=work.parts,
        protocols=(entry.style,) if entry.style else (),
        origin=Origin(ref=alias_of(change)),
        note=change.note[:NOTE_CHARS_MAX],
    )
    ask = Ask(actor=entry.author, key=new_key(), command=opening, before=before)
    reply = await gate.handle(_with_bytes(ask, work, old, change))
    return Entered(review=reply.review)


async def _known(gate: Gate, store: Store, change: Change, author: Who) -> Review | None:
    """The newest review of this place, as far as it is this author's."""
    name = await store.read(partial(review_here, alias=alias_of(change)))
    if not name:
        return None
    review = (await gate.read(name, author)).view.review
    ours = review.origin.ref == alias_of(change) and review.author.name == author.name
    return review if ours else None


def _is_argued(review: Review) -> bool:
    """Whether something stands between the author and a yes; else new bytes are new work, and no second try."""
    open_ones = (one for one in review.findings.values() if not one.is_settled and not one.is_advisory)
    return review.ruling() is not None or any(one.severity > Severity.MINOR for one in open_ones)


async def _withdraw(gate: Gate, review: Review, author: Who, reason: str) -> None:
    command = WithdrawReview(reason=reason)
    await gate.handle(Ask(actor=author, key=new_key(), command=command, stream=f"review/{review.id}"))


async def _next_version(gate: Gate, review: Review, change: Change, entry: Entry) -> Entered:
    work, before, old = work_of_change(change)
    answers = tuple(one for one in entry.answers if one.finding in review.findings)
    command = SubmitRevision(
        digest=work.digest,
        base=change.base,
        parts=work.parts,
        note=change.note[:NOTE_CHARS_MAX],
        answers=answers,
    )
    ask = Ask(actor=entry.author, key=new_key(), command=command, stream=f"review/{review.id}", before=before)
    try:
        await gate.handle(_with_bytes(ask, work, old, change))
    except Refusal as refusal:
        return Entered(review=review.id, held_up=f"{refusal.sentence} {refusal.next_step}")
    after = (await gate.read(review.id, entry.author)).view.review
    ruling = after.ruling()
    if after.digest == work.digest:
        return Entered(review=review.id)
    return Entered(review=review.id, held_up=f"{ruling.text}." if ruling else "The review has ended.")


def _with_bytes(ask: Ask, work: Work, old: dict[str, bytes], change: Change) -> Ask:
    aliases = tuple(filter(None, (alias_of(change), *change.aliases)))
    return replace(ask, blobs={**old, **work.blobs}, aliases=aliases)
