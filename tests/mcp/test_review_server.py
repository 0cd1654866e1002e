"""Seed 001's seven tools as its agents call them: over MCP, as `review-server`, in both eras of the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from mcp import Client

from foureyes.mcp.server import REVIEW_SERVER
from tests.app.house import House, played
from tests.http.five import Five, house, of_document
from tests.http.test_seed_001 import AT_ONCE_SECONDS, CHANGES, GOOD, WORK
from tests.mcp.desk import ERAS, Desk, no, text_of


@dataclass
class Peers(Desk, Five):
    """Those with the seed's roles, at the tools."""

    house: House = field(default_factory=house)


async def told(client: Client, name: str, **arguments: Any) -> Any:
    """The answer of a tool, parsed from its text as the seed's agents do."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))


@asynccontextmanager
async def peers(era: str) -> AsyncIterator[tuple[Peers, Client, Client]]:
    """A core developer and an auditor."""
    desk = Peers()
    dev, auditor = await desk.role("core-developer"), await desk.role("auditor")
    async with desk.near(dev, era, REVIEW_SERVER) as author, desk.near(auditor, era, REVIEW_SERVER) as reviewer:
        yield desk, author, reviewer


@pytest.mark.parametrize("era", ERAS)
def test_the_seven_tools_take_work_from_the_question_to_the_figures(era: str) -> None:
    """001-02, 001-34, 001-35, 001-36, 001-37, 001-38, 001-40: the seed's arguments in, the seed's JSON out."""

    @played
    async def story() -> None:
        async with peers(era) as (desk, author, reviewer):
            asked = await told(author, "check_review_required", action="create_core", context={})
            assert asked == {"needs_review": True, "reviewer": "auditor", "estimated_time": 30}
            unknown = await told(author, "check_review_required", action="update_readme", context={})
            assert unknown["needs_review"], "nobody knows what it is compared with"
            desk.house.mirror.commits["c1"] = {"README.md": b"A small corection.\n"}
            known = {"artifacts": {"README.md": "A small correction.\n"}, "base": "c1"}
            trivial = await told(author, "check_review_required", action="update_readme", context={}, **known)
            assert trivial == {"needs_review": False, "reason": "update_readme needs no review: only prose changed"}
            async with asyncio.timeout(AT_ONCE_SECONDS):
                opened = await told(author, "request_review", **WORK)
            review = opened["id"]
            assert of_document(opened) == {
                "id": review,
                "reviewer": "auditor",
                "status": "pending",
                "estimated_completion": "2026-01-05T09:30:00.000000Z",
            }
            assert (await told(reviewer, "get_review", reviewId=review))["status"] == "in_progress"
            said = await told(reviewer, "submit_review", reviewId=review, **CHANGES)
            assert of_document(said) == {"success": True, "review_id": review, "status": "changes_requested"}
            again: dict[str, Any] = {"reviewId": review, "revision_number": 1, "message": "Ready."}
            again["changes_made"] = "An empty address is refused."
            sent = await told(author, "request_re_review", **again, artifacts={"code": "v2\n"})
            assert of_document(sent) == {"success": True, "review_id": review, "revision_number": 1}
            await told(reviewer, "get_review", reviewId=review)
            assert (await told(reviewer, "submit_review", reviewId=review, **GOOD))["status"] == "approved"
            seen = await told(author, "get_review", reviewId=review)
            assert (seen["status"], seen["revision_count"], seen["artifacts"]) == ("approved", 1, {"code": "v2\n"})
            assert seen["feedback"] == GOOD["feedback"]
            await desk.follow()
            figures = await told(author, "get_review_metrics", period="week")
            assert (figures["total_reviews"], figures["approved"]) == (1, 1)
            assert set(figures["by_agent"]["core-developer"]) == {"as_creator", "as_reviewer"}

    story()


@pytest.mark.parametrize("era", ERAS)
def test_a_no_begins_with_the_seeds_own_sentence(era: str) -> None:
    """001-35, 001-36, 001-39, 001-43: and a human is asked for where one is wanted."""

    @played
    async def story() -> None:
        async with peers(era) as (_, author, reviewer):
            for name, more in (("submit_review", GOOD), ("get_review", {}), ("escalate_review", {"reason": "r"})):
                assert (await no(reviewer, name, reviewId="X", **more)).splitlines()[0] == "Review not found: X"
            wrong = WORK | {"title": "", "context": {"estimated_complexity": "huge"}}
            assert (await no(author, "request_review", **wrong)).splitlines()[0] == (
                "Invalid review request: title is missing, "
                "context.estimated_complexity must be one of low | medium | high"
            )
            review = (await told(author, "request_review", **WORK))["id"]
            mine = GOOD | {"reviewer": "core-developer", "revision": 1}
            said = await no(author, "submit_review", reviewId=review, **mine)
            assert said.splitlines()[0] == "Only auditor can review this"
            body = {"reviewId": review, "reason": "creator_disagrees", "creator_argument": "It holds."}
            assert of_document(await told(author, "escalate_review", **body)) == {"success": True, "escalated": True}
            seen = await told(author, "get_review", reviewId=review)
            assert (seen["status"], seen["escalation_reason"]) == ("escalated", "creator_disagrees")
            assert seen["creator_argument"] == "It holds."

    story()
