"""The `decide` command: open the page where a signed-in human decides, because a terminal proves no human."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import click

from foureyes.app.gate import Seen
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.home.lock import server
from foureyes.home.trouble import Trouble


@click.command()
@click.argument("review")
@answering
def decide(parts: Parts, review: str) -> Answer:
    """Open the page of a review, where you give a ruling.

    Nothing is decided here: you sign in, look at exactly the version, and decide on the page.
    """

    async def look() -> Seen:
        if (await parts.having(review)).is_local:
            raise Trouble(
                f"Review {review} is a local one: it is on this machine only, and no server has a page of it.",
                "Drop a finding: foureyes dismiss FINDING --because TEXT. Have others look: foureyes review --share",
                usage=True,
            )
        async with parts.store() as store:
            return await parts.gate(store).read(review, parts.human())

    seen = asyncio.run(look())
    running = server(parts.settings.home)
    asked = seen.view.review.ruling()
    address = f"{running.address}/reviews/{quote(review, safe='')}{'#ruling' if asked else ''}"
    opened = parts.console.opens(address)
    what = "A decision is asked for" if asked else "No decision is asked for; what you can do stands there"
    where = "your browser shows it." if opened else f"no browser could be opened here. Open it yourself: {address}"
    last = "If it says that you are not signed in: foureyes humans link"
    data: dict[str, Json] = {"review": review, "asked": asked is not None, "address": address, "opened": opened}
    return Answer(lines=(Line(f"{what}: {where}"), Line(last)), data=data)
