"""Seed 001 §4, §6, §7 and §9 under its own policy: the seven tools, and each course of a review."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator

import pytest

from foureyes.mcp.tools import SEVEN
from tests.cli.running import FOUREYES
from tests.doors_used import MCP as MCP_DOOR
from tests.doors_used import RECORD
from tests.http.test_seed_001 import CHANGES, GOOD, WORK
from tests.postgres.server import Server
from tests.seeds.stories.chats import Chats
from tests.seeds.stories.colleagues import (
    PEER,
    POLICY,
    approve,
    asked,
    checklist,
    colleagues,
    doubt,
    is_escalated,
    judge,
    over,
    request,
    resubmit,
    ruled,
    shown,
)
from tests.seeds.stories.stage import SQLITE, Stage, done, found, places, posted
from tests.use.served import HTTP, MCP

pytestmark = pytest.mark.door("http", policy="seed-001")

TYPES = (
    "create_core",
    "create_app",
    "architecture_decision",
    "major_refactor",
    "breaking_change",
    "security_change",
    "database_migration",
    "api_endpoint_change",
)
#: Creator, primary and backup.
MATRIX = (
    ("architect", "optimizer", "auditor"),
    ("core-developer", "auditor", "tester"),
    ("app-developer", "architect", "core-developer"),
    ("optimizer", "architect", "auditor"),
    ("tester", "core-developer", "auditor"),
    ("idea-refiner", "architect", "optimizer"),
)


#: Criteria for the kinds without criteria in the document.
OTHERS = dict.fromkeys(("does_what_it_says", "errors_handled", "nothing_broken"), True)


@pytest.fixture(scope="module", params=places(SQLITE))
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[tuple[Stage, Chats]]:
    """A server with the document's own policy, its colleagues, and the notification channels."""
    with colleagues(tmp_path_factory.mktemp("seed-001"), request.param, on_postgres) as both:
        yield both


@pytest.fixture
def here(both: tuple[Stage, Chats]) -> Stage:
    """The server."""
    return both[0]


@pytest.mark.door("http", "mcp", policy="seed-001")
@pytest.mark.parametrize("door", [MCP, HTTP])
def test_the_happy_path_by_the_seven_tools(here: Stage, door: str) -> None:
    """001-01, 001-02, 001-07, 001-30, 001-34, 001-35, 001-36, 001-37, 001-43: asked, begun, approved at 95."""
    dev, auditor = here.agent("core-developer").at(MCP), here.agent("auditor").at(door)
    need = dev.call("check_review_required", action="create_core", context={})
    assert need.data == {"needs_review": True, "reviewer": "auditor", "estimated_time": 30}
    code = f"export const valid = '{door}'\n"
    artifacts = {"code": code, "tests": "test()\n", "diagram": {"nodes": [1, 2.5, None]}}
    made = dev.call("request_review", **WORK | {"id": f"happy-{door}", "artifacts": artifacts})
    assert (made["reviewer"], made["status"]) == ("auditor", "pending")
    assert made["estimated_completion"]
    review = made["id"]
    assert shown(dev, review)["status"] == "pending"
    begun = auditor.call("get_review", reviewId=review)
    assert (begun["status"], begun["title"], begun["questions"]) == ("in_progress", WORK["title"], WORK["questions"])
    here.wait(minutes=20)
    said = auditor.call("submit_review", reviewId=review, **GOOD)
    assert {"success": True, "review_id": review, "status": "approved"}.items() <= said.data.items()
    seen = shown(dev, review)
    wanted = {
        "id": review,
        "type": "create_core",
        "creator": "core-developer",
        "reviewer": "auditor",
        "status": "approved",
        "artifacts": artifacts,
        "context": WORK["context"],
        "checklist": GOOD["checklist"],
        "confidence": 95,
        "revision_count": 0,
        "escalation_reason": None,
        "creator_argument": None,
    }
    assert wanted.items() <= seen.items()
    assert seen["feedback"]["question_answers"] == GOOD["feedback"]["question_answers"]
    assert len(seen["feedback"]["question_answers"]) == len(seen["questions"])
    assert 20 * 60_000 <= seen["time_to_review_ms"] < 30 * 60_000
    assert seen["created_at"] <= seen["started_at"] < seen["completed_at"]
    digest = found(dev, f"/api/v1/reviews/{review}")["review"]["digest"]
    assert found(dev, f"/api/v1/gate/{digest}")["allowed"] is True


