"""Feedback-first critical review, from the request to every possible end."""

import dataclasses

import pytest

from foureyes.core.assess import assess
from foureyes.core.commands import (
    Answer,
    AnswerFinding,
    GiveRuling,
    OverrideStage,
    SettleFinding,
    Settlement,
    TakeSeat,
    WithdrawReview,
)
from foureyes.core.events import (
    FindingAnswered,
    FindingRaised,
    FindingReopened,
    FindingResolved,
    ReportRequested,
    ReportSubmitted,
    ReviewCleared,
    RulingRequested,
)
from foureyes.core.facts import PastRuling
from foureyes.core.live import LiveFacts, RecordLive, why_not
from foureyes.core.protocols import CATEGORIES
from foureyes.core.refusals import Code
from foureyes.core.rules import KindRule
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Changed, Effect, Evidence, Outcome, Place, Severity, Standing, Verdict
from foureyes.core.views import view
from tests.cast import ANN, BOB, CHECKED, DEV, EVE, HUGO, START, Play, finding, rules_with

KINDS = ("proposal", "aspect", "dweller_proposal", "story")
FIRST = "resolve.1-F1"
WORLDS = rules_with(kinds=tuple(KindRule(kind=kind, protocols=("resolve",)) for kind in KINDS))


def said(play: Play) -> str:
    """The reason the gate gives while it is shut."""
    speaking = assess(play.rules, play.review).speaking
    assert speaking is not None
    return speaking.judgement.reason


def opened(**fields: str) -> Play:
    play = Play(WORLDS)
    play.open(**fields)
    return play


def reviewed(*severities: str) -> Play:
    """A review in which Ann raised a finding of each severity and Bob none."""
    play = opened()
    play.report(ANN, findings=tuple(finding(f"issue {one} {n}", one) for n, one in enumerate(severities)))
    play.report(BOB, evidence=CHECKED)
    return play


def answer(play: Play, name: str = FIRST, text: str = "rewrote the scene", *, rebuttal: bool = False) -> None:
    play.do(DEV, AnswerFinding(finding=name, text=text, rebuttal=rebuttal))


def settle(play: Play, name: str = FIRST, *, resolved: bool, note: str = "read it again") -> None:
    command = SettleFinding(finding=name, revision=play.review.revision, resolved=resolved, note=note)
    play.do(ANN, command)


def test_a_story_goes_from_request_to_clearance() -> None:
    """The whole flow: 000-01, 000-02, 000-03, 000-05, 000-07, 000-10, 000-11, 000-12, 000-13."""
    play = opened()
    assert said(play) == "Need 2 reviewers, have 0"
    play.report(ANN, findings=(finding("no cause", category="causal_gap"), finding("who?", "minor")))
    assert said(play) == "Need 2 reviewers, have 1"
    play.report(BOB, evidence=CHECKED)
    assert said(play) == "2 feedback items unresolved"
    assert play.review.revision_request() is not None
    answer(play)
    answer(play, "resolve.1-F2", "the smith is named on page 2", rebuttal=True)
    assert said(play) == "2 feedback items unresolved"
    settle(play, resolved=True)
    assert said(play) == "1 feedback items unresolved"
    settle(play, "resolve.1-F2", resolved=True)
    cleared = play.last(ReviewCleared)
    assert play.review.outcome is Outcome.CLEARED
    assert cleared.digest == "d1"
    assert cleared.requirements[-1].reason == "All feedback resolved by all reviewers"


def test_work_in_review_is_never_live_before_the_gate_clears_it() -> None:
    """000-01: at no step before the clearance do the bytes count as cleared, and a publisher is refused."""
    play = reviewed("minor")
    going_live = RecordLive(target="canon", review="r1", digest="d1")
    assert play.count(ReviewCleared) == 0
    assert play.review.cleared == ""
    assert "not cleared" in why_not(going_live, LiveFacts(clearance=None), play.now)
    answer(play)
    assert play.count(ReviewCleared) == 0
    settle(play, resolved=True)
    assert play.review.outcome is Outcome.CLEARED
    assert play.last(ReviewCleared).digest == play.review.cleared == "d1"


@pytest.mark.parametrize("word", [*Verdict, "strengthen"])
def test_a_verdict_is_refused_because_there_are_none(word: str) -> None:
    """000-02: approve, reject and strengthen are no words here; a report is a set of findings."""
    play = opened()
    assert play.refused(ANN, play.a_report(verdict=word, evidence=CHECKED)) is Code.NO_VERDICTS_HERE
    play.report(ANN, findings=(finding("no cause"),))
    assert play.last(ReportSubmitted).verdict is None


