"""The cursors and filters of lists."""

from typing import Any, cast

import pytest

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.call import Caller
from foureyes.app.calls.registry import CALLS
from foureyes.app.heads import HUMANS
from foureyes.app.rows import Changes, InboxRow
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter
from tests.calls.test_calls import HELLO
from tests.calls.test_governing import sue
from tests.doors.fuzz import CURSORS

#: Each list, its other parameters, and which of the cursors could be its own.
LISTS: dict[str, tuple[dict[str, str], str]] = {
    "list_reviews": ({}, CURSORS[0]),
    "list_content": ({}, CURSORS[0]),
    "list_sessions": ({}, CURSORS[2]),
    "audit": ({}, CURSORS[1]),
    "session_issues": ({"session": "s1"}, CURSORS[2]),
    "list_accounts": ({}, CURSORS[2]),
    "inbox": ({}, CURSORS[3]),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_cursor_that_no_page_has_said_is_refused_by_every_list(name: str) -> None:
    """T19, T29: also one that decodes to what no store can look for, or to more than anybody can read."""
    form, own = LISTS[name]

    @played
    async def story() -> None:
        counter = Counter()
        human = await sue(counter)
        for cursor in filter(None, CURSORS):
            if cursor == own:
                await counter.call(human, name, cursor=cursor, **form)
            else:
                assert (await counter.refused(human, name, cursor=cursor, **form)).code is Code.UNKNOWN_WORD, cursor

    story()


def test_every_list_with_a_cursor_is_among_them() -> None:
    """A new list reads its cursor as the others do."""
    assert {
        name for name, call in CALLS.items() if "cursor" in schema(cast("Any", call.form))["properties"]
    } == LISTS.keys()


@played
async def test_a_state_that_there_is_not_is_refused_and_those_there_are_are_named() -> None:
    """T29: an empty list would say that there is none."""
    counter = Counter()
    dev = await counter.agent("dev")
    refusal = await counter.refused(dev, "list_reviews", state="zzz")
    assert refusal.code is Code.UNKNOWN_WORD
    for state in ("open", "cleared", "rejected", "withdrawn", "shelved", "returned"):
        assert state in refusal.sentence + refusal.next_step
        assert (await counter.call(dev, "list_reviews", state=state)).reviews == ()


async def paged(counter: Counter, caller: Caller, call: str, limit: int) -> list[Any]:
    """All pages of a list, as who follows its cursors gets them."""
    pages = [await counter.call(caller, call, limit=limit)]
    while pages[-1].next:
        pages.append(await counter.call(caller, call, limit=limit, cursor=pages[-1].next))
    return pages


@played
async def test_an_inbox_comes_in_pages_the_most_urgent_first() -> None:
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    for number in range(5):
        await counter.call(dev, "open_review", kind="script", title=f"Work {number}", files=HELLO)
        counter.house.wait(minutes=1)
    pages = await paged(counter, codex, "inbox", 2)
    assert [len(one.waiting) for one in pages] == [2, 2, 1]
    found = tuple(one for page in pages for one in page.waiting)
    whole = await counter.call(codex, "inbox", limit=5)
    assert (found, "") == (whole.waiting, whole.next)
    assert [one.due for one in found] == sorted(one.due for one in found)
    assert (await counter.refused(codex, "inbox", cursor="no")).code is Code.UNKNOWN_WORD
    assert (await counter.refused(codex, "inbox", limit=201)).code is Code.BAD_NUMBER


@played
async def test_a_humans_inbox_is_one_list_and_what_they_may_not_know_of_is_not_counted() -> None:
    """T13: what is theirs and what any human may decide, by urgency; only what is shown makes another page."""
    counter = Counter()
    human, dev = await sue(counter), await counter.agent("dev")
    for number in range(3):
        opened = await counter.call(dev, "open_review", kind="script", title=f"Work {number}", files=HELLO)
        await counter.call(dev, "escalate", review=opened.review, reason="We do not agree.")
        counter.house.wait(minutes=1)
    whole = (await counter.call(human, "inbox")).waiting
    assert [one.title for one in whole] == ["Work 0", "Work 1", "Work 2"]
    hidden = [_row(f"gone-{at}", HUMANS, due) for at, due in enumerate(("0", "1", "9", "~"))]
    mine = _row("mine", human.who.name, whole[1].due)
    await counter.house.store.write(lambda tx: tx.apply(Changes(inbox=(*hidden, mine))))
    pages = await paged(counter, human, "inbox", 2)
    found = [one.review for page in pages for one in page.waiting]
    assert found == [whole[0].review, *sorted(("mine", whole[1].review)), whole[2].review]
    assert [len(one.waiting) for one in pages] == [2, 2]


def _row(review: str, who: str, due: str) -> InboxRow:
    return InboxRow(
        review=review, request="ruling-1", kind="ruling", who=who, held=False, queued=False, revision=1, due=due
    )


@played
async def test_accounts_come_in_pages_by_name() -> None:
    counter = Counter()
    names = [f"agent-{number}" for number in range(5)]
    for name in reversed(names):
        await counter.agent(name)
    human = await sue(counter)
    pages = await paged(counter, human, "list_accounts", 2)
    assert [one.who.name for page in pages for one in page.accounts] == [*names, "any"]
    assert [len(one.accounts) for one in pages] == [2, 2, 2]
    assert (await counter.refused(human, "list_accounts", cursor="no")).code is Code.UNKNOWN_WORD
    assert (await counter.refused(human, "list_accounts", limit=0)).code is Code.BAD_NUMBER
