"""Seed 001 over HTTP: its seven tools with its names, arguments, results and sentences."""

import asyncio
from typing import Any

from foureyes.core import protocols
from foureyes.core.peer_data import CRITERIA
from foureyes.core.rules import Limits
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five, house, of_document, refused

WORK: dict[str, Any] = {
    "id": "rev_001",
    "type": "create_core",
    "creator": "core-developer",
    "title": "Review: core-email-validator",
    "artifacts": {"code": "export const valid = 1\n", "tests": "test()\n", "documentation": "# Validate\n"},
    "context": {"spec_id": "spec_042", "dependencies": ["core-string-utils"], "estimated_complexity": "low"},
    "questions": ["Is the validation logic comprehensive enough?", "Are the error messages clear?"],
}
#: Far longer than an answer that waits for nothing.
AT_ONCE_SECONDS = 10
FULL = {name: True for name, _ in CRITERIA[0].required}
ANSWERS = ["Yes.", "They are."]
GOOD: dict[str, Any] = {
    "reviewer": "auditor",
    "status": "APPROVED",
    "feedback": {
        "overall": "Solid implementation!",
        "strengths": ["Clear interface design"],
        "concerns": [],
        "suggestions": ["Name the module after what it does"],
        "question_answers": ANSWERS,
    },
    "checklist": FULL,
    "confidence": 95,
}
CHANGES: dict[str, Any] = {
    "reviewer": "auditor",
    "status": "CHANGES_REQUESTED",
    "feedback": {
        "overall": "Good foundation, but needs a few improvements.",
        "strengths": [],
        "concerns": ["critical: an empty address is valid"],
        "suggestions": [],
        "question_answers": ANSWERS,
    },
    "checklist": FULL | {"proper_error_handling": False},
    "confidence": 40,
}


async def asked() -> tuple[Five, dict[str, str], dict[str, str], str]:
    """A review requested by a core developer from the auditor."""
    web = Five()
    dev, auditor = await web.role("core-developer"), await web.role("auditor")
    await web.role("tester")
    review = (await web.tool("request_review", dev, **WORK)).data["id"]
    return web, dev, auditor, review


@played
async def test_a_request_is_answered_at_once_with_who_was_asked_and_when_to_expect_the_answer() -> None:
    """001-02, 001-35, B20: the caller's own id makes repeating harmless."""
    web = Five()
    dev, _ = await web.role("core-developer"), await web.role("auditor")
    async with asyncio.timeout(AT_ONCE_SECONDS):
        answer = await web.tool("request_review", dev, **WORK)
    assert answer.status == 201
    assert of_document(answer.data) == {
        "id": "r1",
        "reviewer": "auditor",
        "status": "pending",
        "estimated_completion": "2026-01-05T09:30:00.000000Z",
    }
    assert (await web.tool("request_review", dev, **WORK)).data == answer.data
    assert await web.log("r1") == ["ReviewOpened", "RevisionSubmitted", "ReportRequested"]


@played
async def test_a_bad_request_names_each_bad_field_and_nothing_is_opened() -> None:
    """001-35, 001-43: eight types, three complexities, artifacts of any key."""
    web = Five()
    dev = await web.role("core-developer")
    types = (
        "create_core | create_app | architecture_decision | major_refactor | breaking_change | security_change | "
        "database_migration | api_endpoint_change | fix_typo | update_formatting | add_comment | update_readme"
    )
    said = "Invalid review request: "
    bad = {"type": "nonsense", "title": " ", "artifacts": {}, "context": {"estimated_complexity": "huge"}}
    faults = f"type must be one of {types}, title is missing, artifacts is empty, "
    complexity = "context.estimated_complexity must be one of low | medium | high"
    refused(await web.tool("request_review", dev, **WORK | bad), 422, said + faults + complexity)
    listed = WORK | {"context": {"dependencies": "core-x"}}
    refused(await web.tool("request_review", dev, **listed), 422, f"{said}context.dependencies must be a list of texts")
    refused(
        await web.tool("request_review", dev, **WORK | {"questions": "why"}),
        422,
        f"{said}questions: expected a list, each of it text, not text",
    )
    tricky = WORK | {"artifacts": {"../code": "x"}}
    assert (await web.tool("request_review", dev, **tricky)).data["code"] == "bad_path"
    other = WORK | {"creator": "architect"}
    assert (await web.tool("request_review", dev, **other)).data["code"] == "identity_mismatch"
    assert (await web.get("/api/v1/reviews", dev)).data["reviews"] == []


