"""Write the reference of commands and settings from the commands themselves, so that it is never out of date.

Usage: python -m tools.reference
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

import click

from foureyes import config
from foureyes.cli.calling import OFFERED, Calls
from foureyes.cli.program import program

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
HEAD = """# Commands

Made by `python -m tools.reference` from what the commands say themselves.

Every command takes `--home FOLDER`, `--database PATH|URL`, `--json` (one JSON object instead of lines) and `--debug`.
The [settings](configuration.md) say what holds without them.

| exit code | means |
|---|---|
| 0 | cleared, or nothing blocks |
| 2 | blocked: the answer is no, or something was refused |
| 3 | pending: somebody still owes an answer |
| 4 | inconclusive: nothing could be said, and why |
| 64 | the command line or the settings are wrong |
| 1 | the program failed; a file in the data folder's `crashes` says where |
| 130 | you stopped it |
"""
COMMON = {"home", "database", "as_json", "debug"}


def main() -> None:
    (REFERENCE / "cli.md").write_text(commands(), encoding="utf-8")
    place = REFERENCE / "configuration.md"
    place.write_text(with_settings(place.read_text(encoding="utf-8")), encoding="utf-8")


def commands() -> str:
    """The page about every command."""
    return "\n".join([HEAD, *_sections(program, "foureyes")])


def with_settings(page: str) -> str:
    """The page about the settings, with its table rebuilt."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{settings()}\n{END}{after}"


def settings() -> str:
    """A row for every setting."""
    rows = ["| in the file | in the environment | is | default | allowed |", "|---|---|---|---|---|"]
    for one in config.KNOWN:
        default = str(one.default("HOME")).replace("HOME/", "the data folder's ")
        rows.append(f"| `{one.name}` | `{one.variable}` | {one.says} | {default} | {one.allowed} |")
    return "\n".join(rows)


BEGIN, END = "<!-- settings: made by tools.reference -->", "<!-- end of settings -->"


def _sections(group: click.Group, path: str) -> Iterator[str]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield "\n".join([f"## {path} {name}", "", cleandoc(command.help or ""), ""])
            yield from _calls(f"{path} {name}") if isinstance(command, Calls) else _sections(command, f"{path} {name}")
        elif command is not None:
            yield _section(command, f"{path} {name}")


def _calls(path: str) -> Iterator[str]:
    """A line for each call; its fields are the same at every door and are described once."""
    yield "The fields of each are those of the HTTP API, with `-` for `_`; `--help` lists them. Beside them each takes"
    yield "`--body FILE` (fields as one JSON object; `-` for stdin), `--server URL` and `--token-file FILE`.\n"
    says = {name: one.says.removesuffix(".") for name, one in OFFERED.items()}
    rows = (f"| [`{path} {name}`](http.md#{one.name}) | {says[name]}. |" for name, one in OFFERED.items())
    yield "\n".join(["| command | asks |", "|---|---|", *rows, ""])


def _section(command: click.Command, path: str) -> str:
    context = click.Context(command, info_name=path)
    arguments = [one.make_metavar(context) for one in command.params if isinstance(one, click.Argument)]
    usage = " ".join([path, *(one for one in arguments if one)])
    rows = [_option(one) for one in command.params if isinstance(one, click.Option) and one.name not in COMMON]
    table = ["", "| option | does |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## {path}", "", f"`{usage}`", "", cleandoc(command.help or ""), *table, ""])


def _option(option: click.Option) -> str:
    context = click.Context(click.Command(""))
    value = "" if option.is_flag else f" {option.make_metavar(context)}"
    # A vertical bar would end the table's cell.
    return f"| `{option.opts[0]}{value.replace('|', ', ')}` | {option.help} |"


if __name__ == "__main__":
    main()
