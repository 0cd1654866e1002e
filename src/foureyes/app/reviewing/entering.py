"""Intake of local work: submits it as a new version of the open review of its place, or opens a new review."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from foureyes.app.asks import Ask
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Store
from foureyes.app.reviewers import Change
from foureyes.app.reviewing.places import alias_of, reviews_here
from foureyes.app.work import Work, work_of_change
from foureyes.core.commands import Answer, AnswerFinding, OpenReview, SubmitRevision, WithdrawReview
from foureyes.core.model import Finding, Review
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Origin, Outcome, Severity, Who

TITLE_CHARS_MAX = 300
NOTE_CHARS_MAX = 4_000
#: Most reviews of the same bytes looked at, from the newest on.
LOOKED_AT_MAX = 50
STARTED_OVER = "The author started over with a new review."
MEND = "Mend them, dismiss what is not real, or have a signed-in human decide; then start over."
PARTLY = "A part of it could not be read, so what was cleared before is not all of it."
LATE_QUESTION = "Questions are asked when a review begins; start over with --anew to ask:"
LATE_STYLE = "A style is named when a review begins; start over with --anew to add"
LEFT_OPEN = "The author went on with other work; what stood against this version was left open."
ENDED = "The review has ended. "
A_NEW_ONE = "A new review begins here. "
WENT_ON = "The author went on working; nothing stood against this version."


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """How the work comes in: which style is added, what the author says to earlier findings, or all from the start."""

    author: Who
    #: The digest of the policy that applies to it now.
    policy: str = ""
    #: The repository or folder it comes from.
    here: str = ""
    style: str = ""
    answers: tuple[Answer, ...] = ()
    #: What the author wants to know; asked when a review is opened.
    questions: tuple[str, ...] = ()
    #: Leave the open review of this place and begin a new one.
    anew: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """The review the work is under now; `held_up` says why these bytes could not come in as a new version of it."""

    review: str
    held_up: str = ""
    notes: tuple[str, ...] = ()


async def enter(gate: Gate, store: Store, change: Change, entry: Entry) -> Entered:
    """Open a review, or submit the next version; submitting the same bytes again changes nothing."""
    work, before, old = work_of_change(change)
    known = await _known(gate, store, change, entry.author)
    notes = _dropped(entry.answers, A_NEW_ONE)
    if known is not None:
        entered = await _go_on(gate, known, change, entry, work.digest)
        if entered is not None:
            return entered
        notes = (*await _leave(gate, known, entry), *notes)
    opening = OpenReview(
        review="",
        kind=change.kind,
        title=change.title[:TITLE_CHARS_MAX] or "untitled",
        digest=work.digest,
        base=change.base,
        parts=work.parts,
        protocols=(entry.style,) if entry.style else (),
        origin=Origin(ref=alias_of(change), task=entry.here),
        questions=entry.questions,
        note=change.note[:NOTE_CHARS_MAX],
    )
    ask = Ask(actor=entry.author, key=_key(opening, known, entry), command=opening, before=before)
    ask = _with_bytes(ask, work, old, change)
    try:
        reply = await gate.handle(ask)
    except Refusal:
        # Another run has just opened it, from elsewhere or under another title; or it was refused before, and that
        # answer is kept with its key although the reason may be gone.
        newest = await _known(gate, store, change, entry.author)
        if newest is not None and newest.id != (known.id if known else "") and newest.digest == work.digest:
            return await _the_same(gate, newest, change, entry)
        try:
            reply = await gate.handle(replace(ask, key=new_key()))
        except Refusal as refusal:
            entered = await _elsewhere(gate, change, entry, work.digest, refusal)
            return replace(entered, notes=(*notes, *entered.notes))
    return Entered(review=reply.review, notes=notes)


async def _elsewhere(gate: Gate, change: Change, entry: Entry, digest: str, refusal: Refusal) -> Entered:
    """Return the author's own review that objects to these very bytes, from any place.

    Raises the refusal otherwise.
    """
    name = refusal.fields.get("review")
    if refusal.code is not Code.OBJECTED or not isinstance(name, str):
        raise refusal
    review = (await gate.read(name, entry.author)).view.review
    if review.author.name != entry.author.name:
        raise refusal
    if review.outcome is not None or review.digest != digest or not _is_the_same(review, change, entry):
        return Entered(review=name, held_up=f"{refusal.sentence} {refusal.next_step}")
    entered = await _the_same(gate, review, change, entry)
    return replace(entered, notes=(f"The same bytes are under review elsewhere: {review.title}.", *entered.notes))


async def _go_on(gate: Gate, known: Review, change: Change, entry: Entry, digest: str) -> Entered | None:
    """Continue the review that is known here, if this is still the same work; None if a new one must begin."""
    same, is_open = known.digest == digest, known.outcome is None
    left = ", ".join(one.id for one in _standing_against(known))
    if same and is_open and left and (entry.anew or not _is_styled(known, entry)):
        held_up = f"This exact version still has open findings: {left}. {MEND}"
        return Entered(review=known.id, held_up=held_up, notes=_dropped(entry.answers))
    if entry.anew:
        return None
    # With another base it is other work: what it no longer shows may have been committed as it was.
    next_round = is_open and known.current.base == change.base and _is_argued(known)
    if not (_is_the_same(known, change, entry) if same else next_round):
        return None
    late = _late(entry, known)
    if is_open and late:
        # Reported before any reviewer is asked, so that the user does not pay for looks without the question.
        return Entered(review=known.id, held_up=" ".join(late), notes=_dropped(entry.answers))
    return await (_the_same if same else _next_version)(gate, known, change, entry)


async def _leave(gate: Gate, known: Review, entry: Entry) -> tuple[str, ...]:
    """Withdraw the review that is not continued, and report what was open in it."""
    if known.outcome is not None:
        return ()
    left = len(_standing_against(known))
    await _withdraw(gate, known, entry.author, STARTED_OVER if entry.anew else LEFT_OPEN if left else WENT_ON)
    words = f"{left} finding{'s' if left > 1 else ''}"
    return (f"Left behind with {words} open: foureyes why {known.id}",) if left else ()


def _dropped(answers: Iterable[Answer], why: str = "") -> tuple[str, ...]:
    """Report the author's answers that were not taken: nothing is lost silently."""
    return tuple(f"{why}Your answer to {one.finding} was not taken." for one in answers)


