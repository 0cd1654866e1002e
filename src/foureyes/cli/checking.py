"""The `check` command for click: help, completion and usage errors. It makes the same check as `check.py`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from foureyes.app.book_end import bookmark
from foureyes.cli.answer import Answer
from foureyes.cli.check import answered, is_unknown
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering


@click.command()
@click.argument("digest")
@click.option("--target", default="", metavar="NAME", help="Where they shall go live.")
@answering
def check(parts: Parts, digest: str, target: str) -> Answer:
    """Say whether exactly these bytes may go live.

    DIGEST is the digest of the work, which `foureyes why` says whole, or another name of it such as a git tree. Exit
    code 0 is the only yes.
    """

    async def look(there: Parts, target: str) -> Answer:
        async with there.store() as store:
            mark = bookmark(there.settings.checkpoints)
            local = not there.settings.is_postgres
            return await store.read(
                lambda reading: answered(reading, digest, target, there.policy, mark, is_local=local)
            )

    first = asyncio.run(look(parts.at_hand, target))
    if not is_unknown(first) or target or not Path(parts.settings.local_database).exists():
        return first
    here = asyncio.run(look(parts.local, ""))
    return first if is_unknown(here) else here
