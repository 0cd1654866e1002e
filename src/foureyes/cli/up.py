"""The `up` command: start a server with everything it needs, and run it until it is stopped."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from foureyes.cli.answer import Answer, Json, Line, print_json, print_line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering, yes_send_option
from foureyes.cli.serving import HOST, PORT, PORT_MAX, Begun, Serving, connecting
from foureyes.core.vacancies import Vacancy


@click.command()
@click.option("--host", default=HOST, show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, PORT_MAX), default=PORT, show_default=True, help="The port; 0 takes a free one."
)
@click.option("--public-url", default="", metavar="URL", help="How others reach it, such as https://gate.example.com.")
@click.option("--behind-proxy", is_flag=True, help="Believe what a proxy before it says of who asks.")
@yes_send_option
@answering
def up(parts: Parts, yes_send: tuple[str, ...], **given: Any) -> Answer:
    """Start the server: HTTP, MCP, the pages and the reviewers that the policy names, on one store.

    The first start enrols you and opens a page in your browser, where you sign in once. It is ended with Ctrl-C or
    SIGTERM: what is under way is finished first, within ten seconds. What it does goes to stderr, as JSON.
    """
    as_json = bool(click.get_current_context().params.get("as_json"))
    serving = Serving(yes_send=yes_send, **given)

    def told(begun: Begun) -> None:
        if as_json:
            print_json(_data(begun))
        else:
            for line in _lines(begun, _beside(parts)):
                print_line(line, sys.stdout)
        sys.stdout.flush()

    parts.serve(serving, told)
    return Answer(lines=(Line("Ended; nothing was lost."),), data={"ended": True})


def vacant_data(one: Vacancy) -> Json:
    """A seat that nobody can hold, as data."""
    return {"roles": list(one.roles), "needed_by": list(one.protocols), "how": one.how}


def _data(begun: Begun) -> dict[str, Json]:
    connect: dict[str, Json] = dict(connecting(begun.public))
    return {
        "address": begun.address,
        "public": begun.public,
        "mcp": f"{begun.public}/mcp",
        "review_server": f"{begun.public}/mcp/review-server",
        "first_human": begun.first_human or None,
        "opened": begun.opened,
        "connect": connect,
        "vacant": [vacant_data(one) for one in begun.vacant],
    }


def _beside(parts: Parts) -> str:
    """The option with which commands find this server, if it does not use the default data folder."""
    said = {name: source for name, _, source in parts.settings.shown()}
    return f" --home {shlex.quote(parts.settings.home)}" if said["home"] == "flag --home" else ""


def _lines(begun: Begun, beside: str) -> list[Line]:
    link = f"foureyes humans link{beside}"
    found = [Line(f"foureyes answers at {begun.public}", "good head")]
    if begun.first_human and begun.opened:
        found.append(Line(f"You are enrolled as {begun.first_human}; your browser shows the page to sign in."))
    elif begun.first_human:
        found += [
            Line(f"You are enrolled as {begun.first_human}, but no browser could be opened here.", "care"),
            Line(f"  On a desktop: {link}"),
            Line(f"  From elsewhere: {link} --to FILE, take the file to your own machine, and open it."),
        ]
    else:
        found.append(Line(f"Sign in with: {link}"))
    found += [Line(""), Line(f"Enrol an agent: foureyes agents add{beside} NAME. Then connect it, with its token:")]
    for name, lines in connecting(begun.public):
        found.append(Line(f"  {name}", "strong"))
        found += [Line(f"    {one}", "command") for one in lines.split("\n")]
    if begun.vacant:
        found += [Line(""), Line("Nobody can hold these seats yet:", "care")]
        found += [Line(f"  {one.in_words()}") for one in begun.vacant]
    return [*found, Line("")]
