"""Findings of several reviewers are merged when they are the same issue, and never when they contradict."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.matching import Matched, fingerprint, match
from foureyes.core.matching.places import Checked, Comparable
from foureyes.core.values import Group, Severity

A = Comparable(
    id="spec.1-F1",
    seat="spec.1",
    path="auth.py",
    start=10,
    end=12,
    category="security",
    text="Password hashed with MD5",
)
B = replace(A, id="spec.2-F1", seat="spec.2", start=13, end=13, text="MD5 is used to hash the password")


def names(groups: tuple[Group, ...]) -> list[tuple[str, ...]]:
    return [group.findings for group in groups]


def merged(*findings: Comparable) -> list[tuple[str, ...]]:
    return names(match(findings).groups)


def test_a_fingerprint_survives_shifted_lines_case_punctuation_and_numbers() -> None:
    """D-20, D-10: the line is no part of it."""
    mark = fingerprint("a.py", "security", "Line 42: uses MD5!", "S324")
    assert mark == fingerprint("a.py ", "Security", "line 57 - Uses `md5`", "s324")
    assert len(mark) == 32
    assert (
        len(
            {
                mark,
                fingerprint("b.py", "security", "Line 42: uses MD5!", "S324"),
                fingerprint("a.py", "style", "Line 42: uses MD5!", "S324"),
                fingerprint("a.py", "security", "Line 42: uses SHA1!", "S324"),
                fingerprint("a.py", "security", "Line 42: uses MD5!", "S303"),
                fingerprint("a.py", "security", "Line 42: never uses MD5!", "S324"),
            }
        )
        == 6
    )
    assert fingerprint("a.py", "", "!!!") != fingerprint("a.py", "", "???")
    assert fingerprint("a.py", "", "\ud800")


def test_findings_fall_into_agreed_single_and_contradicted() -> None:
    """004-19, P7: agreed, A only, B only, contradictions; with the reason of each match."""
    a_only = replace(A, id="spec.1-F2", path="b.py", text="Unused variable", category="style")
    b_only = replace(B, id="spec.2-F2", path="c.py", text="Timeout missing", category="reliability")
    minor = replace(A, id="spec.1-F3", path="d.py", severity=Severity.MINOR)
    grave = replace(B, id="spec.2-F3", path="d.py", severity=Severity.CRITICAL)
    found = match([A, B, a_only, b_only, minor, grave])
    assert found == Matched(
        groups=(
            Group(
                findings=("spec.1-F1", "spec.2-F1"),
                why="spec.1-F1 = spec.2-F1: same lines; same category; text 100% alike",
            ),
        ),
        contradictions=(
            Group(
                findings=("spec.1-F3", "spec.2-F3"),
                why="the same issue, but minor for spec.1 and critical for spec.2",
            ),
        ),
    )
    assert found.alone([A, B, a_only, b_only, minor, grave]) == ("spec.1-F2", "spec.2-F2")


@pytest.mark.parametrize(
    ("change", "agreed"),
    [
        ({"start": 15, "end": 15}, True),
        ({"start": 16, "end": 16}, False),
        ({"category": "other"}, True),
        ({"text": "Deadlock when two threads close it"}, True),
        ({"text": "Deadlock when two threads close it", "category": "concurrency"}, False),
        ({"text": "Deadlock when two threads close it", "category": ""}, False),
        ({"path": "b.py"}, False),
        ({"path": ""}, True),
        ({"path": "", "text": "Deadlock when two threads close it"}, False),
        ({"start": 0, "end": 0}, True),
        ({"start": 0, "end": 0, "text": "Deadlock when two threads close it"}, False),
        ({"seat": "spec.1"}, False),
    ],
)
def test_one_issue_has_one_place_and_one_category_or_alike_texts(change: dict[str, str | int], agreed: bool) -> None:
    """P7: same file, overlapping lines, and same category or similar text; unknown places need alike texts."""
    other = Comparable(
        **({f: getattr(B, f) for f in ("id", "seat", "path", "start", "end", "category", "text")} | change)
    )
    assert bool(merged(A, other)) is agreed


def test_a_category_everybody_uses_does_not_make_two_findings_one() -> None:
    """P7: "other" on the same line is no agreement by itself."""
    first = replace(A, category="other")
    assert merged(first, replace(B, category="other", text="Deadlock when two threads close it")) == []


def test_what_may_be_one_issue_stays_two_and_is_said() -> None:
    """P7: the uncertain band keeps findings apart, with the reason."""
    first = replace(A, path="", text="user input reaches the shell command unescaped")
    second = replace(B, path="", text="shell command built from filename of request")
    found = match([first, second])
    assert found.groups == ()
    assert found.uncertain == (
        Group(findings=("spec.1-F1", "spec.2-F1"), why="place unknown; same category; text 36% alike"),
    )
    assert found.alone([first, second]) == ("spec.1-F1", "spec.2-F1")


def test_two_that_found_their_partners_are_not_uncertain_with_others() -> None:
    """P7: only an open question is asked."""
    third = replace(B, id="spec.2-F2", path="z.py", text=A.text)
    found = match([A, B, third])
    assert names(found.groups) == [("spec.1-F1", "spec.2-F1")]
    assert found.uncertain == ()
    assert names(match([A, third]).uncertain) == [("spec.1-F1", "spec.2-F2")]


def test_each_finding_gets_the_partner_that_makes_the_best_whole() -> None:
    """P7: one to one, even where the nearest text belongs to another."""
    other_a = replace(A, id="spec.1-F2", text="Session cookie lacks the secure flag")
    other_b = replace(B, id="spec.2-F2", text="Cookie of the session without secure flag")
    assert merged(A, other_a, B, other_b) == [("spec.1-F1", "spec.2-F1"), ("spec.1-F2", "spec.2-F2")]


def test_three_seats_make_one_group_with_one_finding_each() -> None:
    """P7, D-21: a group never holds two findings of one seat."""
    third = replace(A, id="spec.3-F1", seat="spec.3")
    assert merged(A, B, third) == [("spec.1-F1", "spec.2-F1", "spec.3-F1")]
    chain_a = replace(A, path="", text="alpha beta gamma delta")
    chain_b = replace(B, path="", text="gamma delta epsilon zeta")
    middle = replace(third, path="", text="beta gamma delta epsilon")
    double = replace(chain_b, id="spec.1-F2", seat="spec.1")
    groups = merged(chain_a, double, chain_b, middle)
    seats = [[name.split("-")[0] for name in group] for group in groups]
    assert all(len(set(group)) == len(group) for group in seats)


def test_a_third_opinion_does_not_join_two_that_contradict() -> None:
    """P8: contradiction before agreement, also across a third seat."""
    grave = replace(A, severity=Severity.CRITICAL)
    minor = replace(B, severity=Severity.MINOR)
    between = replace(A, id="spec.3-F1", seat="spec.3", severity=Severity.IMPORTANT)
    found = match([grave, minor, between])
    assert names(found.contradictions) == [("spec.1-F1", "spec.2-F1")]
    assert len(found.groups) == 1
    assert not {"spec.1-F1", "spec.2-F1"} <= set(found.groups[0].findings)


@pytest.mark.parametrize(
    ("first", "second", "contradict"),
    [
        ("Add the null check on user", "Remove the null check on user", True),
        ("Remove the null check on user", "Add the null check on user", True),
        ("Add the null check on user", "Add a null check on user", False),
        ("Add the null check on user", "Remove the debug output", False),
        ("Add the null check on user", "Rename the null check on user", False),
        ("Add the null check on user", "Inline the null check on user", False),
        ("Remove, then add the null check on user", "Add the null check on user", False),
    ],
)
def test_opposite_fixes_contradict(first: str, second: str, contradict: bool) -> None:
    """P8: add and remove of the same thing, at the same place."""
    found = match([replace(A, suggestion=first), replace(B, suggestion=second)])
    assert bool(found.contradictions) is contradict
    assert bool(found.groups) is not contradict


def test_without_a_suggestion_the_text_says_the_fix() -> None:
    """P8: opposite demands on one place, though their categories differ; elsewhere they do not meet."""
    first = replace(A, text="Enable retries on connect", category="x")
    second = replace(B, text="Disable retries on connect", category="y")
    found = match([first, second])
    assert found.contradictions[0].why == "opposite fixes: spec.1 wants to enable, spec.2 to disable"
    assert match([first, replace(second, start=90, end=91)]).contradictions == ()


def test_severity_one_level_apart_is_agreement() -> None:
    """P8: two levels apart contradict, one does not."""
    assert merged(A, replace(B, severity=Severity.CRITICAL))


HOLDS = Checked(seat="spec.2", path="auth.py", start=11, end=11, text="Password hashing reviewed, argon2 is used")


@pytest.mark.parametrize(
    ("check", "denied"),
    [
        (HOLDS, True),
        (replace(HOLDS, text="fine"), True),
        (replace(HOLDS, start=40, end=41), False),
        (replace(HOLDS, start=0, end=0, text="Password is not hashed with MD5"), True),
        (replace(HOLDS, start=0, end=0, text="fine"), False),
        (replace(HOLDS, path="", text="Password is not hashed with MD5"), True),
        (replace(HOLDS, path="", text="fine"), False),
        (replace(HOLDS, path="b.py"), False),
        (replace(HOLDS, seat="spec.1"), False),
    ],
)
def test_a_finding_where_another_checked_and_found_it_to_hold_is_contradicted(check: Checked, denied: bool) -> None:
    """P8: explicit evidence on the same place, of another seat."""
    found = match([A], [check])
    expected = (Group(findings=("spec.1-F1",), why=f"spec.2 checked this and says it holds: {check.text}"),)
    assert found.contradictions == (expected if denied else ())


def test_who_raised_something_at_the_place_denies_nobody() -> None:
    """P8: a seat's finding is its word, not its list of what it looked at."""
    found = match([A, B], [HOLDS])
    assert found.contradictions == ()
    assert found.groups


