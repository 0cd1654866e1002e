"""The four rules decide the same for the same set of results, and silence is no approval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.four_rules import (
    Decision,
    Result,
    ReviewRequest,
    Summary,
    four_rules,
    over_limit,
    review_request,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.sessions import Status
from foureyes.core.values import Verdict

APPROVE, CONCERNS, REJECT = Verdict.APPROVE, Verdict.CONCERNS, Verdict.REJECT
STOP = ("STOP & ESCALATE", Status.PAUSED)
PAUSE = ("PAUSE & CLARIFY", Status.PAUSED)
LOG = ("LOG & CONTINUE", Status.RUNNING)
GO = ("CONTINUE", Status.RUNNING)


def results(*verdicts: Verdict | None) -> list[Result]:
    return [Result(reviewer=f"r{n}", verdict=verdict) for n, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("verdicts", "rule", "action", "flagged"),
    [
        ([REJECT], 1, STOP, False),
        ([APPROVE, REJECT, CONCERNS, CONCERNS], 1, STOP, False),
        ([REJECT, None], 1, STOP, False),
        ([CONCERNS, CONCERNS], 2, PAUSE, False),
        ([CONCERNS, APPROVE, CONCERNS], 2, PAUSE, False),
        ([CONCERNS], 3, LOG, True),
        ([APPROVE, CONCERNS, APPROVE], 3, LOG, True),
        ([APPROVE], 4, GO, False),
        ([APPROVE, APPROVE], 4, GO, False),
    ],
)
def test_the_rules_apply_in_their_order(
    verdicts: list[Verdict | None], rule: int, action: tuple[str, Status], flagged: bool
) -> None:
    """003-08, 003-09, 003-10, 003-11, 003-12, O2: a blocker acts at once, even before everybody answered."""
    decision = four_rules(results(*verdicts))
    assert (decision.rule, (decision.action, decision.status), decision.flagged) == (rule, action, flagged)


def test_the_flagged_concern_names_its_reviewer() -> None:
    """003-10, 003-13: so that it gets onto the issues list."""
    assert four_rules(results(APPROVE, CONCERNS)).reviewers == ("r1",)
    assert four_rules(results(REJECT, CONCERNS)).reviewers == ("r0",)


def test_no_results_decide_nothing_and_pause_when_the_time_is_up() -> None:
    """O1, S18: zero results are not "all approved"."""
    assert four_rules([]) == Decision(rule=0, action="WAIT", status=Status.RUNNING)
    assert four_rules([], timed_out=True) == Decision(rule=0, action="WAIT", status=Status.PAUSED)


@pytest.mark.parametrize("verdict", [APPROVE, CONCERNS])
def test_a_missing_result_is_waited_for_and_is_never_an_approval(verdict: Verdict) -> None:
    """O2, I9: rules 2 to 4 wait for everybody; after the time is up the session stays paused."""
    assert four_rules(results(verdict, None)).rule == 0
    late = four_rules(results(verdict, None), timed_out=True)
    assert (late.rule, late.status, late.reviewers) == (0, Status.PAUSED, ("r1",))


def test_two_concerns_wait_for_the_third_reviewer_until_the_time_is_up() -> None:
    """O2, 003-09."""
    assert four_rules(results(CONCERNS, CONCERNS, None)).rule == 0
    assert four_rules(results(CONCERNS, CONCERNS, None), timed_out=True).rule == 2


def test_the_latest_verdict_of_a_reviewer_counts() -> None:
    """O3: two concerns of one reviewer are one; a later approval replaces both."""
    first = Result(reviewer="codex", verdict=CONCERNS, number=1)
    assert four_rules([first, Result(reviewer="Codex ", verdict=CONCERNS, number=2)]).rule == 3
    assert four_rules([first, Result(reviewer="codex", verdict=APPROVE, number=2)]).rule == 4
    assert four_rules([Result(reviewer="codex", verdict=APPROVE, number=1), first]).rule == 3


RESULTS = st.lists(
    st.builds(
        Result,
        reviewer=st.sampled_from(["a", "b", "c", "d"]),
        verdict=st.sampled_from([*Verdict, None]),
        number=st.integers(0, 3),
    ),
    max_size=10,
)


@given(given_results=RESULTS, timed_out=st.booleans(), data=st.data())
def test_the_same_results_in_any_order_give_the_same_decision(
    given_results: list[Result], timed_out: bool, data: st.DataObject
) -> None:
    """003-12: and the session goes on past a rule only if everybody answered and nobody blocks."""
    decision = four_rules(given_results, timed_out=timed_out)
    assert four_rules(data.draw(st.permutations(given_results)), timed_out=timed_out) == decision
    last = {one.reviewer: max(r.number for r in given_results if r.reviewer == one.reviewer) for one in given_results}
    newest = [one for one in given_results if one.number == last[one.reviewer]]
    if decision.rule in {3, 4}:
        assert newest
        assert {one.verdict for one in newest} <= {APPROVE, CONCERNS}
    assert (decision.rule == 1) == any(one.verdict is REJECT for one in newest)


def test_a_request_names_targets_and_their_untrusted_summaries() -> None:
    """003-06, S19: the seed's own example; summaries are the agents' words about themselves."""
    request = review_request("codex", (("claude", "Implemented auth."), ("gemini", "Updated schema.")))
    assert request == ReviewRequest(
        type="review_request",
        reviewer="codex",
        targets=("claude", "gemini"),
        context=(Summary(agent="claude", text="Implemented auth."), Summary(agent="gemini", text="Updated schema.")),
        focus_areas=("Security vulnerabilities", "Spec compliance", "Integration correctness"),
        max_words=200,
    )
    assert [summary.key for summary in request.context] == ["claude_summary", "gemini_summary"]
    assert all(summary.untrusted for summary in request.context)


@pytest.mark.parametrize("reviewer", ["claude", "Claude "])
def test_a_reviewer_among_the_targets_is_refused(reviewer: str) -> None:
    """O7, D-04."""
    with pytest.raises(Refusal) as caught:
        review_request(reviewer, (("gemini", ""), ("claude", "")))
    assert caught.value.code is Code.NOT_ELIGIBLE


def test_a_request_without_targets_is_refused() -> None:
    """003-06: there is nothing to review."""
    with pytest.raises(Refusal) as caught:
        review_request("codex", ())
    assert caught.value.code is Code.REASON_MISSING


def test_a_summary_over_two_hundred_words_is_flagged() -> None:
    """O6: 200 are allowed, 201 are over the limit."""
    assert not over_limit("word " * 200)
    assert over_limit("word " * 201)
    assert over_limit("one two", max_words=1)
