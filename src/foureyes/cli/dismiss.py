"""The `dismiss` command: a person drops a finding that is not real, with a reason. A critical one needs a sign-in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Found, Outcome
from foureyes.cli import telling
from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.here import last
from foureyes.cli.parts import PageQuestion, Parts
from foureyes.cli.program import answering
from foureyes.core.values import Severity, Standing, Who
from foureyes.home.trouble import Trouble

REASON_CHARS_MAX = 1000
#: Variables that agents set for the commands they run.
AGENTS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI")
#: The port of the page when it is opened on another machine.
FORWARDED_PORT = 8013


@click.command()
@click.argument("finding")
@click.option("--because", required=True, metavar="TEXT", help="Why it does not count; it is kept and shown.")
@click.option("--review", default="", metavar="REVIEW", help="Which review, instead of the last one of this place.")
@click.option("--critical", is_flag=True, help="Sign in on a page, as a critical finding or a veto demands.")
@click.option("--to", default="", metavar="FILE", help="With --critical: write the page into this new file instead.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="With --to: where the page is served."
)
@answering
def dismiss(parts: Parts, *, finding: str, because: str, review: str, critical: bool, to: str, port: int) -> Answer:
    """Drop a finding that is not real, until its code changes.

    It holds for the same code in every later review on this machine, whatever the branch, commit or policy. You are
    asked to type its name at a terminal. That does not prove who typed, because an agent may have a terminal too: it is
    marked unproven. What is critical or was vetoed waits for a person who signs in: with --critical a page opens in
    your browser, and the record says who it was.
    """
    reason = because.strip()
    if not 0 < len(reason) <= REASON_CHARS_MAX:
        raise click.UsageError(f"Say why in --because, in at most {REASON_CHARS_MAX} characters.")
    if (to or port) and not critical:
        raise click.UsageError("--to and --port are for --critical.")
    outcome = asyncio.run(_local(parts, review))
    found = _named(outcome, finding)
    if critical:
        by = _signed_in(parts, found, reason, to=to, port=port)
    elif found.severity is Severity.CRITICAL:
        raise Trouble(
            f"{found.id} is critical; it waits for a person who signs in.",
            f"Fix it: `foureyes fix` prints what to do. If it is a false alarm: {way_out(found.id)}",
            blocked=True,
        )
    else:
        by = None
        parts.console.confirm(_shown(found), found.id)

    async def waive() -> None:
        # Several reviewers may have reported the same issue; it is dismissed in all of their reports.
        for one in found.ids:
            await parts.dismiss(outcome.review, one, reason, by)

    asyncio.run(waive())
    how = f"{by.name} signed in" if by else "marked unproven"
    lines = (
        Line(f"Dismissed {found.id} until the code around it changes; {how}.", "good"),
        Line(f"Next: {telling.again(outcome)}{'' if outcome.named is not None else '; name the work as before'}"),
    )
    data: dict[str, Json] = {
        "review": outcome.review,
        "dismissed": list(found.ids),
        "because": reason,
        "proven": by is not None,
        "by": by.name if by else None,
    }
    return Answer(lines=lines, data=data)


def way_out(finding: str) -> str:
    """The command that dismisses a critical finding that is not real."""
    return f'foureyes dismiss --critical {finding} --because "WHY"'


async def _local(parts: Parts, review: str) -> Outcome:
    """The outcome of a review on this machine; a server's review is refused, as it is decided on the server's pages."""
    outcome = await last(parts, review)
    if review and not (await parts.having(review)).is_local:
        raise Trouble(
            f"Review {review} is the server's: its findings are dismissed on its page, by a human who signed in.",
            f"Run: foureyes decide {review}",
            blocked=True,
        )
    return outcome


def _signed_in(parts: Parts, found: Found, reason: str, *, to: str, port: int) -> Who:
    """The person who pressed the button on the page; raises Trouble if nobody did."""
    agent = next((name for name in AGENTS if os.environ.get(name)), "")
    if agent:
        raise Trouble(
            f"An agent runs this ({agent} is set); a critical finding is dismissed by a person.",
            f"Ask them to run it in a terminal of their own: {way_out(found.id)}",
            blocked=True,
        )
    if to:
        _check_new(to)
        parts.console.confirm((*_shown(found), *_elsewhere(to, port)), found.id)
    elif port:
        raise click.UsageError("--port is for --to.")
    human = parts.human()
    question = PageQuestion(
        title=f"Dismiss {found.id}?",
        lines=(*_shown(found), f"Reason: {reason}"),
        quote=found.quote.strip(),
        person=human.name,
        button="Sign in and dismiss it",
        done=f"{found.id} is dismissed until the code around it changes.",
        port=port or (FORWARDED_PORT if to else 0),
    )
    said = parts.ask_signed_in(question, to)
    if said is None:
        raise Trouble(
            "Nobody signed in: no page could be opened here, or nobody pressed its button within ten minutes.",
            "Where this machine has no browser: "
            f"foureyes dismiss --critical {found.id} --because TEXT --to FILE, and open that file on your own.",
            blocked=True,
        )
    if not said:
        raise Trouble(f"{human.name} left {found.id} as it is.", "Fix it: foureyes fix", blocked=True)
    return human


def _elsewhere(to: str, port: int) -> tuple[str, ...]:
    """How to open the page on another machine."""
    number = port or FORWARDED_PORT
    return (
        f"The page goes into {to}; whoever reads that file can decide this one thing, for ten minutes.",
        f"On your own machine: ssh -L {number}:127.0.0.1:{number} THIS-MACHINE, copy {to} there, and open it.",
    )


def _check_new(path: str) -> None:
    if os.path.lexists(path) or not Path(path).absolute().parent.is_dir():
        raise Trouble(f"{path} is no place for a new file.", "Name a new file in a folder that is there.", usage=True)


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
