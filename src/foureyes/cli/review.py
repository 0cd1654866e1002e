"""The `review` command: review work on this machine. It is the program's main command."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from foureyes.app.reviewers import Change
from foureyes.app.reviewing.outcome import Options, Outcome
from foureyes.cli import codes, outcome_data, telling
from foureyes.cli.answer import Answer, Line
from foureyes.cli.consent import Consent
from foureyes.cli.fitting import terminal_width
from foureyes.cli.live import Live
from foureyes.cli.markdown import markdown
from foureyes.cli.parts import Parts, Wanted
from foureyes.cli.program import answering
from foureyes.cli.sarif import sarif
from foureyes.cli.showing import FULL_MAX, Picked, shown
from foureyes.core.commands import Answer as Reply
from foureyes.core.refusals import Refusal
from foureyes.core.values import Severity
from foureyes.home.trouble import Trouble

if TYPE_CHECKING:
    from foureyes.cli.share import Sharing

_USD_MICRO = 1_000_000
QUESTIONS_MAX, QUESTION_CHARS_MAX = 10, 500
READING = "  Reading what changed …"
EXAMPLES = """\b
Examples:
  foureyes review                     what you have not committed yet
  foureyes review --staged            what the next commit would hold
  foureyes review main..HEAD          what a branch brings, since it left main
  foureyes review HEAD                the last commit
  foureyes review plan.md             a file
  foureyes review --share             what you have not committed yet, and have the server's reviewers look too
  echo 'rm -rf build' | foureyes review - --kind command