@played
async def test_every_type_has_its_reviewer_and_any_artifact_comes_back_as_it_was_sent() -> None:
    """001-43, B12: a dash is an underscore, and core_creation is create_core."""
    web, dev, auditor, _ = await asked()
    odd = {"code": "x = 1\n", "diagram": {"nodes": [1, 2.5, None]}, "src/deep/name.txt": "text"}
    context = {"autonomy": {"level": 3}, "note": "json:not what it seems", "plain": "text"}
    body = WORK | {"id": "rev_2", "type": "core-creation", "artifacts": odd, "context": context}
    asked_for = await web.tool("request_review", dev, **body)
    seen = (await web.tool("get_review", auditor, reviewId=asked_for.data["id"])).data
    assert (seen["type"], seen["artifacts"], seen["context"]) == ("create_core", odd, context)


@played
async def test_whether_a_review_is_required_is_told_before_it_is_asked_for() -> None:
    """001-34, 001-04, 001-14: why not, or who would be asked; nothing is written."""
    web = Five()
    dev, _ = await web.role("core-developer"), await web.role("auditor")
    need = await web.tool("check_review_required", dev, action="create_core", context={}, creator="core_developer")
    assert need.data == {"needs_review": True, "reviewer": "auditor", "estimated_time": 30}
    web.house.mirror.commits["c1"] = {"README.md": b"A small corection.\n"}
    known = {"artifacts": {"README.md": "A small correction.\n"}, "base": "c1"}
    trivial = await web.tool("check_review_required", dev, action="fix_typo", context={}, **known)
    assert trivial.data == {"needs_review": False, "reason": "fix_typo needs no review: only prose changed"}
    bold = {"autonomy_level": "aggressive"}
    skips = await web.tool("check_review_required", dev, action="create_app", context=bold, **known)
    why = "autonomy level aggressive needs no review: only prose changed"
    assert skips.data == {"needs_review": False, "reason": why}
    for action, context in (("fix_typo", {}), ("create_app", bold)):
        unknown = await web.tool("check_review_required", dev, action=action, context=context)
        assert unknown.data["needs_review"], "U-01: nobody knows what it is compared with"
    for action in ("security_change", "breaking_change"):
        assert (await web.tool("check_review_required", dev, action=action, context=bold)).data["needs_review"]
    code = {"code.py": "import os\nos.system('rm -rf /')\n"}
    judged = await web.tool("check_review_required", dev, action="fix_typo", artifacts=code)
    assert judged.data["needs_review"] is True
    assert (await web.get("/api/v1/reviews", dev)).data["reviews"] == []


