"""The command table: import a command when it is named, give it its parts, and turn its answer into an exit code."""

from __future__ import annotations

import difflib
import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from foureyes import __version__
from foureyes.cli import codes
from foureyes.cli.answer import Answer, Line, complain, leave_unread, print_line, show
from foureyes.cli.errors import Manner, tell
from foureyes.cli.parts import Parts

Assemble = Callable[[Mapping[str, str | None]], Parts]

#: Name, location and first sentence of each command, so that `--help` need not import them.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "agents": ("foureyes.cli.agents:agents", "Enrol agents, list them and take their tokens back."),
    "backup": ("foureyes.cli.backups:backup", "Copy everything into a folder, while others go on working."),
    "call": ("foureyes.cli.calling:call", "Ask the server as an account: every call that HTTP and MCP have."),
    "check": ("foureyes.cli.checking:check", "Say whether exactly these bytes may go live."),
    "completion": ("foureyes.cli.completion:completion", "Print the script that completes commands in your shell."),
    "config": ("foureyes.cli.settings:config", "Look at the settings."),
    "decide": ("foureyes.cli.decide:decide", "Open the page of a review, where you give a ruling."),
    "dismiss": ("foureyes.cli.dismiss:dismiss", "Drop a finding that is not real, until its code changes."),
    "doctor": (
        "foureyes.cli.doctor:doctor",
        "Say who can look here, after one real call to each.",
    ),
    "fix": ("foureyes.cli.fix:fix", "Print the open findings as a prompt for the author's agent."),
    "humans": ("foureyes.cli.humans:humans", "Let humans sign in, and list them."),
    "log": ("foureyes.cli.log:log", "Look after the log of everything that happened."),
    "mcp": ("foureyes.cli.mcp:mcp", "Speak MCP on stdin and stdout, for an agent that starts its tools itself."),
    "off": ("foureyes.cli.off:off", "Have the hooks of this place stop nothing for a while, and keep why."),
    "policy": ("foureyes.cli.policies:policy", "Check, show, compare and activate policies."),
    "purge": ("foureyes.cli.purging:purge", "Remove the bytes of a blob and leave a tombstone."),
    "rebuild": ("foureyes.cli.rebuild:rebuild", "Make a projection anew from the log."),
    "receipt": ("foureyes.cli.receipts:receipt", "Show who let exactly these bytes through, and why."),
    "review": (
        "foureyes.cli.review:review",
        "Have everybody at hand look at your work, and say what to fix.",
    ),
    "restore": ("foureyes.cli.restoring:restore", "Put a backup in the place of the store."),
    "rules": (
        "foureyes.cli.rules:rules",
        "List what the programs look for and how often they were wrong.",
    ),
    "status": ("foureyes.cli.status:status", "Say what is open here, whose turn it is and what to do next."),
    "up": (
        "foureyes.cli.up:up",
        "Start the server: HTTP, MCP, the pages and the reviewers that the policy names, on one store.",
    ),
    "upgrade": ("foureyes.cli.upgrading:upgrade", "Bring the store to the schema of this version: backup first."),
    "wait": ("foureyes.cli.wait:wait", "Wait until a review has ended, and say how."),
    "why": ("foureyes.cli.why:why", "Say why a review is open or shut, and whose turn it is."),
    "worker": ("foureyes.cli.worker:worker", "Carry out reviewers' runs for servers that share a PostgreSQL database."),
}


SENTENCE_CHARS_MAX = 300
#: The sections of the help, in the order a new user needs them; all other commands follow by name.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Every day": ("review", "fix", "dismiss", "status", "why", "rules", "doctor"),
    "The gate": ("check", "receipt", "policy", "off"),
    "Together": ("up", "worker", "agents", "humans", "call", "wait", "decide"),
}


@dataclass(slots=True)
class Door:
    """What all commands of one invocation share: how to assemble their parts, and the flags given so far."""

    assemble: Assemble
    flags: dict[str, str | None] = field(default_factory=dict)


