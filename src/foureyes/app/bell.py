"""Who wants to know at once that something was written? Those who wait in this process; others look by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Bell:
    """Rings for a stream when a command was taken there; nobody is told what it was."""

    def __init__(self) -> None:
        """Nobody listens yet."""
        self._listening: dict[str, set[asyncio.Event]] = {}

    def ring(self, stream: str) -> None:
        """Something was written there."""
        for one in self._listening.get(stream, ()):
            one.set()

    @contextmanager
    def listening(self, stream: str) -> Iterator[asyncio.Event]:
        """Hear when something is written there, for as long as one is at it."""
        event = asyncio.Event()
        mine = self._listening.setdefault(stream, set())
        mine.add(event)
        try:
            yield event
        finally:
            mine.discard(event)
            if not mine:
                self._listening.pop(stream, None)
