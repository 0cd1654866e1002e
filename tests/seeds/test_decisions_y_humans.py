"""Decisions about ends and ways back, extra seats, rulings, silence and caps."""

from dataclasses import replace

import pytest

from foureyes.core.assess import assess
from foureyes.core.commands import (
    AnswerFinding,
    GiveRuling,
    OverrideStage,
    ReopenReview,
    RequestRuling,
    SettleFinding,
    SubmitRevision,
    WaiveFinding,
    WithdrawReview,
)
from foureyes.core.events import (
    FindingRaised,
    ReportRequested,
    ReviewCleared,
    ReviewClosed,
    RevisionRequested,
    RulingGiven,
    RulingRequested,
)
from foureyes.core.protocols import resolve
from foureyes.core.refusals import Code
from foureyes.core.rules import Humans, Rules
from foureyes.core.values import Effect, Outcome, Part, Standing, Verdict, Who
from tests.cast import (
    ANN,
    ARCHITECT,
    AUDITOR,
    BOB,
    CHECKED,
    CODEX,
    CRITICS,
    DEV,
    FULL,
    GAAL,
    GEMINI,
    HANNA,
    HARDIN,
    HUGO,
    SELDON,
    Play,
    finding,
    proven,
    rules_with,
)

FIRST = "resolve.1-F1"


def end(play: Play) -> Outcome | None:
    return play.review.outcome


def reviewed(rules: Rules | None = None, author: Who = DEV) -> Play:
    """The resolve style: Ann found one thing, Bob nothing."""
    play = Play(rules, author=author) if rules else Play(author=author)
    play.open()
    play.report(ANN, findings=(finding("no cause"),))
    play.report(BOB, evidence=CHECKED)
    return play


def disputed(rules: Rules | None = None, author: Who = DEV) -> Play:
    """A reviewed work whose author has asked for a human."""
    play = reviewed(rules, author)
    play.do(author, RequestRuling(reason="I do not agree", argument="it is on page 1"))
    return play


def rule(play: Play, option: str, *demands: str) -> GiveRuling:
    ruling = play.review.ruling()
    assert ruling is not None
    return GiveRuling(request=ruling.id, option=option, reason="I have read it", demands=demands)


def rejected() -> Play:
    """The peer style: the auditor rejects on a named ground."""
    play = Play()
    play.open("create_core")
    play.report(AUDITOR, verdict="reject", grounds=("fundamental_flaw",), confidence=90, summary="wrong idea")
    return play


def test_a_rejection_is_disputed_once() -> None:
    """Y8: the author asks a human; what the human rejects stays rejected, and new bytes do not go around it."""
    play = rejected()
    assert end(play) is Outcome.REJECTED
    assert play.refused(DEV, SubmitRevision(digest="d2")) is Code.REVIEW_ENDED
    assert play.refused(AUDITOR, RequestRuling(reason="look")) is Code.REVIEW_ENDED
    play.do(DEV, RequestRuling(reason="it is not", argument="see the paper"))
    asked = play.last(RulingRequested)
    assert (asked.reason, asked.argument, asked.fallback) == ("creator_disagrees", "see the paper", Effect.REJECT)
    play.do(HUGO, rule(play, "reject"))
    assert end(play) is Outcome.REJECTED
    assert play.refused(DEV, RequestRuling(reason="once more")) is Code.REVIEW_ENDED


def test_shelved_and_returned_work_comes_back_with_new_bytes() -> None:
    """Y8: a new version reopens it; the same bytes, and a withdrawn work, do not."""
    shelved = disputed()
    shelved.do(HUGO, rule(shelved, "shelve"))
    assert shelved.refused(DEV, SubmitRevision(digest="d1")) is Code.SAME_DIGEST
    shelved.revise("d2")
    assert (end(shelved), set(shelved.review.requests) >= {"resolve.1", "resolve.2"}) == (None, True)
    returned = Play()
    returned.open("content_step")
    for number in range(4):
        if number:
            returned.revise(f"d{number + 1}")
        returned.report(CRITICS["magnifico"], verdict="approve", summary="good")
        returned.report(GAAL, verdict="reject", summary=f"source {chr(97 + number)} is missing")
    assert end(returned) is Outcome.RETURNED
    returned.revise("d9")
    assert end(returned) is None
    withdrawn = reviewed()
    withdrawn.do(DEV, WithdrawReview(reason="another way"))
    assert withdrawn.refused(DEV, SubmitRevision(digest="d2")) is Code.REVIEW_ENDED


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_human_reopens_anything_and_it_is_reviewed_again(outcome: Outcome) -> None:
    """Y8: whatever ended it, an override included, reviewers are asked again instead of the same end at once."""
    play = disputed()
    if outcome is Outcome.CLEARED:
        play.do(HUGO, OverrideStage(stage="resolve", revision=1, digest="d1", reason="fine"))
    elif outcome is Outcome.WITHDRAWN:
        play.do(DEV, WithdrawReview(reason="another way"))
    elif outcome is Outcome.RETURNED:
        play.log.append(ReviewClosed(outcome=outcome, reason="back"))
    else:
        play.do(HUGO, rule(play, {Outcome.REJECTED: "reject", Outcome.SHELVED: "shelve"}[outcome]))
    assert end(play) is outcome
    assert play.refused(ANN, ReopenReview(reason="no", undoes=outcome)) is Code.HUMAN_ONLY
    play.do(HANNA, ReopenReview(reason="I want it read again", undoes=outcome))
    assert end(play) is None
    assert {"resolve.1", "resolve.2"} <= set(play.review.requests)