class Group(click.Group):
    """A group of commands that suggests the nearest name for a wrong one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the nearest one."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.7)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"foureyes does not know {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their whole first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(SENTENCE_CHARS_MAX)) for name, one in found if one])


class Program(Group):
    """All commands; each is imported when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands, in order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        """Import the command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        found = getattr(importlib.import_module(module), name)
        if not isinstance(found, click.Command):
            message = f"{module}:{name} is no command"
            raise TypeError(message)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        """List the commands from the table alone, without importing them, the most used first."""
        width = max(map(len, COMMANDS)) + 2
        rest = tuple(sorted(set(COMMANDS).difference(*SECTIONS.values())))
        for title, names in (*SECTIONS.items(), ("To look after it", rest)):
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width - 2), COMMANDS[name][1]) for name in names])


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 cleared or nothing blocks, 2 blocked, 3 pending, 4 inconclusive, 64 usage, 1 internal.",
)
@click.version_option(__version__, message="foureyes %(version)s")
@click.option("--home", metavar="FOLDER", help="The data folder, instead of FOUREYES_HOME.")
@click.pass_context
def program(ctx: click.Context, home: str | None) -> None:
    """Nothing goes live until others have reviewed exactly that version.

    Start in any git repository with `foureyes review`.
    """
    ctx.obj.flags["home"] = home
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def yes_send_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The `--yes-send` option of commands that host reviewers and cannot ask a person."""
    words = (
        "Let this reviewer of the policy have the work, or this command run ('run: make test'); all: every reviewer."
    )
    return click.option("--yes-send", multiple=True, metavar="NAME", help=words)(command)


def answering(function: Callable[..., Answer]) -> Callable[..., int]:
    """Make a command of a function that takes its parts and returns an answer; adds the options of every command."""

    @click.option("--home", metavar="FOLDER", help="The data folder, instead of FOUREYES_HOME.")
    @click.option("--database", metavar="PATH|URL", help="The database, instead of the configured one.")
    @click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object.")
    @click.option("--debug", is_flag=True, help="Show where a failure happened.")
    @functools.wraps(function)
    def answered(*, home: str | None, database: str | None, as_json: bool, debug: bool, **arguments: object) -> int:
        door = click.get_current_context().find_object(Door)
        assert door is not None  # noqa: S101 - `run` below puts it there
        del debug  # read from the command line by `run`, because parsing itself may fail
        door.flags["home"] = home or door.flags.get("home")
        door.flags["database"] = database
        return show(function(door.assemble(door.flags), **arguments), as_json=as_json)

    return answered


def run(arguments: Sequence[str], assemble: Assemble, home: Callable[[], str] = str) -> int:
    """Run a command line and return its exit code; all errors are reported here."""
    manner = Manner(as_json="--json" in arguments, debug="--debug" in arguments, home=home)
    try:
        code = program.main(list(arguments), "foureyes", standalone_mode=False, obj=Door(assemble))
    except click.UsageError as error:
        return _usage(error, manner)
    except click.ClickException as error:
        return complain(error.format_message(), as_json=manner.as_json, code=codes.USAGE, kind="usage")
    except click.Abort:
        return tell(KeyboardInterrupt(), manner)
    except BrokenPipeError:
        leave_unread()
        return codes.INTERNAL
    except Exception as error:  # noqa: BLE001 - the outermost boundary
        return tell(error, manner)
    return code if isinstance(code, int) else codes.OK


def _usage(error: click.UsageError, manner: Manner) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return codes.USAGE
    command = error.ctx.command_path if error.ctx else "foureyes"
    message = error.format_message()
    if error.ctx and not manner.as_json:
        print_line(Line(" ".join(error.ctx.get_usage().split()), "dim"), sys.stderr)
    step = f"`{command} --help` shows what it knows."
    return complain(message, step, as_json=manner.as_json, code=codes.USAGE, kind="usage")
