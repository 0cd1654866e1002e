"""Words and numbers as the source documents write them: rejections without a ground, and two forms of confidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="server")

CHECKLIST = {"does_what_it_says": True, "errors_handled": True, "nothing_broken": True}
SURE = ((95, 95), (0.95, 95), (1.0, 100), (95.0, 95), (0.875, 88), (0, 0), (100, 100))


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A started server with the default policy, an author and a reviewer."""
    with served(tmp_path_factory.mktemp("words"), "server") as found:
        found.account("dev", "core_developer")
        found.account("auditor", "auditor")
        yield found


def _asked(up: Served, door: str, text: str, **more: Any) -> tuple[Caller, Caller, str]:
    dev, auditor = (up.callers[one].at(door) for one in ("dev", "auditor"))
    work = {"type": "api_endpoint_change", "title": "A work", "artifacts": {"code": f"# {door} {text}\n"}}
    opened = dev.call("request_review", **work, **more)
    auditor.call("get_review", reviewId=opened["id"])
    return dev, auditor, opened["id"]


@pytest.mark.parametrize("door", DOORS)
def test_a_rejection_without_a_ground_stops_the_work_and_is_asked_for_it(up: Served, door: str) -> None:
    """The document's reviewer says REJECTED and why; the four words for grounds are asked for in the answer."""
    dev, auditor, review = _asked(up, door, "rejected")
    digest = up.human.call("read_review", review=review)["review"]["digest"]
    feedback = {"overall": "This solves a problem that nobody has."}
    said = auditor.call("submit_review", reviewId=review, status="REJECTED", feedback=feedback, confidence=95)
    assert (said["success"], said["status"]) == (True, "rejected"), said.text
    assert "The rejection stands. Tell the author its ground" in said["next_step"]
    assert "would_break_system" in said["next_step"]
    assert dev.call("get_review", reviewId=review)["status"] == "rejected"
    assert up.human.call("gate", digest=digest)["allowed"] is False
    again = dev.call("request_review", type="create_core", title="Again", artifacts={"code": f"# {door} rejected\n"})
    assert not again.is_ok, "rejected bytes do not come back by another review"
    noted = auditor.at("http").call("add_note", review=review, text="Ground of the rejection: fundamental_flaw")
    assert noted.is_ok, noted.text
    assert dev.call("escalate_review", reviewId=review, reason="creator_disagrees", creator_argument="I do.").is_ok


@pytest.mark.parametrize("door", DOORS)
def test_a_rejection_without_any_word_is_refused(up: Served, door: str) -> None:
    """Neither a ground nor a reason: nothing could be told to the author."""
    _, auditor, review = _asked(up, door, "silent")
    said = auditor.call("submit_review", reviewId=review, status="REJECTED", confidence=95)
    assert (said.is_ok, said.code) == (False, "ground_missing"), said.text
    feedback = {"overall": "It would break all that calls it."}
    named = {"status": "REJECTED", "feedback": feedback, "grounds": ["would_break_system"], "confidence": 95}
    said = auditor.call("submit_review", reviewId=review, **named)
    assert "Tell the author its ground" not in said["next_step"]


@pytest.mark.parametrize("door", DOORS)
def test_confidence_is_understood_in_percent_and_as_a_part_of_one(up: Served, door: str) -> None:
    """0.95 and 95 are one number, 1.0 is certain, and a bare 1, which could be either, is refused with both."""
    for sent, kept in SURE:
        dev, auditor, review = _asked(up, door, f"sure {sent!r}", creator_confidence=sent)
        body = {"status": "CHANGES_REQUESTED", "feedback": {"overall": "Not yet.", "concerns": ["It says nothing."]}}
        assert auditor.call("submit_review", reviewId=review, **body, confidence=sent).is_ok
        assert dev.call("get_review", reviewId=review)["confidence"] == kept, sent
    _, auditor, review = _asked(up, door, "sure")
    feedback = {"overall": "Read every line of it twice."}
    body = {"reviewId": review, "status": "APPROVED", "feedback": feedback, "checklist": CHECKLIST}
    bare = auditor.call("submit_review", **body, confidence=1)
    assert (bare.is_ok, bare.code) == (False, "bad_value"), bare.text
    assert "1 can mean 1 % or 100 %; send 100, or 0.01" in bare.text
    for wrong in (101, -1, -0.5, "95", True, None):
        assert not auditor.call("submit_review", **body, confidence=wrong).is_ok, wrong
    assert auditor.call("submit_review", **body, confidence=0.95)["status"] == "approved"


@pytest.mark.door("http", "command", policy="server")
def test_the_command_line_takes_both(up: Served, tmp_path: Path) -> None:
    """`foureyes call submit-review --confidence 0.9`."""
    _, _, review = _asked(up, "http", "typed")
    token = tmp_path / "token"
    token.write_text(up.callers["auditor"].headers["authorization"].removeprefix("Bearer "), encoding="utf-8")
    token.chmod(0o600)
    words = ("--status", "APPROVED", "--confidence", "0.9", "--feedback", '{"overall": "Read every line of it."}')
    where = ("--review-id", review, "--checklist", json.dumps(CHECKLIST), "--token-file", str(token), "--json")
    done = up.run("call", "submit-review", *where, *words)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "approved"), done.stderr