def test_contradicted_findings_are_named_once() -> None:
    """P8: two checks against one finding are one contradiction."""
    again = replace(HOLDS, text="also fine")
    assert len(match([A], [HOLDS, again]).contradictions) == 1


FINDINGS = st.lists(
    st.builds(
        Comparable,
        id=st.just(""),
        seat=st.sampled_from(["s1", "s2", "s3"]),
        path=st.sampled_from(["", "a.py", "b.py"]),
        start=st.integers(0, 12),
        end=st.integers(0, 12),
        category=st.sampled_from(["", "security", "style"]),
        severity=st.sampled_from(list(Severity)),
        text=st.sampled_from(["alpha beta", "alpha beta gamma", "gamma delta", "add alpha beta", "remove alpha beta"]),
    ),
    max_size=8,
).map(lambda found: [replace(one, id=f"{one.seat}-F{n}") for n, one in enumerate(found)])


@given(findings=FINDINGS, data=st.data())
def test_matching_depends_on_no_order_and_keeps_its_promises(findings: list[Comparable], data: st.DataObject) -> None:
    """P7, P8, 004-19: one finding per seat and group, one group per finding, no contradiction inside a group."""
    checks = [Checked(seat="s1", path="b.py", start=3, end=4, text="holds"), Checked(seat="s2", text="alpha beta")]
    found = match(findings, checks)
    assert match(data.draw(st.permutations(findings)), checks[::-1]) == found
    grouped = [name for group in found.groups for name in group.findings]
    assert len(grouped) == len(set(grouped))
    opposed = {frozenset(group.findings) for group in found.contradictions if len(group.findings) > 1}
    for group in found.groups:
        assert len({name.split("-")[0] for name in group.findings}) == len(group.findings) > 1
        assert not any(pair <= set(group.findings) for pair in opposed)
        assert group.why
