"""U-20: a seat that nobody can hold is reported by `foureyes policy check`, at start, in `status` and in the queue."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.use.judging import wait_for
from tests.use.laptop import foureyes
from tests.use.served import DOORS, SHIPPED, Caller, served

#: The vacant seats of each shipped policy without enrolled accounts, with all named reviewers available.
LACKS = {
    "solo": [],
    "server": [["reviewer-in-resolve"]],
    "team": [["reviewer"], ["reviewer-in-resolve"]],
    "resolve": [["reviewer-in-resolve"]],
    "peer": [],
    "chains": [],
    "session": [["reviewer"]],
    "panel": [["haiku"], ["sonnet"]],
}
CUSTOM = """\
version: 1
reviewers: {format: {program: format}}
kinds: {default: {chain: mine}}
chains:
  mine:
    layers: [{agent: format, scope: format}, {agent: zorro, scope: creative}]
    require_unanimous: true
    max_retries: 1
    on_final_reject: return_error
"""
WARNING = (
    "Nobody can be zorro in mine. Enrol agents with the role zorro, or write `reviewers: {zorro: {command: claude}}`"
)


def checked(folder: Path, policy: Path) -> dict[str, object]:
    ran = foureyes(folder, "policy", "check", str(policy), "--json")
    assert ran.returncode == 0, ran.stderr
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def tells(caller: Caller, review: str) -> bool:
    """Whether the author's view names the line that fills the seat."""
    return "reviewers: {zorro: {command: claude}}" in caller.call("read_review", review=review).text


@pytest.mark.parametrize("policy", LACKS)
@pytest.mark.door("command", policy="solo")
def test_every_shipped_policy_is_checked_for_seats_without_a_server(tmp_path: Path, policy: str) -> None:
    """U-20: before anything runs; reviewers whom the policy names count as there."""
    (tmp_path / "here").mkdir()
    found = checked(tmp_path / "here", SHIPPED / f"{policy}.yaml")["vacant"]
    assert isinstance(found, list)
    lacks = [one["roles"] or [f"reviewer-in-{one['needed_by'][0]}"] for one in found]
    assert sorted(lacks) == sorted(LACKS[policy])
    assert all(one["how"] for one in found)


@pytest.mark.door("http", "mcp", "command", policy=("mine", "solo"))
def test_a_policy_whose_seats_nobody_can_hold_is_told_everywhere(tmp_path: Path) -> None:
    """U-20: without a server, at start, beside the server, in its status and in the answer that waits."""
    (tmp_path / "here").mkdir()
    file = tmp_path / "mine.yaml"
    file.write_text(CUSTOM, encoding="utf-8")
    alone = foureyes(tmp_path / "here", "policy", "check", str(file))
    assert WARNING in " ".join(alone.stdout.split())
    assert "is sound" in alone.stdout
    with served(tmp_path, FOUREYES_POLICY=str(file)) as up:
        assert [one["roles"] for one in up.server.begun["vacant"]] == [["zorro"]]
        for command in (("policy", "check"), ("status",)):
            assert WARNING in " ".join(up.run(*command).stdout.split()), command
        alice = up.account("alice")
        for door in DOORS:
            files = [{"path": "a.md", "text": f"Words over {door}.\n"}]
            opened = alice.at(door).call("open_review", kind="words", title="Words", files=files)
            assert opened.is_ok, opened.text
            wait_for(partial(tells, alice.at(door), opened["review"]))
        up.account("z", "zorro")
        assert "Warning: Nobody can be zorro" not in up.run("policy", "check").stdout
        assert "Nobody can be zorro" not in " ".join(up.run("status").stdout.split())


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="session")
def test_the_seven_tools_say_which_seat_nobody_can_hold_and_what_fills_it(tmp_path: Path, door: str) -> None:
    """U-20: `request_review` said `reviewer: null` and that nothing was left to do; the line that fills the seat first.

    Only a human who may decide is told how to; the author is told to wait for the decision.
    """
    line = "reviewers: {reviewer: {command: claude}}"
    with served(tmp_path, "session") as up:
        alice = up.account("alice").at(door)
        work = {"artifacts": {"code": f"def f():\n    return '{door}'\n"}}
        unseen = alice.call("check_review_required", action="create_core", creator="alice")
        seen = alice.call("check_review_required", action="create_core", creator="alice", **work)
        for asked in (unseen, seen):
            assert (asked["reviewer"], line in asked["next_step"]) == (None, True), asked.text
        opened = alice.call("request_review", type="create_core", creator="alice", title="Core", **work)
        assert (opened["status"], opened["reviewer"]) == ("escalated", None)
        assert opened["next_step"].startswith("Nobody can hold the seat session.1, session.2. Enrol"), opened.text
        assert line in opened["next_step"]
        assert opened["next_step"].endswith("look again with get_review.")
        review = opened["id"]
        shown = alice.call("get_review", reviewId=review)["situation"]
        assert line in shown["sentence"]
        assert shown["next_step"] == "Wait: a human decides ruling-1."
        there = up.human.call("read_review", review=review)["review"]["situation"]
        assert there["next_step"].startswith("Give a ruling on ruling-1: as_is, ")
        later = alice.call("escalate_review", reviewId=review, reason="Nobody is there.")
        assert later.is_ok or later.code == "ruling_pending", later.text
        up.account("bob", "reviewer")
        up.account("carol", "reviewer")
        work = {"artifacts": {"code": f"def g():\n    return '{door}'\n"}}
        asked = alice.call("check_review_required", action="create_core", creator="alice", **work)
        assert "next_step" not in asked.data
        opened = alice.call("request_review", type="create_core", creator="alice", title="Core", **work)
        assert opened["next_step"].startswith("Nothing is left to do for you now."), opened.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "command", policy="server")
def test_too_few_reviewers_are_told_to_the_author_who_waits(tmp_path: Path, door: str) -> None:
    """U-20: feedback takes two besides the author; a session says why it is paused."""
    with served(tmp_path, "server") as up:
        alice = up.account("alice").at(door)
        assert "Nobody can be a reviewer in resolve" in " ".join(up.run("status").stdout.split())
        work = {"kind": "story", "title": "Tides", "files": [{"path": "a.md", "text": "The sea came back.\n"}]}
        opened = alice.call("open_review", **work)
        assert opened["next_step"].startswith("Too few reviewers are there. Enrol 2 more reviewers"), opened.text
        said = alice.call("signal", session="s", type="milestone", summary="Parsed the tides.")
        assert said["status"] == "PAUSED"
        why = alice.call("read_session", session="s")["paused_because"]
        assert "reviewers: {reviewer: {command: claude}}" in why
        up.account("bob")
        up.account("carol")
        work["files"] = [{"path": "b.md", "text": "The sea went away.\n"}]
        assert "Too few" not in alice.call("open_review", **work)["next_step"]
