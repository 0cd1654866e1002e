"""The `humans` commands: list humans, and make sign-in links that open in a browser and are never printed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from foureyes.app.accounts import accounts
from foureyes.app.signing_in import LINK_LIFE, new_link
from foureyes.cli import browser
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering
from foureyes.core.principals import Account
from foureyes.home.lock import server
from foureyes.home.trouble import Trouble

SIGN_IN = "/sign-in?link="


@click.group(cls=Group)
def humans() -> None:
    """Let humans sign in, and list them."""


@humans.command()
@click.argument("name", required=False)
@click.option("--to", default="", metavar="FILE", help="Write the page into this new file, to be opened elsewhere.")
@click.option("--direct", is_flag=True, help="Hand the browser the address itself; other users may see it.")
@answering
def link(parts: Parts, name: str | None, to: str, direct: bool) -> Answer:  # noqa: FBT001 - click hands flags over like this
    """Open the page where a human signs in, once and within ten minutes.

    NAME may be left out where there is one human. The address is never printed: whoever reads it could sign in. With
    --to it goes into a file of mode 0600 for a machine without a browser; copy it to your own and open it there.
    """

    async def made() -> tuple[str, str]:
        async with parts.store(write=True) as store:
            human = _one(await store.read(accounts), name or "")
            secret = await store.write(lambda tx: new_link(tx, human, parts.now()))
            return human, secret or ""

    running = server(parts.settings.home)
    page = _new(to) if to else Path(parts.settings.home, browser.PAGE)
    human, secret = asyncio.run(made())
    public = running.public or running.address
    if to:
        browser.leading(f"{public}{SIGN_IN}{secret}", page)
        return _answer(human, f"The page for {human} is in {to}. Open it on your own machine, and delete it.")
    address = f"{running.address}{SIGN_IN}{secret}"
    if not direct:
        browser.leading(address, page)
    if not parts.console.opens(address if direct else page.as_uri()):
        raise Trouble(
            "No browser could be opened here.",
            "On a machine without one: foureyes humans link --to FILE, and open that file on your own.",
        )
    return _answer(human, f"Your browser shows the page where {human} signs in.")


@humans.command("list")
@answering
def listed(parts: Parts) -> Answer:
    """List the humans who may decide here."""

    async def look() -> tuple[Account, ...]:
        async with parts.store() as store:
            return await store.read(accounts)

    found = [one for one in asyncio.run(look()) if one.who.is_human and not one.removed]
    lines = tuple(Line(one.who.name) for one in found) or (Line("None yet; the first `foureyes up` enrols you."),)
    return Answer(lines=lines, data={"humans": [one.who.name for one in found]})


def _one(everybody: tuple[Account, ...], name: str) -> str:
    names = [one.who.name for one in everybody if one.who.is_human and not one.removed]
    if name in names or (not name and len(names) == 1):
        return name or names[0]
    if name:
        raise Trouble(f"No human is enrolled as {name!r}.", f"There are: {', '.join(names) or 'none'}.", usage=True)
    raise Trouble(f"There are {len(names)} humans.", f"Name one of: {', '.join(names) or 'none'}.", usage=True)


def _new(path: str) -> Path:
    """The absolute path for a new page, so that its folder can be checked."""
    if os.path.lexists(path):
        raise Trouble(f"{path} is there already.", "Name a new file.", usage=True)
    found = Path(path).absolute()
    if not found.parent.is_dir():
        raise Trouble(f"{found.parent} is no folder.", "Name a new file in a folder that is there.", usage=True)
    return found


def _answer(human: str, sentence: str) -> Answer:
    minutes = int(LINK_LIFE.total_seconds() // 60)
    data: dict[str, Json] = {"human": human, "minutes": minutes}
    return Answer(lines=(Line(sentence, "good"), Line(f"It works once, within {minutes} minutes.")), data=data)
