"""The `worker` command: run reviewers beside servers on a shared database, in any number of processes."""

from __future__ import annotations

import sys

import click

from foureyes.cli.answer import Answer, Line, print_json, print_line
from foureyes.cli.parts import Parts
from foureyes.cli.program import answering, yes_send_option
from foureyes.cli.serving import AtWork


@click.command()
@yes_send_option
@answering
def worker(parts: Parts, yes_send: tuple[str, ...]) -> Answer:
    """Carry out reviewers' runs for servers that share a PostgreSQL database.

    Start as many as you like, on as many machines. While there is one, the servers carry nothing out themselves. What a
    call to a model came to is kept: when a worker dies, another goes on from there. It is ended with Ctrl-C or SIGTERM:
    what runs is finished within ten seconds or given to another worker. What it does goes to stderr, as JSON.
    """
    as_json = bool(click.get_current_context().params.get("as_json"))

    def told(begun: AtWork) -> None:
        if as_json:
            print_json({"worker": begun.name, "reviewers": list(begun.reviewers)})
        else:
            for line in _lines(begun):
                print_line(line, sys.stdout)
        sys.stdout.flush()

    parts.work(yes_send, told)
    return Answer(lines=(Line("Ended; nothing was lost."),), data={"ended": True})


def _lines(begun: AtWork) -> list[Line]:
    return [
        Line(f"The worker {begun.name} waits for runs.", "good head"),
        Line(f"Here are: {', '.join(begun.reviewers)}."),
        Line(""),
    ]