def test_requests_that_are_wrong_are_answered_in_the_documents_sentences(here: Stage) -> None:
    """001-35, 001-36, 001-43, 001-01: each bad field, an unknown review, and a reviewer who was not asked."""
    dev, auditor, tester = (here.agent(one) for one in ("core-developer", "auditor", "tester"))
    bad = request(dev, type="nonsense", title=" ", artifacts={}, context={"estimated_complexity": "huge"})
    sentence = str(bad.data["title"])
    assert sentence.startswith("Invalid review request: type must be one of create_core | create_app | ")
    for field in ("title is missing", "artifacts is empty", "estimated_complexity must be one of low | medium | high"):
        assert field in sentence
    review = asked(dev)
    for call, body in (("submit_review", GOOD), ("escalate_review", {"reason": "r"})):
        assert posted(auditor, f"{PEER}/{call}", reviewId="X", **body).data["title"] == "Review not found: X"
    for caller, name in ((tester, "tester"), (dev, "core-developer")):
        refused = posted(caller, f"{PEER}/submit_review", reviewId=review, **GOOD | {"reviewer": name, "revision": 1})
        assert refused.data["title"] == "Only auditor can review this"
    assert posted(tester, f"{PEER}/submit_review", reviewId=review, **GOOD).code == "identity_mismatch"
    assert shown(dev, review)["status"] == "pending"
    over(dev, review)


def test_changes_are_requested_and_the_re_review_approves(both: tuple[Stage, Chats]) -> None:
    """001-06, 001-08, 001-27, 001-31, 001-38, 001-80, 001-83: the record of the revision, and who is told what."""
    here, told = both
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    title = "Review: core-cycle"
    review = asked(dev, title=title)
    states = [shown(dev, review)["status"]]
    assert told.hears("discord/2/reviewer", title)
    shown(auditor, review)
    states.append(shown(dev, review)["status"])
    doubt(auditor, review)
    states.append(shown(dev, review)["status"])
    assert told.hears("discord/1/creator", title)
    assert resubmit(dev, review, 2).code == "stale", "numbers are checked"
    sent = resubmit(dev, review, 1).data
    assert {"success": True, "review_id": review, "revision_number": 1}.items() <= sent.items()
    seen = shown(dev, review)
    states.append(seen["status"])
    assert (seen["started_at"], seen["completed_at"], seen["revision_count"]) == (None, None, 1)
    (row,) = seen["revisions"]
    assert (row["revision_number"], row["changes_made"]) == (1, "Empty addresses are refused.")
    assert CHANGES["feedback"]["overall"] in row["changes_requested"]
    early = posted(auditor, f"{PEER}/submit_review", reviewId=review, **GOOD)
    assert early.code == "stale", "who judged version 1 does not clear version 2"
    approve(auditor, review)
    seen = shown(dev, review)
    states.append(seen["status"])
    assert states == ["pending", "in_progress", "changes_requested", "pending_re_review", "approved"]
    assert seen["revision_count"] == 1


def test_what_a_review_went_through_is_a_row_of_the_audit(here: Stage) -> None:
    """001-05: request, decision, ruling and override, each with who, when and why."""
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    review = asked(dev)
    reply = judge(auditor, review, CHANGES, status="REJECTED", grounds=["fundamental_flaw"], confidence=95)
    assert reply.is_ok, reply.text
    done(dev, f"{PEER}/escalate_review", reviewId=review, reason="creator_disagrees", creator_argument="By the book.")
    human = here.human()
    assert ruled(human, review, "pass_stage", "The author is right.").is_ok
    rows = found(human, "/api/v1/audit", review=review)["rows"]
    said = json.dumps(rows)
    for word in ("core-developer", "auditor", "The author is right."):
        assert word in said, said
    assert all(row["who"] and row["at"] for row in rows), rows


