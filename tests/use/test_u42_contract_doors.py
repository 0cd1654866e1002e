"""U-42: a refusal at a source document's call names that call's own fields, and the calls its callers know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.repairing import mended
from tests.use.served import DOORS, Caller, Reply, Served, served

ITEM = {"category": "causal_gap", "description": "How are inland cities reached?", "severity": "minor"}
GOOD = {"overall": "The core adds two values, and each is checked", "concerns": [], "suggestions": []}
CRITERIA = (
    *("correct_interface_design", "proper_error_handling", "has_comprehensive_tests", "follows_naming_conventions"),
    *("no_breaking_changes", "documentation_complete", "single_responsibility", "size_appropriate"),
)
#: Fields and calls of other systems.
FOREIGN = ("evidence`", "`evidence", '"evidence"', "read_work", "read_review", "list of findings")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u42-doors"), "server") as found:
        for name in ("haku", "ann", "ben"):
            found.account(name)
        found.account("dev", "core_developer")
        found.account("aud", "auditor")
        found.account("worker", "worker")
        yield found


@pytest.fixture
def story(up: Served, request: pytest.FixtureRequest) -> tuple[Caller, Caller, str]:
    """Content by haku that ann may review."""
    haku, ann = up.callers["haku"], up.callers["ann"]
    text = f"Tides power the city of {request.node.name}."
    return haku, ann, haku.call("submit_content", content_type="story", content=text)["content_id"]


def _own_words(no: Reply, code: str) -> dict[str, Any]:
    assert no.code == code, no.text
    assert not [one for one in FOREIGN if one in no.text], no.text
    found: dict[str, Any] = no.data
    return found


@pytest.mark.door("http", policy="server")
def test_feedback_is_repaired_with_checked_and_read_content(story: tuple[Caller, Caller, str]) -> None:
    """U-42: unread, then without a word of what was checked: each is repaired from the refusal alone."""
    _, ann, content = story
    no = _own_words(ann.call("give_feedback", content_id=content, items=[ITEM]), "unread")
    assert no["next_call"]["call"] == "read_content"
    assert no["next_call"]["arguments"] == {"content_id": content}
    assert ann.call("read_content", content_id=content).is_ok
    no = _own_words(ann.call("give_feedback", content_id=content), "evidence_missing")
    assert (no["fields"]["field"], [*no["fields"]["add"]]) == ("checked", ["checked"])
    assert "`checked`" in no["next_step"]
    told = mended(ann, "give_feedback", "evidence_missing", content_id=content)
    assert told["checked"], told.text


@pytest.mark.door("http", policy="server")
def test_an_unknown_item_is_repaired_with_the_ids_there_are(story: tuple[Caller, Caller, str]) -> None:
    """U-42: no call names an empty review, and the ids are those that the call takes."""
    haku, ann, content = story
    assert ann.call("read_content", content_id=content).is_ok
    item = ann.call("give_feedback", content_id=content, items=[ITEM])["items"][0]["id"]
    calls = (
        (haku, "respond_feedback", {"feedback_item_id": f"{content}:resolve.1-F9", "response_text": "By canals."}),
        (ann, "resolve_feedback", {"feedback_item_id": f"{content}:resolve.1-F9"}),
        (ann, "read_feedback", {"feedback_item_id": f"{content}:resolve.1-F9"}),
        (ann, "give_feedback", {"content_id": content, "resolved": [{"feedback_item_id": "x"}]}),
        (
            haku,
            "revise_content",
            {"content_id": content, "content": "More.", "responses": [{"feedback_item_id": "x", "response_text": "y"}]},
        ),
    )
    for who, name, arguments in calls:
        no = _own_words(who.call(name, **arguments), "unknown_finding")
        assert no["fields"]["field"].endswith("feedback_item_id"), name
        assert no["fields"]["allowed"] == [item], name
        assert no["next_call"]["arguments"] == {"content_id": content}, name
    nowhere = _own_words(ann.call("read_feedback", feedback_item_id="nothing"), "unknown_finding")
    assert nowhere["next_call"]["call"] == "list_content"
    missing = _own_words(ann.call("give_feedback", content_id="nothing", items=[ITEM]), "review_missing")
    assert (missing["fields"]["field"], missing["next_call"]["call"]) == ("content_id", "list_content")
    assert mended(haku, "respond_feedback", "unknown_finding", **calls[0][2]).is_ok


@pytest.mark.door("http", policy="server")
def test_the_author_and_a_late_reviewer_are_sent_to_the_content(story: tuple[Caller, Caller, str]) -> None:
    """U-42: what is stale is read by `read_content`."""
    haku, ann, content = story
    no = _own_words(haku.call("give_feedback", content_id=content, items=[ITEM]), "author_may_not")
    assert no["next_call"]["arguments"] == {"content_id": content}
    assert ann.call("read_content", content_id=content).is_ok
    item = ann.call("give_feedback", content_id=content, items=[ITEM])["items"][0]["id"]
    responses = [{"feedback_item_id": item, "response_text": "By canals."}]
    assert haku.call("revise_content", content_id=content, content="Canals too.", responses=responses).is_ok
    for name, arguments in (
        ("confirm_content", {"content_id": content}),
        ("resolve_feedback", {"feedback_item_id": item}),
    ):
        no = _own_words(ann.call(name, **arguments), "stale")
        assert no["next_call"]["arguments"] == {"content_id": content}, name


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_missing_answers_are_repaired_with_the_questions(up: Served, door: str) -> None:
    """U-42: `feedback.question_answers`, one for each question."""
    dev, aud = up.callers["dev"].at(door), up.callers["aud"].at(door)
    work = {"type": "create_core", "title": "A core", "artifacts": {"code": f"x = 1  # {door}\n"}}
    review = dev.call("request_review", **work, questions=["Is it enough?", "Is it clear?"])["id"]
    assert aud.call("get_review", reviewId=review).is_ok
    said = {"reviewId": review, "status": "APPROVED", "confidence": 95, "feedback": GOOD}
    said["checklist"] = dict.fromkeys(CRITERIA, True)
    no = aud.call("submit_review", **said)
    assert no.code == "answers_mismatch", no.text
    assert no.data["fields"]["field"] == "feedback.question_answers"
    assert "<your answer to: Is it clear?>" in no.data["fields"]["add"]["feedback"]["question_answers"]
    assert "`feedback.question_answers`" in no.text
    assert mended(aud, "submit_review", "answers_mismatch", **said)["status"] == "approved"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_a_result_without_a_word_of_what_was_checked_names_the_summary(up: Served, door: str) -> None:
    """U-42: not `what` and `why`, which a result does not have."""
    worker, others = up.callers["worker"].at(door), ("haku", "ann", "ben", "dev", "aud")
    files = [{"path": "tides.py", "text": f"tides_{door} = {len(door)}\n"}]
    assert worker.call("signal", session=f"s-{door}", type="milestone", summary="Parsed the tides.", files=files).is_ok
    asked = (up.callers[name].at(door) for name in others)  # the reviewer is drawn at random
    ann = next(one for one in asked if one.call("review_requests", session=f"s-{door}")["requests"])
    result = {"session": f"s-{door}", "type": "review_result", "payload": {"verdict": "approved", "summary": "ok"}}
    no = ann.call("submit_result", **result)
    assert no.code == "evidence_missing"
    assert "`payload.summary`" in no.text
    assert "`why`" not in no.text
    assert mended(ann, "submit_result", "evidence_missing", **result).is_ok
