"""Decisions where seed 000 is silent or contradicts itself."""

import pytest

from foureyes.core.assess import assess
from foureyes.core.commands import (
    Answer,
    AnswerFinding,
    GiveRuling,
    KeepReport,
    ReopenReview,
    SettleFinding,
    TakeSeat,
    WaiveFinding,
)
from foureyes.core.events import (
    FindingResolved,
    FindingWaived,
    ReportKept,
    ReportRequested,
    ReviewCleared,
    RulingRequested,
    SeatLeft,
)
from foureyes.core.protocols import panel, resolve
from foureyes.core.refusals import Code
from foureyes.core.rules import Blind
from foureyes.core.values import Evidence, Outcome, Standing, Who
from foureyes.core.views import view
from tests.cast import (
    ANN,
    BOB,
    CHECKED,
    DEV,
    EVE,
    HAIKU,
    HUGO,
    SONNET,
    Play,
    agent,
    finding,
    holds,
    rules_with,
)

FIRST = "resolve.1-F1"


def said(play: Play) -> str:
    speaking = assess(play.rules, play.review).speaking
    assert speaking is not None
    return speaking.judgement.reason


def end(play: Play) -> Outcome | None:
    return play.review.outcome


def reviewed(severity: str = "important", play: Play | None = None) -> Play:
    """A review in which Ann found one thing and Bob nothing."""
    play = play or Play()
    play.open()
    play.report(ANN, findings=(finding("no cause", severity),))
    play.report(BOB, evidence=CHECKED)
    return play


def answer(play: Play, *, rebuttal: bool = False) -> None:
    play.do(DEV, AnswerFinding(finding=FIRST, text="rewrote the scene", rebuttal=rebuttal))


def settling(play: Play, *, resolved: bool, note: str = "read it again") -> SettleFinding:
    return SettleFinding(finding=FIRST, revision=play.review.revision, resolved=resolved, note=note)


def argued(severity: str, times: int) -> Play:
    """A play in which author and raiser argue about one finding so many times."""
    play = reviewed(severity)
    for _ in range(times):
        answer(play)
        play.do(ANN, settling(play, resolved=False))
    return play


def test_a_disputed_finding_blocks_until_its_holder_or_a_human_clears_it() -> None:
    """A1: a rebuttal does not unblock, nor does a dispute before a human; a resolution or a waiver does."""
    play = reviewed()
    answer(play, rebuttal=True)
    assert said(play) == "1 feedback items unresolved"
    disputed = argued("important", 3)
    assert disputed.last(RulingRequested).findings == (FIRST,)
    assert assess(disputed.rules, disputed.review).speaking is not None
    assert end(disputed) is None
    disputed.do(HUGO, WaiveFinding(finding=FIRST, reason="it is on page 1"))
    assert disputed.review.findings[FIRST].standing is Standing.WAIVED
    assert end(disputed) is Outcome.CLEARED
    play.do(ANN, settling(play, resolved=True))
    assert end(play) is Outcome.CLEARED


def test_one_reviewer_twice_is_one_reviewer() -> None:
    """A2: a second report, a second seat and another spelling of the name add nobody."""
    play = Play()
    play.open()
    play.report(ANN, evidence=CHECKED)
    play.report(ANN, evidence=CHECKED, summary="I read it once more")
    assert said(play) == "Need 2 reviewers, have 1"
    assert play.refused(ANN, TakeSeat(seat="resolve.2")) is Code.NOT_ELIGIBLE
    shouting = agent(" ANN\u200b", operator="cray", family="gemini", session="s-other")
    assert play.refused(shouting, play.a_report(evidence=CHECKED)) is Code.NO_FREE_SEAT
    assert said(play) == "Need 2 reviewers, have 1"


@pytest.mark.parametrize(
    ("somebody", "code"),
    [
        (DEV, Code.AUTHOR_MAY_NOT),
        (agent("dev-2", session="s-dev"), Code.NO_FREE_SEAT),
        (agent("Dev "), Code.NO_FREE_SEAT),
    ],
)
def test_the_author_counts_under_no_name(somebody: Who, code: Code) -> None:
    """A2: neither the author, nor a second agent of their session, nor another spelling may report."""
    play = Play()
    play.open()
    assert play.refused(somebody, play.a_report(evidence=CHECKED)) is code
    assert said(play) == "Need 2 reviewers, have 0"


