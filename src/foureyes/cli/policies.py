"""The `policy` commands: check, show, explain, compare and activate policies."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from pathlib import Path

import click

from foureyes.app.asks import Ask, Reply
from foureyes.app.gate import new_key
from foureyes.app.policies import InForce, Policies
from foureyes.app.ports import Reading, Unavailable
from foureyes.app.vacancies import vacant_alone, vacant_beside
from foureyes.cli.alone import alone
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.consent import is_given
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering
from foureyes.cli.up import vacant_data
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code, refuse
from foureyes.core.vacancies import Vacancy
from foureyes.core.values import RiskLevel
from foureyes.home.lock import running
from foureyes.home.served_policy import served_policy
from foureyes.home.trouble import Trouble
from foureyes.policy.build import Loaded
from foureyes.policy.diff import Change, Direction
from foureyes.policy.diff import diff as differences
from foureyes.policy.explain import explain as explained
from foureyes.policy.load import DEFAULT, SERVER_DEFAULT, SHIPPED, load
from foureyes.policy.load import shipped as load_shipped
from foureyes.policy.policy import Policy, policy_text, read_policy
from foureyes.policy.show import show as shown

SHOWN_DIGITS = 12
_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch
_TONES = {Direction.WEAKER: "bad", Direction.STRICTER: "good", Direction.OTHER: ""}


@click.group(cls=Group)
def policy() -> None:
    """Check, show, compare and activate policies.

    A SOURCE is a file, the name of a shipped policy, or the digest of one in the store; without any it is the policy
    in force.
    """


@policy.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False), default=None, required=False)
@answering
def check(parts: Parts, file: str | None) -> Answer:
    """Read a policy file and name everything that is wrong in it, with lines.

    It warns of the seats that nobody can hold: beside a server of those that nobody there can, else of those that
    neither an account of the store nor a reviewer whom the policy names can.
    """
    server = running(parts.settings.home)
    sends = server.sends if server and server.is_server else None
    found = load(Path(file or parts.settings.policy), default=DEFAULT if sends is None else SERVER_DEFAULT)
    vacant = asyncio.run(_vacant(parts, found.policy, sends))
    text = f"Policy {found.policy.name} is sound; its digest is {found.policy.digest}."
    notes = tuple(Line(f"Note: {one}", "care") for one in found.notes)
    warned = tuple(Line(f"Warning: {one.in_words()}", "care") for one in vacant)
    data = {**_data(found.policy), "notes": list(found.notes), "vacant": [vacant_data(one) for one in vacant]}
    return Answer(lines=(*notes, *warned, Line(text, "good")), data=data)


@policy.command()
@click.argument("source", default="")
@answering
def show(parts: Parts, source: str) -> Answer:
    """Print what a policy says, with every default filled in."""
    found = _policy(parts, source)
    lines = tuple(Line(line) for line in shown(found).splitlines())
    return Answer(lines=lines, data={**_data(found), "text": policy_text(found).decode()})


@policy.command()
@click.argument("kind")
@click.option("--path", "paths", multiple=True, metavar="PATH", help="A path the work touches; may be repeated.")
@click.option("--risk", type=click.Choice([one.name.lower() for one in RiskLevel]), default="medium", help="Its risk.")
@click.option("--source", default="", help="Which policy, instead of the one in force.")
@answering
def explain(parts: Parts, kind: str, paths: tuple[str, ...], risk: str, source: str) -> Answer:
    """Say what work of a kind must pass, and which rule demands it."""
    found = _policy(parts, source)
    text = explained(found, kind, paths, RiskLevel[risk.upper()])
    return Answer(lines=tuple(Line(line) for line in text.splitlines()), data={**_data(found), "text": text})


@policy.command()
@click.argument("old", metavar="[OLD] NEW")
@click.argument("new", default="", metavar="")
@answering
def diff(parts: Parts, old: str, new: str) -> Answer:
    """Say what another policy would demand more, less or otherwise; with one SOURCE, than the one in force."""
    before, after = (_policy(parts, old), _policy(parts, new)) if new else (_policy(parts, ""), _policy(parts, old))
    found = differences(before, after)
    lines = _lines(found) or (Line("They say the same."),)
    data: list[Json] = [{"direction": one.direction.value, "words": one.words} for one in found]
    return Answer(lines=lines, data={"old": before.digest, "new": after.digest, "changes": data})


@policy.command()
@click.argument("source")
@click.option("--in-flight", is_flag=True, help="Open reviews must meet it too, beside their own policy.")
@click.option("--yes", is_flag=True, help="Do not ask for the digest; only at a terminal.")
@answering
def activate(parts: Parts, source: str, in_flight: bool, yes: bool) -> Answer:  # noqa: FBT001 - click hands flags over so
    """Put a policy into force for new reviews; a person at a terminal confirms it."""
    current, wanted = asyncio.run(_in_force(parts)), _policy(parts, source)
    changes = _lines(differences(current.policy, wanted))
    question = (
        f"Policy {wanted.name} ({wanted.digest}) instead of {current.policy.name} ({current.policy.digest}):",
        *(f"  {one.text}" for one in changes),
        f"You act as {parts.human().name}; this is recorded.",
    )
    parts.console.confirm(question, wanted.digest[:SHOWN_DIGITS], yes=yes)
    with alone(parts, "policy activate"):
        asyncio.run(_activated(parts, wanted, in_flight=in_flight))
    text = f"Policy {wanted.name} ({wanted.digest}) is in force."
    return Answer(lines=(Line(text, "good"),), data={**_data(wanted), "replaces": current.policy.digest})


async def _activated(parts: Parts, wanted: Policy, *, in_flight: bool) -> Reply:
    command = ActivatePolicy(digest=wanted.digest, name=wanted.name, applies_in_flight=in_flight)
    ask = Ask(
        actor=parts.human(),
        key=new_key(),
        command=command,
        stream="policy",
        blobs={wanted.digest: policy_text(wanted)},
    )
    async with parts.new_store() as store:
        return await parts.gate(store).handle(ask)


async def _vacant(parts: Parts, policy: Policy, sends: tuple[str, ...] | None) -> tuple[Vacancy, ...]:
    """The seats that nobody could hold; without a server and a readable store, as far as the policy alone tells."""
    may_send = partial(is_given, sends) if sends is not None else lambda _: True
    try:
        if sends is None and not parts.schema().found:
            return vacant_alone(policy)
        async with parts.store() as store:
            return await store.read(lambda reading: vacant_beside(reading, policy, parts.now(), may_send))
    except (Unavailable, Trouble):
        if sends is not None:
            raise
        return vacant_alone(policy)


def _policy(parts: Parts, source: str) -> Policy:
    if not source:
        return asyncio.run(_in_force(parts)).policy
    if _DIGEST(source):
        return asyncio.run(_stored(parts, source))
    return _loaded(source).policy


def _loaded(source: str) -> Loaded:
    if Path(source).exists():
        return load(Path(source))
    if source in SHIPPED:
        return load_shipped(source)
    message = f"{source!r} is neither a file nor a digest nor one of {', '.join(SHIPPED)}."
    raise click.BadParameter(message, param_hint="SOURCE")


async def _in_force(parts: Parts) -> InForce:
    """The policy in force; without a store, the one that `foureyes review` uses.

    While a server runs it is the policy that the server loaded, even if its policy file has changed since.
    """
    if not parts.schema().found:
        return InForce(policy=load(Path(parts.settings.policy)).policy)
    served = served_policy(parts.settings.home)
    default = read_policy(served) if served is not None else parts.policy()
    async with parts.store() as store:
        return await store.read(Policies(default).current)


async def _stored(parts: Parts, digest: str) -> Policy:
    def look(reading: Reading) -> Policy:
        if reading.blob(digest) is None:
            raise refuse(Code.UNKNOWN_DIGEST, what="the policy", digest=digest)
        return Policies(parts.policy()).named(reading, digest)

    async with parts.store() as store:
        return await store.read(look)


def _lines(changes: tuple[Change, ...]) -> tuple[Line, ...]:
    return tuple(Line(str(one), _TONES[one.direction]) for one in changes)


def _data(found: Policy) -> dict[str, Json]:
    return {"name": found.name, "digest": found.digest}