def test_a_rejected_creator_disagrees_and_a_human_decides(here: Stage) -> None:
    """001-06, 001-32, 001-39, 001-61, 001-62, 001-64, 001-22: reason and argument are kept; the ruling is final."""
    dev, auditor, stranger = here.agent("core-developer"), here.agent("auditor"), here.agent("optimizer")
    reject = {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
    for effect, end in (("pass_stage", "approved"), ("reject", "rejected")):
        review = asked(dev)
        assert judge(auditor, review, CHANGES, **reject).data["status"] == "rejected"
        assert shown(dev, review)["status"] == "rejected"
        argument = {"reason": "creator_disagrees", "creator_argument": "It is by the book."}
        assert not posted(stranger, f"{PEER}/escalate_review", reviewId=review, **argument).is_ok
        assert not posted(dev, f"{PEER}/escalate_review", reviewId=review, **argument | {"reason": ""}).is_ok
        answer = done(dev, f"{PEER}/escalate_review", reviewId=review, **argument, request_human_decision=True)
        assert (answer["success"], answer["escalated"]) == (True, True)
        seen = is_escalated(here, dev, review)
        assert (seen["escalation_reason"], seen["creator_argument"]) == ("creator_disagrees", "It is by the book.")
        page = here.up.page(f"/reviews/{review}")
        for said in ("It is by the book.", CHANGES["feedback"]["overall"]):
            assert said in page, "the human has both positions before them"
        assert not ruled(dev, review, effect).is_ok, "no agent rules"
        assert ruled(here.human(), review, effect).is_ok
        assert shown(dev, review)["status"] == end
        final = posted(dev, f"{PEER}/escalate_review", reviewId=review, **argument)
        assert not final.is_ok, "a human's word ends it"


def test_a_rejected_creator_accepts_and_starts_over(here: Stage) -> None:
    """001-32: withdrawn, and the new approach is a review of its own."""
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    review = asked(dev)
    reply = judge(auditor, review, CHANGES, status="REJECTED", grounds=["better_to_start_over"], confidence=95)
    assert reply.data["status"] == "rejected"
    over(dev, review)
    another = asked(dev)
    approve(auditor, another)
    assert shown(dev, another)["status"] == "approved"


def test_the_fourth_try_is_a_humans_to_decide(here: Stage) -> None:
    """001-22, 001-31, 001-73, B1: three resubmissions; what the third brought is escalated, not revised for ever."""
    app, architect = here.agent("app-developer"), here.agent("architect")
    review = asked(app, type="create_app")
    for number in range(1, 5):
        doubt(architect, review, f"critical: the {number}th hole", checklist=checklist("create_app"))
        if number < 4:
            assert resubmit(app, review, number).is_ok
    is_escalated(here, app, review)
    assert resubmit(app, review, 4).code == "ruling_pending"
    assert ruled(here.human(), review, "reject").is_ok
    assert shown(app, review)["status"] == "rejected"


def test_an_approval_meets_the_standard_or_is_refused(here: Stage) -> None:
    """001-18, 001-19, B13: all criteria of its kind, at least 80 sure, and no own concern."""
    required = {"create_core": 8, "create_app": 5, "architecture_decision": 5, "major_refactor": 4}
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    for kind, number in required.items():
        full = checklist(kind)
        assert len(full) == number
        review = asked(dev, type=kind)
        missing = judge(auditor, review, GOOD, checklist={})
        assert missing.code == "checklist_incomplete"
        assert [name for name in full if name not in missing.text] == []
        first = next(iter(full))
        assert not judge(auditor, review, GOOD, checklist=full | {first: False}).is_ok
        assert judge(auditor, review, GOOD, checklist=full, confidence=79).code == "confidence_too_low"
        concern = {**GOOD["feedback"], "concerns": ["critical: it leaks"]}
        assert judge(auditor, review, GOOD, checklist=full, feedback=concern).code == "own_finding_blocks"
        approve(auditor, review, kind, confidence=80)
        assert shown(dev, review)["status"] == "approved"
    optional = found(here.human(), "/api/v1/policy")["text"]
    for name in ("performance_acceptable", "ui_quality", "reversibility_noted", "rollback_plan"):
        assert name in optional


def test_changes_and_rejections_need_their_grounds(here: Stage) -> None:
    """001-20, 001-21: a critical concern, a failed criterion or little confidence; one of four named flaws."""
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    empty = {**CHANGES["feedback"], "concerns": []}
    bare = {"feedback": empty, "checklist": checklist("create_core"), "confidence": 85}
    review = asked(dev)
    assert judge(auditor, review, CHANGES, **bare).code == "ground_missing"
    over(dev, review)
    for ground in (
        {"confidence": 59},
        {"checklist": checklist("create_core") | {"no_breaking_changes": False}},
        {"feedback": {**empty, "concerns": ["critical: it leaks"]}},
    ):
        review = asked(dev)
        assert judge(auditor, review, CHANGES, **bare | ground).data["status"] == "changes_requested", ground
        over(dev, review)
    for flaw in ("fundamental_flaw", "would_break_system", "security_risk", "better_to_start_over"):
        review = asked(dev)
        invented = judge(auditor, review, CHANGES, status="REJECTED", grounds=["ugly"])
        assert (invented.is_ok, flaw in invented.text) == (False, True)
        reply = judge(auditor, review, CHANGES, status="REJECTED", grounds=[flaw], confidence=95)
        assert reply.data["status"] == "rejected"
        over(dev, review)


def test_each_role_has_its_reviewer_and_its_backup(here: Stage) -> None:
    """001-16, 001-17, 001-51, 001-25, 001-68, 001-13: three at once, then the backup, for every row of the matrix."""
    policy = found(here.human(), "/api/v1/policy")["text"]
    assert "Auditor reviews code quality and conventions" in policy
    for creator, primary, backup in MATRIX:
        author = here.agent(creator)
        need = done(author, f"{PEER}/check_review_required", action="create_core", context={})
        assert (need["needs_review"], need["reviewer"]) == (True, primary)
        opened = [request(author) for _ in range(4)]
        assert [one["reviewer"] for one in opened] == [primary] * 3 + [backup]
        over(author, *(one["id"] for one in opened))
    for kind in TYPES:
        need = done(here.agent("core-developer"), f"{PEER}/check_review_required", action=kind, context={})
        assert need["needs_review"] is True, kind


def test_what_fails_the_creators_own_checks_reaches_nobody(here: Stage) -> None:
    """001-11: syntax, metadata and export are checked before a reviewer is asked."""
    dev = here.agent("core-developer")
    checks = ["syntax_valid", "has_metadata", "has_export"]
    bad = request(dev, artifacts={"code": "const valid = (1\n"}, self_check=checks)
    assert bad.code == "bad_value"
    for issue in (*checks, "line 1 that is never closed", "no metadata", "no file exports"):
        assert issue in bad.data["title"]
    metadata = 'export const metadata = {name: "a", version: "1", description: "b", tags: ["c"]}\n'
    over(dev, asked(dev, artifacts={"code": metadata + "export const valid = 1\n"}, self_check=checks))


def test_the_figures_have_the_documents_fields(here: Stage) -> None:
    """001-09, 001-40, 001-44: totals and averages by agent and by type; an agent sees its own alone."""
    author, reviewer = here.agent("tester"), here.agent("core-developer")
    kind = "api_endpoint_change"
    review = asked(author, type=kind)
    doubt(reviewer, review, checklist={})
    assert resubmit(author, review, 1).is_ok
    approve(reviewer, review, checklist=OTHERS)
    seen = found(here.human(), f"{PEER}/get_review_metrics", period="week", type=kind)
    totals = {"total_reviews", "approved", "changes_requested", "rejected", "escalated"}
    assert totals | {"avg_review_time_minutes", "avg_confidence", "by_agent", "by_type"} <= set(seen)
    made, reviewed = seen["by_agent"]["tester"]["as_creator"], seen["by_agent"]["core-developer"]["as_reviewer"]
    counts = {"total", "approved", "changes_requested", "rejected"}
    assert counts | {"avg_revisions"} <= set(made)
    assert counts | {"avg_review_time_minutes", "avg_confidence"} <= set(reviewed)
    assert (made["approved"], made["avg_revisions"] > 0) == (1, True)
    assert reviewed["avg_confidence"] == 95
    assert counts | {"avg_review_time_minutes", "avg_revisions"} <= set(seen["by_type"][kind])
    own = found(author, f"{PEER}/get_review_metrics", period="week")
    assert own["by_agent"].keys() == {"tester"}


def test_ten_requests_at_the_same_time_are_all_taken(here: Stage) -> None:
    """001-82, 001-25, 001-68: three with each reviewer, the rest in their queues; nothing is lost."""
    dev = here.agent("core-developer")
    opened = [request(dev) for _ in range(10)]
    assert [one["reviewer"] for one in opened[:6]] == ["auditor"] * 3 + ["tester"] * 3
    assert {one["status"] for one in opened} == {"pending"}
    assert len({one["id"] for one in opened}) == 10
    for one in opened[:6]:
        approve(here.agent(one["reviewer"]), one["id"])
        assert shown(dev, one["id"])["status"] == "approved"
    over(dev, *(one["id"] for one in opened[6:]))


@pytest.mark.door("mcp", policy="seed-001")
def test_the_server_is_review_server_and_knows_no_other_tool(here: Stage) -> None:
    """001-41, 001-42: over stdio, with its name, its version and its seven tools."""
    token = here.agent("core-developer").headers["authorization"].removeprefix("Bearer ")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "claude", "version": "1"}}
    asks = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "no_such", "arguments": {}}},
    )
    environment = {**here.up.server.environment, "FOUREYES_TOKEN": token}
    environment |= {name: value for name, value in os.environ.items() if name == "TMPDIR"}
    with subprocess.Popen(
        [FOUREYES, "mcp", "--as", "review-server"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        RECORD.note(MCP_DOOR, POLICY)
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(f"{json.dumps(one)}\n" for one in asks))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.stdin.close()
    said = {one["id"]: one for one in answers}
    assert said[1]["result"]["serverInfo"] == {"name": "review-server", "version": "1.0.0"}
    assert {one["name"] for one in said[2]["result"]["tools"]} == set(SEVEN)
    assert "Unknown tool: no_such" in json.dumps(said[3])