def test_the_duty_to_confirm_moves_to_a_backup_when_the_raiser_is_gone() -> None:
    """A3, Y17: reminded, replaced; the successor confirms and reports for the seat again; nothing resolves itself."""
    play = reviewed()
    answer(play)
    assert play.review.requests["resolve.1"].due > play.now
    play.wait_out("resolve.1")
    assert play.review.seats["resolve.1"].reviewer == ANN
    play.wait_out("resolve.1")
    assert play.last(SeatLeft).reviewer == "ann"
    asked = play.last(ReportRequested)
    assert (asked.request, asked.about, asked.seat.reviewer) == ("resolve.1", (FIRST,), None)
    assert play.refused(ANN, settling(play, resolved=True)) is Code.NOT_THE_HOLDER
    play.do(EVE, TakeSeat(seat="resolve.1"))
    assert play.review.findings[FIRST].standing is Standing.ANSWERED
    play.do(EVE, settling(play, resolved=True))
    assert play.last(FindingResolved).by == "eve"
    assert end(play) is None
    play.report(EVE, evidence=CHECKED)
    assert end(play) is Outcome.CLEARED


def test_the_duty_to_confirm_ends_with_a_human_when_nobody_comes() -> None:
    """A3: raiser gone and no backup in time; a human is asked, and silence resolves nothing."""
    play = reviewed()
    answer(play)
    for _ in range(3):
        play.wait_out("resolve.1")
    asked = play.last(RulingRequested)
    assert asked.reason in {"nobody_free", "too_long"}
    play.wait_out(asked.request)
    play.wait_out("revision")
    assert play.review.findings[FIRST].standing is Standing.ANSWERED
    assert (play.count(FindingResolved), play.count(FindingWaived), play.count(ReviewCleared)) == (0, 0, 0)


def test_a_volunteer_who_is_gone_does_not_keep_the_duty_for_ever() -> None:
    """A3: an additional reviewer's finding moves on like any other."""
    play = Play()
    play.open()
    for who, seat in ((ANN, "resolve.1"), (BOB, "resolve.2")):
        play.do(who, TakeSeat(seat=seat))
    play.do(EVE, TakeSeat(stage="resolve"))
    play.report(EVE, findings=(finding("no cause"),))
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, evidence=CHECKED)
    [seat] = [one.id for one in play.review.seats.values() if not one.required]
    play.do(DEV, AnswerFinding(finding=f"{seat}-F1", text="rewritten"))
    play.wait_out(seat)
    play.wait_out(seat)
    assert play.last(SeatLeft).reviewer == "eve"
    play.wait_out(seat)
    assert play.last(RulingRequested).reason in {"nobody_free", "too_long"}


def test_a_successor_does_not_vouch_with_somebody_elses_report() -> None:
    """A2, A3: who takes over a seat settles its findings, and reports on the new version under the own name."""
    play = reviewed()
    play.revise("d2", answers=(Answer(finding=FIRST, text="rewritten"),))
    play.do(BOB, KeepReport(seat="resolve.2", revision=2))
    play.wait_out("resolve.1")
    play.wait_out("resolve.1")
    play.do(EVE, TakeSeat(seat="resolve.1"))
    assert play.refused(EVE, KeepReport(seat="resolve.1", revision=2)) is Code.NOTHING_TO_KEEP
    play.do(EVE, settling(play, resolved=True))
    assert play.count(ReportKept) == 1
    assert said(play) == "Need 2 reviewers, have 1"
    play.report(EVE, evidence=CHECKED)
    assert end(play) is Outcome.CLEARED


@pytest.mark.parametrize(
    ("what", "why", "taken"),
    [
        ("", "", False),
        ("every sentence of it", "1234567", False),
        (" " * 20, " " * 20, False),
        ("." * 40, "." * 40, False),
        ("all of it", "aaaa bbbb cccc", False),
        ("all of it", "read read read", False),
        ("every sentence of it", "it follows", False),
        ("a.md", "read all of it", True),
        ("hello.py", "read all of it", True),
        ("全部", "每一行都检查过", True),
    ],
)
def test_evidence_says_in_words_what_was_checked(what: str, why: str, taken: bool) -> None:
    """A4, U-04: what was checked and why it holds, in at least three different words; one such pair suffices."""
    play = Play()
    play.open()
    pairs = (Evidence(what="x", why="y"), Evidence(what=what, why=why))
    if taken:
        play.report(ANN, evidence=pairs)
        assert said(play) == "Need 2 reviewers, have 1"
    else:
        assert play.refused(ANN, play.a_report(evidence=pairs)) is Code.EVIDENCE_MISSING


def test_shelving_counts_per_critical_finding() -> None:
    """A5: two findings refused twice each shelve nothing; the third refusal of one does."""
    play = Play()
    play.open()
    play.report(ANN, findings=(finding("no cause", "critical"), finding("no time", "critical")))
    play.report(BOB, evidence=CHECKED)
    for name in (FIRST, "resolve.1-F2") * 2:
        play.do(DEV, AnswerFinding(finding=name, text="rewritten"))
        play.do(ANN, SettleFinding(finding=name, revision=1, resolved=False))
    assert end(play) is None
    answer(play)
    play.do(ANN, settling(play, resolved=False))
    assert end(play) is Outcome.SHELVED


