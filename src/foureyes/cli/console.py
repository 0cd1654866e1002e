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
    """What a command asks a person; tests put their own person here."""

    is_terminal: Callable[[], bool] = _is_terminal
    typed: Callable[[], str] = _typed
    #: Shows an address in a browser; whether there was one.
    opens: Callable[[str], bool] = _opened

    def confirm(self, lines: tuple[str, ...], words: str, *, yes: bool = False) -> None:
        """Have a person type exactly these words, or refuse. Where nobody sits, `--yes` says nothing."""
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
        """What a person types to a question; nothing where nobody sits."""
        if not self.is_terminal():
            return ""
        for line in lines:
            print_line(Line(line), sys.stderr)
        print_line(Line(question, "care"), sys.stderr)
        sys.stderr.flush()
        return self.typed().strip()


def progress(name: str) -> Callable[[int, int], None]:
    """Show how far something is, on a terminal only; in a pipe it would be noise."""
    if not sys.stderr.isatty():
        return lambda _done, _total: None
    shown = [-1]

    def step(done: int, total: int) -> None:
        if not total:
            # Nobody knows how much there is: say how much is done.
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
