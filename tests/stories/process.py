"""`foureyes` with a movable clock: python -m tests.stories.process CLOCK COMMAND.

CLOCK is a file with the seconds by which its time is ahead of ours. The environment sets how long a heartbeat is valid,
at which point the process dies as if it was killed, and where on loopback Discord and Telegram are.
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
from foureyes.app.bell import Bell
from foureyes.app.gate import Gate
from foureyes.bootstrap import main
from foureyes.bootstrap.assembly import Assembly
from foureyes.core.commands import OpenReview
from foureyes.engine.local import LocalEngine
from foureyes.engine.steps import Steps

HELD, DIES, CHATS = "STORY_HELD_SECONDS", "STORY_DIES", "STORY_CHATS"
#: Points of death: after opening a review, before the reply; before a seat is taken; before a run is handed over.
OPENED, CLAIM, HAND_OVER = "opened", "claim", "hand over"
#: Background work and polling are more frequent than shipped, because tests wait for them.
TEND_SECONDS, POLL_SECONDS = 0.25, 0.1


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


def chat_at(url: str) -> None:
    """Send what is meant for the chat services to this address."""
    carrying = importlib.import_module("foureyes.notify.carrying")
    places = carrying.Places(discord=f"{url}/discord", telegram=f"{url}/bot")
    carrying.Carrying.__init__.__kwdefaults__["places"] = places


if __name__ == "__main__":
    file, *arguments = sys.argv[1:]
    Assembly.now = lambda _: by(Path(file))  # type: ignore[method-assign,assignment] # it is moved
    workers.HELD = timedelta(seconds=int(os.environ[HELD]))
    arrange(os.environ.get(DIES, ""))
    if os.environ.get(CHATS):
        chat_at(os.environ[CHATS])
    if arguments[0] == "up":
        from foureyes.bootstrap import serving

        serving.TEND_SECONDS = TEND_SECONDS
        Bell.__init__.__defaults__ = (POLL_SECONDS,)
    sys.exit(main(arguments))
