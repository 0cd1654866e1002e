"""The spool where a server's commands wait while PostgreSQL is down; a server on SQLite has none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.bell import Bell
from foureyes.app.gate import Gate
from foureyes.app.ports import Damaged, Store, Unavailable
from foureyes.app.spooling import Replayed, Spool, SpoolingGate, telling
from foureyes.codec.shapes import shape
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.config import Settings

_spelled = shape(datetime)[0]


@contextmanager
def kept(settings: Settings) -> Iterator[Spool | None]:
    """The spool of a server on PostgreSQL; a server does not start if its spool cannot be read."""
    if not settings.is_postgres:
        yield None
        return
    from foureyes.store.spool import FileSpool

    try:
        spool = FileSpool(Path(settings.spool))
    except Damaged as error:
        step = "Have the disk looked at. What is in that folder was promised: move it away only if that may be lost."
        raise Trouble(f"The server does not start. The spool is damaged: {error}", step, blocked=True) from error
    except Unavailable as error:
        raise Trouble(f"The server does not start. {error.sentence}", error.next_step, blocked=True) from error
    with closing(spool):
        yield spool


def before(
    gate: Gate, spool: Spool | None, store: Store, bell: Bell, clock: Callable[[], datetime]
) -> SpoolingGate | None:
    """The spooling gate in front of the gate; None without a spool. It stores late answers and wakes their waiters."""
    if spool is None:
        return None
    keep = telling(store)

    async def tell(told: Replayed) -> None:
        await keep(told)
        if told.reply is not None:
            bell.ring()

    return SpoolingGate(gate, spool, lambda: str(_spelled(clock())), tell=tell)


def in_order(spooling: SpoolingGate, passed: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[object]]:
    """Hand in the spooled commands before deadlines are checked, so that a command that came in time is not late."""

    async def work() -> None:
        await spooling.hand_in()
        await passed()

    return work
