"""The parts of the seeds' calls: any JSON comes back as it was sent, and a key does nothing twice."""

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from foureyes.app.calls.bodies import given, schema, taken
from foureyes.app.calls.registry import CALLS
from foureyes.app.calls.seed_001 import RequestForm
from foureyes.app.calls.seed_001_metrics import AsCreator
from foureyes.app.calls.seed_work import artifacts_of, context_of, files_of, pairs_of
from foureyes.app.calls.seeds import calls
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import WorkPart
from tests.app.house import played
from tests.http.five import Five, of_document
from tests.http.test_seed_001 import CHANGES, GOOD, WORK, asked

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=8,
)


@drawn(context=st.dictionaries(TEXTS, VALUES))
def test_a_context_with_any_keys_comes_back_as_it_was_sent(context: dict[str, Any]) -> None:
    """001-43."""
    form = taken(RequestForm, {"context": context})
    assert context_of(pairs_of(form.context)) == context
    assert given(form)["context"] == context


@drawn(artifacts=st.dictionaries(TEXTS, VALUES))
def test_any_artifact_comes_back_as_it_was_sent(artifacts: dict[str, Any]) -> None:
    """001-43."""
    files = files_of(artifacts)
    parts = [WorkPart(name=one.path, media_type=one.media_type, digest="", size=0) for one in files]
    assert artifacts_of(parts, {one.path: (one.text or "").encode() for one in files}) == artifacts


def test_what_another_door_wrote_there_is_shown_as_it_is() -> None:
    assert context_of((("a", "json:{"),)) == {"a": "json:{"}
    part = WorkPart(name="x", media_type="application/json", digest="")
    assert artifacts_of([part], {"x": b"{\xff"}) == {"x": "{\ufffd"}


@pytest.mark.parametrize(
    "context", [[], {"a": "\ud800"}, {"a": "\0"}, {"a": 2**70}, {"a": float("nan")}, {"a": {1, 2}}], ids=range(6)
)
def test_what_is_no_json_is_refused_with_its_place(context: object) -> None:
    with pytest.raises(Refusal) as caught:
        taken(RequestForm, {"context": context})
    assert caught.value.code is Code.BAD_VALUE
    assert "context" in caught.value.sentence


def test_too_deep_a_value_is_refused() -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    with pytest.raises(Refusal):
        taken(RequestForm, {"context": {"a": deep}})


def test_figures_are_numbers_in_the_description_and_in_the_answer() -> None:
    one = AsCreator(total=1, approved=1, changes_requested=0, rejected=0, avg_revisions=0.5)
    assert given(one)["avg_revisions"] == 0.5
    assert schema(AsCreator)["properties"]["avg_revisions"] == {"type": "number"}
    with pytest.raises(Refusal):
        taken(AsCreator, {**given(one), "avg_revisions": "0.5"})


def test_every_seeds_call_is_in_the_registry_under_its_own_name() -> None:
    assert {one.name for one in calls()} <= CALLS.keys()


@played
async def test_a_repeated_key_does_nothing_twice_in_the_seeds_calls() -> None:
    """B20, 001-36, 001-38: the same answer; another report under it is refused."""
    web, dev, auditor, review = await asked()
    await web.tool("get_review", auditor, reviewId=review)
    key = {"idempotency-key": "k1"}
    first = await web.tool("submit_review", auditor | key, reviewId=review, **CHANGES)
    events = await web.log(review)
    assert (await web.tool("submit_review", auditor | key, reviewId=review, **CHANGES)).data == first.data
    other = await web.tool("submit_review", auditor | key, reviewId=review, **GOOD)
    assert (other.status, other.data["code"]) == (409, "key_reused")
    assert await web.log(review) == events
    again: dict[str, Any] = {"reviewId": review, "changes_made": "done", "artifacts": {"code": "v2\n"}}
    sent = [await web.tool("request_re_review", dev | key, **again, revision_number=1) for _ in range(2)]
    assert sent[0].data == sent[1].data
    assert of_document(sent[0].data) == {"success": True, "review_id": review, "revision_number": 1}
    assert (await web.log(review)).count("RevisionSubmitted") == 2
    refused = [await web.tool("submit_review", auditor | {"idempotency-key": "k2"}, reviewId="X", **GOOD)] * 2
    assert {one.data["title"] for one in refused} == {"Review not found: X"}


@played
async def test_a_request_may_wait_for_its_answer_but_not_for_ever() -> None:
    """001-02: only who asks to wait waits."""
    web = Five()
    dev, _ = await web.role("core-developer"), await web.role("auditor")
    for seconds in (46, -1):
        answer = await web.tool("request_review", dev, **WORK | {"wait": seconds})
        assert (answer.status, answer.data["code"]) == (422, "bad_number")
    assert (await web.get("/api/v1/reviews", dev)).data["reviews"] == []
