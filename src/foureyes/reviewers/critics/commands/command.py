"""Judge one command line, script, argument list or piece of code, and turn the findings into hits."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.reviewers.critics.commands.judge import Judge, Placed, Spot
from foureyes.reviewers.critics.commands.model import HOLE, NOTHING
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.tools import UNREADABLE
from foureyes.reviewers.critics.commands.walk import Walk
from foureyes.reviewers.critics.critic import Hit, Judged, State, counted, judged

STDIN = "stdin"


def judge_command(text: str) -> Judged:
    """Judge one command line, or a short script, as it would be typed."""
    placed, count = judge_script(text.replace(HOLE, "").replace("\r\n", "\n"))
    return judged(hits(settled(placed), STDIN), looked_at=counted(count, "command"))


def judge_script(
    text: str, line: int = 1, *, pinned: bool = False, mentions: Callable[[str], bool] | None = None
) -> tuple[list[Placed], int]:
    """Return the findings of a script whose first line is line `line` of its file, and the number of commands judged.

    `mentions` tells whether other files call a function by its name. If it is given, findings in functions that
    nothing calls become notes.
    """
    judge = _judge()
    if mentions is not None:
        judge.keeps, judge.mentions = True, mentions
    if judge.walk is not None:
        judge.walk.script(text, Scene(), Spot(line=line, end=line, pinned=pinned))
    return judge.placed, judge.judged


def judge_words(argv: tuple[str, ...], line: int = 1) -> tuple[list[Placed], int]:
    """Return the findings for the words of one command, and the number of commands judged."""
    judge = _judge()
    judge.command(argv, NOTHING, Scene(), Spot(line=line, end=line, pinned=True))
    return judge.placed, judge.judged


def judge_code(language: str, text: str, line: int = 1) -> tuple[list[Placed], int]:
    """Return the findings for a piece of code in another language, and the number of commands judged."""
    judge = _judge()
    judge.code(language, text, Scene(), Spot(line=line, end=line, pinned=True))
    return judge.placed, judge.judged


def _judge() -> Judge:
    judge = Judge()
    judge.walk = Walk(judge)
    return judge


def settled(placed: list[Placed]) -> list[Placed]:
    """Drop "could not be parsed" for lines on which something else already blocks."""
    blocked = {one.spot.line for one in placed if one.found.state is State.BLOCK}
    return [one for one in placed if one.found.rule is not UNREADABLE or one.spot.line not in blocked]


def hits(placed: list[Placed], path: str) -> list[Hit]:
    """Convert findings to hits, the form that all critics return."""
    return [
        Hit(
            rule=one.found.rule,
            path=path,
            line=one.spot.line,
            end=one.spot.end,
            state=one.found.state,
            text=one.found.text,
            evidence=one.evidence,
            severity=one.found.severity,
        )
        for one in placed
    ]