@played
async def test_the_happy_path_by_the_seeds_own_calls() -> None:
    """001-36, 001-37, 001-30, B19: reading begins the review, and what was sent comes back whole."""
    web, dev, auditor, review = await asked()
    web.house.wait(minutes=2)
    assert (await web.tool("get_review", dev, reviewId=review)).data["status"] == "pending"
    begun = (await web.tool("get_review", auditor, reviewId=review)).data
    assert (begun["status"], begun["started_at"]) == ("in_progress", "2026-01-05T09:02:00.000000Z")
    web.house.wait(minutes=5)
    done = await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    assert of_document(done.data) == {"success": True, "review_id": review, "status": "approved"}
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert [one["role"] for one in seen.pop("briefs")] == ["auditor"]
    assert seen.pop("policy_changed") == ""
    assert seen.pop("situation")["sentence"] == "Cleared: exactly this version may go live."
    assert seen == {
        "id": review,
        "type": "create_core",
        "title": WORK["title"],
        "creator": "core-developer",
        "reviewer": "auditor",
        "status": "approved",
        "created_at": "2026-01-05T09:00:00.000000Z",
        "started_at": "2026-01-05T09:02:00.000000Z",
        "completed_at": "2026-01-05T09:07:00.000000Z",
        "artifacts": WORK["artifacts"],
        "context": WORK["context"],
        "questions": WORK["questions"],
        "feedback": GOOD["feedback"],
        "checklist": FULL,
        "confidence": 95,
        "time_to_review_ms": 300_000,
        "revision_count": 0,
        "escalation_reason": None,
        "creator_argument": None,
        "revisions": [],
    }
    assert (await web.log(review))[2:] == [
        "ReportRequested",
        "SeatTaken",
        "FindingRaised",
        "ReportSubmitted",
        "ReviewCleared",
    ]


@played
async def test_who_is_not_asked_is_told_who_is() -> None:
    """001-36, 001-01: the seed's two sentences, and a name that is not the credential's."""
    web, dev, auditor, review = await asked()
    tester = await web.role("stranger", "tester")
    refused(await web.tool("submit_review", auditor, reviewId="X", **GOOD), 404, "Review not found: X")
    refused(await web.tool("get_review", auditor, reviewId="X"), 404, "Review not found: X")
    refused(await web.tool("escalate_review", auditor, reviewId="X", reason="r"), 404, "Review not found: X")
    for who, name in ((tester, "stranger"), (dev, "core-developer")):
        mine = GOOD | {"reviewer": name, "revision": 1}
        only = "Only auditor can review this"
        refused(await web.tool("submit_review", who, reviewId=review, **mine), 403, only)
    await web.tool("get_review", auditor, reviewId=review)
    mine = GOOD | {"reviewer": "stranger", "revision": 1}
    refused(await web.tool("submit_review", tester, reviewId=review, **mine), 403, "Only auditor can review this")
    stolen = await web.tool("submit_review", tester, reviewId=review, **GOOD)
    assert (stolen.status, stolen.data["code"]) == (403, "identity_mismatch")
    assert "ReportSubmitted" not in await web.log(review)


@played
async def test_a_revision_cycle_ends_approved_with_one_revision() -> None:
    """001-38, 001-31, 001-08, 001-83, B20, I16: nobody judges a version they were not given."""
    web, dev, auditor, review = await asked()
    web.house.gate.reads = False
    unread = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert (unread.status, unread.data["code"]) == (409, "unread")
    await web.tool("get_review", auditor, reviewId=review)
    said = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert of_document(said.data) == {"success": True, "review_id": review, "status": "changes_requested"}
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert (seen["status"], seen["feedback"]) == ("changes_requested", CHANGES["feedback"])
    again: dict[str, Any] = {"reviewId": review, "changes_made": "Empty addresses are refused."}
    again["artifacts"] = WORK["artifacts"] | {"code": "export const valid = 2\n"}
    wrong = await web.tool("request_re_review", dev, **again, revision_number=2)
    assert (wrong.status, wrong.data["code"]) == (409, "stale")
    sent = await web.tool("request_re_review", dev, **again, revision_number=1, message="Ready.")
    assert of_document(sent.data) == {"success": True, "review_id": review, "revision_number": 1}
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert (seen["status"], seen["revision_count"]) == ("pending_re_review", 1)
    assert (seen["started_at"], seen["completed_at"], seen["artifacts"]) == (None, None, again["artifacts"])
    (row,) = seen["revisions"]
    assert (row["revision_number"], row["changes_made"]) == (1, again["changes_made"])
    assert CHANGES["feedback"]["overall"] in row["changes_requested"]
    old = await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    assert (old.status, old.data["code"]) == (409, "stale")
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    final = (await web.tool("get_review", dev, reviewId=review)).data
    assert (final["status"], final["revision_count"]) == ("approved", 1)