def test_each_of_many_findings_has_its_own_id_standing_and_history() -> None:
    """000-03: one report raises three; answering, confirming and reopening one leaves the others alone."""
    play = reviewed("critical", "important", "minor")
    assert list(play.review.findings) == [FIRST, "resolve.1-F2", "resolve.1-F3"]
    answer(play)
    answer(play, "resolve.1-F2")
    settle(play, resolved=True)
    settle(play, "resolve.1-F2", resolved=False)
    standings = [one.standing for one in play.review.findings.values()]
    assert standings == [Standing.RESOLVED, Standing.OPEN, Standing.OPEN]
    assert [one.reopened for one in play.review.findings.values()] == [0, 1, 0]


def test_finding_nothing_must_be_substantiated() -> None:
    """000-04, A4: what was checked and why it holds, both of some length, else the report is refused."""
    play = opened()
    thin = (Evidence(what="all", why="looks good"), Evidence(what="every sentence of it", why="fine"))
    assert play.refused(ANN, play.a_report()) is Code.EVIDENCE_MISSING
    assert play.refused(ANN, play.a_report(summary="Wonderful, I love it, well done")) is Code.EVIDENCE_MISSING
    assert play.refused(ANN, play.a_report(evidence=thin)) is Code.EVIDENCE_MISSING
    assert said(play) == "Need 2 reviewers, have 0"
    play.report(ANN, evidence=CHECKED)
    assert said(play) == "Need 2 reviewers, have 1"


@pytest.mark.parametrize("rebuttal", [False, True])
def test_an_answer_moves_a_finding_from_open_to_answered(rebuttal: bool) -> None:
    """000-05: a rebuttal and a word about a fix both do, and so does an answer that comes with new bytes."""
    play = reviewed("important", "important")
    answer(play, rebuttal=rebuttal)
    one = play.review.findings[FIRST]
    assert (one.standing, one.answer, one.rebuttal) == (Standing.ANSWERED, "rewrote the scene", rebuttal)
    play.revise("d2", answers=(Answer(finding="resolve.1-F2", text="rewritten"),))
    assert play.review.findings["resolve.1-F2"].standing is Standing.ANSWERED


@pytest.mark.parametrize("somebody", [ANN, BOB, EVE, HUGO])
def test_only_the_author_answers(somebody: object) -> None:
    """000-06: the raiser, another reviewer, a stranger and a human are refused alike."""
    play = reviewed("important")
    command = AnswerFinding(finding=FIRST, text="I answer for the author")
    assert play.refused(somebody, command) is Code.NOT_THE_AUTHOR  # type: ignore[arg-type]
    assert play.review.findings[FIRST].standing is Standing.OPEN


@pytest.mark.parametrize("resolved", [True, False])
@pytest.mark.parametrize("somebody", [DEV, BOB, EVE, HUGO])
def test_only_the_raiser_confirms(somebody: object, resolved: bool) -> None:
    """000-07: neither the author nor another reviewer, a stranger or a human says resolved or unresolved."""
    play = reviewed("important")
    answer(play)
    command = SettleFinding(finding=FIRST, revision=1, resolved=resolved, note="let us be done")
    assert play.refused(somebody, command) is Code.NOT_THE_HOLDER  # type: ignore[arg-type]
    smuggled = play.a_report(
        seat="resolve.2", evidence=CHECKED, settled=(Settlement(finding=FIRST, resolved=resolved),)
    )
    assert play.refused(BOB, smuggled) is Code.NOT_THE_HOLDER
    settle(play, resolved=True)
    assert play.review.findings[FIRST].standing is Standing.RESOLVED


def test_unresolved_opens_a_new_cycle_and_keeps_the_earlier_answers() -> None:
    """000-08: open again, one cycle more, and every answer given stays in the record."""
    play = reviewed("important")
    for cycle, text in enumerate(("first try", "second try"), start=1):
        answer(play, text=text)
        settle(play, resolved=False, note="still no cause")
        one = play.review.findings[FIRST]
        assert (one.standing, one.reopened, one.answers) == (Standing.OPEN, cycle, cycle)
    answers = [one.text for one in play.log if isinstance(one, FindingAnswered)]
    assert answers == ["first try", "second try"]
    assert play.review.revision_request() is not None


def test_a_resolution_says_when_and_why_and_nothing_before() -> None:
    """000-09: note and version are empty until the raiser resolves, and recorded then."""
    play = reviewed("important")
    answer(play)
    one = play.review.findings[FIRST]
    assert (one.settled_in, one.note) == (0, "")
    play.revise("d2")
    settle(play, resolved=True, note="the cause is on page 3 now")
    one = play.review.findings[FIRST]
    assert (one.settled_in, one.note) == (2, "the cause is on page 3 now")
    done = play.last(FindingResolved)
    assert (done.by, done.revision, done.note) == ("ann", 2, one.note)


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_reviewers_keep_the_gate_shut_for_every_kind(kind: str) -> None:
    """000-10, 000-18: with none and with one clean report, for each kind of work the same sentence."""
    play = opened(kind=kind)
    assert said(play) == "Need 2 reviewers, have 0"
    play.report(ANN, evidence=CHECKED)
    assert said(play) == "Need 2 reviewers, have 1"
    assert play.review.outcome is None
    play.report(BOB, evidence=CHECKED)
    assert play.review.outcome is Outcome.CLEARED


