"""Decides who is told of what, from the event and the review alone.

This is the one place where that is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from foureyes.core import events as e
from foureyes.core.model import ReportRequest, Review, RulingRequest
from foureyes.core.rules import Rules, Style
from foureyes.core.values import Outcome, Step


class Party(StrEnum):
    """The parties that can be told."""

    CREATOR = "creator"
    REVIEWER = "reviewer"
    HUMAN = "human"
    #: The followers of the task that a chain judges.
    THREAD = "thread"


class Word(StrEnum):
    """What a notice is about; a policy may leave out each of the first eight."""

    APPROVED = "review_approved"
    CHANGES = "review_changes_requested"
    REJECTED = "review_rejected"
    REQUESTED = "review_requested"
    REVISED = "creator_revised"
    ESCALATED = "review_escalated"
    TIMEOUT = "review_timeout"
    ELIGIBLE = "pattern_eligible_for_skip"
    #: No policy silences these: something is wrong, and only a human can fix it.
    SKIP_ENDED = "skip_disabled"
    TRUST_DAMAGED = "trust_damaged"
    ESCAPED = "escape_reported"
    LATER_REFUSED = "spooled_refused"
    LIVE_REFUSED = "live_refused"
    SILENT = "session_silent"
    POLICY = "policy_activated"


#: What a policy may leave out.
CHOSEN = frozenset(list(Word)[:8])

On = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What happened: an event of a stream, and the review as it was right after it."""

    type: str
    event: e.Event | None = None
    review: Review | None = None
    rules: Rules | None = None
    #: A policy that was activated meanwhile and applies to open reviews too.
    stricter: Rules | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing that one party is told."""

    party: Party
    word: Word
    #: The members of the party who are told; empty for all.
    names: tuple[str, ...] = ()
    #: The group of people who decide; empty for any human.
    group: str = ""
    #: The decision or report that is asked for, and whether it is about a veto.
    request: str = ""
    veto: bool = False
    #: Whether it was caused by what other reviewers did, so that only those who are named are told.
    apart: bool = False

    @property
    def presses(self) -> bool:
        """True if something is asked for; anything else can wait for the digest of the day."""
        return bool(self.request)


def notices(told: Told, on: On) -> tuple[Notice, ...]:
    """Return the notices of an event that the policy's `on` allows; at most one for each party."""
    found = (one for one in _notices(told) if _is_on(one, on))
    return tuple({one.party: one for one in found}.values())


def is_chain(told: Told, stage: str = "") -> bool:
    """True if a chain of critics judges this stage, or any stage of the review."""
    if told.rules is None or told.review is None:
        return False
    protocols = (told.rules.protocol(name) for name in told.review.protocols)
    stages = (one for protocol in protocols if protocol for one in protocol.stages)
    return any(one.options.style is Style.CHAIN and stage in ("", one.name) for one in stages)


def _is_on(notice: Notice, on: On) -> bool:
    if notice.word not in CHOSEN or notice.party is Party.THREAD:
        return True
    return notice.word in on.get(notice.party, ())


def _notices(told: Told) -> Iterator[Notice]:
    if told.type in _DAMAGES:
        yield Notice(party=Party.HUMAN, word=_DAMAGES[told.type])
    if told.review is not None:
        yield from _of_review(told, told.review)
    match told.event:
        case e.SkipSuggested():
            yield Notice(party=Party.HUMAN, word=Word.ELIGIBLE)
        case e.SkipDisabled():
            yield Notice(party=Party.HUMAN, word=Word.SKIP_ENDED)
        case e.LiveRefused():
            yield Notice(party=Party.HUMAN, word=Word.LIVE_REFUSED)
        case e.SilenceDetected():
            yield Notice(party=Party.HUMAN, word=Word.SILENT)
        case e.PolicyActivated():
            yield Notice(party=Party.HUMAN, word=Word.POLICY)
        case _:
            pass


def _of_review(told: Told, review: Review) -> Iterator[Notice]:
    author = (review.author.name,)
    match told.event:
        case e.ReviewCleared():
            yield Notice(party=Party.CREATOR, word=Word.APPROVED, names=author)
            yield from _thread(told, Word.APPROVED)
        case e.RevisionRequested(stage=stage):
            yield Notice(party=Party.CREATOR, word=Word.CHANGES, names=author)
            yield from _thread(told, Word.CHANGES, stage)
        case e.ReviewClosed(outcome=outcome) if outcome is not Outcome.WITHDRAWN:
            # Shelved and returned too: the author must hear of every review that ended without a clearance.
            yield Notice(party=Party.CREATOR, word=Word.REJECTED, names=author)
            yield from _thread(told, Word.REJECTED)
        case e.ReportRequested() as asked if not asked.queued:
            names = (asked.seat.reviewer.name,) if asked.seat.reviewer else asked.seat.candidates
            word = Word.REQUESTED if asked.revision == 1 else Word.REVISED
            apart = not _is_first(asked, review)
            yield Notice(party=Party.REVIEWER, word=word, names=names, request=asked.request, apart=apart)
        case e.RulingRequested() as asked:
            yield _ruling(Word.ESCALATED, asked.request, asked.group, veto=asked.veto)
            yield from _thread(told, Word.ESCALATED, asked.stage)
        case e.DeadlinePassed() as passed:
            yield from _late(passed, review)
        case e.RulingGiven(by_clock=True):
            # The humans who did not decide are told what followed from it, and may still decide otherwise.
            yield Notice(party=Party.HUMAN, word=Word.TIMEOUT)
        case e.EscapeReported():
            yield Notice(party=Party.HUMAN, word=Word.ESCAPED)
        case _:
            pass


def _is_first(asked: e.ReportRequested, review: Review) -> bool:
    """True if only the new revision caused the request: a later one would tell that others reported, or left."""
    said = any(revision == asked.revision for _, revision in (*review.reports, *review.failures))
    left = {one.id for one in review.seats.values() if one.left}
    requests = (one for one in review.requests.values() if isinstance(one, ReportRequest) and not one.queued)
    others = any(one.id != asked.request and one.seat not in left for one in requests)
    return not said and not others and asked.seat.id not in left


def _late(passed: e.DeadlinePassed, review: Review) -> Iterator[Notice]:
    """Yield the notices of a passed deadline: to the late reviewer, or to humans about what was not done in time."""
    request = review.requests.get(passed.request)
    if passed.step is Step.REMINDED and isinstance(request, ReportRequest):
        holder = review.seats[request.seat].reviewer
        names = (holder.name,) if holder else ()
        yield Notice(party=Party.REVIEWER, word=Word.REQUESTED, names=names, request=request.id, apart=True)
    elif passed.step is Step.RENOTIFIED and isinstance(request, RulingRequest):
        yield _ruling(Word.TIMEOUT, request.id, request.group, veto=request.veto)
    elif passed.step is not Step.REMINDED:
        yield Notice(party=Party.HUMAN, word=Word.TIMEOUT)


def _ruling(word: Word, request: str, group: str, *, veto: bool) -> Notice:
    return Notice(party=Party.HUMAN, word=word, group=group, request=request, veto=veto)


def _thread(told: Told, word: Word, stage: str = "") -> Iterator[Notice]:
    if is_chain(told, stage):
        yield Notice(party=Party.THREAD, word=word)


#: Types of outbox rows that are no event of the log.
_DAMAGES = {"TrustDamaged": Word.TRUST_DAMAGED, "SpooledRefused": Word.LATER_REFUSED}
