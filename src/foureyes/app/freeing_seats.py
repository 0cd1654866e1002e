"""Frees the seats of removed accounts, so that another reviewer is asked at once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field

from foureyes.app.accounts import accounts, changed_word
from foureyes.app.asks import Ask
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Damaged, Reading, Store
from foureyes.app.rows import InboxRow
from foureyes.core.commands import PassDeadline
from foureyes.core.refusals import Refusal
from foureyes.core.values import CLOCK

#: Most seats of one account freed at a time.
SEATS_MAX = 1_000
log = logging.getLogger("foureyes.server")


@dataclass(slots=True, kw_only=True)
class SeatFreeing:
    """Frees what removed accounts hold; looks through them when an account has changed since it last looked."""

    store: Store
    gate: Gate
    #: The change word of the accounts at the last look; None before the first.
    _seen: str | None = field(default=None, init=False)

    async def once(self) -> int:
        """Free the seats of all removed accounts, also after a crash during a removal; returns how many."""
        word = await self.store.read(changed_word)
        if word == self._seen:
            return 0
        names = await self.store.read(_removed)
        freed = await self.free(names)
        self._seen = word
        return freed

    async def free(self, names: Iterable[str]) -> int:
        """Pass on the reports that these accounts still owe; returns how many seats were freed."""
        wanted = tuple(names)
        freed = 0
        for row in await self.store.read(lambda reading: _held(reading, wanted)):
            ask = Ask(
                actor=CLOCK, key=new_key(), command=PassDeadline(request=row.request), stream=f"review/{row.review}"
            )
            try:
                await self.gate.handle(ask)
                freed += 1
            except Refusal:
                continue  # the account was enrolled again, or the request is gone
            except Damaged as error:
                log.error("a seat is not freed: %s", error)  # noqa: TRY400 - what is wrong, not where in the program
        return freed


def _removed(reading: Reading) -> tuple[str, ...]:
    return tuple(one.who.name for one in accounts(reading) if one.removed)


def _held(reading: Reading, names: tuple[str, ...]) -> list[InboxRow]:
    rows = (row for name in names for row in reading.inbox(name, SEATS_MAX))
    return [row for row in rows if row.held and row.kind == "report"]
