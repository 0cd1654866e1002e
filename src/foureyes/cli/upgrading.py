"""How does a store of an older version become one of this version, with a way back?"""

from __future__ import annotations

import asyncio

import click

from foureyes import __version__
from foureyes.app.damages import Inspection
from foureyes.cli import codes, signing
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Line
from foureyes.cli.console import progress
from foureyes.cli.log import inspect, inspected
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home import backups
from foureyes.home.trouble import Trouble


@click.command()
@answering
def upgrade(parts: Parts) -> Answer:
    """Bring the store to the schema of this version: backup first.

    Nothing else may be at work meanwhile. Afterwards the log is verified.
    """
    with alone(parts, "upgrade"):
        before = parts.schema()
        if not before.found:
            raise Trouble("There is no store yet, so there is nothing to upgrade.", "Nothing is left to do.")
        if before.found > before.wanted:
            raise Trouble(
                f"The store has schema {before.found}; foureyes {__version__} knows {before.wanted}.",
                f"Use the foureyes that wrote it, or a newer one: it must know schema {before.found}.",
                blocked=True,
            )
        if before.found == before.wanted:
            text = f"The store has schema {before.found}, which is that of this version. Nothing is left to do."
            return Answer(lines=(Line(text, "good"),), data={"from": before.found, "to": before.wanted, "backup": None})
        kept = _kept(parts, before.found)
        parts.migrate()
        found = asyncio.run(_verified(parts))
    head = Line(f"The store has schema {before.wanted} now; as it was before it is in {kept}.", "good")
    said = inspected(found) if found else None
    return Answer(
        code=said.code if said else codes.OK,
        lines=(head, *(said.lines if said else ())),
        data={"from": before.found, "to": before.wanted, "backup": kept, "verified": dict(said.data) if said else None},
    )


def _kept(parts: Parts, schema: int) -> str:
    """The store as it is, in a folder of its own; it can be restored by the version that wrote it, or by this one."""

    def fill(folder: str) -> backups.Filled:
        parts.copy_store(f"{folder}/{backups.STORE}", progress("Copying"))
        return backups.Filled(schema=schema, events=0, streams=0, cursor=(0, 0), checkpoint="", with_keys=False)

    return backups.make(parts.settings.backups, parts.now(), __version__, fill)[0]


async def _verified(parts: Parts) -> Inspection | None:
    if signing.book_end(parts) is None:
        return None
    async with parts.store() as store:
        return await inspect(parts, store)