def _key(opening: OpenReview, known: Review | None, entry: Entry) -> str:
    """Return a key that is equal for equal work after the same previous review.

    Two concurrent runs open one review.
    """
    if not opening.origin.ref:
        return new_key()
    words = (opening.origin.ref, opening.digest, opening.base, opening.kind, entry.policy, entry.style)
    named = "\0".join((*words, *entry.questions, known.id if known else ""))
    return f"open-{hashlib.sha256(named.encode(errors='surrogateescape')).hexdigest()}"


def _is_the_same(known: Review, change: Change, entry: Entry) -> bool:
    """True if the same bytes are the same work: against the same base, and judged by the same policy and style."""
    return _is_styled(known, entry) and known.current.base == change.base and entry.policy in ("", known.rules)


def _is_styled(review: Review, entry: Entry) -> bool:
    """True if the review is also judged in the requested style."""
    return not entry.style or entry.style in review.protocols


async def _the_same(gate: Gate, known: Review, change: Change, entry: Entry) -> Entered:
    """Handle the same bytes again: only the author's answers to findings are new."""
    taken = [one for one in entry.answers if one.finding in known.findings]
    notes = _not_taken(entry, known)
    if known.outcome is not None:
        notes += _dropped(taken, ENDED)
        taken = []
    for one in taken:
        command = AnswerFinding(finding=one.finding, text=one.text, rebuttal=one.rebuttal, evidence=one.evidence)
        try:
            await gate.handle(Ask(actor=entry.author, key=new_key(), command=command, stream=f"review/{known.id}"))
        except Refusal as refusal:
            notes.append(f"{one.finding}: {refusal.sentence}")
        else:
            notes += _on_record((one,))
    partial = change.unread and known.outcome is Outcome.CLEARED
    return Entered(review=known.id, held_up=PARTLY if partial else "", notes=tuple(notes))


