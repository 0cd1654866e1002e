"""How does an agent get an account? A human confirms it on a page: a terminal proves no human."""

from __future__ import annotations

import asyncio
from urllib.parse import urlencode

import click

from foureyes.app.accounts import accounts
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering
from foureyes.core.names import check_name
from foureyes.core.principals import Account
from foureyes.home.lock import server
from foureyes.home.trouble import Trouble


@click.group(cls=Group)
def agents() -> None:
    """Enrol agents, list them and take their tokens back."""


@agents.command()
@click.argument("name")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="A role it may hold; may be repeated.")
@click.option("--family", default="", metavar="NAME", help="The family of its model, such as claude, gpt or gemini.")
@click.option("--operator", default="", metavar="NAME", help="Who is behind it; you, if none is named.")
@answering
def add(parts: Parts, name: str, roles: tuple[str, ...], family: str, operator: str) -> Answer:
    """Open the page where you enrol an agent and see its token.

    Nothing is done until you, signed in, press the button there. The token is shown once, in the browser alone.
    """
    running = server(parts.settings.home)
    everybody = asyncio.run(_everybody(parts))
    check_name(name, {one.who.name for one in everybody if one.who.name != name})
    asked = {"name": name, "roles": " ".join(roles or ("agent",)), "operator": operator, "model_family": family}
    return _shown(parts, f"{running.address}/accounts?{urlencode(asked)}", f"Confirm {name} in your browser.")


@agents.command("list")
@answering
def listed(parts: Parts) -> Answer:
    """List the accounts of agents, programs and services, and how many tokens each has."""
    found = [one for one in asyncio.run(_everybody(parts)) if not one.who.is_human]
    lines = tuple(Line(_line(one)) for one in found) or (Line("None yet: foureyes agents add NAME"),)
    return Answer(lines=lines, data={"agents": [_data(one) for one in found]})


@agents.command()
@click.argument("name")
@answering
def revoke(parts: Parts, name: str) -> Answer:
    """Open the page where you take tokens back, or remove the account."""
    running = server(parts.settings.home)
    if not any(one.who.name == name for one in asyncio.run(_everybody(parts))):
        raise Trouble(f"Nobody is enrolled as {name[:80]!r}.", "foureyes agents list names everybody.", usage=True)
    return _shown(parts, f"{running.address}/accounts#{name}", f"Take back what {name} has in your browser.")


async def _everybody(parts: Parts) -> tuple[Account, ...]:
    async with parts.store() as store:
        return await store.read(accounts)


def _shown(parts: Parts, address: str, sentence: str) -> Answer:
    """Where no browser opens the address is said instead: it holds no secret, and the page asks who is there."""
    opened = parts.console.opens(address)
    first = sentence if opened else f"No browser could be opened here. Open this where you are signed in: {address}"
    last = "If it says that you are not signed in: foureyes humans link"
    return Answer(lines=(Line(first), Line(last)), data={"address": address, "opened": opened})


def _line(one: Account) -> str:
    good = sum(not each.revoked for each in one.tokens)
    roles = f"roles {', '.join(one.roles)}" if one.roles else "no role"
    words = (str(one.who.kind), one.who.model_family, f"operator {one.who.operator}", roles)
    tokens = f"{good} of {len(one.tokens)} tokens good" if one.tokens else "no token"
    state = "removed" if one.removed else tokens
    return f"{one.who.name}: {', '.join(each for each in words if each)}; {state}"


def _data(one: Account) -> dict[str, Json]:
    return {
        "name": one.who.name,
        "kind": str(one.who.kind),
        "operator": one.who.operator,
        "model_family": one.who.model_family,
        "roles": list(one.roles),
        "removed": one.removed,
        "tokens": [{"token": each.id, "scopes": list(each.scopes), "revoked": each.revoked} for each in one.tokens],
    }