def test_the_author_comes_back_from_the_shelf_with_a_new_version() -> None:
    """A5, Y8: the new version is looked at, and the argument counts from nothing; a free answer alone is refused."""
    play = argued("critical", 3)
    assert end(play) is Outcome.SHELVED
    assert play.refused(DEV, AnswerFinding(finding=FIRST, text="again")) is Code.REVIEW_ENDED
    play.revise("d2", answers=(Answer(finding=FIRST, text="a new chapter"),))
    assert end(play) is None
    play.do(ANN, settling(play, resolved=False))
    assert end(play) is None
    answer(play)
    play.do(ANN, settling(play, resolved=True))
    play.do(BOB, KeepReport(seat="resolve.2", revision=2))
    assert end(play) is Outcome.CLEARED


def test_a_human_sets_a_shelved_work_going_again() -> None:
    """A5, Y8: reopening it does not shelve it again at once; author and reviewers are asked."""
    play = argued("critical", 3)
    play.do(HUGO, ReopenReview(reason="the third answer was good", undoes=Outcome.SHELVED))
    assert end(play) is None
    assert set(play.review.requests) == {"revision", "resolve.1", "resolve.2"}


def test_after_a_human_sent_it_back_the_new_version_is_looked_at_first() -> None:
    """A1, Y10: a worn-out finding asks for a human once per refusal, not again before anybody read the answer."""
    play = argued("important", 3)
    play.do(HUGO, GiveRuling(request="ruling-1", option="as_reviewed", reason="the reviewer is right"))
    play.revise("d2", answers=(Answer(finding=FIRST, text="as ordered"),))
    assert play.count(RulingRequested) == 1
    play.do(ANN, settling(play, resolved=False))
    assert play.count(RulingRequested) == 2


def test_answers_and_counts_are_hidden_too_until_the_own_report() -> None:
    """A6: what is computed from the view, the gate's sentences included, does not change with what others do."""
    play = Play()
    play.open()
    play.do(BOB, TakeSeat(seat="resolve.2"))

    def bobs_sentence() -> str:
        shown = view(play.rules, play.review, BOB).review
        speaking = assess(play.rules, shown).speaking
        return speaking.judgement.reason if speaking else ""

    before = bobs_sentence()
    play.report(ANN, findings=(finding("no cause"),))
    answer(play)
    play.do(EVE, TakeSeat(stage="resolve"))
    assert bobs_sentence() == before == "Need 2 reviewers, have 0"
    assert view(play.rules, play.review, DEV).review.findings[FIRST].answer
    assert view(play.rules, play.review, HUGO).review.findings[FIRST].answer


@pytest.mark.parametrize(("blind", "sees"), [(Blind.FIRST, True), (Blind.EACH_ROUND, False), (Blind.OFF, True)])
def test_the_first_report_unlocks_for_good_unless_each_round_is_blind(blind: Blind, sees: bool) -> None:
    """A7: after a revision a reviewer still sees others' findings, except where policy blinds each round."""
    play = reviewed(play=Play(rules_with(resolve(blind=blind))))
    assert FIRST in view(play.rules, play.review, BOB).review.findings
    play.revise("d2")
    assert (FIRST in view(play.rules, play.review, BOB).review.findings) is sees
    assert FIRST in view(play.rules, play.review, ANN).review.findings
    play.do(BOB, KeepReport(seat="resolve.2", revision=2))
    assert FIRST in view(play.rules, play.review, BOB).review.findings


def test_the_raiser_takes_back_a_mistake_with_a_note() -> None:
    """A8: an open finding is resolved by its raiser, with a word why; without one, and by others, refused."""
    play = reviewed()
    assert play.refused(ANN, settling(play, resolved=True, note=" ")) is Code.REASON_MISSING
    for somebody in (DEV, BOB, EVE, HUGO):
        assert play.refused(somebody, settling(play, resolved=True)) is Code.NOT_THE_HOLDER
    play.do(ANN, settling(play, resolved=True, note="I misread page 3"))
    assert play.review.findings[FIRST].standing is Standing.RESOLVED
    assert end(play) is Outcome.CLEARED


def test_whether_a_minor_finding_gates_is_the_styles_choice() -> None:
    """A9, X3: the same minor finding stops a story and not a panel's task."""
    assert said(reviewed("minor")) == "1 feedback items unresolved"
    play = Play(rules_with(panel(auto_approve=True)))
    play.know(pool=(holds(HAIKU, "haiku"), holds(SONNET, "sonnet")))
    play.open("task")
    for stage in ("spec", "quality"):
        play.report(HAIKU, stage=stage, verdict="approve", findings=(finding("a name could be better", "minor"),))
        play.report(SONNET, stage=stage, verdict="approve")
    assert end(play) is Outcome.CLEARED
    assert play.last(ReviewCleared).flags == ("minor findings",)
