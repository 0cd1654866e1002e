"""The `off` command: a person turns the hooks off for a while, with a reason that stays in the record."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import click

from foureyes.app.plain import marked
from foureyes.app.silences import Silence
from foureyes.app.silencing import write_silence
from foureyes.cli.answer import Answer, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.silenced import data, off_here, told
from foureyes.core.silence import ResumeHooks, SilenceCommand, SilenceHooks
from foureyes.home import where

_FOR = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,6})m)?").fullmatch
_GATE = "The gate answers as ever: what it does not clear does not go live."


@click.command()
@click.option("--for", "length", default="", metavar="TIME", help="For how long, as in 2h or 90m; at most 24h.")
@click.option("--because", default="", metavar="TEXT", help="Why, in a sentence; it is kept and shown.")
@click.option("--end", is_flag=True, help="Let the hooks stop things again, now.")
@answering
def off(parts: Parts, length: str, because: str, end: bool) -> Answer:  # noqa: FBT001 - click hands flags over like this
    """Have the hooks of this place stop nothing for a while, and keep why.

    Of this repository on this machine alone, and of nobody else. The gate answers as ever: `check`, reviews and targets
    are not changed by it. It ends by itself. You are asked to type words at a terminal. That does not prove
    who typed: an agent may have a terminal too. It is in the record, whoever did it.
    """
    if end:
        if length or because:
            raise click.UsageError("Say --end alone.")
        return _ended(parts)
    seconds = _seconds(length)
    if not because.strip():
        raise click.UsageError("Say why in --because; it stays in the record.")
    command = SilenceHooks(machine=where.machine(), place=where.place(), seconds=seconds, reason=because)
    shown = (f"Hooks in {command.place} will stop nothing for {length}.", f"Because: {because.strip()}", _GATE)
    parts.console.confirm(tuple(marked(one) for one in shown), f"off {length}")
    found = asyncio.run(_written(parts, command))
    lines = (Line(f"Hooks in {marked(command.place)} are {told(found)}", "care"), Line(_GATE))
    return Answer(lines=(*lines, Line("On again: foureyes off --end")), data={"off": data(found)})


def _ended(parts: Parts) -> Answer:
    place = marked(where.place())

    async def look() -> Silence | None:
        async with parts.store() as store:
            return await store.read(lambda reading: off_here(reading, parts.now()))

    if asyncio.run(look()) is None:
        return Answer(lines=(Line(f"Hooks in {place} are not off."),), data={"off": None, "ended": False})
    asyncio.run(_written(parts, ResumeHooks(machine=where.machine(), place=where.place())))
    return Answer(lines=(Line(f"Hooks in {place} are on again.", "good"),), data={"off": None, "ended": True})


async def _written(parts: Parts, command: SilenceCommand) -> Silence | None:
    human = parts.human()
    async with parts.new_store() as store:
        return await store.write(lambda tx: write_silence(tx, command, human, parts.now()))


def _seconds(length: str) -> int:
    found = _FOR(length.strip())
    if found is None or not length.strip():
        raise click.UsageError("Say for how long in --for, as in 2h, 90m or 1h30m.")
    hours, minutes = (int(one or 0) for one in found.groups())
    return timedelta(hours=hours, minutes=minutes) // timedelta(seconds=1)
