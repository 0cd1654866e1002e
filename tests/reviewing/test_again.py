"""A second run on the same bytes gives the first one's result, and two concurrent runs are one."""

from dataclasses import replace

import pytest

from foureyes.app.reviewers import Checked, Inconclusive, Look, Task, Unread
from foureyes.app.reviewing.outcome import LookedState, Outcome
from foureyes.app.rows import TOLD
from foureyes.core.events import FindingVerified, ReportFailed, SeatLeft
from foureyes.core.values import Cost, Failure
from tests.app.house import played
from tests.policy.reading import loaded
from tests.reviewing.desk import NOW, Desk, agent, change, finds, issue, marks, reviewed, rounds, solo
from tests.reviewing.logs import happened

CLEAN, BAD = "x = 1\n", "x = bad\n"
VERIFIED = (
    "version: 1\nkinds: {default: solo}\nreviewers: {agent: {command: codex}, judge: {command: gemini}}\n"
    "solo: {programs: [format], verifier: judge}\n"
)


def dear(_: Task) -> Look:
    return Look(findings=(issue("a gap"),), cost=Cost(usd_micro=300_000, tokens=7), unread=UNREAD)


UNREAD = (Unread(path="a.py", why="too large"),)


def heard(outcome: Outcome) -> dict[str, object]:
    """The whole output about a version, without the duration of this call."""
    kept = {name: getattr(outcome, name) for name in outcome.__slots__ if name != "seconds"}
    return kept | {"looked": sorted(outcome.looked, key=lambda one: one.reviewer)}


def noisy() -> Desk:
    """Reviewers with a cost, with partial coverage and with a crash, and a retired rule."""

    def many(_: Task) -> Look:
        return Look(findings=(issue("bad", rule="r"),), older=3, more=60, looked_at="2 lines", summary="60 more")

    def crashes(_: Task) -> Look:
        raise Inconclusive(Failure.OUT_OF_BUDGET, "over its limit until 14:00", until=NOW, cost=Cost(tokens=9))

    people = (agent("codex", dear), agent("gemini", crashes, family="gemini"))
    return replace(solo(*people, security=many), notes=("Retired here, so nobody looks for it: r.x.",))


@played
async def test_the_same_bytes_again_are_told_as_the_first_time() -> None:
    """D-09, D-15, D-20: what it cost, what nobody read, what is not listed, and what was out of use."""
    desk = noisy()
    first = await reviewed(desk, change(BAD))
    assert (first.usd_micro, first.tokens, first.older, first.unread) == (300_000, 16, 3, UNREAD)
    assert first.notes == (
        "Retired here, so nobody looks for it: r.x.",
        "60 more of the same are not listed: mend those that are, and look again.",
    )
    desk.reviewers = {role: who for role, who in desk.reviewers.items() if role != "agent"}
    again = await reviewed(replace(desk, notes=()), change(BAD))
    assert heard(again) == heard(first)
    stands = await rounds(desk).stands()
    assert heard(stands) == heard(first)


@played
async def test_who_failed_is_told_the_second_time_though_nobody_is_asked_any_more() -> None:
    """D-03."""
    desk = noisy()
    first = await reviewed(desk, change(BAD))
    failed = next(one for one in first.looked if one.reviewer == "gemini")
    assert (failed.state, failed.reason, failed.until) == (LookedState.INCONCLUSIVE, "over its limit until 14:00", NOW)
    stands = await rounds(desk).stands()
    assert failed in stands.looked


@played
async def test_a_rule_that_is_retired_after_the_look_was_looked_for() -> None:
    """What is told is how it was looked at, not how it would be now."""
    desk = solo(security=marks("bad"))
    await reviewed(desk, change(BAD))
    later = await reviewed(replace(desk, notes=("Retired here: r.",)), change(BAD))
    assert later.notes == ()


@played
async def test_without_what_was_told_the_log_still_says_what_counts() -> None:
    """The record of what counts is the log; only what nobody weighs is lost with its row."""
    desk = noisy()
    first = await reviewed(desk, change(BAD))
    await desk.kept.write(lambda tx: tx.clear(TOLD))
    stands = await rounds(desk).stands()
    assert (stands.usd_micro, stands.tokens, stands.found) == (first.usd_micro, first.tokens, first.found)
    known = {(one.reviewer, one.state, one.reason) for one in stands.looked}
    assert ("gemini", LookedState.INCONCLUSIVE, "over its limit until 14:00") in known
    assert {one.reviewer for one in stands.looked} == {one.reviewer for one in first.looked}


