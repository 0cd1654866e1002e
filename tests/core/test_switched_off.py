"""Bytes that could do most harm are reviewed even where the policy switches reviews off."""

from dataclasses import replace

import pytest

from foureyes.core.events import ReportRequested, ReviewCleared, StagesSkipped
from foureyes.core.facts import PolicyInForce
from foureyes.core.rules import NEVER_SKIPPED
from foureyes.core.values import ClearedBy, Risk, RiskLevel
from tests.cast import RULES, TRIVIAL, Play

OFF = replace(RULES, enabled=False)
HIGH = Risk(level=RiskLevel.HIGH)


def opened(kind: str, risk: Risk, context: tuple[tuple[str, str], ...] = ()) -> Play:
    play = Play(OFF)
    play.know(risk=risk)
    play.open(kind, context=context)
    return play


@pytest.mark.parametrize("kind", ["story", "create_core", "fix_typo", "odd"])
def test_bytes_of_high_risk_are_reviewed_though_reviews_are_switched_off(kind: str) -> None:
    """001-12, Y6: the switch lets no more pass than a label could: the risk is computed from the bytes."""
    play = opened(kind, HIGH, context=(("autonomy_level", "aggressive"),))
    assert (play.count(StagesSkipped), play.count(ReviewCleared)) == (0, 0)
    assert play.count(ReportRequested)


@pytest.mark.parametrize("level", [RiskLevel.LOW, RiskLevel.MEDIUM])
def test_other_bytes_pass_with_the_reason_on_the_record(level: RiskLevel) -> None:
    """001-12: nothing else needs a review."""
    play = opened("story", Risk(level=level))
    assert play.last(StagesSkipped).rule == "disabled"
    assert play.last(ReviewCleared).by is ClearedBy.POLICY


@pytest.mark.parametrize("kind", sorted(NEVER_SKIPPED))
def test_a_kind_that_is_never_skipped_is_reviewed_whatever_its_risk(kind: str) -> None:
    """001-12, Y6: not even harmless bytes of it."""
    play = opened(kind, TRIVIAL)
    assert (play.count(StagesSkipped), play.count(ReviewCleared)) == (0, 0)


def test_a_new_version_of_high_risk_is_reviewed_after_a_harmless_one_passed() -> None:
    """Y6: decided again for every revision, from its own bytes."""
    play = opened("story", Risk(level=RiskLevel.LOW))
    play.know(risk=HIGH)
    play.revise("d2")
    assert [one.revision for one in play.log if isinstance(one, StagesSkipped)] == [1]
    assert [one.revision for one in play.log if isinstance(one, ReviewCleared)] == [1]


def test_a_policy_set_above_that_switches_reviews_off_too_changes_nothing_for_high_risk() -> None:
    """Y6: two switches are no more than one."""
    play = Play(OFF)
    above = PolicyInForce(digest="rules-2", applies_in_flight=True, rules=replace(OFF, digest="rules-2"))
    play.know(risk=HIGH, policy=above)
    play.open("story")
    assert (play.count(StagesSkipped), play.count(ReviewCleared)) == (0, 0)
