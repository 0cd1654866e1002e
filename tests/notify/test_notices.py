"""One module decides who is notified of what, from the events alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foureyes.core import events as e
from foureyes.core.events import Event
from foureyes.core.model import Review
from foureyes.core.values import CLOCK, ClearedBy, Effect, Outcome, SeatSpec, Severity, Step, Who
from foureyes.notify.notices import CHOSEN, Notice, Party, Told, Word, notices
from foureyes.notify.texts import text_of, title_of
from foureyes.policy.load import shipped
from tests.app.house import House, played
from tests.cast import DEV, START

ON = dict(shipped("peer").notify.events)
SEAT = SeatSpec(id="s", stage="solo", reviewer=Who(name="auditor"), candidates=("tester",))
OPEN_SEAT = replace(SEAT, reviewer=None)


def asked(revision: int, seat: SeatSpec = SEAT, *, queued: bool = False) -> e.ReportRequested:
    return e.ReportRequested(request="s", seat=seat, revision=revision, due=START, limit=START, queued=queued)


def ruling(group: str = "", *, veto: bool = False) -> e.RulingRequested:
    return e.RulingRequested(
        request="q", stage="solo", revision=1, reason="r", text="Why?", due=START, options=(), group=group, veto=veto
    )


CLEARED = e.ReviewCleared(digest="d", revision=1, by=ClearedBy.GATES, level=1)
REVISE = e.RevisionRequested(request="v", stage="solo", revision=1, due=START, reasons=("Too long.",))
FELL_BACK = e.RulingGiven(
    request="q", by=CLOCK, option="revise", effect=Effect.REVISE, reason="No decision in time", by_clock=True
)
#: The event of a review, and its recipients with their notice, by name.
TABLE: list[tuple[Event, list[tuple[str, str, tuple[str, ...]]]]] = [
    (CLEARED, [("creator", "review_approved", (DEV.name,))]),
    (REVISE, [("creator", "review_changes_requested", (DEV.name,))]),
    (e.ReviewClosed(outcome=Outcome.REJECTED, reason="No."), [("creator", "review_rejected", (DEV.name,))]),
    (e.ReviewClosed(outcome=Outcome.RETURNED, reason="No."), [("creator", "review_rejected", (DEV.name,))]),
    (e.ReviewClosed(outcome=Outcome.SHELVED, reason="No."), [("creator", "review_rejected", (DEV.name,))]),
    (e.ReviewClosed(outcome=Outcome.WITHDRAWN, reason="No."), []),
    (asked(1), [("reviewer", "review_requested", ("auditor",))]),
    (asked(1, OPEN_SEAT), [("reviewer", "review_requested", ("tester",))]),
    (asked(2), [("reviewer", "creator_revised", ("auditor",))]),
    (asked(1, queued=True), []),
    (ruling(), [("human", "review_escalated", ())]),
    (e.DeadlinePassed(request="s", step=Step.OVERDUE), [("human", "review_timeout", ())]),
    (e.DeadlinePassed(request="s", step=Step.REASSIGNED), [("human", "review_timeout", ())]),
    (FELL_BACK, [("human", "review_timeout", ())]),
    (replace(FELL_BACK, by_clock=False), []),
    (e.EscapeReported(text="x", severity=Severity.MINOR, found_in="d", by="ann"), [("human", "escape_reported", ())]),
    (e.NoteAdded(by="ann", text="x"), []),
]
BESIDE: list[tuple[Event, str]] = [
    (
        e.SkipSuggested(kind="k", author="dev", successes=12, confidence_percent=95, minutes_saved=9),
        "pattern_eligible_for_skip",
    ),
    (e.SkipDisabled(kind="k", author="dev", by="trust", reason="0.67"), "skip_disabled"),
    (e.LiveRefused(target="main", digest="d", actor="dev", reason="no"), "live_refused"),
    (e.SilenceDetected(session="s", since=START), "session_silent"),
    (e.PolicyActivated(digest="d", name="p", replaces="", by="sue", applies_in_flight=False), "policy_activated"),
]


async def a_review() -> Review:
    house = House()
    return await house.review(await house.open())


@pytest.mark.parametrize(("event", "wanted"), TABLE)
def test_everybody_hears_what_the_policy_names_and_nothing_else(
    event: Event, wanted: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    """001-27: authors of outcomes, reviewers of requests and revisions, humans of escalations and lateness."""

    @played
    async def story() -> None:
        told = Told(type=type(event).__name__, event=event, review=await a_review())
        found = notices(told, ON)
        assert [(one.party, one.word, one.names) for one in found] == wanted
        silenced = notices(told, {})
        assert [one.word for one in silenced] == [one.word for one in found if one.word not in CHOSEN]
        for one in found:
            assert text_of(told, one).startswith(title_of(told, one))

    story()


@pytest.mark.parametrize(("event", "word"), BESIDE)
def test_humans_hear_what_happened_beside_the_reviews(event: Event, word: str) -> None:
    """001-27, 001-60: that a pattern may be skipped, and what only a human can see to."""
    told = Told(type=type(event).__name__, event=event)
    assert [(one.party, one.word) for one in notices(told, ON)] == [(Party.HUMAN, word)]
    (notice,) = notices(told, ON)
    assert text_of(told, notice) == title_of(told, notice) != ""
    assert bool(notices(told, {})) == (word not in CHOSEN)


@pytest.mark.parametrize(
    ("kind", "word"), [("TrustDamaged", Word.TRUST_DAMAGED), ("SpooledRefused", Word.LATER_REFUSED)]
)
def test_what_is_no_event_but_wrong_is_told_whatever_the_policy_says(kind: str, word: Word) -> None:
    (notice,) = notices(Told(type=kind), {})
    assert (notice.party, notice.word) == (Party.HUMAN, word)
    assert text_of(Told(type=kind), notice)


@played
async def test_humans_hear_what_the_clock_decided_in_their_place() -> None:
    """001-63: after 48 hours the conservative default applies; they are told, and may decide otherwise."""
    told = Told(type="RulingGiven", event=FELL_BACK, review=await a_review())
    (notice,) = notices(told, ON)
    assert text_of(told, notice).endswith("\nNo decision in time")


@played
async def test_a_question_says_whose_it_is_and_whether_a_veto_stands() -> None:
    told = Told(type="RulingRequested", event=ruling("leads", veto=True), review=await a_review())
    assert notices(told, ON) == (Notice(party=Party.HUMAN, word=Word.ESCALATED, group="leads", request="q", veto=True),)
    assert notices(told, ON)[0].presses


def test_the_eight_words_of_a_policy_are_those_that_it_may_leave_out() -> None:
    """001-27: the words of the shipped policy are exactly those that are decided by it."""
    assert {word for words in ON.values() for word in words} == set(CHOSEN)
