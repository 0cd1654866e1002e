"""Seed 001 over HTTP, continued: every status, type and role, notifications, and the start time of a review."""

from typing import Any

import pytest

from foureyes.app.calls.seed_words import REVIEW_TYPES
from foureyes.core.commands import PassDeadline
from foureyes.core.values import CLOCK
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five, of_document
from tests.http.test_seed_001 import CHANGES, GOOD, WORK, asked

ROLES = (
    *("architect", "core-developer", "app-developer", "tester"),
    *("auditor", "optimizer", "idea-refiner", "learner"),
)
REJECT: dict[str, Any] = CHANGES | {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
AGAIN: dict[str, Any] = {"artifacts": {"code": "v2\n"}, "changes_made": "done"}


async def status(web: Five, who: dict[str, str], review: str) -> str:
    """The status of a review."""
    return str((await web.tool("get_review", who, reviewId=review)).data["status"])


@played
async def test_a_review_has_one_of_the_seeds_seven_statuses() -> None:
    """001-06: pending, in_progress, changes_requested, pending_re_review, approved; rejected, escalated."""
    web, dev, auditor, review = await asked()
    seen = [await status(web, dev, review)]
    await web.tool("get_review", auditor, reviewId=review)
    seen.append(await status(web, dev, review))
    await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    seen.append(await status(web, dev, review))
    await web.tool("request_re_review", dev, reviewId=review, **AGAIN)
    seen.append(await status(web, dev, review))
    await web.tool("get_review", auditor, reviewId=review)
    seen.append(await status(web, dev, review))
    await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    seen.append(await status(web, dev, review))
    assert seen == ["pending", "in_progress", "changes_requested", "pending_re_review", "in_progress", "approved"]
    web, dev, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **REJECT)
    seen = [await status(web, dev, review)]
    await web.tool("escalate_review", dev, reviewId=review, reason="creator_disagrees")
    seen.append(await status(web, dev, review))
    assert seen == ["rejected", "escalated"]


@pytest.mark.parametrize("word", ["APPROVED", "approved", "Approved", " aPPROVED "])
def test_a_status_is_taken_in_any_case_and_kept_in_lower_case(word: str) -> None:
    """B11: in what is answered, in the review and in the figures."""

    @played
    async def story() -> None:
        web, dev, auditor, review = await asked()
        await web.tool("get_review", auditor, reviewId=review)
        said = await web.tool("submit_review", auditor, reviewId=review, **GOOD | {"status": word})
        assert said.data["status"] == "approved"
        assert await status(web, dev, review) == "approved"
        assert (await web.tool("get_review_metrics", dev)).data["approved"] == 1

    story()


