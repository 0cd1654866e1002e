"""The entry point: run a command line. The only package that imports every adapter."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from foureyes import __version__

OK, INTERNAL, INTERRUPTED = 0, 1, 130
#: Options that take a value, of every command and of `check`; click knows the others.
_VALUES = ("--home", "--database", "--target")


def main(argv: Sequence[str] | None = None, *, platform: str = sys.platform) -> int:
    """Run a command line and return its exit code."""
    if platform == "win32":
        print("foureyes runs on Linux and macOS; Windows is not supported.", file=sys.stderr)
        return INTERNAL
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _main(arguments, is_process=argv is None)
    except KeyboardInterrupt:  # while the program was loading; later, commands handle it themselves
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED


def _main(arguments: list[str], *, is_process: bool) -> int:
    if arguments == ["--version"]:
        print(f"foureyes {__version__}")
        return OK
    if is_process and _command(arguments) == "check":
        from foureyes.cli.quick import quicken

        quicken()  # before the first value class; the process ends with its answer
    return _run(arguments)


def _run(arguments: list[str]) -> int:
    from foureyes import config
    from foureyes.bootstrap import looking
    from foureyes.cli import check

    def home() -> str:
        return config.home_of({"home": _given(arguments, "--home")}, os.environ)

    question = check.asked(arguments)
    if question is not None and not looking.on_postgres(question.flags):
        return check.run(question, looking.look, home, looking.look_local)
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.cli.program import run

    return run(arguments, lambda flags: Assembly(config.read(flags, os.environ)), home)


def _command(arguments: list[str]) -> str:
    """The first word that is neither an option nor its value."""
    words = iter(arguments)
    for word in words:
        if word in _VALUES:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _given(arguments: list[str], name: str) -> str | None:
    """The value of an option, read before click parses the command line."""
    for place, word in enumerate(arguments):
        if word == name and place + 1 < len(arguments):
            return arguments[place + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None
