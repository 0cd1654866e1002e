"""The audit trail of who did what, when and why is shown only to those who may see it, and figures reveal no more."""

from typing import Any

from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Caller
from foureyes.core.events import LessonKind
from foureyes.core.lessons import RecordLesson
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import SUE, Counter
from tests.calls.test_calls import CHECKED, FINDING, HELLO
from tests.calls.test_governing import cleared, sue

STORY: dict[str, Any] = {"kind": "story", "title": "A story", "files": HELLO}


async def blind(counter: Counter, *, reports: int) -> tuple[str, Caller]:
    """A review in which one reviewer sits who has not reported; others have, or not."""
    dev, gemini = await counter.known("dev"), await counter.known("gemini")
    others = [await counter.known(name) for name in ("codex", "ann")]
    opened = await counter.call(dev, "open_review", **STORY)
    await counter.call(gemini, "take_seat", review=opened.review, stage="resolve")
    for other in others[:reports]:
        counter.house.wait(minutes=7)
        said = {"review": opened.review, "revision": 1, "findings": [FINDING] * reports, "evidence": CHECKED}
        await counter.call(other, "report", **said)
    return opened.review, gemini


@played
async def test_the_trail_of_a_review_says_who_did_what() -> None:
    """001-05: every request and decision with who, when and why."""
    counter = Counter()
    review, _ = await cleared(counter)
    dev = await counter.agent("dev")
    rows = (await counter.call(dev, "audit", review=review)).rows
    assert next((one.type, one.who) for one in rows) == ("ReviewOpened", "dev")
    assert ("ReportSubmitted", "codex") in [(one.type, one.who) for one in rows]
    assert all(one.at and one.what for one in rows)
    assert (await counter.refused(dev, "audit", review="nothing")).code is Code.REVIEW_MISSING


@played
async def test_the_trail_comes_in_pages_without_a_gap_or_a_row_twice() -> None:
    counter = Counter()
    human = await sue(counter)
    for _ in range(3):
        await counter.call(await counter.agent("dev"), "open_review", **STORY)
        counter.house.wait(minutes=1)
    whole = (await counter.call(human, "audit", limit=200)).rows
    found, cursor = list[Any](), ""
    while True:
        page = await counter.call(human, "audit", limit=2, cursor=cursor)
        found += page.rows
        cursor = page.next
        if not cursor:
            break
    assert tuple(found) == whole
    assert len(whole) > 6
    today = counter.house.now.date().isoformat()
    assert (await counter.call(human, "audit", limit=200, day=today)).rows == whole
    assert (await counter.call(human, "audit", day="1999")).rows == ()
    assert (await counter.refused(human, "audit", cursor="x")).code is Code.UNKNOWN_WORD
    assert (await counter.refused(human, "audit", limit=0)).code is Code.BAD_NUMBER


@played
async def test_the_trail_of_everything_is_for_a_human() -> None:
    """S5."""
    counter = Counter()
    assert (await counter.refused(await counter.agent("dev"), "audit")).code is Code.NOT_ELIGIBLE


async def told_in_a_world(reports: int) -> list[Any]:
    """Everything a blind reviewer can learn here; how much others reported must not matter."""
    counter = Counter()
    review, gemini = await blind(counter, reports=reports)
    counter.house.now = counter.house.now.replace(hour=23)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("audit", {"review": review}),
        ("audit", {"review": review, "limit": 1}),
        ("decisions", {"review": review}),
        ("metrics", {}),
        ("explain", {"review": review}),
        ("wait", {"review": review, "seconds": 0}),
        ("list_lessons", {"scope": "all"}),
        ("policy", {}),
    ]
    return [given(await counter.call(gemini, name, **body)) for name, body in asked]


@played
async def test_nothing_here_tells_a_blind_reviewer_what_others_did() -> None:
    """T13: not by a row, a total, a page that is shorter, a time or a cursor."""
    assert await told_in_a_world(0) == await told_in_a_world(1) == await told_in_a_world(2)


@played
async def test_a_human_who_holds_a_seat_is_as_blind_as_anybody() -> None:
    """T13."""
    told = []
    for reports in (0, 1):
        counter = Counter()
        human = await sue(counter)
        review, _ = await blind(counter, reports=0)
        assert (await counter.call(human, "metrics")).totals.reports == 0
        await counter.call(human, "take_seat", review=review, stage="resolve")
        if reports:
            said = {"review": review, "revision": 1, "findings": [FINDING], "evidence": CHECKED}
            await counter.call(await counter.agent("codex"), "report", **said)
        told.append((given(await counter.call(human, "metrics")), given(await counter.call(human, "audit"))))
    assert told[0] == told[1]


@played
async def test_each_decision_of_a_layer_is_a_row_approvals_too() -> None:
    """002-21."""
    counter = Counter()
    review, _ = await cleared(counter)
    dev = await counter.agent("dev")
    (row,) = (await counter.call(dev, "decisions", review=review)).decisions
    assert (row.critic_agent_id, row.decision, row.chain_name, row.layer_index) == ("codex", "approve", "solo", 0)
    assert row.reason


@played
async def test_figures_are_of_all_for_a_human_and_of_ones_own_for_others() -> None:
    """001-09, 001-40."""
    counter = Counter()
    human = await sue(counter)
    await cleared(counter)
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    all_of_it = await counter.call(human, "metrics")
    assert (all_of_it.totals.opened, all_of_it.totals.cleared, all_of_it.totals.reports) == (1, 1, 1)
    assert [(one.author, one.kind) for one in all_of_it.authors] == [("dev", "script")]
    (reviewer,) = all_of_it.reviewers
    assert (reviewer.reviewer, reviewer.reports, reviewer.approved) == ("codex", 1, 1)
    assert (await counter.call(codex, "metrics")).reviewers == (reviewer,)
    mine = await counter.call(dev, "metrics")
    assert mine.reviewers == ()
    assert mine.authors == all_of_it.authors
    assert (mine.totals.cleared, mine.totals.reports) == (1, None)
    assert (await counter.refused(dev, "metrics", days=0)).code is Code.BAD_NUMBER


@played
async def test_lessons_that_hold_are_listed() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    lesson = RecordLesson(lesson="l1", kind=LessonKind.RULE, text="Greet by name.", source="sue")
    await counter.house.do(SUE, lesson, "lessons/greeting")
    (found,) = (await counter.call(dev, "list_lessons", scope="greeting")).lessons
    assert found.text == "Greet by name."
    assert (await counter.call(dev, "list_lessons", scope="other")).lessons == ()
