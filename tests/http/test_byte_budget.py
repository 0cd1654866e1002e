"""The total size of all bodies held at once is bounded; a small body is always accepted."""

from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from foureyes.http.byte_budget import SMALL_BYTES, ByteBudget
from tests.app.house import played

MOST = 1_000
SCOPE: Scope = {"type": "http", "method": "POST", "path": "/", "headers": []}


async def _reads(_: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def _sent(budget: ByteBudget, *sizes: int, then: asyncio.Event | None = None) -> int:
    """The status of a request whose body comes in pieces of these sizes, the last one when the event is set."""
    left, told = list(sizes), list[Message]()

    async def receive() -> Message:
        size = left.pop(0)
        if then is not None and not left:
            await then.wait()
        return {"type": "http.request", "body": b"x" * size, "more_body": bool(left)}

    async def send(message: Message) -> None:
        told.append(message)

    await budget(SCOPE, receive, send)
    return int(told[0]["status"])


@played
async def test_what_is_held_by_all_together_is_bounded_and_given_back() -> None:
    """U-18: the second large body is told to come again while the first is held, a small one is not."""
    budget, goes_on = ByteBudget(_reads, MOST), asyncio.Event()
    first = asyncio.create_task(_sent(budget, SMALL_BYTES + MOST, 0, then=goes_on))
    await asyncio.sleep(0)
    assert budget.held == MOST
    assert await _sent(budget, SMALL_BYTES) == 200
    assert await _sent(budget, SMALL_BYTES, 1) == 503
    assert budget.held == MOST
    goes_on.set()
    assert await first == 200
    assert budget.held == 0
    assert await _sent(budget, SMALL_BYTES, 1) == 200


@played
async def test_what_breaks_off_gives_back_what_it_held() -> None:
    async def breaks(_: Scope, receive: Receive, __: Send) -> None:
        await receive()
        raise OSError("gone")

    budget = ByteBudget(breaks, MOST)
    with pytest.raises(OSError, match="gone"):
        await _sent(budget, SMALL_BYTES + 5, 0)
    assert budget.held == 0


@played
async def test_a_slow_body_is_sent_away_while_room_is_short_and_waited_for_while_it_is_not() -> None:
    """U-18: few who send slowly cannot keep everybody else out for minutes."""
    never = asyncio.Event()
    short = ByteBudget(_reads, MOST, grace_seconds=0)
    assert await _sent(short, SMALL_BYTES + MOST, 0, then=never) == 503
    assert short.held == 0
    roomy, goes_on = ByteBudget(_reads, 4 * MOST, grace_seconds=0), asyncio.Event()
    patient = asyncio.create_task(_sent(roomy, SMALL_BYTES + MOST, 0, then=goes_on))
    await asyncio.sleep(0.6)
    assert not patient.done()
    goes_on.set()
    assert await patient == 200
