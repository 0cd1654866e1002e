"""No spelling of a target's name evades its demands."""

from dataclasses import replace

import pytest

from foureyes.policy import shipped
from foureyes.policy.policy import Policy, Target

NONE = shipped("solo").policy


def listing(**levels: int) -> Policy:
    return replace(NONE, targets=tuple(Target(name=name, level=level) for name, level in levels.items()))


@pytest.mark.parametrize("name", ["production", "Production", "PRODUCTION", " production\n", "\uff50roduction"])
def test_a_target_is_the_same_in_every_spelling(name: str) -> None:
    assert listing(production=1, vault=3).level_for(name) == 1


@pytest.mark.parametrize("name", ["", " ", "elsewhere", "pr\u043eduction", "production\u200b", "prod uction"])
def test_a_target_that_is_not_listed_demands_the_highest_level_that_is(name: str) -> None:
    """A look-alike, a misspelling and no name at all are not listed."""
    assert listing(staging=1, production=3).level_for(name) == 3
    assert listing(staging=1, production=2).level_for(name) == 2


def test_where_no_target_is_listed_none_demands_a_level() -> None:
    assert [NONE.level_for(name) for name in ("", "production")] == [0, 0]


def test_of_two_spellings_of_one_target_the_higher_level_holds() -> None:
    """No file can say so, but a policy that is kept as data could."""
    assert listing(Production=1, production=3, lab=1).level_for("production") == 3
