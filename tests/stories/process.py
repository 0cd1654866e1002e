"""`foureyes` by a clock that is moved: python -m tests.stories.process CLOCK COMMAND.

CLOCK is a file with the seconds by which its time is ahead of ours. The environment says for how long a sign of life is
good, and at which point the process dies as if it was killed.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from foureyes.app import workers
from foureyes.app.asks import Ask
from foureyes.app.gate import Gate
from foureyes.bootstrap import main
from foureyes.bootstrap.assembly import Assembly
from foureyes.core.commands import OpenReview
from foureyes.engine.local import LocalEngine
from foureyes.engine.steps import Steps

HELD, DIES = "STORY_HELD_SECONDS", "STORY_DIES"
#: Where it dies: a review is opened and the caller not told; before a seat is taken; before a run is handed over.
OPENED, CLAIM, HAND_OVER = "opened", "claim", "hand over"
TEND_SECONDS = 0.25


def by(clock: Path) -> datetime:
    """The time by this clock."""
    return datetime.now(UTC) + timedelta(seconds=float(clock.read_text(encoding="utf-8")))


async def _dies(*_: object) -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return False


def _dying_of(handle: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def handled(gate: Gate, ask: Ask) -> Any:
        reply = await handle(gate, ask)
        if isinstance(ask.command, OpenReview):
            await _dies()
        return reply

    return handled


def arrange(dies: str) -> None:
    """Put the end where it is wanted."""
    match dies:
        case "opened":
            Gate.handle = _dying_of(Gate.handle)  # type: ignore[method-assign,assignment] # it dies behind it
        case "claim":
            Steps.claim = _dies  # type: ignore[method-assign,assignment] # it dies instead
        case "hand over":
            LocalEngine.hand_over = _dies  # type: ignore[method-assign,assignment] # likewise
            if sys.argv[2] == "worker":  # a server does not load it
                importlib.import_module("foureyes.engine.durable").DurableEngine.hand_over = _dies


if __name__ == "__main__":
    file, *arguments = sys.argv[1:]
    Assembly.now = lambda _: by(Path(file))  # type: ignore[method-assign,assignment] # it is moved
    workers.HELD = timedelta(seconds=int(os.environ[HELD]))
    arrange(os.environ.get(DIES, ""))
    if arguments[0] == "up":
        from foureyes.bootstrap import serving

        serving.TEND_SECONDS = TEND_SECONDS
    sys.exit(main(arguments))
