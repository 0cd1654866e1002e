"""The answer to a command that was taken: which bytes, which seat, whose turn it is, and the next step.

All of it but the state is made from the caller's own view, so it says nothing of what is hidden from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from foureyes.app.asks import Reply
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.gate import Seen
from foureyes.app.ports import Quick, Reading, Unavailable
from foureyes.core.model import Review
from foureyes.core.options import AUTHOR_SILENT, NOBODY
from foureyes.core.refusals import Refusal
from foureyes.core.unanswered import for_anybody
from foureyes.core.values import Outcome, Part, Standing

REVIEW = "review/"
#: How long the suggested next call waits: the maximum of a call.
WAIT_SECONDS = 45
#: Most findings named; the review itself has them all.
NAMED_MAX = 50
#: Note on findings without a place.
PLACELESS = (
    "Without a `place` a finding is about all of the work: elsewhere it is known again only while more than half of "
    "the lines of this version stand there ({names}). With path and line it follows that text."
)
_OPEN = frozenset((Standing.OPEN, Standing.ANSWERED))
NextStep = tuple[str, str, Mapping[str, object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It was done: which review, how it stands, and what comes next. The same key gives the same review and state."""

    review: str
    state: str
    revision: int = 0
    #: The digest of the bytes under review; `gate` takes it.
    digest: str = ""
    #: The seats that the caller holds there.
    seats: tuple[str, ...] = ()
    #: Unsettled findings: all that an author sees, or a reviewer's own.
    findings: tuple[str, ...] = ()
    #: Whose turn it is: `yours`, `others` or `nobody`. Who the others are is not told: the choice for a seat depends on
    #: how much they have to do elsewhere, and so on reports that the caller does not see.
    turn: str = ""
    next_step: str = ""
    #: The call that makes the next step: its name and its arguments.
    next_call: Mapping[str, object] = field(default_factory=dict)
    #: What was sent without effect, and why.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a success says beside the words of a source document, so that nobody has to ask for it.

    Without slots: answers that are slotted already take it as a second base.
    """

    #: The digest of the bytes under review.
    digest: str = ""
    #: The seat that the caller holds there.
    seat: str = ""
    next_step: str = ""
    #: The call that makes the next step: its name and its arguments.
    next_call: Mapping[str, object] = field(default_factory=dict)


NOTHING_TOLD: Mapping[str, Any] = {"digest": "", "seat": "", "next_step": "", "next_call": {}}


async def told_of(office: Office, caller: Caller, review: str) -> dict[str, Any]:
    """The fields of `Told` for a review in which something of the caller's was taken; none where it hides more."""
    full = await _looked_up(office, caller, Done(review=review, state=""))
    if full is None:
        return {}
    seat = full.seats[0] if full.seats else ""
    return {"digest": full.digest, "seat": seat, "next_step": full.next_step, "next_call": full.next_call}


async def told_done(office: Office, caller: Caller, reply: Reply) -> Done:
    """What is answered to a command that was taken."""
    plain = Done(review=reply.stream.removeprefix(REVIEW), state=reply.state)
    return (await _looked_up(office, caller, plain) if reply.version else None) or plain


async def _looked_up(office: Office, caller: Caller, plain: Done) -> Done | None:
    """The answer with all that the caller may know of the review; None where nothing is looked up for them."""
    if caller.who.is_human:
        return None  # a human may see more by right than may be told without recording it

    def look(reading: Reading) -> Done:
        seen = office.gate.look(reading, plain.review, caller.who)
        done = _in_full(plain, caller, seen)
        step = _vacancy(office, reading, seen.view.review) if done.turn == "others" else ""
        return replace(done, next_step=f"{step} {done.next_step}") if step else done

    try:
        return await office.gate.look_at(plain.review, look)
    except (Refusal, Unavailable):
        return None  # the command is done: a failed lookup is no reason to say otherwise


async def vacancy_told(office: Office, review: Review) -> str:
    """What fills the seats of an open review that too few can hold, as its viewer may know; empty where nobody lacks.

    Who is enrolled tells nothing of what was said.
    """
    return await office.store.read(Quick(lambda reading: _vacancy(office, reading, review)))


def _vacancy(office: Office, reading: Reading, review: Review) -> str:
    if review.outcome is not None or review.ruling() is not None:
        return ""
    return office.unfilled.of(reading, office.gate.policies, office.gate, review)


