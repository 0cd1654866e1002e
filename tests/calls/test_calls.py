"""A whole lifecycle by calls alone, each by an account that may make it; claims in arguments are not believed."""

from typing import Any, cast

import pytest

from foureyes.app.calls.bodies import given, schema
from foureyes.app.calls.call import Need
from foureyes.app.calls.registry import CALLS
from foureyes.core.principals import SCOPES
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter

HELLO = [{"path": "hello.py", "text": "print('hello')\n"}]
WORLD = [{"path": "hello.py", "text": "print('hello, world')\n"}]
FINDING = {
    "severity": "important",
    "text": "Nobody is greeted by name.",
    "place": {"path": "hello.py", "start": 1},
    "evidence": "It prints hello and nothing else.",
}
CHECKED = [{"what": "hello.py", "why": "it prints what the title says"}]


@played
async def test_five_calls_take_work_from_its_opening_to_the_gate() -> None:
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    opened = await counter.call(dev, "open_review", kind="script", title="Say hello", files=HELLO, key="k1")
    again = await counter.call(dev, "open_review", kind="script", title="Say hello", files=HELLO, key="k1")
    assert opened == again
    review = opened.review
    await counter.call(
        codex, "report", review=review, revision=1, verdict="concerns", findings=[FINDING], evidence=CHECKED
    )
    seen = await counter.call(dev, "read_review", review=review)
    (finding,) = seen.review.findings
    answers = [{"finding": finding.finding, "text": "Greets the world now."}]
    await counter.call(dev, "revise", review=review, files=WORLD, answers=answers)
    done = await counter.call(
        codex,
        "report",
        review=review,
        revision=2,
        verdict="approve",
        evidence=CHECKED,
        settled=[{"finding": finding.finding, "resolved": True}],
    )
    assert done.state == "cleared"
    digest = (await counter.call(dev, "read_review", review=review)).review.digest
    assert (await counter.call(dev, "gate", digest=digest)).allowed


@played
async def test_the_bytes_are_served_as_they_are() -> None:
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    files = [*HELLO, {"path": "raw", "base64": "AP8="}]
    opened = await counter.call(dev, "open_review", kind="script", title="Both", files=files)
    work = await counter.call(codex, "read_work", review=opened.review)
    assert [(one.path, one.text, one.base64) for one in work.files] == [
        ("hello.py", HELLO[0]["text"], None),
        ("raw", None, "AP8="),
    ]
    by_digest = [{"path": "copy.py", "digest": work.files[0].digest}]
    assert await counter.call(dev, "open_review", kind="script", title="A copy", files=by_digest)


@played
async def test_a_name_in_the_request_must_be_the_credentials() -> None:
    """S1: who acts comes from the credential alone."""
    counter = Counter()
    dev = await counter.agent("dev")
    body: dict[str, Any] = {"kind": "script", "title": "Say hello", "files": HELLO}
    assert (await counter.refused(dev, "open_review", **body, author="codex")).code is Code.IDENTITY_MISMATCH
    assert await counter.call(dev, "open_review", **body, author="dev")


@played
async def test_a_token_is_for_what_it_was_issued_for() -> None:
    counter = Counter()
    reader = await counter.agent("reader", "read")
    refusal = await counter.refused(reader, "open_review", kind="script", title="x", files=HELLO)
    assert refusal.code is Code.NOT_ELIGIBLE
    assert (await counter.call(reader, "me")).scopes == ("read",)


@pytest.mark.parametrize("name", [name for name, one in CALLS.items() if one.needs is Need.HUMAN])
def test_no_token_of_any_kind_opens_what_is_for_humans(name: str) -> None:
    """T10: whatever scopes a token carries."""

    @played
    async def story() -> None:
        counter = Counter()
        for kind in SCOPES:
            caller = await counter.agent(f"a-{kind}", kind=kind)
            assert (await counter.refused(caller, name)).code is Code.SIGN_IN_NEEDED

    story()


