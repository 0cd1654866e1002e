"""For any sequence of acts: the explanation matches the decision."""

from hypothesis import given

from foureyes.core.assess import assess
from foureyes.core.explain import Status, explain
from foureyes.core.values import Outcome
from tests.core.properties.walks import RULES, WALKS, Numbers, walked

THROUGH = {Status.MET, Status.OVERRIDDEN, Status.SKIPPED}


@given(WALKS)
def test_everything_is_met_overridden_or_skipped_exactly_when_the_gates_pass(
    walk: tuple[str, bool, list[Numbers]],
) -> None:
    """D-08: one code; and the first stage that is not through is the one that speaks."""
    for one in walked(walk):
        review = one.play.review
        told, judged = explain(RULES, review), assess(RULES, review)
        statuses = {requirement.status for requirement in told.requirements}
        assert (statuses <= THROUGH) is (judged.speaking is None)
        if judged.speaking is not None:
            shut = next(requirement for requirement in told.requirements if requirement.status not in THROUGH)
            assert shut.stage == judged.speaking.stage.name
        said = [(requirement.stage, requirement.gate, requirement.reason) for requirement in judged.requirements()]
        heard = [(one.stage, one.requirement, one.reason) for one in told.requirements]
        assert heard[: len(said)] == said


@given(WALKS)
def test_a_cleared_review_explains_itself_as_through(walk: tuple[str, bool, list[Numbers]]) -> None:
    """D-08."""
    for one in walked(walk):
        review = one.play.review
        told = explain(RULES, review)
        if review.outcome is Outcome.CLEARED:
            assert {requirement.status for requirement in told.requirements} <= THROUGH
        lines = told.in_words()
        assert len(lines) == 1 + len(told.requirements) + len(told.turns)
