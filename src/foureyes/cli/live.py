"""Live display of a round on a terminal: who is at work, for how long, and their last message. Cleared at the end."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TextIO

from foureyes.app.plain import marked
from foureyes.app.reviewing.outcome import Looked, LookedState
from foureyes.cli import telling
from foureyes.cli.answer import Line, print_line
from foureyes.cli.fitting import WIDTH_MIN, cut

#: Draw at most five times a second.
DRAW_SECONDS_MIN = 0.2
SAID_CHARS_MAX = 300
NAME_CHARS_MAX = 40
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_FALLBACK = (80, 24)


@dataclass(slots=True)
class _Row:
    began: float
    said: str = ""
    ended: Looked | None = None


@dataclass(slots=True, kw_only=True)
class Live:
    """Watches a round. On a terminal it redraws a block of lines; elsewhere it prints a line per change if asked to."""

    stream: TextIO
    #: Whether to redraw a block of lines; only on a terminal.
    drawing: bool
    #: Whether to print a line per change if nothing is drawn.
    verbose: bool = False
    colours: bool = True
    clock: Callable[[], float] = time.monotonic
    size: Callable[[], tuple[int, int]] = lambda: shutil.get_terminal_size(_FALLBACK)
    _rows: dict[str, _Row] = field(default_factory=dict)
    _height: int = 0
    _drawn_at: float = -DRAW_SECONDS_MIN

    def started(self, name: str) -> None:
        """A reviewer begins."""
        self._rows[name] = _Row(began=self.clock())
        self._changed(f"{name} is looking")

    def said(self, name: str, text: str) -> None:
        """A reviewer sends a progress message."""
        if name in self._rows:
            self._rows[name].said = text[:SAID_CHARS_MAX]
            self.draw()

    def ended(self, looked: Looked) -> None:
        """A reviewer is done."""
        row = self._rows.setdefault(looked.reviewer, _Row(began=self.clock()))
        row.ended = looked
        self._changed(f"{looked.reviewer}: {_ended(looked)}")

    def draw(self, *, at_once: bool = False) -> None:
        """Draw the reviewers at work, if the last drawing is long enough ago."""
        if not self.drawing or not self._rows:
            return
        now = self.clock()
        if not at_once and now - self._drawn_at < DRAW_SECONDS_MIN:
            return
        self._drawn_at = now
        columns, rows = self.size()
        width = max(columns, WIDTH_MIN) - 1
        lines = self._lines(now, width, max(rows - 2, 1))
        self._up()
        for line in lines:
            print_line(Line(cut(line, width), "dim"), self.stream, colours=self.colours)
        self._height = len(lines)
        self.stream.flush()

    def note(self, text: str) -> None:
        """Show what happens before the reviewers begin; the next drawing replaces it."""
        if self.drawing:
            self._up()
            print_line(Line(text, "dim"), self.stream, colours=self.colours)
            self._height = 1
            self.stream.flush()

    def clear(self) -> None:
        """Remove everything that was drawn."""
        self._up()
        self._height = 0
        self.stream.flush()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Draw while this context is open."""
        task = asyncio.create_task(self._tick()) if self.drawing else None
        try:
            yield
        finally:
            if task:
                task.cancel()
            self.clear()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(DRAW_SECONDS_MIN)
            self.draw()

    def _changed(self, text: str) -> None:
        if self.drawing:
            self.draw()
        elif self.verbose:
            print_line(Line(marked(text, SAID_CHARS_MAX)), self.stream)
            self.stream.flush()

    def _lines(self, now: float, width: int, most: int) -> list[str]:
        """Reviewers at work first; those that do not fit are counted."""
        busy = [(name, row) for name, row in self._rows.items() if row.ended is None]
        done = [(name, row) for name, row in self._rows.items() if row.ended is not None]
        spin = _SPINNER[int(now / DRAW_SECONDS_MIN) % len(_SPINNER)]
        pad = min(max(len(marked(name, NAME_CHARS_MAX)) for name in self._rows), width // 3)
        lines = [f"{spin} {_name(name, pad)}  {_busy(row, now)}" for name, row in busy]
        lines += [f"{_sign(row.ended)} {_name(name, pad)}  {_ended(row.ended)}" for name, row in done if row.ended]
        spent = sum(row.ended.usd_micro or 0 for _, row in done if row.ended)
        last = f"  {len(done)} of {len(self._rows)} done{f', {telling.money(spent)} so far' if spent else ''}"
        if len(lines) >= most:
            kept = max(most - 2, 0)
            lines = [*lines[:kept], f"  and {len(lines) - kept} more"]
        return [*lines, last][-most:]

    def _up(self) -> None:
        if self._height:
            self.stream.write(f"\r\x1b[{self._height}A\x1b[J")  # `\r`, because an echoed Ctrl-C moved the cursor


def _name(name: str, pad: int) -> str:
    return f"{cut(marked(name, NAME_CHARS_MAX), pad):<{pad}}"


def _busy(row: _Row, now: float) -> str:
    said = f"  {marked(row.said, SAID_CHARS_MAX)}" if row.said else ""
    return f"{telling.duration(now - row.began)}{said}"


def _ended(looked: Looked) -> str:
    if not looked.answered:
        return f"could not say: {marked(looked.reason, SAID_CHARS_MAX) or 'no reason given'}"
    state = looked.state.value
    if looked.findings:
        raised = telling.counted(looked.findings, "finding")
        state = f"rejects, {raised}" if looked.state is LookedState.REJECTS else raised
    facts = [state, telling.duration(looked.seconds), telling.cost(looked.usd_micro, looked.tokens)]
    return ", ".join(one for one in facts if one)


def _sign(looked: Looked) -> str:
    good = dict.fromkeys((LookedState.FOUND_NOTHING, LookedState.VERIFIED), "✓")
    return {**good, LookedState.INCONCLUSIVE: "?"}.get(looked.state, "✗")
