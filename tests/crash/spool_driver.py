"""A play: commands are spooled while the database is down, and replayed when it is back."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from foureyes.app.asks import Ask, Reply
from foureyes.app.live import Live
from foureyes.app.ports import Unavailable
from foureyes.app.spooling import Spooled, SpoolingGate
from foureyes.core.commands import AddNote
from foureyes.core.values import Who
from foureyes.store.spool import FileSpool
from tests.cast import ANN

AT = "2026-01-05T09:00:00Z"
COMMANDS = 60
REPLAY_EVERY = 20
SEGMENT_BYTES_MAX = 12_000


class Far:
    """A gate on a remote database that is up or down; its completed commands are safe there."""

    def __init__(self, mark: Callable[[str], None]) -> None:
        self.down = True
        self._mark = mark

    async def handle(self, ask: Ask) -> Reply:
        if self.down:
            raise Unavailable("The database is down.", "Wait.", down=True)
        self._mark(f"done {number_of(ask)}")
        return Reply(stream=ask.stream, version=1)

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        raise NotImplementedError(name, target, viewer)


def ask_of(number: int) -> Ask:
    """Some are longer than a sector, some fit in one."""
    text = f"note {number} " * (1 + number % 5 * 100)
    return Ask(actor=ANN, key=f"key-{number}", command=AddNote(text=text), stream="review/r1")


def number_of(ask: Ask) -> int:
    return int(ask.key.removeprefix("key-"))


async def play(folder: Path, mark: Callable[[str], None]) -> bool:
    # One thread for blocking work, so that its calls are counted together.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    for first in range(1, COMMANDS + 1, REPLAY_EVERY):
        if not await _day(folder, range(first, first + REPLAY_EVERY), mark):
            return False
    return True


async def _day(folder: Path, numbers: range, mark: Callable[[str], None]) -> bool:
    """Start, spool commands while the database is down, replay them when it is back (except on the last day), stop."""
    far = Far(mark)
    started = _started(folder, far) or _started(folder, far)
    if started is None:
        return False
    spool, gate = started
    for number in numbers:
        with suppress(Unavailable):
            if isinstance(await gate.handle(ask_of(number)), Spooled):
                mark(f"kept {number}")
    if numbers[-1] < COMMANDS:
        far.down = False
        await gate.replay()
    spool.close()
    return True


def _started(folder: Path, far: Far) -> tuple[FileSpool, SpoolingGate] | None:
    """The spool and its gate; None when the disk fails."""
    try:
        spool = FileSpool(folder / "spool", segment_bytes_max=SEGMENT_BYTES_MAX)
    except Unavailable:
        return None
    try:
        return spool, SpoolingGate(far, spool, lambda: AT)
    except Unavailable:
        spool.close()
        return None
