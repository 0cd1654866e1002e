"""A caller who waits for a review is notified when it is their turn, and hidden events change nothing in the timing."""

import asyncio
from typing import Any

from foureyes.app.calls.call import Caller
from foureyes.app.calls.looking import SeenShown
from foureyes.app.calls.waiting import is_turn_of, waited
from foureyes.core.refusals import Code
from tests.app.house import played
from tests.calls.counter import Counter
from tests.calls.test_calls import CHECKED, FINDING, HELLO

LONG = 30.0


async def opened(counter: Counter, author: Caller) -> str:
    done = await counter.call(author, "open_review", kind="script", title="Say hello", files=HELLO)
    return str(done.review)


def concerned(review: str) -> dict[str, Any]:
    body = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": CHECKED}
    return {"review": review, **body}


@played
async def test_an_author_who_waits_is_told_when_it_is_their_turn() -> None:
    counter = Counter()
    dev, codex = await counter.agent("dev"), await counter.agent("codex")
    review = await opened(counter, dev)
    waiting = asyncio.create_task(waited(counter.office, dev, review, LONG, is_turn_of(dev)))
    await asyncio.sleep(0)
    await counter.call(dev, "add_note", review=review, text="A word.")
    assert not waiting.done()
    await counter.call(codex, "report", **concerned(review))
    seen = await asyncio.wait_for(waiting, 5)
    assert [one.finding for one in seen.review.findings]
    assert counter.office.bell._listeners == set()


@played
async def test_waiting_ends_when_the_time_is_over_and_says_how_it_stands() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    review = await opened(counter, dev)
    seen = await waited(counter.office, dev, review, 0.01, is_turn_of(dev))
    assert seen.review.state == "open"


@played
async def test_who_wants_to_know_of_a_change_is_told_when_their_own_view_changes() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    review = await opened(counter, dev)
    before = await counter.call(dev, "read_review", review=review)

    def changed(seen: SeenShown) -> bool:
        return bool(seen.mark != before.mark)

    waiting = asyncio.create_task(waited(counter.office, dev, review, LONG, changed))
    await asyncio.sleep(0)
    await counter.call(dev, "withdraw", review=review, reason="No longer wanted.")
    assert (await asyncio.wait_for(waiting, 5)).review.state == "withdrawn"


@played
async def test_who_waits_keeps_nobody_of_their_own_waiting() -> None:
    """T18: a request that only waits is in nobody's way, and there are so many of them and no more."""
    counter = Counter()
    dev = await counter.agent("dev")
    review = await opened(counter, dev)
    most = counter.office.quotas.limits.account.waits
    assert most > counter.office.quotas.limits.account.at_once
    waiting = [asyncio.create_task(counter.call(dev, "wait", review=review)) for _ in range(most)]
    while counter.office.quotas.held("waits") < most:  # noqa: ASYNC110 - they begin to wait in their own time
        await asyncio.sleep(0)
    assert (await counter.refused(dev, "wait", review=review)).code is Code.LIMIT_REACHED
    await counter.call(dev, "withdraw", review=review, reason="Not needed.")
    done = await asyncio.wait_for(asyncio.gather(*waiting), LONG)
    assert all(one.changed for one in done)
    assert counter.office.quotas.held("waits") == 0
    assert (await counter.call(dev, "me")).who.name == "dev"
