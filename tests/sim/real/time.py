"""An event loop whose clock is set by hand, so that time passes without waiting."""

from __future__ import annotations

import asyncio

#: More turns of the loop than any step here takes.
TURNS_MAX = 100_000


class Loop(asyncio.SelectorEventLoop):
    """An event loop with a manual clock, which sleeps and timeouts follow."""

    def __init__(self) -> None:
        self.passed = 0.0
        super().__init__()

    def time(self) -> float:
        return self.passed

    async def quiet(self, turn: asyncio.Lock) -> None:
        """Run until every task waits for an outside event or for its time; the holder of `turn` is awaited."""
        for _ in range(TURNS_MAX):
            await asyncio.sleep(0)
            if turn.locked():
                async with turn:
                    continue
            if not self._ready:  # type: ignore[attr-defined]  # nothing public says that nobody wants to go on
                return
        raise AssertionError("it never becomes quiet")