@played
async def test_a_review_that_ended_otherwise_is_withdrawn_shelved_or_returned() -> None:
    """B11: three more words for how a review can end."""
    web, dev, _, review = await asked()
    sue = await web.human()
    await web.done(f"{BASE}/reviews/{review}/withdrawal", dev, reason="Not needed.")
    assert await status(web, dev, review) == "withdrawn"
    other = (await web.tool("request_review", dev, **WORK | {"id": "rev_2", "artifacts": {"code": "2\n"}})).data["id"]
    await web.tool("escalate_review", dev, reviewId=other, reason="We cannot agree.")
    ruling = (await web.found(f"{BASE}/reviews/{other}", sue))["review"]["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "shelve")
    await web.done(f"{BASE}/reviews/{other}/rulings/{ruling['request']}", sue, option=option, reason="Not now.")
    assert await status(web, dev, other) == "shelved"
    gaal, magnifico = await web.role("gaal"), await web.role("magnifico")
    run = (await web.done("/validate", dev, output="v0\n", kind="content_step"))["review"]
    for number in range(1, 5):
        for who, verdict in ((magnifico, "approve"), (gaal, "reject")):
            await web.found(f"{BASE}/reviews/{run}/work", who)
            body = {"revision": number, "verdict": verdict, "summary": f"{verdict} {number}"}
            await web.done(f"{BASE}/reviews/{run}/reports", who, **body)
        if number < 4:
            await web.done("/validate", dev, output=f"v{number}\n", review=run)
    assert await status(web, dev, run) == "returned"


@pytest.mark.parametrize("role", ROLES)
def test_whoever_has_one_of_the_eight_roles_may_ask_and_somebody_else_is_asked(role: str) -> None:
    """001-43, 001-01: by the role's own spelling, as the one who made the work."""

    @played
    async def story() -> None:
        web = Five()
        tokens = {name: await web.role(name) for name in ROLES}
        opened = await web.tool("request_review", tokens[role], **WORK | {"creator": role})
        assert (opened.status, opened.data["status"]) == (201, "pending"), opened.data
        assert opened.data["reviewer"] in set(ROLES) - {role}
        assert (await web.tool("get_review", tokens[role], reviewId="r1")).data["creator"] == role

    story()


@played
async def test_each_of_the_eight_types_and_three_complexities_is_taken_with_its_own_parts() -> None:
    """001-43: code, tests, documentation, plan, spec and any other key."""
    assert len(REVIEW_TYPES) == 8
    web = Five()
    dev, auditor = await web.role("core-developer"), await web.role("auditor")
    artifacts = {name: f"the {name}\n" for name in ("code", "tests", "documentation", "plan", "spec", "benchmark")}
    for number, kind in enumerate(REVIEW_TYPES):
        context = {
            "spec_id": "spec_042",
            "dependencies": ["core-string-utils"],
            "estimated_complexity": ("low", "medium", "high")[number % 3],
            "related_issues": ["#7"],
            "anything": {"else": [1, 2]},
        }
        body = {"id": f"rev_{number}", "type": kind, "artifacts": artifacts | {"code": kind}, "context": context}
        opened = await web.tool("request_review", dev, **WORK | body)
        assert opened.status == 201, opened.data
        seen = (await web.tool("get_review", auditor, reviewId=opened.data["id"])).data
        assert (seen["type"], seen["context"]) == (kind, context)
        assert seen["artifacts"] == artifacts | {"code": kind}


@played
async def test_who_never_began_is_timed_from_the_request_on() -> None:
    """B19: a report on a revision that is named needs no look through this tool."""
    web, dev, auditor, review = await asked()
    web.house.wait(minutes=4)
    done = await web.tool("submit_review", auditor, reviewId=review, revision=1, **GOOD)
    assert done.data["success"] is True
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert (seen["started_at"], seen["time_to_review_ms"]) == (None, 240_000)


@played
async def test_an_id_names_one_request_and_finds_its_review() -> None:
    """B20: ours is the id of the review and the number of the revision; under a used id nothing else is taken."""
    web, dev, _, review = await asked()
    other = await web.tool("request_review", dev, **WORK | {"title": "Something else"})
    assert (other.status, other.data["code"]) == (409, "key_reused")
    assert review != WORK["id"]
    assert (await web.tool("get_review", dev, reviewId=WORK["id"])).data["id"] == review
    # Somebody else's id is their own.
    tester = await web.role("optimizer")
    own = {"creator": "optimizer", "artifacts": {"code": "Another work."}}
    mine = await web.tool("request_review", tester, **WORK | own)
    assert mine.data["id"] not in (review, WORK["id"])


async def waiting_for(web: Five, who: dict[str, str]) -> list[tuple[str, str, int]]:
    """The inbox of an account: review, kind and revision."""
    found = (await web.found(f"{BASE}/inbox", who))["waiting"]
    return [(one["review"], one["kind"], one["revision"]) for one in found]


@played
async def test_everybody_is_told_when_it_is_their_turn() -> None:
    """001-36, 001-38, 001-39: the reviewer of a request and of which revision, the author of changes, a human."""
    web, dev, auditor, review = await asked()
    sue = await web.human()
    assert await waiting_for(web, auditor) == [(review, "report", 1)]
    assert await waiting_for(web, dev) == []
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert await waiting_for(web, dev) == [(review, "revision", 1)]
    assert await waiting_for(web, auditor) == []
    await web.tool("request_re_review", dev, reviewId=review, **AGAIN)
    assert await waiting_for(web, auditor) == [(review, "report", 2)]
    seen = (await web.tool("get_review", auditor, reviewId=review)).data
    assert [one["revision_number"] for one in seen["revisions"]] == [1]
    assert await waiting_for(web, sue) == []
    await web.tool("escalate_review", dev, reviewId=review, reason="We turn in circles.", creator_argument="It holds.")
    assert await waiting_for(web, sue) == [(review, "ruling", 2)]


@played
async def test_a_finished_review_is_learned_from() -> None:
    """001-36: the track record of this author with this type counts it, the sure approval as a success."""
    web, _, auditor, review = await asked()
    sue = await web.human()
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **GOOD)
    (record,) = (await web.found(f"{BASE}/track-records", sue))["records"]
    assert (record["kind"], record["author"]) == ("create_core", "core-developer")
    assert (record["attempts"], record["successes"]) == (1, 1)


@played
async def test_a_report_far_less_sure_than_its_author_goes_to_a_human() -> None:
    """001-36, 001-22: whether a human must decide is judged with each report that comes in."""
    web = Five()
    dev, auditor = await web.role("core-developer"), await web.role("auditor")
    review = (await web.tool("request_review", dev, **WORK, creator_confidence=95)).data["id"]
    await web.tool("get_review", auditor, reviewId=review)
    said = await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    assert said.data["status"] == "changes_requested"
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert seen["status"] == "escalated"
    assert seen["escalation_reason"]


