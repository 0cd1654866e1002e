"""Only the very bytes a review cleared go live."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.events import BaseAttested, LiveRefused, WentLive
from foureyes.core.live import (
    AttestBase,
    Clearance,
    LiveFacts,
    RecordLive,
    decide_base,
    decide_live,
    why_elsewhere,
    why_not,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import BaseSource, KnownBase, Who, WhoKind, WorkPart

NOW = datetime(2026, 1, 16, 14, tzinfo=UTC)
HOOK = Who(name="hook", kind=WhoKind.SERVICE)
COMMAND = RecordLive(target="main", review="r1", digest="d1", commit="c1")
CLEARED = LiveFacts(clearance=Clearance(digest="d1", level=1))
LIVE = WentLive(target="main", review="r1", digest="d1", commit="c1")


def test_cleared_bytes_go_live_and_leave_a_record() -> None:
    """Y25, D-02, I1."""
    assert decide_live(COMMAND, HOOK, CLEARED, NOW) == (LIVE,)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (LiveFacts(clearance=None), "not cleared"),
        (LiveFacts(clearance=Clearance(digest="d0")), "cleared d0, not d1"),
        (replace(CLEARED, veto="hardin vetoed d1."), "hardin vetoed d1."),
        (LiveFacts(clearance=Clearance(digest="d1", expires=NOW)), "expired"),
        (replace(CLEARED, level_min=2), "demands level 2"),
        (replace(CLEARED, lives=(LIVE,)), "live on main already"),
    ],
)
def test_a_refused_attempt_is_recorded_with_its_reason(facts: LiveFacts, says: str) -> None:
    """Y25, D-02, I1, I4, I7: nothing is raised, so that the attempt leaves a trace."""
    (event,) = decide_live(COMMAND, HOOK, facts, NOW)
    assert isinstance(event, LiveRefused)
    assert (event.target, event.digest, event.actor) == ("main", "d1", "hook")
    assert says in event.reason


def test_one_changed_byte_is_not_live() -> None:
    """D-02: another digest, or none, never equals the cleared one."""
    assert why_not(replace(COMMAND, digest="d2"), CLEARED, NOW)
    assert why_not(replace(COMMAND, digest=""), LiveFacts(clearance=Clearance(digest="")), NOW)


def test_a_clearance_holds_until_the_moment_it_expires() -> None:
    """Y25."""
    facts = LiveFacts(clearance=Clearance(digest="d1", expires=NOW))
    assert not why_not(COMMAND, facts, NOW - timedelta(microseconds=1))
    assert why_not(COMMAND, facts, NOW)


def test_the_same_version_may_go_live_on_another_target() -> None:
    """I7: once per target."""
    assert not why_not(replace(COMMAND, target="staging"), replace(CLEARED, lives=(LIVE,)), NOW)
    assert not why_not(COMMAND, replace(CLEARED, lives=(replace(LIVE, digest="d0"), replace(LIVE, review="r0"))), NOW)


def test_a_single_use_clearance_is_used_once_anywhere() -> None:
    """Y25: a command or a trade runs once."""
    facts = LiveFacts(clearance=Clearance(digest="d1", single_use=True), lives=(LIVE,))
    assert "one use" in why_not(replace(COMMAND, target="staging"), facts, NOW)
    assert not why_not(COMMAND, replace(facts, lives=()), NOW)


@given(
    cleared=st.booleans(),
    digest=st.sampled_from(["d1", "d2"]),
    veto=st.sampled_from(["", "no."]),
    level=st.integers(0, 3),
    level_min=st.integers(0, 3),
    by_human=st.booleans(),
)
def test_going_live_needs_every_condition(
    *, cleared: bool, digest: str, veto: str, level: int, level_min: int, by_human: bool
) -> None:
    """D-02, Y25, I1, I4: whatever else holds, one unmet condition keeps the bytes out."""
    facts = LiveFacts(
        clearance=Clearance(digest=digest, level=level, by_human=by_human) if cleared else None,
        veto=veto,
        level_min=level_min,
    )
    (event,) = decide_live(COMMAND, HOOK, facts, NOW)
    is_enough = max(level, 1 if by_human else 0) >= level_min
    assert isinstance(event, WentLive) == (cleared and digest == "d1" and not veto and is_enough)


PARTS = (WorkPart(name="a.py", digest="p1"),)


@pytest.mark.parametrize("kind", [WhoKind.PROGRAM, WhoKind.SERVICE, WhoKind.HUMAN])
def test_a_publisher_says_what_is_on_a_target(kind: WhoKind) -> None:
    """U-01."""
    command = AttestBase(target="main", digest="d1", parts=PARTS, commit="c1")
    (event,) = decide_base(command, Who(name="ci", kind=kind))
    assert event == BaseAttested(target="main", digest="d1", parts=PARTS, by="ci", commit="c1")


@pytest.mark.parametrize("kind", [WhoKind.AGENT, WhoKind.PERSON, WhoKind.CLOCK])
def test_nobody_else_says_what_is_on_a_target(kind: WhoKind) -> None:
    """U-01: an agent at work would be a witness for itself."""
    with pytest.raises(Refusal) as caught:
        decide_base(AttestBase(target="main", digest="d1", parts=PARTS), Who(name="dev", kind=kind))
    assert caught.value.code is Code.NOT_ELIGIBLE


@pytest.mark.parametrize(
    ("source", "risk", "target", "is_local", "counts"),
    [
        (BaseSource.UNKNOWN, "medium", "", False, True),
        (BaseSource.UNKNOWN, "medium", "production", False, True),
        (BaseSource.REPOSITORY, "low", "production", False, True),
        (BaseSource.LIVE, "low", "main", False, True),
        (BaseSource.LIVE, "low", "production", False, False),
        (BaseSource.LIVE, "medium", "", False, False),
        (BaseSource.LIVE, "high", "production", False, True),
        (BaseSource.ATTESTED, "low", "main", False, True),
        (BaseSource.ATTESTED, "low", "production", False, False),
        (BaseSource.LOCAL, "low", "", True, True),
        (BaseSource.LOCAL, "high", "", False, False),
        (BaseSource.LOCAL, "low", "main", True, False),
    ],
)
def test_a_clearance_counts_where_its_base_is(
    source: BaseSource, risk: str, target: str, is_local: bool, counts: bool
) -> None:
    """U-01: what was compared with one target, or on one machine, is not cleared for another."""
    base = KnownBase(source=source, name="main", digest="b1")
    assert (why_elsewhere(base, risk, target, is_local=is_local) == "") is counts
