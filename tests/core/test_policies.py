"""Only a human can activate a policy."""

from dataclasses import replace

import pytest

from foureyes.core.events import LessonRetired, PolicyActivated
from foureyes.core.policies import NAME_CHARS_MAX, ActivatePolicy, decide_policy, in_force
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who, WhoKind

HAL = Who(name="hal", kind=WhoKind.HUMAN)
OLD = PolicyActivated(digest="d1", name="old", replaces="", by="hal", applies_in_flight=False)
NEW = ActivatePolicy(digest="d2", name="new")


def refused(current: PolicyActivated | None, command: ActivatePolicy, actor: Who = HAL) -> Code:
    with pytest.raises(Refusal) as caught:
        decide_policy(current, command, actor)
    return caught.value.code


def test_a_human_activates_a_policy_and_the_log_says_what_it_replaces() -> None:
    """Y20, D-07, I10."""
    assert decide_policy(None, replace(NEW, digest="d1", name="old"), HAL) == (OLD,)
    expected = PolicyActivated(digest="d2", name="new", replaces="d1", by="hal", applies_in_flight=True)
    assert decide_policy(OLD, replace(NEW, applies_in_flight=True), HAL) == (expected,)


@pytest.mark.parametrize("kind", [kind for kind in WhoKind if kind is not WhoKind.HUMAN])
def test_nobody_but_a_human_activates_a_policy(kind: WhoKind) -> None:
    """D-07, T12: neither agents nor programs loosen the rules they are judged by."""
    assert refused(OLD, NEW, Who(name="x", kind=kind)) is Code.HUMAN_ONLY


def test_the_policy_in_force_is_not_activated_twice() -> None:
    """Y20: the same digest again is a duplicate, unless it now reaches open reviews too."""
    again = replace(NEW, digest="d1")
    assert refused(OLD, again) is Code.DUPLICATE
    (reaching,) = decide_policy(OLD, replace(again, applies_in_flight=True), HAL)
    assert isinstance(reaching, PolicyActivated)
    assert refused(reaching, replace(again, applies_in_flight=True)) is Code.DUPLICATE
    assert refused(reaching, again) is Code.DUPLICATE


def test_a_policy_without_digest_or_with_an_endless_name_is_refused() -> None:
    """D-07: a human activates exactly what they read."""
    assert refused(None, replace(NEW, digest=" ")) is Code.DIGEST_MISMATCH
    assert refused(None, replace(NEW, name="x" * (NAME_CHARS_MAX + 1))) is Code.TOO_LONG
    assert decide_policy(None, replace(NEW, name="x" * NAME_CHARS_MAX), HAL)


def test_the_last_activated_policy_is_in_force() -> None:
    """Y20."""
    other = LessonRetired(lesson="l", scope="s", by="hal", reason="r")
    assert in_force([]) is None
    assert in_force([OLD, replace(OLD, digest="d2"), other]) == replace(OLD, digest="d2")