def test_open_and_answered_findings_keep_the_gate_shut() -> None:
    """000-11: both standings count, and the sentence says how many there are."""
    play = reviewed("important", "important", "important")
    assert said(play) == "3 feedback items unresolved"
    answer(play)
    assert said(play) == "3 feedback items unresolved"
    settle(play, resolved=True)
    assert said(play) == "2 feedback items unresolved"


def test_enough_reviewers_and_nothing_unresolved_opens_the_gate() -> None:
    """000-12: the third sentence stands in the record of the clearance."""
    play = opened()
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, evidence=CHECKED)
    reasons = [(one.move, one.reason) for one in play.last(ReviewCleared).requirements]
    assert reasons[-1] == ("pass", "All feedback resolved by all reviewers")


def test_missing_reviewers_are_named_before_unresolved_findings() -> None:
    """000-13: where both are missing, the sentence is about the reviewers."""
    play = opened()
    play.report(ANN, findings=(finding("no cause"), finding("no time")))
    stage = assess(play.rules, play.review).speaking
    assert stage is not None
    assert [one.judgement.reason for one in stage.gates] == ["Need 2 reviewers, have 1", "2 feedback items unresolved"]
    assert said(play) == "Need 2 reviewers, have 1"


def test_a_reviewer_reads_nothing_of_others_before_the_own_report() -> None:
    """000-14: not the findings, the answers, the seats nor the gate's counts; afterwards all of it."""
    play = opened()
    play.do(BOB, TakeSeat(seat="resolve.2"))
    before = view(play.rules, play.review, BOB)
    play.report(ANN, findings=(finding("no cause"),))
    answer(play)
    shown = view(play.rules, play.review, BOB)
    assert shown == before
    assert (shown.hides, shown.review.findings, shown.review.reports) == (True, {}, {})
    assert list(shown.review.seats) == ["resolve.2"]
    assert view(play.rules, play.review, EVE).review.findings == {}
    play.report(BOB, evidence=CHECKED)
    after = view(play.rules, play.review, BOB)
    assert after.review.findings[FIRST].answer == "rewrote the scene"
    assert not after.hides


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_finding_has_one_of_six_categories(category: str) -> None:
    """000-15: these six are taken and kept, any other word is refused."""
    assert sorted(CATEGORIES) == [
        "actor_vagueness",
        "causal_gap",
        "internal_consistency",
        "other",
        "scientific_issue",
        "timeline",
    ]
    play = opened()
    unknown = play.a_report(findings=(finding("it is bad", category="taste"),))
    assert play.refused(ANN, unknown) is Code.UNKNOWN_WORD
    play.report(ANN, findings=(finding("it is bad", category=category),))
    assert play.last(FindingRaised).category == category


@pytest.mark.parametrize("severity", ["critical", "important", "minor"])
def test_every_finding_gates_whatever_its_severity(severity: str) -> None:
    """000-16: one finding of any severity keeps the gate shut; a fourth word is refused."""
    play = reviewed(severity)
    assert play.review.findings[FIRST].severity is Severity[severity.upper()]
    assert said(play) == "1 feedback items unresolved"
    fresh = opened()
    assert fresh.refused(ANN, fresh.a_report(findings=(finding("x", "fatal"),))) is Code.UNKNOWN_WORD


def test_a_finding_moves_only_along_the_flow() -> None:
    """000-17: open, answered, then resolved or open again; every other move is refused."""
    play = reviewed("important", "important")
    reopen = SettleFinding(finding=FIRST, revision=1, resolved=False, note="again")
    resolve = SettleFinding(finding=FIRST, revision=1, resolved=True, note="done")
    again = AnswerFinding(finding=FIRST, text="once more")
    assert play.refused(ANN, reopen) is Code.NOT_OPEN
    answer(play)
    assert play.refused(DEV, again) is Code.NOT_OPEN
    settle(play, resolved=True)
    assert play.refused(DEV, again) is Code.NOT_OPEN
    assert play.refused(ANN, reopen) is Code.SETTLED
    assert play.refused(ANN, resolve) is Code.SETTLED
    assert set(Standing) == {"open", "answered", "resolved", "waived"}