Exit codes: 0 nothing blocks or cleared, 2 something to fix, 3 somebody must decide, 4 no answer (and why).
Then: `foureyes fix` hands the findings to your agent, `foureyes dismiss` drops one, `foureyes why` says why.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of the command line."""

    what: str | None
    staged: bool
    worktree: bool
    kind: str
    title: str
    style: str
    only: tuple[str, ...]
    without: tuple[str, ...]
    no_agents: bool
    question: tuple[str, ...]
    anew: bool
    fixed: tuple[tuple[str, str], ...]
    rebut: tuple[tuple[str, str], ...]
    share: bool
    server: str
    ask: bool
    yes_send: tuple[str, ...]
    budget_usd: Decimal | None
    timeout: float | None
    as_sarif: bool
    as_markdown: bool
    everything: bool
    severity: str
    category: tuple[str, ...]
    most: int
    quiet: bool
    verbose: bool
    no_color: bool


def _usd(context: click.Context, parameter: click.Parameter, value: str | None) -> Decimal | None:
    del context
    if value is None:
        return None
    try:
        amount = Decimal(value)
    except ArithmeticError:
        amount = Decimal(-1)
    if not amount.is_finite() or amount < 0:
        raise click.BadParameter("Give dollars as a number such as 0.50.", param=parameter)
    return amount


@click.command(epilog=EXAMPLES)
@click.argument("what", required=False, metavar="[REV..REV|PATH|-]")
@click.option("--staged", is_flag=True, help="Look at what is staged for the next commit.")
@click.option("--worktree", is_flag=True, help="Look at everything that is not committed yet.")
@click.option(
    "--kind", default="", metavar="KIND", help="What sort of work it is, such as code, plan, command or text."
)
@click.option("--title", default="", metavar="TEXT", help="What to call it.")
@click.option("--style", default="", metavar="STYLE", help="A review style, such as panel, beside those of the policy.")
@click.option("--only", multiple=True, metavar="NAME", help="Ask this reviewer and no other; may be repeated.")
@click.option("--without", multiple=True, metavar="NAME", help="Do not ask this reviewer; may be repeated.")
@click.option(
    "--no-agents",
    is_flag=True,
    help="Our programs only: nothing leaves this machine, nothing is spent and no command of a policy runs.",
)
@click.option("--fixed", nargs=2, multiple=True, metavar="FINDING HOW", help="Say how an earlier finding was fixed.")
@click.option("--rebut", nargs=2, multiple=True, metavar="FINDING WHY", help="Say why one is wrong, with evidence.")
@click.option(
    "--question", multiple=True, metavar="TEXT", help="Have every agent and model answer this, too; may be repeated."
)
@click.option("--anew", is_flag=True, help="Leave the open review of this place and start over.")
@click.option(
    "--share", is_flag=True, help="Then open a review of the same bytes on the server, in the name of FOUREYES_TOKEN."
)
@click.option("--server", default="", metavar="URL", help="With --share: another server than the one here.")
@click.option(
    "--ask", is_flag=True, help="Ask anew who may receive the work and what may run, whatever was said before."
)
@click.option(
    "--yes-send",
    multiple=True,
    metavar="NAME",
    help="Let this reviewer, or all, have it in this run; `run: COMMAND` lets that command of the policy run.",
)
@click.option("--budget-usd", callback=_usd, metavar="USD", help="Spend at most this much on this review.")
@click.option("--timeout", type=click.FloatRange(min=1), metavar="SECONDS", help="Give each reviewer this long.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Answer with SARIF 2.1.0 for code scanners.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Answer with Markdown for a comment.")
@click.option("--all", "everything", is_flag=True, help="Fold nothing.")
@click.option(
    "--severity",
    type=click.Choice([one.name.lower() for one in reversed(Severity)]),
    default=Severity.MINOR.name.lower(),
    metavar="SEVERITY",
    help="Show what is critical, important (and worse) or minor; the rest is counted, and counts.",
)
@click.option("--category", multiple=True, metavar="NAME", help="Show this category, such as security; likewise.")
@click.option("--most", type=click.IntRange(min=1), default=FULL_MAX, metavar="N", help="Tell so many things in full.")
@click.option("--quiet", "-q", is_flag=True, help="Say what it comes to, and a line for each thing to fix.")
@click.option(
    "--verbose", is_flag=True, help="Without a terminal, a line on stderr whenever a reviewer begins or ends."
)
@click.option("--no-color", is_flag=True, help="Without colours.")
@answering
def review(parts: Parts, **arguments: Any) -> Answer:
    """Have everybody at hand look at your work, and say what to fix.

    Without anything it looks at what is not committed yet. It needs no account, no key and no configuration: programs
    always look; Claude Code, Codex and Gemini CLI do if they are installed, logged in and you agreed; models if a key
    is set. Only lines that this work changes are judged. Everything is kept, so the next round knows what was settled.
    Ctrl-C shows what there is so far.
    """
    given = Given(**arguments)
    _check(given)
    sharing = _sharing(parts, given) if given.share else None
    drawing = sys.stderr.isatty() and not given.quiet and os.environ.get("TERM") != "dumb"
    live = Live(stream=sys.stderr, drawing=drawing, verbose=given.verbose, colours=not given.no_color)
    try:
        live.note(READING)
        change = parts.read_change(_wanted(given))
        outcome = _run(parts, given, change, live) if change.files else _nothing(given, change)
    finally:
        live.clear()
    answer = _answer(parts, given, outcome)
    if sharing is None or outcome.nothing:
        return answer
    try:
        shared = sharing.send(change)
    except Refusal as refusal:
        # The findings of this round must still be shown.
        line = Line(f"Not shared: {refusal.sentence} {refusal.next_step}", "bad")
        return replace(answer, code=answer.code or codes.BLOCKED, lines=(*answer.lines, line))
    return replace(answer, lines=(*answer.lines, *shared.lines), data={**answer.data, "shared": shared.data})


def _sharing(parts: Parts, given: Given) -> Sharing:
    from foureyes.cli.share import Sharing  # noqa: PLC0415 - it loads every call, and few share

    return Sharing.begun(parts, given.server)


def _check(given: Given) -> None:
    if sum((bool(given.what), given.staged, given.worktree)) > 1:
        raise click.UsageError("Name one work: a range, a path, -, --staged or --worktree.")
    if len(given.question) > QUESTIONS_MAX or not all(
        0 < len(one.strip()) <= QUESTION_CHARS_MAX for one in given.question
    ):
        most = f"at most {QUESTIONS_MAX} questions of at most {QUESTION_CHARS_MAX} characters"
        raise click.UsageError(f"Ask {most}, none of them empty.")
    if given.server and not given.share:
        raise click.UsageError("--server is for --share.")
    as_json = bool(click.get_current_context().params.get("as_json"))
    if sum((as_json, given.as_sarif, given.as_markdown)) > 1:
        raise click.UsageError("Choose one of --json, --sarif and --markdown.")


def _wanted(given: Given) -> Wanted:
    return Wanted(
        what=given.what or "",
        staged=given.staged,
        worktree=given.worktree,
        kind=given.kind,
        title=given.title,
    )


def _nothing(given: Given, change: Change) -> Outcome:
    """The outcome for an empty change; unreadable files, or an empty stdin, are errors and not empty changes."""
    if change.unread:
        first = change.unread[0]
        raise Trouble(f"Nothing of it can be read: {first.path}: {first.why}.", "Name a part of it that can.")
    if given.what == "-":
        raise Trouble(
            "Nothing came in on stdin: this is no answer.", "Look what was to be handed over, and run it again."
        )
    return Outcome(review="", digest="", title=change.title, kind=change.kind, nothing=True)


def _run(parts: Parts, given: Given, change: Change, live: Live) -> Outcome:
    consent = Consent(parts=parts, given=given.yes_send, anew=given.ask)

    def may_send(name: str, sends: str) -> bool:
        live.clear()  # the live display must not draw over a question
        return consent.may_send(name, sends)

    usd_micro = None if given.budget_usd is None else int(given.budget_usd * _USD_MICRO)
    options = Options(
        style=given.style,
        only=given.only,
        without=given.without,
        critics_only=given.no_agents,
        usd_micro_max=usd_micro,
        seconds_max=given.timeout,
        may_send=may_send,
        answers=(
            *(Reply(finding=finding, text=how) for finding, how in given.fixed),
            *(Reply(finding=finding, text=why, rebuttal=True) for finding, why in given.rebut),
        ),
        questions=tuple(one.strip() for one in given.question),
        anew=given.anew,
    )

    async def round_of() -> Outcome | None:
        async with live.running():
            try:
                return await parts.reviewing().run(change, options=options, watch=live)
            except asyncio.CancelledError:
                return None  # Ctrl-C before there was any result

    outcome = asyncio.run(round_of())
    if outcome is None:
        raise Trouble("Stopped before anybody was done: this is no answer.", "Run it again; nothing was lost.")
    return outcome


def _picked(given: Given) -> Picked:
    categories = tuple(one.strip().lower() for one in given.category)
    return Picked(least=Severity[given.severity.upper()], categories=categories, most=given.most)


def _answer(parts: Parts, given: Given, came_to: Outcome) -> Answer:
    outcome = replace(came_to, named=_wanted(given).named)
    document = None
    if given.as_sarif:
        document = sarif(outcome, parts.rules())
    elif given.as_markdown:
        document = markdown(outcome)
    return Answer(
        code=telling.exit_code(outcome),
        lines=shown(
            outcome, width=terminal_width(), everything=given.everything, quiet=given.quiet, picked=_picked(given)
        ),
        data=outcome_data.data(outcome),
        document=document,
        colours=not given.no_color,
    )