def _not_taken(entry: Entry, review: Review) -> list[str]:
    unknown = [one.finding for one in entry.answers if one.finding not in review.findings]
    return [*(f"There is no finding {one}: that answer was not taken." for one in unknown), *_late(entry, review)]


def _late(entry: Entry, review: Review) -> list[str]:
    """Return what can be requested only when a review begins."""
    questions = [one for one in entry.questions if one not in review.questions]
    style = [] if _is_styled(review, entry) else [f"{LATE_STYLE} {entry.style}."]
    return [*(f"{LATE_QUESTION} {one}" for one in questions), *style]


def _on_record(answers: tuple[Answer, ...]) -> list[str]:
    """Tell the author that their rebuttals were recorded, and who weighs them."""
    named = ", ".join(one.finding for one in answers if one.rebuttal)
    if not named:
        return []
    way_out = "Drop a false alarm of a program: foureyes dismiss."
    return [f"Your rebuttal of {named} is on record: agents and models weigh it, programs do not. {way_out}"]


async def _known(gate: Gate, store: Store, change: Change, author: Who) -> Review | None:
    """Return this author's newest review of this place.

    Reviews of other repositories with the same bytes are ignored.
    """
    alias = alias_of(change)
    for name in (await store.read(partial(reviews_here, alias=alias)))[:LOOKED_AT_MAX]:
        review = (await gate.read(name, author)).view.review
        if review.origin.ref == alias and review.author.name == author.name:
            return review
    return None


def _is_argued(review: Review) -> bool:
    """True if a finding or a ruling stands in the way; else new bytes are new work, not another attempt."""
    return review.ruling() is not None or bool(_standing_against(review))


def _standing_against(review: Review) -> list[Finding]:
    open_ones = [one for one in review.findings.values() if not one.is_settled and not one.is_advisory]
    return [one for one in open_ones if one.severity > Severity.MINOR]


async def _withdraw(gate: Gate, review: Review, author: Who, reason: str) -> None:
    command = WithdrawReview(reason=reason)
    try:
        await gate.handle(Ask(actor=author, key=new_key(), command=command, stream=f"review/{review.id}"))
    except Refusal as refusal:
        if refusal.code is not Code.REVIEW_ENDED:
            raise  # otherwise another run was faster


async def _next_version(gate: Gate, review: Review, change: Change, entry: Entry) -> Entered:
    work, before, old = work_of_change(change)
    answers = tuple(one for one in entry.answers if one.finding in review.findings)
    notes = tuple(_not_taken(entry, review))
    command = SubmitRevision(
        digest=work.digest,
        base=change.base,
        parts=work.parts,
        note=change.note[:NOTE_CHARS_MAX],
        answers=answers,
    )
    ask = Ask(actor=entry.author, key=new_key(), command=command, stream=f"review/{review.id}", before=before)
    refused = ""
    try:
        await gate.handle(_with_bytes(ask, work, old, change))
    except Refusal as refusal:
        refused = f"{refusal.sentence} {refusal.next_step}"
    after = (await gate.read(review.id, entry.author)).view.review
    if refused and after.digest != work.digest:
        return Entered(review=review.id, held_up=refused, notes=_dropped(entry.answers))
    # Otherwise another run has just submitted these very bytes.
    ruling = after.ruling()
    if after.digest == work.digest:
        return Entered(review=review.id, notes=(*notes, *_on_record(answers)))
    held_up = f"{ruling.text}." if ruling else ENDED.strip()
    return Entered(review=review.id, held_up=held_up, notes=_dropped(entry.answers))


def _with_bytes(ask: Ask, work: Work, old: dict[str, bytes], change: Change) -> Ask:
    aliases = tuple(filter(None, (alias_of(change), *change.aliases)))
    return replace(ask, blobs={**old, **work.blobs}, aliases=aliases)