async def missing(office: Office, caller: Caller, seen: Seen) -> str:
    """Who is missing where the caller waits for others, and what fills the seats; empty where nobody is missing."""
    review = seen.view.review
    if _turn(caller, seen) != "others":
        return ""
    return await vacancy_told(office, review) if review.ruling() is None else _unheld(review)


def _unheld(review: Review) -> str:
    """Why a human is asked in place of reviewers who are not there; empty where one is asked for another reason."""
    ruling = review.ruling()
    if ruling is None or ruling.reason not in NOBODY - {AUTHOR_SILENT}:
        return ""
    return f"{for_anybody(ruling.text)}. A human is asked instead."


def _in_full(plain: Done, caller: Caller, seen: Seen) -> Done:
    review, name = seen.view.review, caller.who.name
    mine = tuple(seat.id for seat in review.seats.values() if seat.reviewer and seat.reviewer.name == name)
    whole = review.author.name == name
    findings = (one for one in review.findings.values() if one.standing in _OPEN and (whole or one.seat in mine))
    open_ones = tuple(findings)
    placeless = [one.id for one in open_ones if one.seat in mine and one.place is None and one.raiser == name]
    step, call, arguments = next_step(caller, seen)
    return Done(
        review=plain.review,
        state=plain.state,
        revision=review.revision,
        digest=review.digest,
        seats=mine,
        findings=tuple(one.id for one in open_ones)[:NAMED_MAX],
        turn=_turn(caller, seen),
        next_step=f"{step} {PLACELESS.format(names=', '.join(placeless[:NAMED_MAX]))}" if placeless else step,
        next_call={"call": call, "arguments": arguments},
    )


def _turn(caller: Caller, seen: Seen) -> str:
    if seen.view.review.outcome is not None:
        return "nobody"
    return "yours" if _is_turn(caller, seen) else "others"


def _is_turn(caller: Caller, seen: Seen) -> bool:
    return any(caller.who.name in turn.who for turn in seen.turns)


def next_step(caller: Caller, seen: Seen) -> NextStep:
    """What the caller does next in this review: in words, as a call, and its arguments."""
    review, name = seen.view.review, caller.who.name
    is_turn = _is_turn(caller, seen) or _owes(review, name)
    if review.author.name == name:
        return _of_author(review, is_turn=is_turn)
    if review.outcome is not None:
        return f"It has ended: {review.outcome}. Wait for what comes next.", "inbox", {"wait": WAIT_SECONDS}
    if about := _to_verify(review, name):
        step = f"It is your turn: read the work, then confirm or refute {', '.join(about)} with `verify_finding`."
        return step, "read_work", {"review": review.id}
    if is_turn:
        return "It is your turn: read the work, then report on it.", "read_work", {"review": review.id}
    waiting = {"review": review.id, "wait": WAIT_SECONDS}
    return "Others go on. Wait here for how it ends, or with `inbox` for other work.", "read_review", waiting


def _owes(review: Review, name: str) -> bool:
    """Whether they hold a seat that has said nothing of this version: a volunteer's, which nobody asked for."""
    mine = [seat.id for seat in review.seats.values() if seat.reviewer and seat.reviewer.name == name]
    return any((seat, review.revision) not in review.reports for seat in mine)


def _to_verify(review: Review, name: str) -> list[str]:
    """The findings that a verifying seat of theirs is asked about."""
    mine = (seat for seat in review.seats.values() if seat.reviewer and seat.reviewer.name == name)
    asked = (review.report_request(seat.id) for seat in mine if seat.part is Part.VERIFY)
    return [finding for one in asked if one is not None for finding in one.about][:NAMED_MAX]


def _of_author(review: Review, *, is_turn: bool) -> NextStep:
    if review.outcome is Outcome.CLEARED:
        return "Cleared. Ask the gate before these bytes go live.", "gate", {"digest": review.digest}
    if review.outcome is not None:
        return f"It has ended: {review.outcome}. Read why.", "read_review", {"review": review.id}
    if is_turn:
        return "It is your turn: read what is asked, then revise or answer.", "read_review", {"review": review.id}
    waiting = {"review": review.id, "wait": WAIT_SECONDS}
    if unheld := _unheld(review):
        return f"{unheld} Wait for the decision.", "read_review", waiting
    return "Wait: it answers when it is your turn or the review has ended. Never poll.", "read_review", waiting
