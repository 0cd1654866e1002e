"""What a server process knows that is not in the store, for its metrics: runs, spool size and last checkpoint."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from foureyes.app.ports import Damaged
from foureyes.app.pulse import Around
from foureyes.cli import signing
from foureyes.engine.port import Engine
from foureyes.home.spool import spool_bytes

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly

log = logging.getLogger("foureyes.server")


async def around(assembly: Assembly, engine: Engine) -> Around:
    """Read the number of runs from the engine of this process, and the state of the files beside the store."""
    runs = len(await engine.under_way())
    return await asyncio.to_thread(_files, assembly, runs)


def _files(assembly: Assembly, runs: int) -> Around:
    """The state of the files. A checkpoint journal that cannot be read is logged, and the other figures are given."""
    last = None
    try:
        last = signing.book_end(assembly)
    except (Damaged, OSError) as error:
        log.warning("the last checkpoint is not in the figures: %s", error)
    waits = spool_bytes(assembly.settings.spool)
    return Around(runs=runs, spool_bytes=waits, checkpoint=last.checkpoint.at if last else None)
