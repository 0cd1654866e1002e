"""The `upgrade` command: migrate the store of an older version, after a copy to go back to was made."""

from __future__ import annotations

import asyncio

import click

from foureyes import __version__
from foureyes.app.damages import Inspection
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.console import progress
from foureyes.cli.log import inspected, looked
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home import backups
from foureyes.home.trouble import Trouble


@click.command()
@answering
def upgrade(parts: Parts) -> Answer:
    """Bring the store to the schema of this version: backup first.

    Nothing else may be at work meanwhile. Afterwards the log is verified. Triggers that keep the log append-only and
    were removed or altered are put back.
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
        if before.found == before.wanted and (gone := asyncio.run(_guarded(parts))):
            told = asyncio.run(looked(parts))
            text = f"Put back: {', '.join(gone)}. Find out who took them away, and what else they did."
            return _said(Line(text, "care"), told, {"from": before.found, "to": before.wanted, "put_back": [*gone]})
        if before.found == before.wanted:
            text = f"The store has schema {before.found}, which is that of this version. Nothing is left to do."
            return Answer(lines=(Line(text, "good"),), data={"from": before.found, "to": before.wanted, "backup": None})
        kept = _kept(parts, before.found)
        parts.migrate()
        found = asyncio.run(looked(parts))
    head = Line(f"The store has schema {before.wanted} now; as it was before it is in {kept}.", "good")
    return _said(head, found, {"from": before.found, "to": before.wanted, "backup": kept})


async def _guarded(parts: Parts) -> tuple[str, ...]:
    """Put back missing triggers that keep the log append-only; returns their names."""
    async with parts.store() as store:
        gone = await store.read(lambda reading: reading.unguarded())
    if gone:
        async with parts.store(write=True) as store:
            await store.write(lambda tx: tx.guard())
    return gone


def _said(head: Line, found: Inspection | str, data: dict[str, Json]) -> Answer:
    if isinstance(found, str):
        return Answer(lines=(head, Line(found, "care")), data={**data, "verified": None})
    said = inspected(found)
    return Answer(code=said.code, lines=(head, *said.lines), data={**data, "verified": dict(said.data)})


def _kept(parts: Parts, schema: int) -> str:
    """Copy the store to a backup folder, from which this version or the older one can restore it."""

    def fill(folder: str) -> backups.Filled:
        parts.copy_store(f"{folder}/{backups.STORE}", progress("Copying"))
        return backups.Filled(schema=schema, events=0, streams=0, cursor=(0, 0), checkpoint="", with_keys=False)

    return backups.make(parts.settings.backups, parts.now(), __version__, fill)[0]
