"""The `wait` command: wait until a review has ended, or until a timeout."""

from __future__ import annotations

import asyncio

import click

from foureyes.app.calls.shown import ReviewShown, shown
from foureyes.app.reviewing.outcome import Outcome
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.fitting import terminal_width
from foureyes.cli.here import account, account_data, last
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.cli.telling import DIGITS, exit_code

SECONDS, SECONDS_MAX = 600, 86_400
POLL_SECONDS = 0.5


@click.command()
@click.argument("review")
@click.option(
    "--seconds",
    "--timeout",
    "seconds",
    type=click.IntRange(0, SECONDS_MAX),
    default=SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long at most.",
)
@answering
def wait(parts: Parts, review: str, seconds: int) -> Answer:
    """Wait until a review has ended, and say how.

    When the time is over before that, it says what the review comes to so far.

    Exit codes as of `review`. 0: cleared, or nothing blocks. 2: something stops it, or it ended without. 3: somebody
    still owes an answer. 4: nobody could say.
    """

    async def wait_for_it() -> Answer:
        found = await _waited(parts, review, seconds)
        return await parts.scrub(_answer(found, await last(parts, found.review)), found.review)

    return asyncio.run(wait_for_it())


async def _waited(parts: Parts, review: str, seconds: int) -> ReviewShown:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    there = await parts.having(review)
    while True:
        async with there.store() as store:
            found = shown(await there.gate(store).read(review, parts.human()))
        if found.state != "open" or loop.time() >= end:
            return found
        await asyncio.sleep(min(POLL_SECONDS, max(0.0, end - loop.time())))


def _answer(found: ReviewShown, outcome: Outcome) -> Answer:
    data: dict[str, Json] = {
        "review": found.review,
        "state": found.state,
        "revision": found.revision,
        "digest": found.digest,
        "turns": [f"{', '.join(one.who)}: {one.what}" for one in found.turns],
        **account_data(outcome),
    }
    what = "still open" if found.state == "open" else found.state
    line = Line(f"{found.review} is {what}, in round {found.revision}, version {found.digest[:DIGITS]}.", "dim")
    return Answer(code=exit_code(outcome), lines=(*account(outcome, terminal_width()), line), data=data)
