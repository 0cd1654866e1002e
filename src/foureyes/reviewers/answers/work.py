"""Looks up the files, lines and quotes that a reviewer names in the work; none is taken on trust.

White space does not count, nor do the line numbers and diff signs a reviewer may copy along; an ellipsis stands for
left-out text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from foureyes.app.encodings import written
from foureyes.app.reviewers import Change, File, lines_of
from foureyes.reviewers.answers.shown import one_line, shown

#: A shorter quote is found everywhere and proves nothing, unless it is a whole line.
QUOTE_CHARS_MIN = 4
#: The most occurrences of one quote that are looked at; the nearest of them is taken.
OCCURRENCES_MAX = 200
_NUMBERED = re.compile(r"\s{0,12}(?:\d{1,8}\s?[:|]|\d{0,8}\s{0,8}[+-]?\s?\|)\s?(.*)")
_SIGNED = re.compile(r"[+-]\s?(?![+-])(.*)")
_ELLIPSIS = re.compile(r"\.{3,}|…")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a quote is, by lines."""

    start: int
    end: int


class Text:
    """The text of a file without its white space, and the line of each of its characters."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = tuple(_squeezed(one) for one in lines)

    @property
    def count(self) -> int:
        return len(self._lines)

    @cached_property
    def _whole(self) -> str:
        return "".join(self._lines)

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._lines)))

    def find(self, quote: str, near: int) -> Spot | None:
        """Return where the quote is, at the place nearest to this line; None if it is not there."""
        forms = dict.fromkeys(tuple(_pieces(lines)) for lines in _forms(quote))
        found = [spot for pieces in forms if pieces and (spot := self._place(pieces, near))]
        return min(found, key=lambda one: abs(one.start - near), default=None)

    def _place(self, pieces: tuple[str, ...], near: int) -> Spot | None:
        if len("".join(pieces)) < QUOTE_CHARS_MIN:
            whole = [number for number, line in enumerate(self._lines, start=1) if (line,) == pieces]
            nearest = min(whole, key=lambda one: abs(one - near), default=0)
            return Spot(start=nearest, end=nearest) if nearest else None
        spots: list[Spot] = []
        for at in self._occurrences(pieces[0]):
            spot = self._spot(at, pieces)
            if spot is None:
                # If the rest does not follow here, it follows nowhere behind it either.
                break
            spots.append(spot)
        return min(spots, key=lambda one: abs(one.start - near), default=None)

    def _occurrences(self, piece: str) -> list[int]:
        found: list[int] = []
        at = self._whole.find(piece)
        while at >= 0 and len(found) < OCCURRENCES_MAX:
            found.append(at)
            at = self._whole.find(piece, at + 1)
        return found

    def _spot(self, at: int, pieces: tuple[str, ...]) -> Spot | None:
        """Return the lines from here to the end of the last piece, if all pieces follow each other."""
        end = at + len(pieces[0])
        for piece in pieces[1:]:
            following = self._whole.find(piece, end)
            if following < 0:
                return None
            end = following + len(piece)
        return Spot(start=self._line(at), end=self._line(end - 1))

    def _line(self, at: int) -> int:
        return bisect_right(self._ends, at) + 1


class Work:
    """A change in which paths and quotes can be looked up; each file is prepared once, on demand."""

    def __init__(self, change: Change) -> None:
        self._files = {one.path: one for one in change.files}
        self._told = {one_line(path, len(path) * 8): file for path, file in self._files.items()}
        self._texts: dict[tuple[str, bool], Text] = {}

    @property
    def files(self) -> tuple[File, ...]:
        return tuple(self._files.values())

    def file(self, path: str) -> File | None:
        """Return the file a reviewer means: by its path, as it was shown, or as a diff or a checkout names it."""
        wanted = path.strip().strip("`'\"")
        for one in (wanted, wanted.removeprefix("./"), wanted.removeprefix("a/"), wanted.removeprefix("b/")):
            found = self._files.get(one) or self._told.get(one)
            if found is not None:
                return found
        return None

    def has_line(self, file: File, line: int) -> bool:
        """True if the file has this line now; a file without text has only line 0."""
        return 0 <= line <= len(file.lines)

    def find(self, file: File, quote: str, near: int) -> Spot | None:
        """Return where the file has these words now."""
        return self._text(file, before=False).find(quote, near)

    def had(self, file: File, quote: str) -> bool:
        """True if the file had these words at the base: removed text can be the proof."""
        return file.before is not None and self._text(file, before=True).find(quote, 1) is not None

    def anywhere(self, quote: str) -> bool:
        """True if any file has these words, now or at the base."""
        return any(self.find(one, quote, 1) is not None or self.had(one, quote) for one in self._files.values())

    def is_own(self, quote: str) -> bool:
        """True if these words are on lines that this work changes, or were removed by it."""
        for one in self._files.values():
            spot = self.find(one, quote, one.changed[0][0] if one.changed else 1)
            if (spot and one.is_changed(spot.start, spot.end)) or (spot is None and self.had(one, quote)):
                return True
        return False

    def _text(self, file: File, *, before: bool) -> Text:
        known = self._texts.get((file.path, before))
        if known is None:
            lines = _lines_before(file) if before else file.lines
            known = self._texts[file.path, before] = Text(lines)
        return known


def _lines_before(file: File) -> tuple[str, ...]:
    said = None if file.before is None else written(file.before)
    return lines_of(said.text) if said else ()


def _forms(quote: str) -> tuple[list[str], ...]:
    """Return the quote as it is, without line numbers, and without the signs of a diff."""
    lines = quote.strip().strip("`").split("\n")
    plain = [match[1] if (match := _NUMBERED.fullmatch(one)) else one for one in lines]
    return lines, plain, [match[1] if (match := _SIGNED.fullmatch(one.strip())) else one for one in plain]


def _pieces(lines: list[str]) -> list[str]:
    squeezed = (_squeezed(one) for one in _ELLIPSIS.split("\n".join(lines)))
    return [one for one in squeezed if one]


def _squeezed(text: str) -> str:
    """Return the text without white space, with hidden characters as the marks they were shown as."""
    return "".join(shown(text, len(text) * 9).split())