def test_stories_are_not_published_first_and_reviewed_later() -> None:
    """000-18: a story is as shut as a proposal while its findings are unresolved."""
    plays = {kind: opened(kind=kind) for kind in KINDS}
    for play in plays.values():
        play.report(ANN, findings=(finding("no cause"),))
        play.report(BOB, evidence=CHECKED)
    assert {said(play) for play in plays.values()} == {"1 feedback items unresolved"}
    assert {play.review.outcome for play in plays.values()} == {None}


def test_a_revision_may_bring_new_findings_of_the_same_reviewer() -> None:
    """000-19: what the revision changed may be found wanting, and gates."""
    play = reviewed("important")
    play.know(changed=(Changed(path="ch2.md", start=1, end=40),))
    play.revise("d2", answers=(Answer(finding=FIRST, text="rewritten"),))
    place = Place(path="ch2.md", start=10, end=12)
    settled = (Settlement(finding=FIRST, resolved=True),)
    play.report(ANN, settled=settled, findings=(finding("now the smith is dead twice", place=place),))
    play.report(BOB, evidence=CHECKED)
    assert play.review.findings["resolve.1-F2"].advisory == ""
    assert said(play) == "1 feedback items unresolved"


def test_the_author_may_withdraw_and_that_is_the_end() -> None:
    """000-20: nobody rejects, only the author withdraws, and a withdrawn work does not come back by itself."""
    play = reviewed("critical")
    assert play.refused(ANN, WithdrawReview(reason="it is hopeless")) is Code.NOT_THE_AUTHOR
    assert play.refused(ANN, play.a_report(verdict="reject")) is Code.NO_VERDICTS_HERE
    play.do(DEV, WithdrawReview(reason="I start over"))
    assert (play.review.outcome, play.review.requests) == (Outcome.WITHDRAWN, {})
    with pytest.raises(Exception, match="ended"):
        play.revise("d2")
    with pytest.raises(Exception, match="ended"):
        answer(play)


def test_a_critical_finding_unresolved_after_three_answers_shelves_the_work() -> None:
    """000-21, A5: the third refusal of an answer to a critical finding, not the second, ends the review."""
    play = reviewed("critical")
    for _ in range(2):
        answer(play)
        settle(play, resolved=False)
        assert play.review.outcome is None
    answer(play)
    settle(play, resolved=False)
    assert play.review.outcome is Outcome.SHELVED
    assert "critical" in play.review.reason
    assert play.count(FindingReopened) == 3


def test_a_human_may_end_the_argument_about_a_lesser_finding() -> None:
    """000-16, 000-17, Y12: no shelf for an important finding; a human decides, and the work goes live."""
    play = reviewed("important")
    for _ in range(3):
        answer(play)
        settle(play, resolved=False)
    assert play.review.outcome is None
    asked = play.last(RulingRequested)
    assert (asked.reason, asked.findings) == ("Resolved", (FIRST,))
    play.do(HUGO, GiveRuling(request=asked.request, option="not_real", reason="the cause is on page 1"))
    assert play.review.findings[FIRST].standing is Standing.WAIVED
    assert play.review.outcome is Outcome.CLEARED


def test_a_human_override_passes_one_version_only() -> None:
    """000-12, Y8: the override clears these bytes; the next version is reviewed from the start."""
    play = reviewed("critical")
    play.do(HUGO, OverrideStage(stage="resolve", revision=1, digest="d1", reason="the deadline"))
    assert play.last(ReviewCleared).flags == ("overridden: resolve",)
    play.revise("d2")
    assert play.review.outcome is None
    assert said(play) == "Need 2 reviewers, have 0"
    assert isinstance(play.log[-1], ReportRequested)


def test_neither_a_track_record_nor_past_disputes_change_this_gate() -> None:
    """000-24: the best and the worst record of author and reviewers give the same judgement at every step."""
    best = TrustRecord(kind="story", author="dev", attempts=50, successes=50, confidence_sum=5000, trust=100)
    worst = dataclasses.replace(best, successes=0, confidence_sum=0, trust=0)
    past = PastRuling(kind="story", reason="Resolved", effect=Effect.PASS_STAGE, by="hugo", at=START)
    said_to: list[list[str]] = []
    for record in (None, best, worst):
        play = Play(WORLDS)
        play.know(trust=record, past_rulings=(past,) * 9, recent_pairings={"ann": 99}, draw=50)
        play.open()
        sentences = [said(play)]
        play.report(ANN, findings=(finding("no cause"),))
        sentences.append(said(play))
        play.report(BOB, evidence=CHECKED)
        sentences.append(said(play))
        answer(play)
        settle(play, resolved=True)
        said_to.append([*sentences, str(play.review.outcome)])
    assert said_to[0] == said_to[1] == said_to[2]
    assert said_to[0][:2] == ["Need 2 reviewers, have 0", "Need 2 reviewers, have 1"]
