"""Lists a file for a reviewer: numbered lines with changes marked; what does not fit is reported as unread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from foureyes.app.encodings import written
from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE, File, Unread, lines_of
from foureyes.reviewers.answers.shown import one_line

LINE_CHARS_MAX = 2_000
PATH_CHARS_MAX = 1_000
#: A file up to this length is shown whole; of a longer one, this many lines around each change.
WHOLE_LINES_MAX = 400
AROUND = 25
#: Beyond this, comparing both sides would take too long; removed lines are then not shown.
COMPARED_LINES_MAX = 3_000
#: What a row costs beside its text.
ROW_CHARS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line as it is shown: of the file now, or one that was removed (number 0)."""

    number: int
    text: str
    own: bool
    cut: bool = False

    @property
    def cost(self) -> int:
        return len(self.text) + ROW_CHARS

    def __str__(self) -> str:
        sign = "-" if not self.number else "+" if self.own else " "
        return f"{self.number or '':>6} {sign} | {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A file as it is shown, and what of it is not shown."""

    text: str
    unread: tuple[Unread, ...] = ()

    @property
    def cost(self) -> int:
        return len(self.text)


def listing(file: File, chars_max: int) -> Listing:
    """List the file in about this many characters at most; the changed lines first, then those around them."""
    head = "\n".join(_head(file))
    no_text = _no_text(file)
    if no_text:
        return Listing(text=f"{head}\n{no_text.text}", unread=no_text.unread)
    rows, complete = _rows(file)
    lost = () if complete else (Unread(path=file.path, why="too long to compare: what it takes out is not shown"),)
    chosen, dropped = _fitting(rows, chars_max - len(head))
    cut = [one.number for one in chosen if one.own and one.cut]
    text = "\n".join((head, *_written(chosen, len(file.lines))))
    return Listing(text=text, unread=(*lost, *_unread(file, dropped, cut)))


def _head(file: File) -> Iterator[str]:
    """Yield what is known of the file beside its lines."""
    yield f"path: {shown_path(file.path)}"
    if file.was:
        yield f"was: {shown_path(file.was)}"
    if file.mode == GONE_MODE:
        yield "this work takes the file away"
    elif file.before is None:
        yield "a new file"
    if file.mode_before and file.mode not in (file.mode_before, GONE_MODE):
        yield f"mode: was {one_line(file.mode_before, 10)}, is {one_line(file.mode, 10)}"


def shown_path(path: str) -> str:
    """Return a path on one line."""
    return one_line(path, PATH_CHARS_MAX)


def _no_text(file: File) -> Listing | None:
    """Return the listing of a file that has no text to show; None for other files."""
    if file.mode == SUBMODULE_MODE:
        why = "a submodule, not looked into"
    elif file.mode == LINK_MODE:
        target = (file.content or b"").decode(errors="replace")
        return Listing(text=f"a symbolic link to: {shown_path(target)}")
    elif file.content is not None and file.text is None:
        why = "binary"
    elif file.content is None and _before(file) is None:
        why = "gone, and what it was is not text"
    else:
        return None
    return Listing(text=f"({why})", unread=(Unread(path=file.path, why=f"{why}: not shown to the reviewer"),))


def _before(file: File) -> tuple[str, ...] | None:
    if file.before is None:
        return ()
    said = written(file.before)
    return lines_of(said.text) if said else None


def _rows(file: File) -> tuple[list[Row], bool]:
    """Return the lines of the file, with removed ones in their place, and whether both sides could be compared."""
    old, new = _before(file) or (), file.lines
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    old_part, new_part = old[start : len(old) - end], new[start : len(new) - end]
    complete = max(len(old_part), len(new_part)) <= COMPARED_LINES_MAX or not old_part or not new_part
    taken: dict[int, list[str]] = {}
    if complete:
        for tag, first, last, at, _ in SequenceMatcher(None, old_part, new_part).get_opcodes():
            if tag in ("delete", "replace"):
                taken.setdefault(start + at, []).extend(old_part[first:last])
    rows: list[Row] = []
    own = _own_lines(file)
    for index in range(len(new) + 1):
        rows += (_row(0, one, own=True) for one in taken.get(index, ()))
        if index < len(new):
            rows.append(_row(index + 1, new[index], own=index + 1 in own))
    return rows, complete


def _row(number: int, line: str, *, own: bool) -> Row:
    text = line[:LINE_CHARS_MAX]
    more = len(line) - LINE_CHARS_MAX
    if more <= 0:
        return Row(number=number, text=text, own=own)
    return Row(number=number, text=f"{text}… ({more} characters more)", own=own, cut=True)


def _alike(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Count the lines with which both begin."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def _own_lines(file: File) -> frozenset[int]:
    last = len(file.lines)
    return frozenset(line for first, end in file.changed for line in range(max(1, first), min(end, last) + 1))


def _fitting(rows: list[Row], chars_max: int) -> tuple[list[Row], list[Row]]:
    """Return the rows that are shown, in order, and the changed rows that are not."""
    for around in (None, AROUND, 3, 0):
        wanted = _around(rows, around)
        if sum(rows[one].cost for one in wanted) <= chars_max:
            return [rows[one] for one in wanted], []
    shown: list[Row] = []
    left = chars_max
    own = [one for one in rows if one.own]
    for count, one in enumerate(own):
        left -= one.cost
        if left < 0:
            return shown, own[count:]
        shown.append(one)
    return shown, []


def _around(rows: list[Row], around: int | None) -> list[int]:
    """Return the indexes of the rows within this many rows of a change; None means all, unless they are too many."""
    own = [place for place, one in enumerate(rows) if one.own]
    if around is None and (len(rows) <= WHOLE_LINES_MAX or len(own) == len(rows)):
        return list(range(len(rows)))
    reach = AROUND if around is None else around
    wanted: list[int] = []
    for place in own:
        first = max(place - reach, wanted[-1] + 1 if wanted else 0)
        wanted += range(first, min(place + reach + 1, len(rows)))
    return wanted


def _written(rows: list[Row], last: int) -> Iterator[str]:
    """Yield the rows as text, with a note where others are left out."""
    at = 0
    for one in rows:
        if one.number > at + 1:
            yield _left_out(at + 1, one.number - 1)
        yield str(one)
        at = max(at, one.number)
    if at < last:
        yield _left_out(at + 1, last)


def _left_out(first: int, last: int) -> str:
    return f"       (lines {first}-{last} are left out)" if last > first else f"       (line {first} is left out)"


def _unread(file: File, dropped: list[Row], cut: list[int]) -> Iterator[Unread]:
    if file.written and file.written.ascii_only:
        yield Unread(path=file.path, why=f"{file.written.encoding}: only its ASCII characters were shown")
    if dropped:
        numbers = [one.number for one in dropped if one.number]
        where = f"lines {numbers[0]}-{numbers[-1]}" if numbers else "lines it takes out"
        yield Unread(path=file.path, why=f"{len(dropped)} changed lines ({where}) did not fit into the prompt")
    if cut:
        named = ", ".join(str(one) if one else "one taken out" for one in cut[:5])
        yield Unread(path=file.path, why=f"long lines were cut after {LINE_CHARS_MAX} characters: {named}")
