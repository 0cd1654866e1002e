"""The `rebuild` command: build projections again from the log."""

from __future__ import annotations

import asyncio

import click

from foureyes.app.policies import Policies
from foureyes.app.rebuilding import NAMES, Overtaken, Rebuilt
from foureyes.app.rebuilding import rebuild as rebuilt
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.console import progress
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home.trouble import Trouble

ALL = "all"


@click.command()
@click.argument("name", type=click.Choice([ALL, *NAMES]), metavar="NAME|all")
@answering
def rebuild(parts: Parts, name: str) -> Answer:
    """Make a projection anew from the log.

    The result is the same bytes whoever does it. Readers see the old rows until the new ones are whole.
    """

    async def make() -> list[Rebuilt]:
        async with parts.store(write=True) as store:
            policies = Policies(parts.policy())
            names = NAMES if name == ALL else (name,)
            return [await rebuilt(store, one, policies.rules, progress(one)) for one in names]

    with alone(parts, "rebuild"):
        try:
            found = asyncio.run(make())
        except Overtaken:
            raise Trouble("Another rebuild of the same began after this one.", "Let it finish.", blocked=True) from None
    lines = tuple(Line(f"{one.name}: {one.events} events in {one.seconds:.1f} s") for one in found)
    data: list[Json] = [
        {"name": one.name, "events": one.events, "milliseconds": round(one.seconds * 1000), "sha256": one.sha256}
        for one in found
    ]
    return Answer(lines=lines, data={"rebuilt": data})
