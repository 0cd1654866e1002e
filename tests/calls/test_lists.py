"""What a list takes for the page to go on with, and by which words it is shortened."""

from typing import Any, cast

import pytest

from foureyes.app.calls.bodies import schema
from foureyes.app.calls.registry import CALLS
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter
from tests.calls.test_governing import sue
from tests.doors.fuzz import CURSORS

#: Each list, what else it takes, and which of the cursors could be its own.
LISTS: dict[str, tuple[dict[str, str], str]] = {
    "list_reviews": ({}, CURSORS[0]),
    "audit": ({}, CURSORS[1]),
    "session_issues": ({"session": "s1"}, CURSORS[2]),
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
