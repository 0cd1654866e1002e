"""Seed 003: the reports of a session's reviewers lead to one of four actions, whatever their order."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core import commands, protocols
from foureyes.core.assess import assess
from foureyes.core.events import FindingRaised, ReportSubmitted, ReviewCleared, RulingRequested
from foureyes.core.facts import Facts
from foureyes.core.four_rules import Result, four_rules
from foureyes.core.refusals import Code
from foureyes.core.sessions import Status
from foureyes.core.values import Origin, Outcome, Standing, Verdict, Who
from foureyes.core.views import view
from tests.cast import CODEX, DEV, GEMINI, HUGO, Play, finding, holds, rules_with
from tests.seeds.chain_play import asked, ruling, wanted

THIRD = Who(name="third", session="s-third")
REVIEWERS = (CODEX, GEMINI, THIRD)
APPROVE, CONCERNS, BLOCKER = Verdict.APPROVE, Verdict.CONCERNS, Verdict.REJECT
Said = tuple[Verdict | None, ...]


def session_play(reviewers: int = 2, *, targets: tuple[str, ...] = ("dev",), able: int = 2) -> Play:
    """A session's review by so many reviewers, of at least as many able ones."""
    pool = tuple(holds(one, "reviewer") for one in REVIEWERS[: max(able, reviewers)])
    play = Play(rules_with(protocols.session(reviewers=reviewers)), Facts(pool=pool))
    play.open("milestone", origin=Origin(session="s1", targets=targets))
    return play


def say(play: Play, who: Who, verdict: Verdict, summary: str = "") -> None:
    play.report(who, verdict=verdict.value, summary=summary or f"{who.name} says {verdict.value}")


def rule_of(play: Play) -> int:
    """The number of the rule that the review has applied; 0 while it waits."""
    review = play.review
    pending = review.ruling()
    owed = review.revision_request()
    if pending is not None:
        assert (pending.reason, review.outcome) == ("Tally", None)
        return 1
    if review.outcome is Outcome.CLEARED:
        return 4
    if owed is not None and owed.clarify:
        return 2
    if all(review.report_of(seat) for seat in review.seats):
        assert owed is not None
        return 3
    assert asked(play)
    return 0


def paused(play: Play) -> bool:
    """Whether the session is paused by this review: a human or an agent must answer first."""
    owed = play.review.revision_request()
    return play.review.ruling() is not None or (owed is not None and owed.clarify)


def acted(said: Said, order: tuple[int, ...]) -> Play:
    """The review after these reviewers answered in this order; who has no verdict has not answered."""
    play = session_play(len(said), able=len(said))
    for number in order:
        verdict = said[number]
        if verdict is not None and play.review.outcome is None:
            say(play, REVIEWERS[number], verdict)
    return play


@given(said=st.lists(st.sampled_from([*Verdict, None]), min_size=1, max_size=3).map(tuple))
def test_the_review_does_what_the_four_rules_say_in_any_order(said: Said) -> None:
    """003-12, 003-08, 003-09, 003-10, 003-11, O2: every order of the same results gives the action of `four_rules`."""
    results = [Result(reviewer=REVIEWERS[n].name, verdict=verdict) for n, verdict in enumerate(said)]
    expected = four_rules(results)
    for order in permutations(range(len(said))):
        play = acted(said, order)
        assert rule_of(play) == expected.rule, (said, order)
        assert paused(play) == (expected.status is Status.PAUSED)


def test_a_blocker_stops_at_once_and_asks_a_human() -> None:
    """003-08, O2: it does not wait for the second reviewer, and only a human's word lets the work go on."""
    play = session_play()
    say(play, CODEX, BLOCKER, "Passwords are hashed with MD5")
    assert play.last(RulingRequested).due > play.now
    assert ruling(play).text == "Blocker: codex: Passwords are hashed with MD5"
    assert asked(play) == ["gemini"]
    say(play, GEMINI, APPROVE)
    assert (rule_of(play), play.review.outcome) == (1, None)
    override = commands.GiveRuling(request=ruling(play).id, option="as_is", reason="It is test data")
    assert play.refused(DEV, override) is Code.HUMAN_ONLY
    play.do(HUGO, override)
    assert (play.review.outcome, paused(play)) == (Outcome.CLEARED, False)


def test_a_blocker_that_no_human_looks_at_never_clears() -> None:
    """003-08: silence of the human sends it back, a second silence shelves it."""
    play = session_play()
    say(play, CODEX, BLOCKER)
    play.wait_out(ruling(play).id)
    assert (wanted(play).by_clock, play.review.outcome) == (True, None)
    play.wait_out("revision")
    assert play.review.outcome is Outcome.SHELVED