@played
async def test_what_was_changed_comes_back_whole_and_the_message_beside_it() -> None:
    """001-08, 001-38: however many lines it has."""
    web, dev, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    made = "Refuses empty addresses.\n\n- and those without an @\n"
    await web.tool("request_re_review", dev, reviewId=review, **AGAIN | {"changes_made": made}, message="Ready.")
    (row,) = (await web.tool("get_review", dev, reviewId=review)).data["revisions"]
    assert row["changes_made"] == made
    assert "Ready." in (await web.found(f"{BASE}/reviews/{review}", auditor))["review"]["note"]


@played
async def test_figures_are_of_the_period_the_agent_and_the_type_that_were_asked_for() -> None:
    """001-40: the escalations too."""
    web, dev, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    await web.tool("submit_review", auditor, reviewId=review, **CHANGES)
    await web.tool("escalate_review", dev, reviewId=review, reason="We cannot agree.")

    await web.human()

    async def counted(**asked_for: str) -> tuple[int, int]:
        # A session does not last for days.
        human = await web.human(f"sue-{web.house.key()}")
        found = (await web.tool("get_review_metrics", human, **asked_for)).data
        return found["total_reviews"], found["escalated"]

    assert await counted() == (1, 1)
    assert await counted(type="create_app") == (0, 0)
    assert await counted(agent="tester") == (0, 0)
    assert await counted(agent="auditor", type="create_core") == (1, 1)
    own = (await web.tool("get_review_metrics", dev)).data
    assert (own["total_reviews"], own["escalated"]) == (1, 1)
    web.house.wait(minutes=60 * 24 * 2)
    assert await counted(period="day") == (0, 0)
    assert await counted(period="week") == (1, 1)
    web.house.wait(minutes=60 * 24 * 7)
    assert await counted(period="week") == (0, 0)
    assert await counted(period="month") == (1, 1)


@played
async def test_how_sure_reviewers_were_and_how_far_an_author_is_trusted_are_two_figures() -> None:
    """B6, 001-10: the mean says whether a skip may be switched on; what is moved is the old field `avg_confidence`."""
    web = Five()
    dev, auditor, sue = await web.role("core-developer"), await web.role("auditor"), await web.human()

    async def judged(number: int, **said: Any) -> dict[str, Any]:
        body = WORK | {"id": f"rev_{number}", "artifacts": {"code": f"v{number}\n"}}
        review = (await web.tool("request_review", dev, **body)).data["id"]
        await web.tool("submit_review", auditor, reviewId=review, revision=1, **said)
        (record,) = (await web.found(f"{BASE}/track-records", sue))["records"]
        return dict(record)

    record = dict[str, Any]()
    for number in range(1, 11):
        record = await judged(number, **GOOD)
    assert (record["confidence_mean"], record["trust"]) == (95, 100)
    assert record["pattern"] == {
        "id": "create_core/core-developer",
        "action_type": "create_core",
        "creator_agent": "core-developer",
        "total_attempts": 10,
        "successful_reviews": 10,
        "avg_confidence": 1.0,
        "eligible_for_skip": True,
        "skip_enabled": False,
        "skip_enabled_at": None,
        "last_review_at": "2026-01-05T09:00:00.000000Z",
    }
    await web.done(f"{BASE}/skips", sue, kind="create_core", author="core-developer")
    on = (await web.found(f"{BASE}/track-records", sue))["records"][0]["pattern"]
    assert (on["skip_enabled"], on["skip_enabled_at"]) == (True, "2026-01-05T09:00:00.000000Z")
    await web.done(f"{BASE}/skips/end", sue, kind="create_core", author="core-developer", reason="Let us see.")
    failed = await judged(11, **REJECT)
    assert (failed["confidence_mean"], failed["trust"]) == (95, 85)
    assert failed["pattern"]["avg_confidence"] == 0.85
    assert (failed["pattern"]["eligible_for_skip"], failed["pattern"]["total_attempts"]) == (False, 11)


@played
async def test_what_a_replaced_reviewer_hands_in_is_kept_and_told_to_be_no_vote() -> None:
    """001-78, F12: the seed's call names no seat; the same again is answered the same."""
    web, dev, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    web.house.wait(minutes=61)
    await web.house.do(CLOCK, PassDeadline(request="peer.1"), f"review/{review}")
    for _ in range(2):
        said = await web.tool("submit_review", auditor | {"idempotency-key": "k"}, reviewId=review, **CHANGES)
        assert of_document(said.data) == {"success": False, "review_id": review, "status": "too_late"}
    log = await web.log(review)
    assert (log.count("FindingRaised"), log.count("ReportSubmitted")) == (1, 0)
    seen = (await web.tool("get_review", dev, reviewId=review)).data
    assert (seen["reviewer"], seen["status"]) == ("tester", "pending")
