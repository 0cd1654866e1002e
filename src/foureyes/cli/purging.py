"""The `purge` command: remove bytes that must not stay, such as a leaked secret."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from foureyes.app.purging import Unnoted
from foureyes.app.purging import purge as purged
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home.trouble import Trouble

SHOWN_DIGITS = 12


@click.command()
@click.argument("digest")
@click.option("--reason", required=True, help="Why, in a sentence, without the secret itself; it stays in the record.")
@click.option("--yes", is_flag=True, help="Do not ask; only at a terminal.")
@answering
def purge(parts: Parts, digest: str, reason: str, yes: bool) -> Answer:  # noqa: FBT001 - click hands flags over like this
    """Remove the bytes of a blob and leave a tombstone.

    DIGEST names one part of a work, as its review shows it. The log keeps its links and still verifies. Backups made
    before still hold the bytes; who restores one here has them purged again.
    """

    async def remove() -> str:
        notes = Path(parts.settings.checkpoints)
        async with parts.store(write=True) as store:
            try:
                return await purged(store, digest, parts.human(), reason, parts.now(), notes=notes)
            except Unnoted as error:
                raise Trouble(error.sentence, error.next_step) from error

    async def remains() -> str:
        async with parts.store() as store:
            return await store.read(lambda reading: reading.remains())

    parts.console.confirm(
        (f"The bytes {digest} will be gone for good; nothing that holds them can go live any more.",),
        digest[:SHOWN_DIGITS],
        yes=yes,
    )
    with alone(parts, "purge"):
        tombstone = asyncio.run(remove())
        left = asyncio.run(remains())
    lines = (
        Line(f"Purged {digest}.", "good"),
        *((Line(left, "care"),) if left else ()),
        Line("Backups made before still hold these bytes, and so do stores that a restore or an upgrade kept.", "care"),
    )
    return Answer(lines=lines, data={"digest": digest, "tombstone": tombstone, "remains": left or None})
