"""Every rule flags a bad file on the right line and passes a similar good one."""

import pytest

from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.kube_control import FLAGS
from foureyes.reviewers.critics.exposure.rules import PREFIX
from foureyes.reviewers.critics.exposure.terraform import book
from tests.critics.exposure.looking import Twin, look, met, named, twins

TWINS = list(twins())
IDS = [one.path for one in TWINS]


@pytest.mark.parametrize("twin", TWINS, ids=IDS)
def test_the_bad_twin_is_found_on_its_lines(twin: Twin) -> None:
    """002-05: public exposure without authentication and privilege escalation are named with file and line."""
    found = look(twin.path, twin.bad)
    assert found.unread == ()
    assert twin.expected - named(found.hits) == set()


@pytest.mark.parametrize("twin", TWINS, ids=IDS)
def test_the_good_twin_is_left_alone(twin: Twin) -> None:
    """002-05: what keeps the rules is not accused of breaking them."""
    found = look(twin.path, twin.good)
    assert found.unread == ()
    assert found.looked_at
    assert {rule for _, rule in twin.expected} & met(twin.path, twin.good) == set()


@pytest.mark.parametrize("twin", TWINS, ids=IDS)
def test_the_good_twin_does_not_block(twin: Twin) -> None:
    """002-05: a developer who keeps the rules is not stopped by others of the same file."""
    assert [one for one in look(twin.path, twin.good).hits if one.state is State.BLOCK] == []


def test_no_rule_is_without_twins() -> None:
    """002-05: rows and flags have theirs in test_rows and test_control_plane."""
    proven = {rule for one in TWINS for _, rule in one.expected}
    elsewhere = {
        one.id.removeprefix(PREFIX) for one in (*(row.rule for row in book().rows), *(flag.rule for flag in FLAGS))
    }
    assert {one.id.removeprefix(PREFIX) for one in CRITIC.rules} - proven - elsewhere == set()


def test_every_rule_says_what_why_and_how_to_mend_it() -> None:
    rules = CRITIC.rules
    assert len({one.id for one in rules}) == len(rules)
    for one in rules:
        assert one.id.startswith(PREFIX)
        assert one.title
        assert one.why.endswith(".")
        assert one.fix.endswith(".")
        assert one.severity in ("critical", "important", "minor")
