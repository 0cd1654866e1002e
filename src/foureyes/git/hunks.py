"""Finds the new lines of each file in git's patches, while the output streams by.

The patches come without context lines.
"""

from __future__ import annotations

import re

from foureyes.app.reviewers import Span

#: If a file has more spans than this, they become one: then everything between the first and the last is judged.
SPANS_MAX = 10_000
#: Git's own lines: where a file begins, and where a hunk does.
_OWN = re.compile(rb"^(?:diff --git |@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@)", re.MULTILINE)
_HEAD_BYTES_MAX = 200


class Hunks:
    """Collects the spans of new lines of each file, in the order in which git names the files.

    A line of a file always comes with a plus, a minus or a space before it, so none can be mistaken for git's own.
    """

    def __init__(self) -> None:
        self.files: list[list[Span]] = []
        self._rest = b""
        #: Whether the rest is the beginning of a line whose end does not matter.
        self._skipping = False

    def take(self, piece: bytes) -> None:
        """Parse the next piece of output."""
        if self._skipping:
            _, end, piece = piece.partition(b"\n")
            self._skipping = not end
        whole, end, rest = (self._rest + piece).rpartition(b"\n")
        for found in _OWN.finditer(whole + end):
            self._found(found)
        # Of a line of many megabytes only the beginning matters; keeping it all would copy it again for each piece.
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
    """Return the span of a hunk. For a pure removal git names the line before; the span is the line that follows it."""
    return (start, start + count - 1) if count else (start + 1, start + 1)


def within(spans: list[Span], lines: int) -> tuple[Span, ...]:
    """Clip spans to a file of so many lines: a removal at its end becomes a span of its last line."""
    last = max(lines, 1)
    return tuple(dict.fromkeys((min(start, last), min(end, last)) for start, end in spans))