@played
async def test_what_was_told_and_cannot_be_read_is_said() -> None:
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BAD))
    await desk.kept.write(lambda tx: tx.follow(TOLD, {f"{first.review}/000001": "{}"}, (0, 0)))
    assert "cannot be read" in (await rounds(desk).stands()).notes[0]


@played
async def test_a_second_look_that_failed_verified_nothing_and_says_why() -> None:
    """D-03, D-11: silence is not "found nothing"."""
    desk = solo(agent("codex", finds(issue("a gap"))))
    desk.policy = loaded(VERIFIED).policy

    def fails(_: Task) -> Look:
        raise Inconclusive(Failure.TIMED_OUT, "it took too long")

    desk.reviewers["judge"] = (agent("gemini", fails, family="gemini"),)
    outcome = await reviewed(desk, change(BAD))
    judge = next(one for one in outcome.looked if one.reviewer == "gemini")
    assert (judge.state, judge.reason) == (LookedState.INCONCLUSIVE, "not verified, because it took too long")
    (gap,) = outcome.blocking
    assert gap.verified_because == "The second look has no answer: it took too long"
    (event,) = await happened(desk, outcome.review, FindingVerified)
    assert event.evidence == gap.verified_because


@played
async def test_a_second_look_says_what_it_verified() -> None:
    """D-11."""
    desk = solo(agent("codex", finds(issue("a gap"))))
    desk.policy = loaded(VERIFIED).policy
    checked = Checked(index=0, result="confirmed", evidence="tried it by hand")
    desk.reviewers["judge"] = (agent("gemini", lambda _: Look(checked=(checked,)), family="gemini"),)
    outcome = await reviewed(desk, change(BAD))
    judge = next(one for one in outcome.looked if one.reviewer == "gemini")
    assert (judge.state, judge.summary) == (LookedState.VERIFIED, "a second look: 1 confirmed")


@pytest.mark.parametrize(
    ("error", "failure", "left"),
    [
        (Inconclusive(Failure.CRASHED, "it crashed"), "crashed", "crashed"),
        (Inconclusive(Failure.MALFORMED, "no JSON"), "malformed", "crashed"),
        (Inconclusive(Failure.TIMED_OUT, "too slow"), "timed_out", "timed_out"),
        (Inconclusive(Failure.REFUSED, "I will not read this"), "refused", "declined"),
        (Inconclusive(Failure.OUT_OF_BUDGET, "over its limit until 14:00"), "out_of_budget", "overloaded"),
        (ZeroDivisionError("x"), "crashed", "crashed"),
    ],
)
@pytest.mark.parametrize("volunteers", [False, True])
@played
async def test_the_reason_that_is_stored_is_the_true_one(
    error: Exception, failure: str, left: str, volunteers: bool
) -> None:
    """D-03: for whoever holds the seat, and for whoever looks beside it."""

    def fails(_: Task) -> Look:
        raise error

    first = agent("claude", finds(issue("a gap")), family="claude") if volunteers else agent("codex", fails)
    desk = solo(first, agent("codex", fails)) if volunteers else solo(first)
    outcome = await reviewed(desk, change(CLEAN))
    told = next(one for one in outcome.looked if one.reviewer == "codex")
    (failed,) = await happened(desk, outcome.review, ReportFailed)
    (gone,) = await happened(desk, outcome.review, SeatLeft)
    assert (failed.reviewer, failed.reason.value, failed.text) == ("codex", failure, told.reason)
    assert (gone.reviewer, gone.reason.value) == ("codex", left)
    assert outcome.state == "open"


@played
async def test_what_a_volunteer_spent_in_vain_counts() -> None:
    """D-09: it looked beside those who were asked, and its money is gone all the same."""

    def fails(_: Task) -> Look:
        raise Inconclusive(Failure.CRASHED, "it crashed", cost=Cost(usd_micro=400_000))

    desk = solo(agent("claude", finds(issue("a gap"))), agent("codex", fails, family="gpt-2"))
    await reviewed(desk, change(BAD))
    second = await reviewed(desk, change("x = worse\n"))
    spent = [one.bounds.usd_micro for who in desk.reviewers["agent"] for one in who.tasks[1:]]  # type: ignore[attr-defined]
    assert second.revision == 2
    assert sum(spent) <= 600_000
