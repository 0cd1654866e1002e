"""Seed 002: the seven critic chains, each from the request to its clearance and to its end."""

from datetime import timedelta

import pytest

from foureyes.core import chains, commands
from foureyes.core.events import ReportRequested, ReviewCleared, RevisionRequested, RevisionSubmitted
from foureyes.core.gates import Majority, Unanimous
from foureyes.core.refusals import Code
from foureyes.core.values import ClearedBy, Effect, Outcome
from tests.cast import CRITICS, DEV, HUGO
from tests.seeds.chain_play import (
    CHAINS,
    ENDS,
    PLACES,
    Seven,
    approve,
    asked,
    opened,
    reject,
    ruling,
    run_to,
    wanted,
)


def test_the_seven_chains_are_those_of_the_seed() -> None:
    """002-07, 002-08, 002-09, 002-10, 002-11, 002-12, 002-13: critics, scopes, vetoes, unanimity, retries and end."""
    assert [one.name for one in chains.CHAINS] == [one.name for one in CHAINS]
    for shipped, seed in zip(chains.CHAINS, CHAINS, strict=True):
        seats = [stage.seats[0] for stage in shipped.stages]
        assert tuple((*seat.roles, seat.scope, seat.veto) for seat in seats) == seed.layers, seed.name
        assert {len(stage.seats) for stage in shipped.stages} == {1}
        assert shipped.revisions_max == seed.retries, seed.name
        assert {stage.options.exhausted.value for stage in shipped.stages} == {seed.end}, seed.name
        names = tuple(stage.name for stage in shipped.stages)
        gate = Unanimous() if seed.unanimous else Majority(chain=names)
        assert {stage.gates for stage in shipped.stages} == {(gate,)}, seed.name


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_a_chain_asks_its_layers_one_after_the_other_and_clears(chain: Seven) -> None:
    """002-01: the next layer is asked only once the one before it approved; after the last the task proceeds."""
    play = opened(chain.name)
    for critic, scope, veto in chain.layers:
        assert asked(play) == [critic]
        seat = play.last(ReportRequested).seat
        assert (seat.scope, seat.veto, seat.stage) == (scope, veto, f"{chain.name}.{scope}")
        assert play.review.outcome is None
        approve(play, critic)
    cleared = play.last(ReviewCleared)
    assert (cleared.digest, cleared.by, cleared.flags) == ("d1", ClearedBy.GATES, ())
    assert play.count(ReportRequested) == len(chain.layers)


@pytest.mark.parametrize(("chain", "layer"), PLACES, ids=str)
def test_a_layer_that_rejects_stops_the_run_and_the_work_goes_back(chain: Seven, layer: int) -> None:
    """002-01, 002-02, 002-17: whichever layer it is, the author is asked and no later layer is."""
    play = opened(chain.name)
    run_to(play, chain, layer)
    reject(play, chain.layers[layer][0])
    assert wanted(play).stage == f"{chain.name}.{chain.layers[layer][1]}"
    assert asked(play) == []
    assert play.review.ruling() is None
    assert play.review.outcome is None
    assert play.count(ReportRequested) == layer + 1


@pytest.mark.parametrize(("chain", "layer"), PLACES, ids=str)
def test_a_rejected_work_is_revised_and_then_cleared(chain: Seven, layer: int) -> None:
    """002-02, C4: the new version is judged by every layer from 0 on, also by those that had approved the old one."""
    play = opened(chain.name)
    run_to(play, chain, layer)
    reject(play, chain.layers[layer][0])
    play.revise("d2")
    for critic, _, _ in chain.layers:
        assert asked(play) == [critic]
        approve(play, critic)
    assert play.last(ReviewCleared).digest == "d2"


@pytest.mark.parametrize(("chain", "layer"), PLACES, ids=str)
def test_a_chain_ends_after_its_retries(chain: Seven, layer: int) -> None:
    """002-03, 002-04, C3: retry 1 to max of max, so max + 1 evaluations, then the end the chain names."""
    play = opened(chain.name)
    critic = chain.layers[layer][0]
    for retry in range(1, chain.retries + 1):
        run_to(play, chain, layer)
        reject(play, critic)
        assert (chain.retries - wanted(play).remaining + 1, play.review.outcome) == (retry, None)
        play.revise(f"d{retry + 1}")
    run_to(play, chain, layer)
    reject(play, critic)
    assert play.count(RevisionSubmitted) == chain.retries + 1
    assert play.count(RevisionRequested) == chain.retries
    if chain.end == "escalate_to_human":
        assert (ruling(play).reason, ruling(play).veto) == ("attempts_used_up", chain.layers[layer][2])
        assert play.review.outcome is None
        assert play.refused(DEV, commands.SubmitRevision(digest="d9")) is Code.RULING_PENDING
    else:
        assert play.review.outcome is ENDS[chain.end]
        assert play.review.requests == {}
        assert "95% accuracy" in play.review.reason