@played
async def test_what_is_badly_formed_is_refused_with_its_place() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    for body, place in (
        ({"kind": "script", "title": 7, "files": HELLO}, "title"),
        ({"kind": "script", "title": "x", "files": HELLO, "shortcut": True}, "shortcut"),
        ({"kind": "script", "title": "x"}, "files"),
        ({"kind": "script", "title": "x", "files": [{"path": "a", "text": "x", "base64": "eA=="}]}, "a"),
        ({"kind": "script", "title": "x", "files": [{"path": "a", "base64": "%"}]}, "a"),
        ({"kind": "script", "title": "x", "files": HELLO, "confidence": True}, "confidence"),
        ({"kind": "script", "title": "x", "files": [{"path": "../a", "text": ""}]}, "../a"),
    ):
        assert place in (await counter.refused(dev, "open_review", **body)).sentence
    assert (await counter.refused(dev, "withdraw", review="", reason="x")).code is Code.REVIEW_MISSING
    assert (await counter.refused(dev, "read_review", review="nothing")).code is Code.REVIEW_MISSING


@played
async def test_a_list_comes_in_pages_and_tells_of_no_reports() -> None:
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    for number in range(5):
        await counter.call(dev, "open_review", kind="script", title=f"Work {number}", files=HELLO)
        counter.house.wait(minutes=1)
    first = await counter.call(codex, "list_reviews", limit=2)
    second = await counter.call(codex, "list_reviews", limit=2, cursor=first.next)
    third = await counter.call(codex, "list_reviews", limit=2, cursor=second.next)
    titles = [one.title for page in (first, second, third) for one in page.reviews]
    assert titles == [f"Work {number}" for number in (4, 3, 2, 1, 0)]
    assert third.next == ""
    assert (await counter.refused(codex, "list_reviews", cursor="no")).code is Code.UNKNOWN_WORD
    assert (await counter.refused(codex, "list_reviews", limit=0)).code is Code.BAD_NUMBER


@played
async def test_the_inbox_has_what_waits_for_the_caller() -> None:
    """D-21: and nothing that waits for another account."""
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    opened = await counter.call(dev, "open_review", kind="script", title="Say hello", files=HELLO)
    waiting = (await counter.call(codex, "inbox")).waiting
    assert [(one.review, one.kind) for one in waiting] == [(opened.review, "report")]
    assert (await counter.call(dev, "inbox")).waiting == ()
    said = {"verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
    await counter.call(codex, "report", review=opened.review, revision=1, **said)
    waiting = (await counter.call(dev, "inbox")).waiting
    assert [(one.review, one.kind) for one in waiting] == [(opened.review, "revision")]
    assert (await counter.call(codex, "inbox")).waiting == ()


def test_every_form_can_be_described_and_every_answer_written_down() -> None:
    for call in CALLS.values():
        found = schema(cast("Any", call.form))
        assert found["type"] == "object"
        assert found["additionalProperties"] is False
        assert call.says
        assert not call.changes or "key" in found["properties"] or not call.keyed


@played
async def test_what_a_viewer_sees_has_a_mark_that_changes_with_it_alone() -> None:
    """T13: another reviewer's hidden report changes nothing for a reviewer who has not reported."""
    counter = Counter()
    dev, codex, gemini = [await counter.agent(name) for name in ("dev", "codex", "gemini")]
    opened = await counter.call(dev, "open_review", kind="story", title="A story", files=HELLO)
    await counter.call(gemini, "take_seat", review=opened.review, stage="resolve")
    before = await counter.call(gemini, "read_review", review=opened.review)
    await counter.call(codex, "report", review=opened.review, revision=1, findings=[FINDING], evidence=CHECKED)
    after = await counter.call(gemini, "read_review", review=opened.review)
    assert given(before) == given(after)
    seen = await counter.call(dev, "read_review", review=opened.review)
    assert seen.review.findings