def test_two_concerns_pause_and_ask_the_agents_to_clarify() -> None:
    """003-09, O8: what both said is in the prompt; the answer, without new bytes, leads to a new review."""
    play = session_play()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    assert not paused(play)
    say(play, GEMINI, CONCERNS, "The schema has no index")
    (said,) = wanted(play).reasons
    assert sorted(said.split("; ")) == ["codex: No salt in the hash", "gemini: The schema has no index"]
    assert (wanted(play).clarify, paused(play)) == (True, True)
    assert play.refused(DEV, commands.SubmitRevision(digest="d1")) is Code.REASON_MISSING
    play.revise("d1", note="Argon2 salts by itself")
    assert (sorted(asked(play)), paused(play)) == (["codex", "gemini"], False)
    assert (play.review.revision, play.review.resubmissions) == (2, 0)


def test_three_reviewers_with_two_concerns_wait_for_the_third() -> None:
    """003-09, O2: rules 2 to 4 wait for everybody who was asked."""
    play = session_play(3)
    say(play, CODEX, CONCERNS)
    say(play, GEMINI, CONCERNS)
    assert (rule_of(play), asked(play)) == (0, ["third"])
    say(play, THIRD, APPROVE)
    assert rule_of(play) == 2


def clarified() -> Play:
    """A session's review after two concerns and the agents' answer to them."""
    play = session_play()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, GEMINI, CONCERNS, "The schema has no index")
    play.revise("d1", note="Argon2 salts by itself; the index is in another change")
    return play


def test_a_second_pause_on_the_same_content_goes_to_a_human() -> None:
    """O8: the agents are asked to clarify once, not for ever."""
    play = clarified()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, GEMINI, CONCERNS, "The schema has no index")
    assert (ruling(play).reason, play.review.revision_request()) == ("still_unclear", None)


def test_a_pause_on_new_content_asks_the_agents_again() -> None:
    """O8: other bytes are another matter; bytes that come back with their concerns open are refused."""
    play = clarified()
    play.revise("d2")
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, GEMINI, CONCERNS, "The schema has no index")
    assert (wanted(play).clarify, play.review.ruling()) == (True, None)
    assert play.refused(play.author, commands.SubmitRevision(digest="d1")) is Code.OBJECTED


def test_a_clarification_that_convinces_lets_the_work_through() -> None:
    """O8, 003-09: both reviewers take their concern back and approve."""
    play = clarified()
    for who in (CODEX, GEMINI):
        own = [one.id for one in play.review.findings.values() if one.raiser == who.name]
        settled = tuple(commands.Settlement(finding=one, resolved=True, note="explained") for one in own)
        play.report(who, verdict="approve", summary="clear now", settled=settled)
    assert play.last(ReviewCleared).digest == "d1"


def test_one_concern_is_logged_and_the_session_goes_on() -> None:
    """003-10, 003-13: RUNNING, flagged, and on the issues list in the reviewer's words."""
    play = session_play()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, GEMINI, APPROVE)
    assert not paused(play)
    assert assess(play.rules, play.review).flags == ("one concern",)
    (issue,) = play.review.findings.values()
    assert (issue.text, issue.raiser, issue.standing) == ("No salt in the hash", "codex", Standing.OPEN)


def test_work_with_a_logged_concern_does_not_go_live() -> None:
    """O4, 003-10: going live needs the concern resolved by the reviewer who has it."""
    play = session_play()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, GEMINI, APPROVE)
    assert (wanted(play).answers, play.review.outcome) == (True, None)
    (issue,) = play.review.findings
    play.do(DEV, commands.AnswerFinding(finding=issue, text="Argon2 salts by itself"))
    assert (play.review.outcome, asked(play)) == (None, ["codex"])
    settled = (commands.Settlement(finding=issue, resolved=True),)
    play.report(CODEX, verdict="approve", summary="right", settled=settled)
    assert (play.review.outcome, play.last(ReviewCleared).flags) == (Outcome.CLEARED, ())


def test_a_logged_concern_is_never_lost() -> None:
    """003-13: it stays on the list through answers, new versions and other reviewers' approvals."""
    play = session_play()
    issues = (finding("MD5 is used", "high"), finding("A typo", "low"))
    play.report(CODEX, verdict="concerns", summary="see the list", findings=issues)
    say(play, GEMINI, APPROVE)
    play.revise("d2")
    say(play, GEMINI, APPROVE)
    texts = {one.text: one.standing for one in play.review.findings.values()}
    assert texts == {"MD5 is used": Standing.OPEN, "A typo": Standing.OPEN}
    assert play.refused(CODEX, play.a_report(verdict="approve", summary="fine")) is Code.OWN_FINDING_BLOCKS
    assert (play.review.outcome, paused(play)) == (None, False)