def test_a_skipped_work_that_a_human_reopens_is_reviewed() -> None:
    """Y8, Y6: the skip does not stand against a human who wants it read."""
    play = Play()
    play.know(**proven())
    play.open("fix_typo")
    assert end(play) is Outcome.CLEARED
    play.do(HUGO, ReopenReview(reason="a typo in a password", undoes=Outcome.CLEARED))
    assert (end(play), list(play.review.requests)) == (None, ["peer.1"])


def test_new_bytes_after_a_clearance_need_their_own() -> None:
    """Y8: the clearance names the old digest, the new one waits for reports."""
    play = Play()
    play.open()
    for who in (ANN, BOB):
        play.report(who, evidence=CHECKED)
    assert (end(play), play.review.cleared) == (Outcome.CLEARED, "d1")
    play.revise("d2")
    assert (end(play), play.count(ReviewCleared)) == (None, 1)
    for who in (ANN, BOB):
        play.report(who, evidence=CHECKED)
    assert [one.digest for one in play.log if isinstance(one, ReviewCleared)] == ["d1", "d2"]


def gap() -> Play:
    """A review whose author is far surer than the reviewer: the matrix's escalation role is asked first."""
    play = Play()
    play.open("create_core", confidence=99)
    failed = tuple(replace(one, passed=one.name != "size_appropriate") for one in FULL)
    play.report(AUDITOR, verdict="concerns", confidence=50, checklist=failed, summary="unsure")
    return play


def test_a_tie_break_is_asked_once_per_revision_and_then_a_human() -> None:
    """Y9: its approval stands in for the disputed verdict; anything else leaves it to a human."""
    play = gap()
    tie = play.last(ReportRequested).seat
    assert (tie.part, tie.reviewer) == (Part.TIE_BREAK, ARCHITECT)
    play.report(ARCHITECT, seat="peer.tie", verdict="approve", confidence=95, checklist=FULL)
    assert (end(play), play.last(ReviewCleared).flags) == (Outcome.CLEARED, ("tie-break",))
    lost = gap()
    doubts = {"verdict": Verdict.CONCERNS, "confidence": 90, "checklist": FULL, "findings": (finding("no tests"),)}
    lost.report(ARCHITECT, seat="peer.tie", **doubts)
    assert lost.last(RulingRequested).reason == "ConfidenceGap"
    assert sum(isinstance(one, ReportRequested) and one.seat.id == "peer.tie" for one in lost.log) == 1


def test_counsel_counts_in_no_gate() -> None:
    """Y9: a third opinion stands beside the human's question; its findings and verdict stop and pass nothing."""
    play = Play()
    play.open("create_core", confidence=50)
    play.report(AUDITOR, verdict="concerns", confidence=50, checklist=FULL, summary="unsure")
    assert play.last(ReportRequested).seat.part is Part.COUNSEL
    play.report(BOB, seat="peer.counsel", verdict="concerns", confidence=40, findings=(finding("no tests"),))
    assert play.last(FindingRaised).advisory
    assert play.review.ruling() is not None
    play.do(HUGO, rule(play, "as_reviewed"))
    play.revise("d2", confidence=90)
    assert list(play.review.requests) == ["peer.1"]
    play.report(AUDITOR, verdict="approve", confidence=95, checklist=FULL)
    assert end(play) is Outcome.CLEARED


