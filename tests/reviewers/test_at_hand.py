"""The reviewers on this machine: all that the policy names, as far as the person requests and allows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.reviewers import AtHand
from foureyes.app.reviewing.outcome import Options
from foureyes.home.trouble import Trouble
from foureyes.policy.load import load_text, shipped
from foureyes.policy.policy import Policy
from foureyes.reviewers.at_hand import Search

PROGRAMS = ("format", "security", "injection", "factual", "python")
TESTS = b"version: 1\nkinds: {default: solo}\nreviewers: {tests: {run: make 'all tests'}}\nsolo: {programs: [tests]}\n"


@dataclass
class Asking:
    """Gives every question the same answer, and records it."""

    says: bool
    heard: list[tuple[str, str]] = field(default_factory=list)

    def may_send(self, name: str, sends: str) -> bool:
        self.heard.append((name, sends))
        return self.says


def policy(text: bytes) -> Policy:
    def nothing(name: str) -> bytes:
        raise FileNotFoundError(name)

    return load_text("foureyes.yaml", text, nothing).policy


def found(who: Policy, where: str = "the policy of the repository /r", **options: Any) -> AtHand:
    search = Search(environ={"PATH": "/nowhere"}, here=Path("/r"), where=where)
    return search.at_hand(who, Options(**options))


def names(hand: AtHand) -> set[str]:
    return {one.who.name for who in hand.reviewers.values() for one in who}


def missing(hand: AtHand) -> dict[str, str]:
    return {one.name: one.why for one in hand.missing}


def test_a_command_of_a_policy_runs_only_after_a_person_said_so() -> None:
    """The person who reviews in a repository is asked for consent, not the author of its policy."""
    asking = Asking(says=False)
    hand = found(policy(TESTS), may_send=asking.may_send)
    assert "tests" not in names(hand)
    (left,) = (one for one in hand.missing if one.name == "tests")
    assert left.why == "not allowed yet: it would run `make 'all tests'` here"
    assert "--yes-send 'run: make '\"'\"'all tests'\"'\"''" in left.next_step
    assert asking.heard == [
        (
            "run: make 'all tests'",
            "the policy of the repository /r wants to run `make 'all tests'` on this machine, with the work in it",
        )
    ]
    assert "tests" in names(found(policy(TESTS), may_send=Asking(says=True).may_send))


def test_another_repository_or_command_is_another_question() -> None:
    asking = Asking(says=True)
    for text, where in ((TESTS, "a"), (TESTS, "b"), (TESTS.replace(b"all", b"some"), "a")):
        found(policy(text), where, may_send=asking.may_send)
    assert len(set(asking.heard)) == 3


@pytest.mark.parametrize("options", [{"critics_only": True}, {"without": ("tests",)}, {"only": ("format",)}])
def test_nobody_is_asked_about_a_command_that_is_not_wanted(options: dict[str, Any]) -> None:
    """Programs only means ours: it runs nothing that a policy names."""
    asking = Asking(says=True)
    hand = found(policy(TESTS), may_send=asking.may_send, **options)
    assert asking.heard == []
    assert "tests" not in names(hand)
    assert "tests" in missing(hand)


def test_who_was_left_out_is_listed_though_nobody_but_programs_was_wanted() -> None:
    hand = found(shipped("solo").policy, critics_only=True, without=("security",))
    assert missing(hand) == {"security": "you left it out", "agents and models": "you asked for programs only"}


def test_whoever_is_not_among_those_asked_for_is_listed() -> None:
    hand = found(shipped("solo").policy, only=("format",))
    assert names(hand) == {"format"}
    assert set(missing(hand)) >= {*PROGRAMS, "claude", "codex", "gemini"} - {"format"}
    assert missing(hand)["security"] == "you asked for format only"


@pytest.mark.parametrize("options", [{"without": ("claude",)}, {"only": ("claude",)}])
def test_naming_an_agent_among_programs_only_is_no_slip(options: dict[str, Any]) -> None:
    assert "claude" in missing(found(shipped("solo").policy, critics_only=True, **options))


def test_a_slip_of_the_pen_still_is_one() -> None:
    with pytest.raises(Trouble, match="Nobody here is called 'claud'"):
        found(shipped("solo").policy, critics_only=True, without=("claud",))


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        (b"version: 1\nkinds: {default: solo}\n", ["agent"]),
        (b"version: 1\nkinds: {default: panel}\n", ["haiku", "sonnet"]),
    ],
)
def test_a_role_for_a_mind_that_nobody_holds_is_for_whoever_is_at_hand(text: bytes, roles: list[str]) -> None:
    """D-23: and where nobody is, that is said, with what to write."""
    environ = {"PATH": "/nowhere", "ANTHROPIC_API_KEY": "k1", "OPENAI_API_KEY": "k2"}
    search = Search(environ=environ, here=Path("/r"))
    hand = search.at_hand(policy(text), Options(may_send=lambda *_: True))
    minds = [[one.who.provider for one in hand.reviewers[role]] for role in roles]
    assert [one[0] for one in minds] == ["anthropic", "openai"][: len(roles)]
    alone = missing(found(policy(text)))
    assert {alone[role] for role in roles} == {"nobody at hand can take this role"}


def test_a_server_hosts_nobody_whom_its_policy_does_not_name() -> None:
    """Elsewhere an unassigned role goes to any available reviewer."""
    bare = policy(b"version: 1\nkinds: {default: solo}\nsolo: {programs: [format], agents: [agent]}\n")
    hand = found(bare, named_only=True, may_send=Asking(says=True).may_send)
    assert names(hand) == set(PROGRAMS)
    assert "agent" not in missing(hand), "it waits for whoever comes"
    assert "agent" in missing(found(bare, may_send=Asking(says=True).may_send))