@played
async def test_a_review_under_a_key_that_came_with_another_one_is_refused() -> None:
    """F7: it was told that it was taken, and nothing was; the first one sent again is answered as it was."""
    web, dev, auditor, review = await asked()
    auditor = auditor | {"idempotency-key": "mine"}
    await web.tool("get_review", auditor, reviewId=review)
    said = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    artifacts = {**WORK["artifacts"], "code": "export const valid = 2\n"}
    await web.tool("request_re_review", dev, reviewId=review, changes_made="All of it.", artifacts=artifacts)
    await web.tool("get_review", auditor, reviewId=review)
    before = await web.log(review)
    other = CHANGES | {"feedback": CHANGES["feedback"] | {"overall": "It is still wrong."}}
    answer = await web.tool("submit_review", auditor, reviewId=review, **other)
    assert (answer.status, answer.data["code"]) == (409, "key_reused")
    again = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert of_document(again.data) == of_document(said.data)
    assert await web.log(review) == before


@played
async def test_a_review_under_the_key_of_a_report_that_was_none_is_not_said_to_be_taken() -> None:
    """F7: whichever call the key came with."""
    web, _, auditor, review = await asked()
    auditor = auditor | {"idempotency-key": "mine"}
    await web.tool("get_review", auditor, reviewId=review)
    none = {"seat": "peer.1", "revision": 1, "reason": "malformed"}
    await web.done(f"{BASE}/reviews/{review}/reports/inconclusive", auditor, **none)
    assert "ReportFailed" in await web.log(review)
    answer = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert (answer.status, answer.data["code"]) == (409, "key_reused")


@played
async def test_the_fourth_try_is_a_humans_to_decide() -> None:
    """001-31, B1: what is handed in after the third resubmission was turned down asks a human instead."""
    web, dev, auditor, review = await asked()
    for number in range(1, 5):
        await web.tool("get_review", auditor, reviewId=review)
        said = CHANGES | {"feedback": CHANGES["feedback"] | {"concerns": [f"critical: the {number}th hole"]}}
        assert (await web.tool("submit_review", auditor, reviewId=review, **said)).status == 200
        if number < 4:
            body = {"artifacts": {"code": f"v{number}\n"}, "changes_made": "done", "revision_number": number}
            assert (await web.tool("request_re_review", dev, reviewId=review, **body)).data["success"]
    assert (await web.tool("get_review", dev, reviewId=review)).data["status"] == "escalated"
    body = {"artifacts": {"code": "v4\n"}, "changes_made": "done", "revision_number": 4}
    assert (await web.tool("request_re_review", dev, reviewId=review, **body)).data["code"] == "ruling_pending"


