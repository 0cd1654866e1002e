"""U-20: with a plain `foureyes up`, each of the five systems is judged in its own style."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="server")

WELL = "The tide table was printed (https://example.com/tides)."
ITEM = {"category": "causal_gap", "description": "How are inland cities reached?", "severity": "minor"}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that was started without any policy."""
    with Running(tmp_path_factory.mktemp("plain") / "home") as server:
        up = Served(server=server, browser=asyncio.run(signed_in(server)))
        for name in ("alice", "bob", "carol"):
            up.account(name)
        yield up


@pytest.mark.door("http", policy="server")
def test_content_is_judged_by_feedback_alone(plain: Served) -> None:
    """U-20: /review/proposal goes live once two reviewers' items are resolved, without a policy file."""
    alice, bob, carol = (plain.callers[one] for one in ("alice", "bob", "carol"))
    sent = alice.call("submit_content", content_type="proposal", content="A world where tides power all cities.")
    assert sent["reason"] == "Need 2 reviewers, have 0", sent.text
    content = sent["content_id"]
    items = [_item(one, content) for one in (bob, carol)]
    for item in items:
        assert alice.call("respond_feedback", feedback_item_id=item, response_text="Canals reach them.").is_ok
    for one, item in zip((bob, carol), items, strict=True):
        assert one.call("resolve_feedback", feedback_item_id=item, resolution_note="The canals answer it.").is_ok
    assert alice.call("read_content", content_id=content)["state"] == "live"


def _item(reviewer: Caller, content: str) -> str:
    reviewer.call("read_content", content_id=content)
    return str(reviewer.call("give_feedback", content_id=content, items=[ITEM])["items"][0]["id"])


@pytest.mark.parametrize("door", DOORS)
def test_programs_alone_let_nothing_go_live(plain: Served, door: str) -> None:
    """U-20, U-02: a step cleared by a chain of programs may continue; for a target another party must judge it."""
    alice = plain.callers["alice"].at(door)
    for number, kind in enumerate(("output", "security", "research")):
        file = {"path": "notes.py", "text": f"VALUE = {number}  # {door}\n"}
        opened = alice.call("open_review", kind=kind, title="A step", files=[file])
        assert opened.is_ok, opened.text
        assert _ends(alice, opened["review"]) == "cleared", kind
        for target in ("production", "", "anywhere"):
            answer = alice.call("gate", digest=opened["digest"], target=target)
            assert answer["allowed"] is False, (kind, target)
            assert "level 1 of independence" in answer["reason"], answer.text


def _ends(caller: Caller, review: str) -> str:
    """The state of a review once its programs have spoken."""
    end = time.monotonic() + 60
    while (state := str(caller.call("read_review", review=review)["review"]["state"])) == "open":
        assert time.monotonic() < end, "the programs do not answer"
        time.sleep(0.1)
    return state


def test_open_content_is_listed_and_offered(plain: Served) -> None:
    """U-20: GET /review lists what is in review, and the inbox offers it to those who may review it."""
    alice, bob = plain.callers["alice"], plain.callers["bob"]
    content = alice.call("submit_content", content_type="story", content="The sea came back on a Tuesday.")[
        "content_id"
    ]
    for door in DOORS:
        offered = [one["review"] for one in bob.at(door).call("inbox")["waiting"] if one["request"] == "resolve"]
        assert content in offered, door
        assert content not in [one["review"] for one in alice.at(door).call("inbox")["waiting"]], door
    listed = bob.call("list_content", content_type="story")["content"]
    assert [(one["content_id"], one["state"]) for one in listed] == [(content, "review")]
    assert bob.call("list_content", state="wonderful").code == "unknown_word"
    _item(bob, content)
    assert content not in [one["review"] for one in bob.call("inbox")["waiting"]]
    # Carol has not reported, so whether others have must not show.
    assert content in [one["review"] for one in plain.callers["carol"].call("inbox")["waiting"]]


