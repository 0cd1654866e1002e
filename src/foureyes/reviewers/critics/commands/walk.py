"""Walk through a script and the scripts that it starts, and judge each command where it is run."""

from __future__ import annotations

from foureyes.reviewers.critics.commands.judge import Judge, Spot
from foureyes.reviewers.critics.commands.model import HOLE, LOCAL, MARKS, NOTHING, REMOTE, Stream
from foureyes.reviewers.critics.commands.part import Part
from foureyes.reviewers.critics.commands.scene import Scene
from foureyes.reviewers.critics.commands.syntax import TooMuch, tree

STATEMENTS_MAX = 20_000
SCRIPT_DEPTH_MAX = 8
_UNKNOWN_STREAM = Stream(text=None, fed=True)


class Walk:
    """Walks scripts, and the scripts they start, and collects the findings of the judge."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._statements = 0
        self._script_depth = 0

    def script(self, text: str, scene: Scene, spot: Spot, stdin: Stream = NOTHING) -> Stream:
        """Judge every command of a script; return what it prints."""
        if self._script_depth >= SCRIPT_DEPTH_MAX or self._statements > STATEMENTS_MAX:
            self._judge.unclear(spot, "scripts inside scripts, deeper than is looked into")
            return _UNKNOWN_STREAM
        if _starts_unknown(text):
            return self._unknown_script(text, spot)
        try:
            root = tree(_readable(text))
        except TooMuch as too_much:
            self._judge.unread(spot, str(too_much))
            return _UNKNOWN_STREAM
        self._script_depth += 1
        try:
            part = Part(self, scene, spot)
            printed = part.run(root, stdin, 0)
            part.finish(root)
        finally:
            self._script_depth -= 1
        return printed

    def _unknown_script(self, text: str, spot: Spot) -> Stream:
        if REMOTE in text:
            self._judge.remote(spot)
        elif LOCAL not in text:
            self._judge.unclear(spot, "runs a text that is only known at run time")
        return _UNKNOWN_STREAM

    def count(self) -> bool:
        """Count one more statement; False if there were too many."""
        self._statements += 1
        return self._statements <= STATEMENTS_MAX

    @property
    def judge(self) -> Judge:
        return self._judge


def _readable(text: str) -> str:
    """Replace holes in a script by a variable that is never set."""
    return text.replace(HOLE, "${_}").translate({ord(one): None for one in MARKS})


def _starts_unknown(text: str) -> bool:
    """True if the whole text is unknown, or its first word comes from the network."""
    bare = text.strip()
    return (bare.strip(HOLE + MARKS) == "" and HOLE in bare) or bare.startswith(HOLE + REMOTE)