@pytest.mark.parametrize(
    ("option", "outcome", "standing", "owed"),
    [
        ("as_is", Outcome.CLEARED, Standing.OPEN, set()),
        ("as_reviewed", None, Standing.OPEN, {"revision"}),
        ("compromise", None, Standing.OPEN, {"revision"}),
        ("retry", None, Standing.OPEN, {"revision", "resolve.1", "resolve.2"}),
        ("not_real", Outcome.CLEARED, Standing.WAIVED, set()),
        ("reject", Outcome.REJECTED, Standing.OPEN, set()),
        ("shelve", Outcome.SHELVED, Standing.OPEN, set()),
    ],
)
def test_a_ruling_has_one_of_six_effects(
    option: str, outcome: Outcome | None, standing: Standing, owed: set[str]
) -> None:
    """Y10: pass the step, not real, revise with or without demands, ask again, reject, shelve."""
    play = reviewed()
    for _ in range(3):
        play.do(DEV, AnswerFinding(finding=FIRST, text="it is on page 1"))
        play.do(ANN, SettleFinding(finding=FIRST, revision=1, resolved=False))
    assert play.refused(ANN, rule(play, option)) is Code.HUMAN_ONLY
    play.do(HUGO, rule(play, option))
    assert (end(play), play.review.findings[FIRST].standing) == (outcome, standing)
    assert set(play.review.requests) == owed


def test_demands_become_findings_that_the_seat_confirms() -> None:
    """Y10: revise with demands."""
    play = disputed()
    play.do(HUGO, rule(play, "compromise", "cut chapter 2", "name the smith"))
    demands = [one for one in play.review.findings.values() if one.demand]
    assert [(one.text, one.seat) for one in demands] == [
        ("cut chapter 2", "resolve.1"),
        ("name the smith", "resolve.1"),
    ]
    assert play.last(RevisionRequested).findings == ("resolve.1-F2", "resolve.1-F3")
    assert play.last(RevisionRequested).ordered_by == "hugo"


def test_demands_reach_the_author_where_no_seat_could_confirm_them() -> None:
    """Y10: nobody can hold the seat; what the human asks for is said in the request itself."""
    play = Play()
    play.know(pool=())
    play.open("create_core")
    play.do(HUGO, rule(play, "compromise", "add tests"))
    assert play.last(RevisionRequested).reasons == ("I have read it; add tests",)


def several(needs: int = 2, *members: str) -> Rules:
    """Rules under which two of a group must agree before anything opens."""
    plain = resolve()
    stages = tuple(
        replace(one, options=replace(one.options, ruling_needs=needs, ruling_group="editors")) for one in plain.stages
    )
    groups = (Humans(name="editors", members=frozenset(members)),)
    return rules_with(replace(plain, stages=stages), groups=groups)


def test_opening_needs_all_of_them_and_closing_one() -> None:
    """Y10: one of two opens nothing, not even twice or by an override; one alone closes."""
    play = disputed(several(2, "hugo", "hanna"))
    play.do(HUGO, rule(play, "as_is"))
    assert (play.last(RulingGiven).final, end(play)) == (False, None)
    assert play.refused(HUGO, rule(play, "as_is")) is Code.DUPLICATE
    override = OverrideStage(stage="resolve", revision=1, digest="d1", reason="fine")
    assert play.refused(HUGO, override) is Code.RULING_NEEDED
    assert play.refused(HUGO, WaiveFinding(finding=FIRST, reason="fine")) is Code.RULING_NEEDED
    stranger = replace(HUGO, name="ida")
    assert play.refused(stranger, rule(play, "as_is")) is Code.NOT_IN_GROUP
    play.do(HANNA, rule(play, "as_is"))
    assert end(play) is Outcome.CLEARED
    closed = disputed(several(2, "hugo", "hanna"))
    closed.do(HUGO, rule(closed, "shelve"))
    assert end(closed) is Outcome.SHELVED


def test_an_empty_group_opens_nothing_and_the_author_never_counts() -> None:
    """Y10: nobody is in it, so nobody passes it; a human author decides nothing about the own work."""
    empty = disputed(several(1))
    assert empty.refused(HUGO, rule(empty, "as_is")) is Code.EMPTY_GROUP
    empty.do(HUGO, rule(empty, "reject"))
    own = disputed(several(1, "hugo", "hanna"), author=HUGO)
    assert own.refused(HUGO, rule(own, "as_is")) is Code.AUTHOR_MAY_NOT
    assert own.refused(HUGO, rule(own, "reject")) is Code.AUTHOR_MAY_NOT
    own.do(HANNA, rule(own, "as_is"))
    assert end(own) is Outcome.CLEARED


