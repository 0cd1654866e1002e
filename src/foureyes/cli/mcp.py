"""The `mcp` command: MCP on stdin and stdout for an agent that starts its own tools. One process is one account."""

from __future__ import annotations

import asyncio
import os

import click

from foureyes.cli.answer import Answer
from foureyes.cli.parts import Parts, Speaking
from foureyes.cli.program import answering
from foureyes.home.token import AGENT_VARIABLE, token_of

FACES = ("foureyes", "review-server")
LISTS = ("usual", "author", "reviewer", "session", "reader", "all")


@click.command(epilog="For example: FOUREYES_TOKEN=… foureyes mcp")
@click.option("--as", "name", type=click.Choice(FACES), default=FACES[0], help="Which server to be.", show_default=True)
@click.option("--server", metavar="URL", default="", help="The server to speak to, instead of the one that runs here.")
@click.option("--token-file", metavar="FILE", default="", help="A file of mode 0600 with the token.")
@click.option("--tools", type=click.Choice(LISTS), default=LISTS[0], help="Which tools to list.", show_default=True)
@click.option("--all-tools", is_flag=True, help="List all tools; any is called by its name, listed or not.")
@answering
def mcp(parts: Parts, name: str, server: str, token_file: str, *, tools: str, all_tools: bool) -> Answer:
    """Speak MCP on stdin and stdout, for an agent that starts its tools itself.

    It acts as the account of the token it is started with, and as nobody else. Where a server runs it speaks to that,
    else it opens the store itself.
    """
    how = Speaking(
        name=name,
        server=server,
        tools="all" if all_tools else tools,
        token=token_of(os.environ, token_file),
        agent=os.environ.get(AGENT_VARIABLE, ""),
    )
    asyncio.run(parts.speak(how))
    return Answer()