@pytest.mark.parametrize("door", DOORS)
def test_a_chain_is_judged_by_its_critics(plain: Served, door: str) -> None:
    """U-20: the chain that a call names judges the output alone; programs hold the seats of its critics."""
    alice = plain.callers["alice"].at(door)
    done = alice.call("validate", output=f"{door}: {WELL}", chain="research")
    assert (done["status"], done["chains"]) == ("approved", ["research"]), done.text
    assert [one["layer_index"] for one in done["layers"]] == [0, 1]
    bad = alice.call("validate", output=f"{door}: 95% of all users agree.", chain="research")
    assert (bad["status"], bad["layers"][-1]["decision"]) == ("returned", "veto"), bad.text
    worse = alice.call("validate", output=f"echo {door}\nrm -rf /\n", chain="security")
    assert (worse["status"], worse["layers"][-1]["layer_index"]) == ("returned", 1), worse.text
    assert alice.call("validate", output=f"{door} plain: {WELL}")["status"] == "approved"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", "command", policy="server")
def test_a_seat_that_nobody_can_hold_is_said_with_the_line_that_fills_it(plain: Served, door: str) -> None:
    """U-20: at start, in status, in a check of the policy and in the answers, with the policy line."""
    alice = plain.callers["alice"].at(door)
    done = alice.call("validate", output=f"{door}: {WELL}", chain="content")
    assert done["status"] == "escalated_to_human"
    assert "reviewers: {magnifico: {command: claude}}" in done["message"]
    opened = alice.call("open_review", kind="task", title="Task 7", files=[{"path": "app.py", "text": f"# {door}\n"}])
    assert "reviewers: {haiku: {command: claude}, sonnet: {command: claude}}" in opened["next_step"]
    begun = {role: one for one in plain.server.begun["vacant"] for role in one["roles"]}
    assert {"agent", "daneel", "magnifico", "haiku"} <= set(begun)
    assert not {"seldon", "hardin", "gaal", "format"} & set(begun)
    for said in (plain.run("status").stdout, plain.run("policy", "check").stdout):
        told = " ".join(said.split())
        assert "Nobody can be magnifico in content." in told
        # Agents have been enrolled since.
        assert "Nobody can be agent" not in told
        assert "Nobody can be gaal" not in told


@pytest.mark.parametrize("door", DOORS)
def test_a_signal_asks_an_agent_outside_the_session(plain: Served, door: str) -> None:
    """U-20: a milestone is judged in the style of sessions, by agents that only have the usual role."""
    alice = plain.callers["alice"].at(door)
    summary = f"Implemented auth_controller.py with JWT support, {door}."
    review = alice.call("signal", session=f"s-{door}", type="milestone", summary=summary)["review"]
    asked = [plain.callers[one].at(door).call("review_requests", session=f"s-{door}") for one in ("bob", "carol")]
    assert [one["review"] for each in asked for one in each["requests"]] == [review, review]
    stages = {one["stage"] for one in alice.call("explain", review=review)["requirements"]}
    assert stages == {"session"}


@pytest.mark.parametrize("door", DOORS)
def test_the_seven_tools_are_judged_by_a_colleague(plain: Served, door: str) -> None:
    """U-20: request_review of a new core asks one colleague by checklist, not the programs of a lone developer."""
    alice = plain.callers["alice"].at(door)
    code = f"def add(a, b):\n    return a + b  # {door}\n"
    asked = alice.call("request_review", type="create_core", title=f"core {door}", artifacts={"code": code})
    assert asked["status"] == "pending", asked.text
    assert asked["reviewer"] not in (None, "alice"), asked.text


@pytest.mark.door("http", policy="chains")
def test_the_shipped_chains_pass_what_is_good(tmp_path: Path) -> None:
    """U-20: each chain of the shipped policy whose seats are held by programs passes good output."""
    with served(tmp_path, "chains") as up:
        alice = up.account("alice")
        for chain in ("default", "security", "research"):
            done = alice.call("validate", output=f"{chain}: {WELL}", chain=chain)
            assert done["status"] == "approved", done.text
        up.account("daneel", "daneel")
        waits = alice.call("validate", output=f"infrastructure: {WELL}", chain="infrastructure")
        assert waits["status"] == "pending", waits.text