def test_an_override_or_a_waiver_answers_the_request() -> None:
    """Y10: the human who acts directly need not rule as well."""
    play = disputed()
    play.do(HUGO, OverrideStage(stage="resolve", revision=1, digest="d1", reason="fine"))
    assert (end(play), play.review.ruling()) == (Outcome.CLEARED, None)
    worn = reviewed()
    for _ in range(3):
        worn.do(DEV, AnswerFinding(finding=FIRST, text="it is on page 1"))
        worn.do(ANN, SettleFinding(finding=FIRST, revision=1, resolved=False))
    assert worn.review.ruling() is not None
    worn.do(HUGO, WaiveFinding(finding=FIRST, reason="it is on page 1"))
    assert (end(worn), worn.review.ruling()) == (Outcome.CLEARED, None)


def test_a_humans_silence_sends_back_and_silence_again_shelves() -> None:
    """Y11: revise by the clock, then the author is silent too; at no point anything opens."""
    play = disputed()
    play.wait_out("ruling-1")
    given, sent = play.last(RulingGiven), play.last(RevisionRequested)
    assert (given.effect, given.by_clock, sent.by_clock) == (Effect.REVISE, True, True)
    play.wait_out("revision")
    assert end(play) is Outcome.SHELVED
    assert play.count(ReviewCleared) == 0


def test_a_disputed_rejection_nobody_decides_stays_rejected() -> None:
    """Y11: the conservative default favours the reviewer."""
    play = rejected()
    play.do(DEV, RequestRuling(reason="it is not"))
    play.wait_out("ruling-1")
    assert end(play) is Outcome.REJECTED


def test_a_veto_is_only_reminded_of() -> None:
    """Y11: no fallback at all, however long the silence."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve", summary="well formed")
    play.report(HARDIN, verdict="reject", summary="a key is in it")
    play.wait_out("revision")
    asked = play.last(RulingRequested)
    assert asked.fallback is None
    for _ in range(3):
        play.wait_out(asked.request)
    assert (end(play), list(play.review.requests)) == (None, [asked.request])


def test_ten_new_versions_of_a_story_and_then_the_shelf() -> None:
    """Y12: new bytes count; the eleventh resubmission is refused and shelves; after reopening they count from zero."""
    play = reviewed()
    for number in range(2, 12):
        play.revise(f"d{number}")
    assert (end(play), play.review.resubmissions) == (None, 10)
    play.revise("d12")
    assert (end(play), play.review.revision) == (Outcome.SHELVED, 11)
    play.revise("d12")
    assert (end(play), play.review.resubmissions) == (None, 1)


def worry(play: Play, word: str) -> None:
    for who in (CODEX, GEMINI):
        play.report(who, verdict="concerns", summary=f"{word}, says {who.name}")


def test_ten_new_versions_in_a_session_and_then_a_human() -> None:
    """Y12: the eleventh is a human's matter."""
    play = Play()
    play.open("milestone")
    for number in range(2, 12):
        play.revise(f"d{number}")
    assert (play.count(RulingRequested), play.review.resubmissions) == (0, 10)
    play.revise("d12")
    assert (end(play), play.last(RulingRequested).reason) == (None, "attempts_used_up")


def test_a_clarification_does_not_count_and_a_second_one_escalates() -> None:
    """Y12: same bytes with a word, only where one was asked for."""
    play = Play()
    play.open("milestone")
    assert play.refused(DEV, SubmitRevision(digest="d1", note="to be clear")) is Code.SAME_DIGEST
    worry(play, "unclear")
    assert play.last(RevisionRequested).clarify
    play.revise("d1", note="the rollback is in step 4")
    assert (play.review.revision, play.review.resubmissions) == (2, 0)
    worry(play, "still odd")
    assert play.last(RulingRequested).reason == "still_unclear"


def test_the_fourth_report_of_a_seat_on_one_version_is_refused() -> None:
    """Y12: three per seat and version; on the next version they count from nothing."""
    play = Play(rules_with(resolve(min_reviewers=3)))
    play.open()
    for word in ("first", "second", "third"):
        play.report(ANN, evidence=CHECKED, summary=f"{word} look")
    assert play.refused(ANN, play.a_report(evidence=CHECKED, summary="one more look")) is Code.LIMIT_REACHED
    play.revise("d2")
    play.report(ANN, evidence=CHECKED, summary="a new look")
    assert assess(play.rules, play.review).speaking is not None


def test_a_lesser_finding_reopened_three_times_goes_to_a_human() -> None:
    """Y12: the second time it does not."""
    play = reviewed()
    for times in (0, 0, 1):
        play.do(DEV, AnswerFinding(finding=FIRST, text="it is on page 1"))
        play.do(ANN, SettleFinding(finding=FIRST, revision=1, resolved=False))
        assert play.count(RulingRequested) == times
    assert (end(play), play.last(RulingRequested).reason) == (None, "Resolved")
