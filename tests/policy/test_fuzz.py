"""Any mutated policy is refused with the one documented error, or still demands independent reviewers."""

import resource
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.events import ReviewCleared
from foureyes.core.rules import Rules
from foureyes.policy import Policy, PolicyErrors, load_text, policy_text, read_policy
from foureyes.policy.diff import diff
from foureyes.policy.explain import explain
from foureyes.policy.floor import floor_problems
from foureyes.policy.load import shipped_text
from foureyes.policy.nodes import PROBLEMS_MAX
from foureyes.policy.show import show
from tests.cast import Play
from tests.conftest import EFFORT
from tests.policy.fuzzing import FULL, SEEDS, VALUES, seeds, spoilt

CAMPAIGN = {"test": 600, "all": 10_000}[EFFORT]
SECONDS_MAX = 10
MEMORY_BYTES_MAX = 300 * 1024 * 1024


def read(name: str, text: bytes) -> Policy | None:
    """The policy, if the text is one; any other error than the one there is fails the test."""
    try:
        return load_text(name, text, shipped_text).policy
    except PolicyErrors as error:
        found = error.problems
    assert 1 <= len(found) <= PROBLEMS_MAX
    # A problem may also lie in a file the policy names, which is shorter than this.
    lines = max(250, text.count(b"\n") + text.count(b"\r") + 2)
    assert all(one.file and one.wrong and one.allowed and 1 <= one.line <= lines for one in found), found
    return None


def at_least_one_pair_of_other_eyes(rules: Rules) -> None:
    """T12: the floor holds in every style that anything can be sent through, and the core sees it the same way."""
    for kind in ("odd", "security_change", *(one.kind for one in rules.kinds[:3])) if rules.enabled else ():
        play = Play(rules=rules)
        play.open(kind)
        assert not play.count(ReviewCleared)
    assert floor_problems(rules) == ()
    assert rules.default
    for protocol in rules.protocols:
        assert protocol.stages
        for stage in protocol.stages:
            assert stage.seats
            assert stage.gates
            assert stage.options.ruling_needs >= 1


def test_every_seed_of_the_campaign_is_a_policy() -> None:
    assert all(read(name, text) for name, text in SEEDS)


def test_a_spoilt_policy_is_refused_or_still_demands_other_eyes() -> None:
    """T12, T28, T29: many spoilt files, each refused with its lines or above the floor, in bounded time."""
    taken, slowest = 0, 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in seeds(CAMPAIGN):
        name, text = spoilt(seed)
        began = time.perf_counter()
        policy = read(name, text)
        slowest = max(slowest, time.perf_counter() - began)
        if policy is not None:
            taken += 1
            at_least_one_pair_of_other_eyes(policy.rules)
            assert read_policy(policy_text(policy)) == policy
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    print(f"{CAMPAIGN} spoilt files, {taken} still policies, the slowest took {slowest:.2f} s, {grown >> 20} MiB more")
    assert 0 < taken < CAMPAIGN
    assert slowest < SECONDS_MAX
    assert grown < MEMORY_BYTES_MAX


@given(st.binary(max_size=400))
def test_any_bytes_are_refused_or_a_policy(text: bytes) -> None:
    read("foureyes.yaml", text)
    read("chains.json", text)


@given(st.text(alphabet="version: 1\n-[]{}&*!|>'\"%@`#,?<~abc\t\\u0", max_size=200))
def test_any_marks_are_refused_or_a_policy(text: str) -> None:
    read("foureyes.yaml", b"version: 1\n" + text.encode())
    read("chains.json", b'{"chains": ' + text.encode())


@given(st.sampled_from(sorted(set(FULL.split()))), st.sampled_from(VALUES))
def test_any_word_may_be_another_value(word: bytes, value: bytes) -> None:
    policy = read("foureyes.yaml", FULL.replace(word, value))
    if policy is not None:
        at_least_one_pair_of_other_eyes(policy.rules)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_is_a_policy_can_be_shown_explained_and_compared(one: int, other: int) -> None:
    """Two policies with different texts differ in words too; none is passed over in silence."""
    found = [policy for seed in (one, other) if (policy := read(*spoilt(seed, rounds_max=1)))]
    for policy in found:
        assert show(policy)
        assert explain(policy, "create_core", ("auth/x.py",))
        assert diff(policy, policy) == ()
    if len(found) > 1:
        assert bool(diff(found[0], found[1])) == (found[0].digest != found[1].digest)


@pytest.mark.parametrize("key", ["min_reviewers", "quorum", "reviewers"])
@given(value=st.one_of(st.integers(), st.booleans(), st.floats(), st.text(max_size=5), st.none()))
def test_no_number_of_reviewers_is_below_one(key: str, value: object) -> None:
    """T12, Y24: bool, zero, negative, huge, decimal or text: refused, or at least one."""
    section = {"min_reviewers": "resolve", "quorum": "solo", "reviewers": "session"}[key]
    text = f"version: 1\n{section}: {{{key}: {value!r}, agents: [a, b, c]}}\n"
    policy = read(
        "foureyes.yaml", text.replace(", agents: [a, b, c]", "" if section != "solo" else ", agents: [a, b]").encode()
    )
    if policy is not None:
        at_least_one_pair_of_other_eyes(policy.rules)
        assert type(value) is int or (isinstance(value, str) and value.strip().lstrip("+").isdigit())
