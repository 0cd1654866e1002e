"""The `config` command: show every setting and where it comes from."""

from __future__ import annotations

import click

from foureyes.cli.answer import Answer, Json, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import Group, answering


@click.group(cls=Group)
def config() -> None:
    """Look at the settings."""


@config.command()
@answering
def show(parts: Parts) -> Answer:
    """Print every setting with its value and where that came from."""
    shown = parts.settings.shown()
    wide, long = max(len(name) for name, _, _ in shown), max(len(str(value)) for _, value, _ in shown)
    lines = tuple(Line(f"{name:<{wide}}  {value!s:<{long}}  {source}") for name, value, source in shown)
    data: dict[str, Json] = {name: {"value": value, "source": source} for name, value, source in shown}
    return Answer(lines=lines, data={"settings": data})
