"""Which lines of each file are new? Read from git's patches without the lines around changes, as they stream by."""

from __future__ import annotations

import re

from foureyes.app.reviewers import Span

#: More stretches than this in one file are taken as one: then everything between the first and the last is judged.
SPANS_MAX = 10_000
#: Git's own lines: where a file begins, and where a stretch does.
_OWN = re.compile(rb"^(?:diff --git |@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@)", re.MULTILINE)
_HEAD_BYTES_MAX = 200


class Hunks:
    """Collects the stretches of each file, in the order in which git names the files.

    A line of a file always comes with a plus, a minus or a space before it, so none can pass for git's own.
    """

    def __init__(self) -> None:
        self.files: list[list[Span]] = []
        self._rest = b""
        #: Whether the rest is the beginning of a line whose end is of no interest.
        self._skipping = False

    def take(self, piece: bytes) -> None:
        """Read on."""
        if self._skipping:
            _, end, piece = piece.partition(b"\n")
            self._skipping = not end
        whole, end, rest = (self._rest + piece).rpartition(b"\n")
        for found in _OWN.finditer(whole + end):
            self._found(found)
        # Of a line of many megabytes only the beginning counts; keeping it all would copy it again for each piece.
        if len(rest) > _HEAD_BYTES_MAX and rest[:1] not in (b"@", b"d"):
            self._skipping, rest = True, b""
        self._rest = rest

    def _found(self, found: re.Match[bytes]) -> None:
        if found[1] is None:
            self.files.append([])
        elif self.files:
            spans = self.files[-1]
            spans.append(_span(int(found[1]), 1 if found[2] is None else int(found[2])))
            if len(spans) > SPANS_MAX:
                spans[:] = [(spans[0][0], spans[-1][1])]


def _span(start: int, count: int) -> Span:
    """Where lines were only taken out, git names the line before; people look at the one that now stands there."""
    return (start, start + count - 1) if count else (start + 1, start + 1)


def within(spans: list[Span], lines: int) -> tuple[Span, ...]:
    """The stretches inside a file of so many lines: what was taken out at its end is seen at its last line."""
    last = max(lines, 1)
    return tuple(dict.fromkeys((min(start, last), min(end, last)) for start, end in spans))
