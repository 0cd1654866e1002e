"""A preview changes nothing, and tells a blind reviewer nothing."""

from typing import Any

from foureyes.app.calls.bodies import given
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter
from tests.calls.test_calls import CHECKED, FINDING, HELLO, WORLD

WORK: dict[str, Any] = {"kind": "script", "title": "Say hello", "files": HELLO}


@played
async def test_a_preview_says_what_a_call_would_do_and_does_nothing() -> None:
    """D-08: the same decision, without writing."""
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    would = await counter.call(dev, "preview", call="open_review", form=WORK)
    assert would.events[0] == "ReviewOpened"
    assert would.review.title == "Say hello"
    assert (await counter.call(dev, "list_reviews")).reviews == ()
    opened = await counter.call(dev, "open_review", **WORK)
    before = await counter.house.log(f"review/{opened.review}")
    seen = await counter.call(dev, "preview", call="revise", form={"review": opened.review, "files": WORLD})
    assert (seen.events[0], seen.review.revision) == ("RevisionSubmitted", 2)
    assert seen.review.opened == (await counter.call(dev, "read_review", review=opened.review)).review.opened
    assert await counter.house.log(f"review/{opened.review}") == before
    refusal = await counter.refused(codex, "preview", call="revise", form={"review": opened.review, "files": WORLD})
    assert refusal.code is Code.NOT_THE_AUTHOR


@played
async def test_only_calls_about_a_review_are_previewed_and_only_by_who_may_make_them() -> None:
    """T10."""
    counter = Counter()
    dev, reader = await counter.agent("dev"), await counter.agent("reader", "read")
    for name in ("enrol", "issue_token", "preview", "nothing", "activate_policy"):
        assert (await counter.refused(dev, "preview", call=name, form={})).code is Code.UNKNOWN_WORD
    assert (await counter.refused(reader, "preview", call="open_review", form=WORK)).code is Code.NOT_ELIGIBLE
    form = {"review": "r1", "request": "ruling", "option": "reject", "reason": "No."}
    assert (await counter.refused(dev, "preview", call="rule", form=form)).code is Code.SIGN_IN_NEEDED
    assert (await counter.refused(dev, "preview", call="open_review", form={**WORK, "x": 1})).code is Code.BAD_VALUE


@played
async def test_a_preview_tells_a_blind_reviewer_nothing_of_what_others_reported() -> None:
    """T13: neither what they said nor that they said anything."""
    told = []
    for reports in (False, True):
        counter = Counter()
        dev, codex, gemini = [await counter.known(name) for name in ("dev", "codex", "gemini")]
        opened = await counter.call(dev, "open_review", kind="story", title="A story", files=HELLO)
        await counter.call(gemini, "take_seat", review=opened.review, stage="resolve")
        if reports:
            said = {"review": opened.review, "revision": 1, "findings": [FINDING], "evidence": CHECKED}
            await counter.call(codex, "report", **said)
        form = {"review": opened.review, "revision": 1, "evidence": CHECKED}
        would = await counter.call(gemini, "preview", call="report", form=form)
        why = await counter.call(gemini, "explain", review=opened.review)
        told.append((given(would), given(why)))
    assert told[0] == told[1]


@played
async def test_an_explanation_names_each_requirement_and_who_must_act() -> None:
    """D-08."""
    counter = Counter()
    dev = await counter.agent("dev")
    opened = await counter.call(dev, "open_review", **WORK)
    found = await counter.call(dev, "explain", review=opened.review)
    assert found.requirements
    assert found.turns[0].how
