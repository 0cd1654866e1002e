"""How does a script wait for a review? Until it has ended, or as long as it likes."""

from __future__ import annotations

import asyncio

import click

from foureyes.app.calls.shown import ReviewShown, shown
from foureyes.app.plain import marked
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering

SECONDS, SECONDS_MAX = 600, 86_400
POLL_SECONDS = 0.5


@click.command()
@click.argument("review")
@click.option(
    "--seconds", type=click.IntRange(0, SECONDS_MAX), default=SECONDS, show_default=True, help="How long at most."
)
@answering
def wait(parts: Parts, review: str, seconds: int) -> Answer:
    """Wait until a review has ended, and say how.

    Exit code 0: cleared. 2: ended without. 3: still open when the time was over, and whose turn it is.
    """
    return _answer(asyncio.run(_waited(parts, review, seconds)))


async def _waited(parts: Parts, review: str, seconds: int) -> ReviewShown:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while True:
        async with parts.store() as store:
            found = shown(await parts.gate(store).read(review, parts.human()))
        if found.state != "open" or loop.time() >= end:
            return found
        await asyncio.sleep(min(POLL_SECONDS, max(0.0, end - loop.time())))


def _answer(found: ReviewShown) -> Answer:
    data: dict[str, Json] = {
        "review": found.review,
        "state": found.state,
        "revision": found.revision,
        "digest": found.digest,
        "turns": [f"{', '.join(one.who)}: {one.what}" for one in found.turns],
    }
    if found.state == "open":
        turns = tuple(Line(f"  waiting for {', '.join(one.who)}: {marked(one.what)}") for one in found.turns)
        head = Line(f"{found.review} is still open, in round {found.revision}.", "care")
        return Answer(code=codes.PENDING, lines=(head, *turns), data=data)
    cleared = found.state == "cleared"
    why = f": {marked(found.reason)}" if found.reason else ""
    text = f"{found.review} is {found.state}{'' if cleared else why}, version {found.digest[:12]}."
    line = Line(text, "good" if cleared else "bad")
    return Answer(code=codes.OK if cleared else codes.BLOCKED, lines=(line,), data=data)
