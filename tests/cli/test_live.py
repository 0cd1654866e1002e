"""While reviewers run a person sees who, for how long, and their last message; afterwards it is erased."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace

import pytest

from foureyes.app.reviewing.outcome import LookedState
from foureyes.cli.live import DRAW_SECONDS_MIN, Live
from tests.cli.outcomes import CLAUDE, CODEX, HOSTILE
from tests.cli.test_plain import Terminal


@dataclass
class Seat:
    """A terminal, a frozen clock, and the progress display."""

    stream: Terminal = field(default_factory=Terminal)
    now: float = 0.0
    size: tuple[int, int] = (80, 24)

    def live(self, *, drawing: bool = True, verbose: bool = False) -> Live:
        return Live(
            stream=self.stream,
            drawing=drawing,
            verbose=verbose,
            colours=False,
            clock=lambda: self.now,
            size=lambda: self.size,
        )

    @property
    def drawn(self) -> list[str]:
        """The screen, computed from the escape sequences that Live uses."""
        rows: list[str] = []
        for piece in re.split(r"(\r\x1b\[\d+A\x1b\[J|\n)", self.stream.getvalue()):
            if up := re.match(r"\r\x1b\[(\d+)A", piece):
                rows = rows[: len(rows) - int(up[1])]
            elif piece and piece != "\n":
                rows.append(piece)
        return rows


def test_before_anybody_looks_it_is_said_what_is_done_and_that_gives_way() -> None:
    seat = Seat()
    live = seat.live()
    live.note("Reading")
    assert seat.drawn == ["Reading"]
    live.started("Codex")
    assert "Reading" not in seat.drawn
    live.clear()
    assert seat.drawn == []
    seat = Seat()
    seat.live(drawing=False, verbose=True).note("Reading")
    assert seat.stream.getvalue() == "", "a log wants to know who looked, not that we began"


def test_who_looks_for_how_long_what_it_says_and_what_it_costs() -> None:
    seat = Seat()
    live = seat.live()
    live.started("Claude Code")
    live.started("Codex")
    seat.now = 12.4
    live.said("Claude Code", "reading deploy.sh")
    assert [line[2:] for line in seat.drawn] == [
        "Claude Code  12 s  reading deploy.sh",
        "Codex        12 s",
        "0 of 2 done",
    ]
    seat.now = 41.5
    live.ended(CLAUDE)
    assert [line[2:] for line in seat.drawn] == [
        "Codex        42 s",
        "Claude Code  2 findings, 41 s, $0.12, 18,400 tokens",
        "1 of 2 done, $0.12 so far",
    ]


def test_each_end_has_its_sign() -> None:
    seat = Seat()
    live = seat.live()
    live.ended(replace(CLAUDE, state=LookedState.FOUND_NOTHING, findings=0, tokens=0, usd_micro=None))
    live.ended(replace(CLAUDE, reviewer="security", state=LookedState.REJECTS))
    live.ended(CODEX)
    seat.now = 1
    live.draw()
    assert seat.drawn[:3] == [
        "✓ Claude Code  found nothing, 41 s",
        "✗ security     rejects, 2 findings, 41 s, $0.12, 18,400 tokens",
        "? Codex        could not say: over its limit",
    ]


def test_it_is_redrawn_at_most_five_times_a_second() -> None:
    seat = Seat()
    live = seat.live()
    live.started("Codex")
    for number in range(1000):
        seat.now = number / 1000
        live.said("Codex", f"word {number}")
    assert seat.stream.getvalue().count("done") <= 1 / DRAW_SECONDS_MIN + 1


def test_at_the_end_nothing_is_left() -> None:
    seat = Seat()

    async def play() -> None:
        live = seat.live()
        async with live.running():
            live.started("Codex")
            seat.now = 1
            live.ended(CODEX)

    asyncio.run(play())
    assert seat.drawn == []


def test_it_is_erased_when_the_round_fails_too() -> None:
    seat = Seat()

    async def play() -> None:
        live = seat.live()
        async with live.running():
            live.started("Codex")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(play())
    assert seat.drawn == []


def test_time_goes_on_while_nobody_says_anything() -> None:
    seat = Seat()

    async def play() -> None:
        live = seat.live()
        async with live.running():
            live.started("Codex")
            before = seat.stream.getvalue()
            for _ in range(1000):
                seat.now += 1
                await asyncio.sleep(0.01)
                if seat.stream.getvalue() != before:
                    return
            raise AssertionError

    asyncio.run(play())


def test_what_a_reviewer_says_cannot_touch_the_terminal() -> None:
    """T31: the words of an agent are drawn as text."""
    seat = Seat(size=(60, 24))
    live = seat.live()
    live.started(HOSTILE)
    seat.now = 1
    live.said(HOSTILE, HOSTILE * 100)
    seat.now = 2
    live.ended(replace(CODEX, reviewer=HOSTILE, reason=HOSTILE))
    left = re.sub(r"\r\x1b\[\d+A\x1b\[J", "", seat.stream.getvalue())
    assert not set(left) & {"\x1b", "\x07", "\r", "\u202e", "\u2066"}
    assert all(len(line) < 60 for line in seat.drawn)


@pytest.mark.parametrize("rows", [2, 3, 5, 24])
def test_more_reviewers_than_rows_do_not_scroll_the_screen(rows: int) -> None:
    seat = Seat(size=(80, rows))
    live = seat.live()
    for number in range(30):
        live.started(f"reviewer {number}")
    seat.now = 1
    live.draw()
    assert len(seat.drawn) <= max(rows - 1, 1)


def test_without_a_terminal_a_line_follows_each_change_only_if_asked_for() -> None:
    for verbose in (False, True):
        seat = Seat()
        live = seat.live(drawing=False, verbose=verbose)
        live.started("Codex")
        live.said("Codex", "words")
        live.said("nobody", "words")
        live.ended(CODEX)
        assert seat.stream.getvalue() == ("Codex is looking\nCodex: could not say: over its limit\n" if verbose else "")
