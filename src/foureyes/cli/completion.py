"""The `completion` command: the script with which a shell completes foureyes commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from foureyes.cli.answer import Answer, Line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering, program

VARIABLE = "_FOUREYES_COMPLETE"
SHELLS = ("bash", "fish", "zsh")
HOW = {
    "bash": 'eval "$(foureyes completion bash)"  # in ~/.bashrc',
    "fish": "foureyes completion fish | source  # in ~/.config/fish/config.fish",
    "zsh": 'eval "$(foureyes completion zsh)"  # in ~/.zshrc',
}


@click.command(epilog="For example: " + HOW["bash"])
@click.argument("shell", type=click.Choice(SHELLS))
@answering
def completion(parts: Parts, shell: str) -> Answer:  # noqa: ARG001 - it works without any data
    """Print the script that completes commands in your shell."""
    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - click ships these three
    script = found(program, {}, "foureyes", VARIABLE).source()
    return Answer(lines=tuple(Line(line) for line in script.splitlines()), data={"shell": shell, "script": script})
