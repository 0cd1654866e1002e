"""One reader of the log wakes all waiting callers after any write, and the end of a long log is found at once."""

import asyncio
from pathlib import Path

import pytest

from foureyes.app import bell as bells
from foureyes.app.bell import Bell, end_of
from foureyes.app.ports import Reading, Store
from foureyes.app.rows import START
from foureyes.store.memory import MemoryStore
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played
from tests.calls.counter import Counter
from tests.calls.test_calls import HELLO

SECONDS_MAX = 10


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_the_end_of_the_log_is_found_without_reading_it(kind: str, tmp_path: Path) -> None:
    @played
    async def story() -> None:
        store: Store = MemoryStore() if kind == "memory" else SqliteStore.open(str(tmp_path / "s.db"), readers=1)
        looks = []

        def end(reading: Reading) -> tuple[int, int]:
            tail = reading.tail

            class Counted:
                def tail(self, cursor: tuple[int, int], limit: int) -> object:
                    looks.append(cursor)
                    assert limit == 1
                    return tail(cursor, limit)

            return end_of(Counted())  # type: ignore[arg-type]

        house = House(store=store)
        assert await store.read(end) == START
        for _ in range(7):
            await house.open()
            events = await store.read(lambda reading: reading.tail(START, 1_000))
            looks.clear()
            assert await store.read(end) == events[-1].cursor
            assert len(looks) < 50
        await store.close()

    story()


@played
async def test_those_who_listen_are_told_where_the_log_grew_and_how_long_it_was() -> None:
    house, bell = House(), Bell(poll_seconds=0.01)
    first = await house.open()
    before = len(await house.log(first))
    async with bell.listening(house.store) as all_of_it, bell.listening(house.store, first) as one:
        second = await house.open()
        await house.approve(first)
        grown = dict[str, int]()
        while grown.keys() != {first, second}:
            await asyncio.wait_for(all_of_it.woken.wait(), SECONDS_MAX)
            grown |= all_of_it.take()[0]
        assert (grown[first], grown[second]) == (before, 0)
        assert one.take()[0] == {first: before}
    assert bell._reader is None


@played
async def test_one_reader_serves_all_who_listen() -> None:
    """T18: so many listeners, and the log is read once."""
    house, looks = House(), list[int]()
    bell = Bell(poll_seconds=0.01)
    look = bell._look

    async def counted(store: Store) -> bool:
        looks.append(1)
        return await look(store)

    bell._look = counted  # type: ignore[method-assign]
    async with asyncio.timeout(SECONDS_MAX):
        rooms = [bell.listening(house.store) for _ in range(50)]
        listeners = [await one.__aenter__() for one in rooms]
        await house.open()
        bell.ring()
        for one in listeners:
            await one.woken.wait()
        assert len(looks) < 50
        for room in rooms:
            await room.__aexit__(None, None, None)


@played
async def test_who_cannot_keep_up_is_told_to_look_at_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bells, "STREAMS_MAX", 2)
    house, bell = House(), Bell(poll_seconds=0.01)
    async with bell.listening(house.store) as listener:
        for _ in range(3):
            await house.open()
        async with asyncio.timeout(SECONDS_MAX):
            while not listener.overrun:
                await listener.woken.wait()
                listener.woken.clear()
    assert listener.take()[2]
    async with bell.listening(house.store, since=START) as listener:
        assert listener.take()[2]


@played
async def test_a_bell_that_is_closed_lets_everybody_go() -> None:
    counter = Counter()
    dev = await counter.agent("dev")
    opened = await counter.call(dev, "open_review", kind="script", title="Say hello", files=HELLO)
    waiting = asyncio.create_task(counter.call(dev, "wait", review=opened.review))
    while not counter.office.bell._listeners:  # noqa: ASYNC110 - it begins to listen in its own time
        await asyncio.sleep(0)
    counter.office.bell.close()
    done = await asyncio.wait_for(waiting, SECONDS_MAX)
    assert not done.changed
    again = await asyncio.wait_for(counter.call(dev, "wait", review=opened.review), SECONDS_MAX)
    assert not again.changed
