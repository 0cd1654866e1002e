"""Checks that a server or a worker runs before it starts to work on a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.ports import Store
from foureyes.app.projections.beside_log import fill
from foureyes.app.selfcheck import Bind, checks_of, refusals, self_check
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly


async def check_fit(assembly: Assembly, store: Store, what: str, bind: Bind | None = None) -> None:
    """Refuse to start on a store that was altered, and, for a server, where others could listen or read the key.

    A store of an earlier release gets the rows that it lacks.
    """
    settings = assembly.settings
    checks = checks_of(
        store,
        policy=assembly.policy(),
        checkpoints=Path(settings.checkpoints),
        keys=Path(settings.keys) if bind else None,
        bind=bind,
    )
    against = refusals(await self_check(checks))
    if against:
        raise Trouble(f"The {what} does not start. {against[0]}", "Then start it again.", blocked=True)
    await fill(store)