@played
async def test_a_rejected_author_disagrees_and_a_human_decides() -> None:
    """001-39, 001-32, 001-61: the reason and the argument are kept, and only a human who signed in rules."""
    web, dev, auditor, review = await asked()
    sue = await web.human()
    await web.tool("get_review", auditor, reviewId=review)
    reject = CHANGES | {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
    assert (await web.tool("submit_review", auditor, reviewId=review, **reject)).data["status"] == "rejected"
    assert (await web.tool("get_review", dev, reviewId=review)).data["status"] == "rejected"
    body = {"reviewId": review, "reason": "creator_disagrees", "creator_argument": "It is by the book."}
    body["request_human_decision"] = True  # type: ignore[assignment]
    assert of_document((await web.tool("escalate_review", dev, **body)).data) == {"success": True, "escalated": True}
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert (seen["status"], seen["escalation_reason"]) == ("escalated", "creator_disagrees")
    assert seen["creator_argument"] == "It is by the book."
    ruling = (await web.found(f"/api/v1/reviews/{review}", dev))["review"]["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
    path = f"/api/v1/reviews/{review}/rulings/{ruling['request']}"
    assert (await web.post(path, dev, option=option, reason="mine")).status == 403
    await web.done(path, sue, option=option, reason="The author is right.")
    assert (await web.tool("get_review", dev, reviewId=review)).data["status"] == "approved"


@played
async def test_an_approval_that_does_not_meet_the_standard_is_refused() -> None:
    """X1, B13, B14, B11: a verdict is a claim that is checked, in whatever case it is written."""
    web, _, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    for body, code in (
        ({"checklist": {}}, "checklist_incomplete"),
        ({"confidence": 79}, "confidence_too_low"),
        ({"feedback": CHANGES["feedback"]}, "own_finding_blocks"),
        ({"feedback": {"overall": "Good"}}, "answers_mismatch"),
        ({"status": "MAYBE"}, "unknown_word"),
        ({"status": "CHANGES_REQUESTED"}, "ground_missing"),
        ({"checklist": {"a": 1}}, "bad_value"),
    ):
        answer = await web.tool("submit_review", auditor, reviewId=review, **GOOD | body)
        assert (answer.data["code"], 400 <= answer.status < 500) == (code, True)
    done = await web.tool("submit_review", auditor, reviewId=review, **GOOD | {"status": "approved"})
    assert done.status == 200


@played
async def test_ten_requests_at_the_same_time_are_all_taken_and_the_last_of_them_wait_in_line() -> None:
    """001-82, B16, B17: nothing is dropped; who is busy hands over to the backup, and then there is a queue."""
    web = Five()
    dev, _, _ = await web.role("core-developer"), await web.role("auditor"), await web.role("tester")
    found = [
        (await web.tool("request_review", dev, **WORK | {"id": f"rev_{one}", "artifacts": {"code": f"v{one}"}})).data
        for one in range(10)
    ]
    assert [one["reviewer"] for one in found[:6]] == ["auditor"] * 3 + ["tester"] * 3
    assert {one["status"] for one in found} == {"pending"}
    assert all(one["queued"] for one in found[6:])


@played
async def test_who_waits_in_line_is_told_no_earlier_time_than_whoever_is_looked_at() -> None:
    """001-02, B16: a time for each who is served before; one that is begun has its whole time, and not its lease."""
    web = Five(house=house(limits=Limits(parallel_max=2, queued_max=3)))
    dev, auditor = await web.role("core-developer"), await web.role("auditor")

    async def told(number: int) -> str:
        work = WORK | {"id": f"rev_{number}", "artifacts": {"code": f"v{number}"}}
        return str((await web.tool("request_review", dev, **work)).data["estimated_completion"])

    async def expected() -> int:
        asked = await web.tool("check_review_required", dev, action="create_core", context={})
        return int(asked.data["estimated_time"])

    times, minutes = list[str](), list[int]()
    for number in range(6):
        minutes.append(await expected())
        times.append(await told(number))
    assert minutes == [30, 30, 60, 60, 90, 90], "asked beforehand, the same is told"
    running, first, last, full = ("2026-01-05T09:30", "2026-01-05T10:00", "2026-01-05T10:30", "2026-01-05T10:30")
    assert [one[:16] for one in times] == [running, running, first, first, last, full]
    await web.tool("get_review", auditor, reviewId="r1")
    assert (await told(0))[:16] == running
    web.house.wait(minutes=1)
    assert (await told(0))[:16] == "2026-01-05T09:31"
    assert await told(2) > await told(0)


@played
async def test_an_author_whose_token_is_for_handing_in_only_is_reviewed_by_whom_the_matrix_names() -> None:
    """001-16: an account's roles do not depend on the scopes of its token."""
    web = Five()
    dev = await web.role("core-developer", scopes=("read", "author"))
    await web.role("auditor")
    await web.role("anybody", "janitor")
    assert (await web.tool("request_review", dev, **WORK)).data["reviewer"] == "auditor"


@played
async def test_under_another_style_the_same_tools_lead_to_the_gate() -> None:
    """Y19, 001-36, 001-38: the policy says who judges; who comes with these tools need not know the style."""
    web = Five(house=house(protocols.solo(programs=(), agents=("agent",)), kinds=()))
    dev, codex = await web.role("dev", "author"), await web.role("codex", "agent")
    body = WORK | {"creator": "dev", "questions": []}
    opened = (await web.tool("request_review", dev, **body)).data
    assert (opened["reviewer"], opened["status"]) == ("codex", "pending")
    review = opened["id"]
    await web.tool("get_review", codex, reviewId=review)
    said = CHANGES | {"reviewer": "codex"}
    first = await web.tool("submit_review", codex, reviewId=review, **said)
    assert first.data["status"] == "changes_requested", first.body
    assert (await web.tool("get_review", dev, reviewId=review)).data["status"] == "changes_requested"
    again = {"artifacts": {"code": "v2\n"}, "changes_made": "done", "revision_number": 1}
    assert (await web.tool("request_re_review", dev, reviewId=review, **again)).data["success"]
    await web.tool("get_review", codex, reviewId=review)
    await web.tool("submit_review", codex, reviewId=review, **GOOD | {"reviewer": "codex"})
    end = (await web.tool("get_review", dev, reviewId=review)).data
    assert (end["status"], end["reviewer"], end["revision_count"]) == ("approved", "codex", 1)


@played
async def test_the_figures_have_the_seeds_fields_and_an_agent_gets_its_own_alone() -> None:
    """001-40, 001-44, 001-09, U-29: totals, averages, by agent and by type; who owes no report sees everybody's."""
    web, dev, auditor, review = await asked()
    sue, stranger = await web.human(), await web.role("stranger", "optimizer")
    web.house.wait(minutes=2)
    await web.tool("get_review", auditor, reviewId=review)
    web.house.wait(minutes=8)
    await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    body = {"artifacts": {"code": "v2\n"}, "changes_made": "done", "revision_number": 1}
    await web.tool("request_re_review", dev, reviewId=review, **body)
    await web.tool("get_review", auditor, reviewId=review)
    web.house.wait(minutes=5)
    await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    counts = {"approved": 1, "changes_requested": 0, "rejected": 0}
    none = {"total": 0, "approved": 0, "changes_requested": 0, "rejected": 0}
    reviewed = counts | {"total": 1, "avg_review_time_minutes": 5.0, "avg_confidence": 95.0}
    by_auditor = {
        "as_creator": none | {"avg_revisions": 0.0},
        "as_reviewer": reviewed,
    }
    by_dev = {
        "as_creator": counts | {"total": 1, "avg_revisions": 1.0},
        "as_reviewer": none | {"avg_review_time_minutes": 0.0, "avg_confidence": 0.0},
    }
    whole = await web.tool("get_review_metrics", sue, period="week")
    assert whole.data == {
        "period": "week",
        "total_reviews": 1,
        **counts,
        "escalated": 0,
        "avg_review_time_minutes": 5.0,
        "avg_confidence": 95.0,
        "by_agent": {"auditor": by_auditor, "core-developer": by_dev},
        "by_type": {"create_core": counts | {"total": 1, "avg_review_time_minutes": 5.0, "avg_revisions": 1.0}},
    }
    assert (await web.tool("get_review_metrics", dev)).data["by_agent"] == {"core-developer": by_dev}
    assert (await web.tool("get_review_metrics", auditor)).data["by_agent"].keys() == {"auditor"}
    assert (await web.tool("get_review_metrics", stranger)).data["total_reviews"] == 0
    assert (await web.tool("get_review_metrics", sue, type="create_app")).data["total_reviews"] == 0
    one = await web.tool("get_review_metrics", sue, agent="core_developer", type="core-creation", period="month")
    assert one.data["total_reviews"] == 1
    assert (await web.tool("get_review_metrics", sue, period="century")).data["code"] == "unknown_word"
