"""The console: confirm and ask at a terminal, and show progress there. A pipe cannot be asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from foureyes.cli.answer import Line, print_line
from foureyes.home.trouble import Trouble

ASKED_CHARS_MAX = 1000


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _typed() -> str:
    return sys.stdin.readline(ASKED_CHARS_MAX)


def _opened(address: str) -> bool:
    from foureyes.cli.browser import open_page  # noqa: PLC0415 - few commands open anything

    return open_page(address)


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """How a command asks a person; tests replace it."""

    is_terminal: Callable[[], bool] = _is_terminal
    typed: Callable[[], str] = _typed
    #: Opens an address in a browser; False if there is none.
    opens: Callable[[str], bool] = _opened

    def confirm(self, lines: tuple[str, ...], words: str, *, yes: bool = False) -> None:
        """Have a person type exactly these words, else raise Trouble. Without a terminal, `--yes` does not help."""
        if not self.is_terminal():
            raise Trouble(
                "A person must confirm this at a terminal, and there is none.",
                f"Run it in a terminal; you will be asked to type: {words}",
                blocked=True,
            )
        if yes:
            return
        for line in lines:
            print_line(Line(line), sys.stderr)
        print_line(Line(f"Type exactly: {words}", "care"), sys.stderr)
        if self.typed().strip() != words:
            raise Trouble("That is not what was asked for; nothing was done.", "Run it again.", blocked=True)

    def ask(self, lines: tuple[str, ...], question: str) -> str:
        """What a person answers to a question; empty without a terminal."""
        if not self.is_terminal():
            return ""
        for line in lines:
            print_line(Line(line), sys.stderr)
        print_line(Line(question, "care"), sys.stderr)
        sys.stderr.flush()
        return self.typed().strip()


def progress(name: str) -> Callable[[int, int], None]:
    """A function that shows progress on a terminal; in a pipe it shows nothing."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None
    shown = [-1]

    def step(done: int, total: int) -> None:
        if not total:
            # The total is not known: show only how much is done.
            sys.stderr.write(f"\r{name} {done} events")
            sys.stderr.flush()
            return
        percent = min(100, 100 * done // total)
        if percent != shown[0]:
            shown[0] = percent
            ends = "\n" if done >= total else ""
            sys.stderr.write(f"\r{name} {'█' * (percent // 4):<25} {percent:3} %{ends}")
            sys.stderr.flush()

    return step