def test_a_concern_without_an_issue_still_gets_onto_the_list() -> None:
    """003-13, 003-10: its summary is the issue; without any words it is refused."""
    play = session_play()
    assert play.refused(CODEX, play.a_report(verdict="concerns")) is Code.REASON_MISSING
    say(play, CODEX, CONCERNS, "Something is odd")
    assert play.last(FindingRaised).text == "Something is odd"


def test_all_approvals_let_the_work_go_on() -> None:
    """003-11: nothing is flagged, nothing waits."""
    play = session_play()
    say(play, CODEX, APPROVE)
    assert play.review.outcome is None
    say(play, GEMINI, APPROVE)
    cleared = play.last(ReviewCleared)
    assert (cleared.flags, play.review.requests) == ((), {})


def test_without_any_result_nothing_is_decided_and_in_the_end_a_human_is_asked() -> None:
    """O1: zero results are not "all approved"; after the reviewers' time the session is paused."""
    play = session_play()
    assert (rule_of(play), paused(play)) == (0, False)
    while not paused(play):
        first = min((one for one in play.review.requests.values()), key=lambda one: one.due)
        play.wait_out(first.id)
    assert (play.review.outcome, play.count(ReportSubmitted)) == (None, 0)


@pytest.mark.parametrize("verdict", [APPROVE, CONCERNS])
def test_a_reviewer_who_never_answers_is_no_approval(verdict: Verdict) -> None:
    """O2: with one answer of two the session waits, then is paused; it never clears."""
    play = session_play()
    say(play, CODEX, verdict)
    for _ in range(6):
        if paused(play):
            break
        assert play.review.outcome is None
        play.wait_out(min(play.review.requests.values(), key=lambda one: one.due).id)
    assert paused(play)
    assert play.review.outcome is None


def test_the_latest_verdict_of_a_reviewer_counts() -> None:
    """O3: two concerns of one reviewer are one, and an approval later replaces it."""
    play = session_play()
    say(play, CODEX, CONCERNS, "No salt in the hash")
    say(play, CODEX, CONCERNS, "No pepper either")
    say(play, GEMINI, APPROVE)
    assert rule_of(play) == 3
    own = tuple(commands.Settlement(finding=one, resolved=True, note="my mistake") for one in play.review.findings)
    play.report(CODEX, verdict="approve", summary="I misread it", settled=own)
    assert rule_of(play) == 4


def test_a_later_concern_replaces_an_approval() -> None:
    """O3: also towards the graver side."""
    play = session_play()
    say(play, CODEX, APPROVE)
    say(play, CODEX, CONCERNS)
    say(play, GEMINI, CONCERNS)
    assert rule_of(play) == 2


@pytest.mark.parametrize("named", ["codex", "Codex "])
def test_a_reviewer_among_the_targets_is_not_asked_and_refused(named: str) -> None:
    """O7: nobody reviews their own session's work, however the name is spelt; without a second one a human is asked."""
    play = session_play(targets=("dev", named))
    assert (ruling(play).reason, asked(play)) == ("nobody_can_hold", [])
    alone = session_play(1, targets=("dev", named))
    assert asked(alone) == ["gemini"]
    assert alone.refused(CODEX, alone.a_report(verdict="approve", summary="fine")) is not None
    alone.do(GEMINI, commands.LeaveSeat(seat="session.1"))
    assert alone.refused(CODEX, commands.TakeSeat(seat="session.1")) is Code.NOT_ELIGIBLE


def test_who_spoke_in_a_session_sees_what_reviewers_say_when_there_is_a_question_and_not_before() -> None:
    """003-09, T13: anybody may speak in one, and tell a reviewer of theirs what the others said."""
    play = session_play(3, targets=("dev", "claude"), able=3)
    claude = Who(name="claude", session="s-claude")
    say(play, CODEX, CONCERNS)
    seen = view(play.rules, play.review, claude)
    assert (seen.review.reports, seen.review.findings, seen.hides) == ({}, {}, True)
    assert view(play.rules, play.review, DEV).review.reports
    say(play, GEMINI, CONCERNS)
    say(play, THIRD, CONCERNS)
    assert rule_of(play) == 2
    assert len(view(play.rules, play.review, claude).review.reports) == 3


def test_a_long_summary_is_taken_and_flagged_and_no_issue_is_cut() -> None:
    """O6: 200 words are within the limit, 201 are over it."""
    for words, flags in ((200, ()), (201, ("over_limit",))):
        play = session_play()
        issues = tuple(finding(f"issue {number} in module {number * 'x'}") for number in range(1, 40))
        play.report(CODEX, verdict="concerns", summary="word " * words, findings=issues)
        assert play.last(ReportSubmitted).flags == flags
        assert len(play.review.findings) == 39
