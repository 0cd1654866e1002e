"""How does time pass without anybody waiting for it? A loop whose clock is set by hand."""

from __future__ import annotations

import asyncio

#: More turns of the loop than anything here takes.
TURNS_MAX = 100_000


class Loop(asyncio.SelectorEventLoop):
    """An event loop in which hours pass when somebody says so; whatever sleeps or times out goes by it."""

    def __init__(self) -> None:
        self.passed = 0.0
        super().__init__()

    def time(self) -> float:
        return self.passed

    async def quiet(self, turn: asyncio.Lock) -> None:
        """Let everybody go on until all wait: for somebody outside, or for their time. Who has the turn is awaited."""
        for _ in range(TURNS_MAX):
            await asyncio.sleep(0)
            if turn.locked():
                async with turn:
                    continue
            if not self._ready:  # type: ignore[attr-defined]  # nothing public says that nobody wants to go on
                return
        raise AssertionError("it never becomes quiet")
