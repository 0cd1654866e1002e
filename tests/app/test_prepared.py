"""U-17: risk is computed before the transaction, so that scanning bytes does not delay other commands."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from foureyes.app.ports import Writing
from foureyes.app.shelf import SMALL_BYTES_MAX
from foureyes.app.work import work_of
from foureyes.core import risk
from foureyes.store.memory import MemoryStore
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played
from tests.cast import DEV

T = TypeVar("T")
WAIT_SECONDS_MAX = 20.0


class Watched(MemoryStore):
    """A store that records the threads inside a write transaction, and can run something before the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: set[int] = set()
        self.before: Callable[[], Awaitable[object]] | None = None

    async def write(self, work: Callable[[Writing], T]) -> T:
        def watched(tx: Writing) -> T:
            self.inside.add(threading.get_ident())
            try:
                return work(tx)
            finally:
                self.inside.discard(threading.get_ident())

        before, self.before = self.before, None
        if before is not None:
            await before()
        return await super().write(watched)


class Pattern:
    """A pattern that counts the lines it is searched in, inside transactions and outside of them."""

    def __init__(self, store: Watched) -> None:
        self.store, self.outside, self.inside = store, 0, 0

    def search(self, _line: str, _at: int = 0) -> None:
        if threading.get_ident() in self.store.inside:
            self.inside += 1
        else:
            self.outside += 1


class Slow:
    """A pattern that searches until it is released."""

    def __init__(self) -> None:
        self.began, self.go = threading.Event(), threading.Event()

    def search(self, _line: str, _at: int = 0) -> None:
        self.began.set()
        self.go.wait(WAIT_SECONDS_MAX)


@played
async def test_no_line_is_searched_inside_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of work that is opened, small and large, nor of a new version."""
    store = Watched()
    house, pattern = House(store=store), Pattern(store)
    monkeypatch.setattr(risk, "_LINES", ((("ping",), (pattern,), "a host"),))
    stream = await house.open({"a.py": b"ping(host)\n"})
    assert pattern.outside == 1
    await house.revise(stream, {"a.py": b"ping(other)\n"})
    assert pattern.outside == 2
    await house.open({"b.py": b"ping(host)\n" * SMALL_BYTES_MAX})
    assert pattern.outside == 2 + SMALL_BYTES_MAX
    assert pattern.inside == 0


def test_another_command_goes_through_while_a_pattern_searches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On a store in a file, whose one writer would be held: the work that came later is opened first."""
    slow, ended = Slow(), list[str]()
    monkeypatch.setattr(risk, "_LINES", ((("ping",), (slow,), "a host"),))

    async def story() -> None:
        store = SqliteStore.open(tmp_path / "foureyes.db")
        house = House(store=store)

        async def opened(name: str, content: bytes) -> None:
            await house.open({f"{name}.py": content})
            ended.append(name)

        large = asyncio.create_task(opened("large", b"x = 1\n" * SMALL_BYTES_MAX + b"ping(host)\n"))
        assert await asyncio.to_thread(slow.began.wait, WAIT_SECONDS_MAX)
        try:
            async with asyncio.timeout(WAIT_SECONDS_MAX / 2):
                await opened("small", b"print(1)\n")
        finally:
            slow.go.set()
            await large
            await store.close()

    asyncio.run(story())
    assert ended == ["small", "large"]


@played
async def test_bytes_that_come_between_look_and_decision_are_looked_at_first() -> None:
    """Work that names bytes which another request stores in that moment is prepared once more, and of high risk."""
    store = Watched()
    house = House(store=store)
    content = b"eval(line)\n"
    work = work_of({"b.py": content})
    refused = await house.refused(DEV, house.opening(work))
    assert refused.code.value == "unknown_digest", "nobody has these bytes"
    store.before = lambda: house.open({"a.py": content})
    reply = await house.do(DEV, house.opening(work))
    assert (await house.review(reply.stream)).current.risk == "high"
