"""Independence is judged from known facts only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.independence import LEVELS, REVIEWERS_MAX, distinct, eligible, level, normal
from foureyes.core.values import CLOCK, Who, WhoKind

AUTHOR = Who(name="ann", session="s0", model_family="claude", provider="anthropic", operator="acme")
FACTS = ("reviewer", "session", "model_family", "provider", "operator")


def agent(name: str, session: str = "", family: str = "", operator: str = "", provider: str = "") -> Who:
    return Who(name=name, session=session, model_family=family, operator=operator, provider=provider)


def human(name: str, operator: str = "") -> Who:
    return Who(name=name, kind=WhoKind.HUMAN, operator=operator)


@pytest.mark.parametrize("spelling", ["alice", "Alice ", " ALICE", "\uff41lice", "ali\u200bce", "al\u00adice\n"])
def test_spellings_of_one_name_are_one_name(spelling: str) -> None:
    """D-24, T30: "Alice " and "alice" count once."""
    assert normal(spelling) == "alice"
    assert not distinct(agent(spelling), agent("alice"), "reviewer")


@pytest.mark.parametrize("fact", FACTS)
def test_an_unknown_fact_is_never_distinct(fact: str) -> None:
    """D-05, Y24: unknown is not distinct, from either side."""
    known = agent("bob", "s1", "gpt", "beta", "openai")
    unknown = agent(" ")
    assert not distinct(known, unknown, fact)
    assert not distinct(unknown, known, fact)
    assert distinct(known, AUTHOR, fact)


def test_a_fact_nobody_defined_is_never_distinct() -> None:
    """D-05: a policy with a misspelt fact lets nobody through."""
    assert not distinct(AUTHOR, agent("bob", "s1", "gpt", "beta"), "modle_family")


@pytest.mark.parametrize(
    ("fact", "field"), [("session", "session"), ("model_family", "family"), ("provider", "provider")]
)
def test_equal_facts_are_not_distinct(fact: str, field: str) -> None:
    """D-05: opus reviewing sonnet is Claude reviewing Claude."""
    assert not distinct(agent("a", **{field: "Same"}), agent("b", **{field: "same "}), fact)


def test_a_human_shares_neither_context_nor_model_with_an_agent() -> None:
    """D-05: the credential vouches that this is a human, so nothing is unknown about its model."""
    for fact in ("session", "model_family", "provider"):
        assert distinct(human("hal"), agent("bob"), fact)
        assert distinct(human("hal"), human("ida"), fact)
        assert not distinct(human("hal"), human("Hal "), fact)
        assert not distinct(human("hal"), CLOCK, fact)


def test_a_human_is_not_independent_of_the_agents_they_enrolled() -> None:
    """D-05, T2: a human is responsible for the agents they enrolled."""
    own = agent("bob", operator="Alice")
    assert not distinct(human("alice", operator="acme"), own, "operator")
    assert not distinct(human("alice"), own, "operator")
    assert not distinct(human("hal"), own, "operator")
    assert distinct(human("hal", operator="beta"), own, "operator")


def test_nobody_reviews_their_own_work() -> None:
    """001-01, A2, T1: not the author, not a contributor, under no spelling."""
    assert not eligible(agent("Ann "), author=AUTHOR)
    assert not eligible(agent("bob"), author=AUTHOR, contributors=[agent("bob")])
    assert eligible(agent("bob"), author=AUTHOR, contributors=[agent("carl")])


def test_another_name_in_the_authors_session_is_not_another_reviewer() -> None:
    """D-04: any token of the author's session is the author's."""
    assert not eligible(agent("bob", session="S0"), author=AUTHOR)
    assert not eligible(agent("bob", session="s1"), author=AUTHOR, contributors=[agent("carl", session="s1")])
    assert eligible(agent("bob", session="s1"), author=AUTHOR)


def test_the_policys_facts_hold_against_makers_and_other_reviewers() -> None:
    """D-05: a pool of one family leaves nobody to assign."""
    bob = agent("bob", "s1", "gpt")
    assert eligible(bob, author=AUTHOR, facts=["model_family"])
    assert not eligible(agent("bob", "s1", "Claude"), author=AUTHOR, facts=["model_family"])
    assert not eligible(bob, author=AUTHOR, others=[agent("carl", "s2", "gpt")], facts=["model_family"])
    assert not eligible(bob, author=AUTHOR, others=[agent("BOB", "s2", "gemini")], facts=["model_family"])
    assert not eligible(bob, author=AUTHOR, contributors=[agent("carl", "s2", "gpt")], facts=["model_family"])


@pytest.mark.parametrize(
    ("reviewers", "needed", "reached"),
    [
        ([], 1, 0),
        ([agent("bob")], 1, 0),
        ([agent("bob", "s1")], 1, 1),
        ([agent("bob", "s1", "gpt")], 1, 2),
        ([agent("bob", "s1", "gpt", "acme")], 1, 2),
        ([agent("bob", "s1", "gpt", "beta")], 1, 3),
        ([agent("bob", "", "gpt", "beta")], 1, 0),
        ([agent("bob", "s1", "claude", "beta")], 1, 1),
        ([agent("bob", "s1", "gpt", "beta"), agent("carl", "s2", "gpt", "gamma")], 2, 1),
        ([agent("bob", "s1", "gpt", "beta"), agent("carl", "s2", "gemini", "beta")], 2, 2),
        ([agent("bob", "s1", "gpt", "beta"), agent("carl", "s2", "gemini", "gamma")], 2, 3),
        ([agent("bob", "s1", "gpt", "beta"), agent("Bob", "s2", "gemini", "gamma")], 2, 0),
        ([agent("bob", "s1", "gpt", "beta")], 0, 3),
        ([agent("ann", "s1", "gpt", "beta")], 1, 0),
        ([human("hal", "beta")], 1, 3),
        ([human("hal")], 1, 2),
    ],
)
def test_the_level_reached_is_the_highest_that_enough_reviewers_meet(
    reviewers: list[Who], needed: int, reached: int
) -> None:
    """Y24, T12: levels are cumulative, and never fewer than one reviewer suffices."""
    assert level(AUTHOR, reviewers, needed) == reached


def test_a_contributor_lowers_the_level() -> None:
    """Y24: reviewers differ from every maker, not from the author alone."""
    bob = agent("bob", "s1", "gpt", "beta")
    assert level(AUTHOR, [bob], 1) == 3
    assert level(AUTHOR, [bob], 1, [agent("carl", "s2", "gpt", "gamma")]) == 1


def test_a_crowd_of_one_operator_reaches_no_further_than_one_of_them() -> None:
    """T2, I31: fifty identities of one operator are one operator."""
    crowd = [agent(f"b{n}", f"s{n}", f"f{n}", "beta") for n in range(1, 51)]
    assert level(AUTHOR, crowd, 2) == 2
    assert level(AUTHOR, [*crowd, agent("a", "t1", "x1", "gamma")], 2) == 3
    assert level(AUTHOR, crowd, REVIEWERS_MAX + 1) == 0


WHO = st.builds(
    Who,
    name=st.sampled_from(["bob", "carl", "dora", "ann"]),
    kind=st.sampled_from([WhoKind.AGENT, WhoKind.HUMAN]),
    session=st.sampled_from(["", "s0", "s1", "s2"]),
    model_family=st.sampled_from(["", "claude", "gpt", "gemini"]),
    operator=st.sampled_from(["", "acme", "beta", "gamma"]),
)


@given(a=WHO, b=WHO, fact=st.sampled_from(FACTS))
def test_distinctness_has_no_direction_and_nobody_differs_from_themselves(a: Who, b: Who, fact: str) -> None:
    """D-05, Y24."""
    assert distinct(a, b, fact) == distinct(b, a, fact)
    assert not distinct(a, a, fact)


@given(reviewers=st.lists(WHO, max_size=5), needed=st.integers(1, 3), data=st.data())
def test_the_level_needs_that_many_fit_reviewers_and_no_order(
    reviewers: list[Who], needed: int, data: st.DataObject
) -> None:
    """Y24, I2: the level never claims more than its facts, and neither order nor a stricter quorum raises it."""
    reached = level(AUTHOR, reviewers, needed)
    fit = {normal(r.name) for r in reviewers if all(distinct(r, AUTHOR, fact) for fact in LEVELS[reached])}
    assert reached == 0 or len(fit) >= needed
    assert level(AUTHOR, data.draw(st.permutations(reviewers)), needed) == reached
    assert level(AUTHOR, reviewers, needed + 1) <= reached
