"""For any sequence of acts: deciding is a pure function, and the resulting review is settled."""

from hypothesis import given

from foureyes.core.commands import PassDeadline
from foureyes.core.decide import decide
from foureyes.core.events import FindingWaived, ReviewCleared, StageOverridden, StagesSkipped
from foureyes.core.evolve import evolve, fold
from foureyes.core.explain import explain
from foureyes.core.scene import Scene
from foureyes.core.settle import settle
from foureyes.core.values import ClearedBy, Outcome, Verdict
from tests.core.properties.walks import RULES, WALKS, Numbers, walked

Walk = tuple[str, bool, list[Numbers]]


@given(WALKS)
def test_the_same_command_in_the_same_state_is_decided_the_same_way(walk: Walk) -> None:
    for one in walked(walk):
        if not one.refused:
            facts = one.play.facts_at(one.before)
            again = decide(RULES, one.before, one.command, actor=one.actor, facts=facts, now=one.play.now)
            assert again == one.events


@given(WALKS)
def test_folding_the_log_is_the_same_as_applying_each_event(walk: Walk) -> None:
    for one in walked(walk):
        state = one.before
        for event in one.events:
            state = evolve(state, event)
        assert state == fold(one.play.log)


@given(WALKS)
def test_a_refused_command_changes_nothing(walk: Walk) -> None:
    for one in walked(walk):
        if one.refused:
            assert one.play.review == one.before
        else:
            assert one.events


@given(WALKS)
def test_after_a_decision_nothing_is_left_to_settle(walk: Walk) -> None:
    for one in walked(walk):
        scene = Scene(rules=RULES, review=one.play.review, facts=one.play.facts, now=one.play.now)
        if not one.refused:
            assert settle(scene) == ((), one.play.review)


@given(WALKS)
def test_an_open_review_always_waits_for_somebody_by_some_time(walk: Walk) -> None:
    """Y1: a request with an addressee and a due time; an ended one waits for nobody."""
    for one in walked(walk):
        review = one.play.review
        turns = explain(RULES, review).turns
        assert bool(turns) is (review.outcome is None)
        assert all(turn.who and turn.how and turn.due.tzinfo for turn in turns)


@given(WALKS)
def test_a_clock_never_opens_anything(walk: Walk) -> None:
    """It clears nothing, passes nothing, waives nothing and skips nothing."""
    for one in walked(walk):
        if isinstance(one.command, PassDeadline):
            opening = (ReviewCleared, StageOverridden, FindingWaived, StagesSkipped)
            assert not any(isinstance(event, opening) for event in one.events)


@given(WALKS)
def test_what_is_cleared_is_the_current_version_and_somebody_else_looked_at_it(walk: Walk) -> None:
    """D-02, Y24: no veto stands on it; nobody with a hand in it vouched; else a human or a recorded skip let it by."""
    for one in walked(walk):
        for event in one.events:
            if isinstance(event, ReviewCleared):
                review = one.play.review
                assert (event.digest, review.outcome) == (review.digest, Outcome.CLEARED)
                assert not any(digest == event.digest for _, digest in review.vetoes)
                vouching = [
                    report.reviewer.name
                    for (_, number), report in review.reports.items()
                    if number == review.revision and report.verdict in (None, Verdict.APPROVE)
                ]
                assert not any(review.is_contributor(name) for name in vouching)
                assert vouching or event.by is not ClearedBy.GATES


@given(WALKS)
def test_numbers_only_grow_and_names_never_change(walk: Walk) -> None:
    """Nothing that was said is forgotten; the author stays the author."""
    for one in walked(walk):
        old, new = one.before, one.play.review
        assert (new.id, new.kind, new.author, new.rules) == (old.id, old.kind, old.author, old.rules)
        assert new.revisions[: old.revision] == old.revisions
        assert set(old.findings) <= set(new.findings)
        assert set(old.seats) <= set(new.seats)
        assert new.protocols[: len(old.protocols)] == old.protocols
