"""The `agents` commands. A human confirms each enrolment on a page, because a terminal proves no human."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from foureyes.app.accounts import accounts
from foureyes.app.enrolment_file import FILE_BYTES_MAX, AgentsErrors, read_agents
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering
from foureyes.core.names import check_name
from foureyes.core.principals import SCOPES, TOKEN_DAYS_MAX, Account, Scope
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import WhoKind
from foureyes.home.lock import server
from foureyes.home.trouble import Trouble
from foureyes.policy.nodes import Problem


@click.group(cls=Group)
def agents() -> None:
    """Enrol agents, list them and take their tokens back."""


@agents.command()
@click.argument("name", default="")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="A file with several accounts, which are enrolled in one act.",
)
@click.option("--kind", type=click.Choice([str(one) for one in SCOPES]), default="agent", help="What it is.")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="A role it may hold; may be repeated.")
@click.option("--family", default="", metavar="NAME", help="The family of its model, such as claude, gpt or gemini.")
@click.option("--operator", default="", metavar="NAME", help="Who is behind it; you, if none is named.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice([str(one) for one in Scope]),
    help="What its token is for; may be repeated. All that its kind may have, if none is named.",
)
@click.option(
    "--days", type=click.IntRange(1, TOKEN_DAYS_MAX), help="After how many days its token ends; never, if not said."
)
@answering
def add(parts: Parts, name: str, file: str | None, **said: Any) -> Answer:
    """Open the page where you enrol an agent, or those of a file, and see the tokens.

    Nothing is done until you, signed in, press the button there. A token is shown once, in the browser alone. The
    accounts of a file are all enrolled, or none of them.
    """
    if bool(name) == bool(file) or (file and any(said[one] for one in said if one != "kind")):
        step = "Write `foureyes agents add NAME` with its options, or `foureyes agents add --file FILE` alone."
        raise Trouble("This takes a name or a file.", step, usage=True)
    running = server(parts.settings.home)
    everybody = asyncio.run(_everybody(parts))
    if file:
        return _added(parts, file, running.address, everybody)
    check_name(name, {one.who.name for one in everybody if one.who.name != name})
    asked = {"name": name, **_asked(**said)}
    return _shown(parts, f"{running.address}/accounts?{urlencode(asked)}", f"Confirm {name} in your browser.")


def _added(parts: Parts, file: str, address: str, everybody: tuple[Account, ...]) -> Answer:
    """Open the page with the accounts of a file filled in; errors in the file are reported before."""
    text = _text(file)
    name = Path(file).name if file != "-" else "agents.yaml"
    lines = read_agents(name, text)
    names = {one.who.name: one for one in everybody}
    taken, found = set(names), list[Problem]()
    for one in lines:
        known = names.get(one.name)
        try:
            _check_new(one.name, taken, is_there=known is not None and not known.removed)
        except Refusal as no:
            found.append(Problem(file=name, line=one.line, wrong=no.sentence.rstrip("."), allowed=no.next_step))
        taken.add(one.name)
    if found:
        raise AgentsErrors(tuple(found))
    query = urlencode({"agents": text, "file": name})
    count = f"{len(lines)} accounts" if len(lines) > 1 else "1 account"
    return _shown(parts, f"{address}/accounts?{query}", f"Confirm {count} in your browser.")


def _check_new(name: str, taken: set[str], *, is_there: bool) -> None:
    if is_there:
        raise Refusal(Code.DUPLICATE, f"{name} is enrolled already.", "Take it out of the list.")
    check_name(name, taken - {name})


def _text(file: str) -> str:
    try:
        with click.open_file(file, encoding="utf-8") as source:
            return str(source.read(FILE_BYTES_MAX + 1))
    except UnicodeDecodeError:
        raise Trouble(f"{file} is no text.", "Write it as UTF-8.", usage=True) from None


@agents.command("list")
@answering
def listed(parts: Parts) -> Answer:
    """List the accounts of agents, programs and services, and what each of their tokens is for, and until when."""
    now = parts.now()
    found = [one for one in asyncio.run(_everybody(parts)) if not one.who.is_human]
    lines = tuple(Line(each) for one in found for each in _lines(one, now))
    return Answer(
        lines=lines or (Line("None yet: foureyes agents add NAME"),), data={"agents": [_data(one) for one in found]}
    )


@agents.command()
@click.argument("name")
@answering
def revoke(parts: Parts, name: str) -> Answer:
    """Open the page where you take tokens back, or remove the account."""
    running = server(parts.settings.home)
    if not any(one.who.name == name for one in asyncio.run(_everybody(parts))):
        raise Trouble(f"Nobody is enrolled as {name[:80]!r}.", "foureyes agents list names everybody.", usage=True)
    return _shown(parts, f"{running.address}/accounts#{name}", f"Take back what {name} has in your browser.")


def _asked(
    *, kind: str, roles: tuple[str, ...], family: str, operator: str, scopes: tuple[str, ...], days: int | None
) -> dict[str, str]:
    """The values that fill in the page's form; an option that was not given is left to the page."""
    allowed = SCOPES[WhoKind(kind)]
    strange = next((one for one in scopes if one not in allowed), "")
    if strange:
        sentence = f"The token of a kind {kind} is never for {strange}."
        raise Trouble(sentence, f"Name some of {', '.join(allowed)}.", usage=True)
    held = roles or (("agent",) if kind == WhoKind.AGENT else ())
    found = {"kind": kind, "roles": " ".join(held), "operator": operator, "model_family": family}
    return {**found, "scopes": " ".join(scopes), "days": str(days or "")}


async def _everybody(parts: Parts) -> tuple[Account, ...]:
    async with parts.store() as store:
        return await store.read(accounts)


def _shown(parts: Parts, address: str, sentence: str) -> Answer:
    """Open the page; without a browser the address is printed, as it holds no secret and the page demands a sign-in."""
    opened = parts.console.opens(address)
    first = sentence if opened else f"No browser could be opened here. Open this where you are signed in: {address}"
    last = "If it says that you are not signed in: foureyes humans link"
    return Answer(lines=(Line(first), Line(last)), data={"address": address, "opened": opened})


def _lines(one: Account, now: datetime) -> Iterator[str]:
    good = [each for each in one.tokens if each.opens(now)]
    roles = f"roles {', '.join(one.roles)}" if one.roles else "no role"
    words = (str(one.who.kind), one.who.model_family, f"operator {one.who.operator}", roles)
    tokens = f"{len(good)} of {len(one.tokens)} tokens good" if one.tokens else "no token"
    state = "removed" if one.removed else tokens
    yield f"{one.who.name}: {', '.join(each for each in words if each)}; {state}"
    for each in () if one.removed else good:
        end = f", until {each.expires:%Y-%m-%d %H:%M} UTC" if each.expires else ""
        yield f"  token {each.id}: for {', '.join(each.scopes)}{end}"


def _data(one: Account) -> dict[str, Json]:
    return {
        "name": one.who.name,
        "kind": str(one.who.kind),
        "operator": one.who.operator,
        "model_family": one.who.model_family,
        "roles": list(one.roles),
        "removed": one.removed,
        "tokens": [
            {
                "token": each.id,
                "scopes": list(each.scopes),
                "expires": each.expires.isoformat() if each.expires else None,
                "revoked": each.revoked,
            }
            for each in one.tokens
        ],
    }
