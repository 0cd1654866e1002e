"""U-08: sessions bar the author's mates, and the author can neither choose nor exclude a reviewer by them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.use.judging import approve_peer, judge, state_of
from tests.use.served import DOORS, Caller, Served, served

ROLES = ("auditor", "core_developer", "magnifico")
KINDS = {"peer": "create_core", "resolve": "story"}
PLACE = {"path": "notes.md", "start": 1}
CRITICAL = {"severity": "critical", "text": "It removes every file.", "place": PLACE, "evidence": "rm -rf / on line 1"}
AGAINST: dict[str, Any] = {
    "findings": [CRITICAL],
    "grounds": ["security_risk"],
    "confidence": 95,
    "summary": "It removes every file.",
}
_numbers = count()


@pytest.fixture(params=list(KINDS))
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Served]]:
    """Three honest reviewers who work in a session of their own, a colluder who does not, and an author."""
    policy: str = request.param
    with served(tmp_path, policy) as running:
        for name in ("honest-0", "honest-1", "honest-2", "colluder"):
            running.account(name, *ROLES)
        for name in ("honest-0", "honest-1", "honest-2"):
            signals(running.callers[name], "theirs")
        running.account("author", "core_developer")
        yield policy, running


def signals(who: Caller, session: str) -> None:
    answer = who.call("signal", session=session, type="progress", summary="Working on it.")
    assert answer.is_ok, answer.text


def opened(author: Caller, policy: str, session: str = "") -> str:
    files = [{"path": "notes.md", "text": f"Words number {next(_numbers)}.\n"}]
    origin = {"origin": {"session": session}} if session else {}
    answer = author.call("open_review", kind=KINDS[policy], title="Words", files=files, **origin)
    assert answer.is_ok, answer.text
    return str(answer["review"])


def asked(house: Served, review: str) -> list[str]:
    """The accounts that have this review in their inbox."""
    callers = house.callers.items()
    return [name for name, one in callers if review in [row["review"] for row in one.call("inbox")["waiting"]]]


def waits_for_a_human(house: Served, review: str) -> bool:
    rows = house.human.call("inbox")["waiting"]
    return any(one["review"] == review and one["kind"] == "ruling" for one in rows)


def check_nobody_but_a_human(house: Served, policy: str, review: str, door: str) -> None:
    colluder = house.callers["colluder"].at(door)
    assert asked(house, review) == []
    assert waits_for_a_human(house, review)
    for answer in (
        colluder.call("take_seat", review=review),
        approve_peer(colluder, review) if policy == "peer" else judge(colluder, review, None),
    ):
        assert not answer.is_ok, answer.text
    assert state_of(house, review) == "open"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "resolve"))
def test_naming_a_session_of_others_leaves_no_seat_to_the_remaining_colluder(
    house: tuple[str, Served], door: str
) -> None:
    """U-08: the author never took part there; a human is asked."""
    policy, running = house
    for _ in range(4):
        review = opened(running.callers["author"].at(door), policy, "theirs")
        check_nobody_but_a_human(running, policy, review, door)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "resolve"))
def test_joining_a_session_of_others_leaves_no_seat_to_the_remaining_colluder(
    house: tuple[str, Served], door: str
) -> None:
    """U-08: likewise where the author signals there first, and says nothing of it."""
    policy, running = house
    author = running.callers["author"].at(door)
    signals(author, "theirs")
    for _ in range(4):
        check_nobody_but_a_human(running, policy, opened(author, policy), door)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_a_signal_of_the_author_silences_nobody_who_sits(tmp_path: Path, door: str) -> None:
    """U-08: the seated reviewer's critical finding is taken."""
    with served(tmp_path, "peer") as running:
        honest = running.account("honest", *ROLES)
        author = running.account("author", "core_developer").at(door)
        signals(honest, "theirs")
        review = opened(author, "peer")
        assert asked(running, review) == ["honest"]
        running.account("colluder", *ROLES)
        signals(author, "theirs")
        answer = judge(honest.at(door), review, "reject", **AGAINST)
        assert answer.is_ok, answer.text
        found = running.human.call("read_review", review=review)
        assert "It removes every file." in found.text
        assert asked(running, review) != ["colluder"]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="resolve")
def test_a_signal_of_the_author_bars_nobody_who_may_still_come(tmp_path: Path, door: str) -> None:
    """U-08: the author's sessions are those of the moment when the review opened."""
    with served(tmp_path, "resolve") as running:
        honest = running.account("honest")
        author = running.account("author").at(door)
        signals(honest, "theirs")
        review = opened(author, "resolve")
        signals(author, "theirs")
        assert judge(honest.at(door), review, None).is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_a_seated_reviewer_who_comes_to_the_authors_session_objects_and_approves_nothing(
    tmp_path: Path, door: str
) -> None:
    """U-08: objections are accepted from every seat holder; approvals are not accepted from a mate."""
    with served(tmp_path, "peer") as running:
        mate = running.account("mate", *ROLES)
        author = running.account("author", "core_developer").at(door)
        signals(author, "ours")
        review = opened(author, "peer")
        assert asked(running, review) == ["mate"]
        signals(mate, "ours")
        refused = approve_peer(mate.at(door), review)
        assert refused.code == "one_party", refused.text
        answer = judge(mate.at(door), review, "reject", **AGAINST)
        assert answer.is_ok, answer.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "resolve"))
def test_whoever_comes_to_the_authors_session_is_barred_and_another_agent_sits(
    house: tuple[str, Served], door: str
) -> None:
    """U-08: that is the reviewer's own act, so nobody has chosen who is left."""
    policy, running = house
    author, mate = running.callers["author"].at(door), running.account("mate", *ROLES)
    signals(author, "ours")
    signals(mate, "ours")
    review = opened(author, policy, "ours")
    assert mate.at(door).call("take_seat", review=review).code == "one_party"
    assert not waits_for_a_human(running, review)
    assert "mate" not in asked(running, review)
    if policy == "resolve":
        assert judge(running.callers["honest-0"].at(door), review, None).is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy=("peer", "resolve"))
def test_a_mate_that_signalled_before_the_author_never_sits(house: tuple[str, Served], door: str) -> None:
    """U-08: the author's second agent does not get in by being the first in their session."""
    policy, running = house
    author, puppet = running.callers["author"].at(door), running.account("puppet", *ROLES)
    signals(puppet, "ours")
    signals(author, "ours")
    for named in ("", "ours"):
        review = opened(author, policy, named)
        assert puppet.at(door).call("take_seat", review=review).code == "one_party"
        assert asked(running, review) == []
        assert waits_for_a_human(running, review)
