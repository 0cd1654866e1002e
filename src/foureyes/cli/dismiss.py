"""How does a person say that a finding is not real? By name, with a reason, typed at a terminal."""

from __future__ import annotations

import asyncio

import click

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Found, Outcome
from foureyes.cli import telling
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.here import last
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering
from foureyes.core.values import Severity, Standing
from foureyes.home.trouble import Trouble

REASON_CHARS_MAX = 1000


@click.command()
@click.argument("finding")
@click.option("--because", required=True, metavar="TEXT", help="Why it does not count; it is kept and shown.")
@click.option("--review", default="", metavar="REVIEW", help="Which review, instead of the last one of this place.")
@answering
def dismiss(parts: Parts, finding: str, because: str, review: str) -> Answer:
    """Drop a finding that is not real, until its code changes.

    You are asked to type its name at a terminal. That does not prove who typed, because an agent may have a terminal
    too: it is marked unproven. What is critical or was vetoed waits for a signed-in person instead.
    """
    reason = because.strip()
    if not 0 < len(reason) <= REASON_CHARS_MAX:
        raise click.UsageError(f"Say why in --because, in at most {REASON_CHARS_MAX} characters.")
    outcome = asyncio.run(last(parts, review))
    found = _named(outcome, finding)
    if found.severity is Severity.CRITICAL:
        raise Trouble(
            f"{found.id} is critical; it waits for a signed-in human.",
            "Fix it: `foureyes fix` prints what to do.",
            blocked=True,
        )
    parts.console.confirm(_shown(found), found.id)

    async def waive() -> None:
        # One issue may stand in several reviewers' reports; dropped is dropped for all of them.
        for one in found.ids:
            await parts.dismiss(outcome.review, one, reason)

    asyncio.run(waive())
    lines = (
        Line(f"Dismissed {found.id} until the code around it changes; marked unproven.", "good"),
        Line("Next: foureyes review"),
    )
    data: dict[str, Json] = {"review": outcome.review, "dismissed": list(found.ids), "because": reason, "proven": False}
    return Answer(lines=lines, data=data)


def _named(outcome: Outcome, name: str) -> Found:
    if any(name in one.found.ids for one in outcome.dismissed):
        raise Trouble(f"{name} is dismissed already.", f"Run: foureyes why {outcome.review}", blocked=True)
    found = next((one for one in outcome.found if name in one.ids), None)
    if found is None:
        names = telling.listed((one.id for one in outcome.found), 5)
        there = f"It has {names}." if names else "It has none."
        raise Trouble(
            f"Review {outcome.review} has no finding {name!r}.",
            f"{there} Name another review with --review.",
            usage=True,
        )
    if found.standing in (Standing.RESOLVED, Standing.WAIVED):
        raise Trouble(f"{name} is {found.standing.value} already.", f"Run: foureyes why {outcome.review}", blocked=True)
    return found


def _shown(found: Found) -> tuple[str, ...]:
    words = (
        f"{found.id}, {found.severity.name.lower()}, {telling.place(found)}",
        f"  {found.quote.strip()}" if found.quote else "",
        f"  {found.text}",
        f"  Raised by {telling.listed(found.raised_by)}." if found.raised_by else "",
        "It will not block again until the code around it changes.",
    )
    return tuple(marked(one) for one in words if one)