def test_retries_are_counted_per_work_whichever_layer_rejects() -> None:
    """002-03, C3: trading has one retry in all, not one for each layer."""
    play = opened("trading")
    reject(play, "seldon", "It is no JSON")
    play.revise("d2")
    approve(play, "seldon")
    reject(play, "hardin", "It trades without a stop")
    assert ruling(play).reason == "attempts_used_up"


def test_a_returned_work_comes_back_by_its_author_with_fresh_retries() -> None:
    """002-04, 002-12: return_to_author is for manual revision; that version counts as the first retry of a new run."""
    play = opened("content")
    for number in range(2, 6):
        reject(play, "magnifico", "The opening is flat")
        if number < 5:
            play.revise(f"d{number}")
    assert play.review.outcome is Outcome.RETURNED
    play.revise("d5")
    assert asked(play) == ["magnifico"]
    approve(play, "magnifico")
    reject(play, "gaal")
    assert wanted(play).remaining == 2


def test_a_failed_run_stays_failed_and_a_new_submission_is_a_new_run() -> None:
    """C9, 002-04, 002-07: return_error closes as rejected; the author cannot revise it, but opens another review."""
    play = opened("default")
    for number in range(2, 6):
        reject(play, "seldon", "It is no JSON")
        if number < 5:
            play.revise(f"d{number}")
    assert play.review.outcome is Outcome.REJECTED
    assert play.refused(DEV, commands.SubmitRevision(digest="d5")) is Code.REVIEW_ENDED
    again = opened("default")
    approve(again, "seldon")
    assert again.last(ReviewCleared).digest == "d1"


@pytest.mark.parametrize("option", ["as_is", "as_reviewed", "reject", "shelve"])
def test_the_human_who_is_asked_in_the_end_resolves_it(option: str) -> None:
    """002-04: the human passes it, sends it back once more, rejects it or shelves it."""
    play = opened("trading")
    approve(play, "seldon")
    reject(play, "hardin")
    play.revise("d2")
    approve(play, "seldon")
    reject(play, "hardin")
    play.do(HUGO, commands.GiveRuling(request=ruling(play).id, option=option, reason="I have looked at it"))
    match option:
        case "as_is":
            assert asked(play) == ["amaryl"]
            approve(play, "amaryl")
            assert play.last(ReviewCleared).by is ClearedBy.HUMAN
        case "as_reviewed":
            assert wanted(play).ordered_by == "hugo"
            play.revise("d3")
            assert asked(play) == ["seldon"]
        case _:
            ends = {"reject": Outcome.REJECTED, "shelve": Outcome.SHELVED}
            assert play.review.outcome is ends[option]


def test_a_veto_and_its_reason_reach_the_author() -> None:
    """002-25, 002-02: who vetoed, in which words, and the finding they became."""
    play = opened("research")
    approve(play, "seldon")
    reject(play, "gaal", "Statistics in paragraph 3 are unverified")
    (reason,) = wanted(play).reasons
    assert reason == "veto by gaal: Statistics in paragraph 3 are unverified"
    (finding,) = wanted(play).findings
    assert play.review.findings[finding].text == "Statistics in paragraph 3 are unverified"
    assert play.review.findings[finding].raiser == "gaal"


def test_an_author_who_does_not_answer_a_veto_does_not_outwait_it() -> None:
    """C6, 002-23: after a day a human is asked; no answer ever lifts the veto, each silence only reminds again."""
    play = opened("security")
    approve(play, "seldon")
    reject(play, "hardin")
    play.wait_out("revision")
    assert (ruling(play).reason, ruling(play).veto, ruling(play).fallback) == ("author_silent", True, None)
    gaps: list[timedelta] = []
    for _ in range(5):
        before = ruling(play).due
        play.wait_out(ruling(play).id)
        gaps.append(ruling(play).due - before)
    assert gaps == sorted(gaps)
    assert (play.review.outcome, play.review.is_vetoed("security.security")) == (None, True)
    assert Effect.RETRY not in {one.effect for one in ruling(play).options}


def test_no_critic_is_asked_about_its_own_work() -> None:
    """002-22: a critic that wrote the work cannot judge it, so a human is asked."""
    play = opened("security")
    assert play.refused(DEV, play.a_report(verdict="approve")) is Code.AUTHOR_MAY_NOT
    own = type(play)(play.rules, play.facts, author=CRITICS["seldon"])
    own.open("security_step")
    assert (ruling(own).reason, asked(own)) == ("nobody_can_hold", [])
