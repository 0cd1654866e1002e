"""The same check as `check.py`, for whoever asks click: its help, its completion, and what is wrong with a line."""

from __future__ import annotations

import asyncio

import click

from foureyes.cli.answer import Answer
from foureyes.cli.check import answered
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

    async def look() -> Answer:
        async with parts.store() as store:
            return await store.read(lambda reading: answered(reading, digest, target, parts.policy))

    return asyncio.run(look())
