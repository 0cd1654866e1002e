"""Computes what changed between two states of a work from the bytes; the author's own statement is not used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from foureyes.app.reviewers import lines_of
from foureyes.app.work import GONE_MODE
from foureyes.core.risk import FileChange
from foureyes.core.values import Changed, WorkPart

#: Most lines compared between the equal beginning and the equal end; beyond it everything there counts as changed,
#: because comparing takes up to cubic time while a caller waits.
COMPARED_LINES_MAX = 200
#: Most lines compared in one work.
COMPARED_IN_ALL_MAX = 2_000

Blobs = Mapping[str, bytes]
#: Lines i..j of the old text became lines k..l of the new one; counted from 0, end excluded.
Span = tuple[int, int, int, int]


def file_changes(before: Iterable[WorkPart], after: Iterable[WorkPart], blobs: Blobs) -> Iterator[FileChange]:
    """Yield every contiguous change, file by file, without the lines around it."""
    budget = [COMPARED_IN_ALL_MAX]
    for old, new in _paired(before, after):
        part = new or old
        if part is None or (old and new and (old.digest, old.mode) == (new.digest, new.mode)):
            continue
        one, other = text_lines(old, blobs), text_lines(new, blobs)
        mode = "" if old and new and old.mode == new.mode else part.mode
        if one is None or other is None:
            yield FileChange(path=part.name, mode=part.mode, binary=True)
            continue
        found = list(spans(one, other, budget))
        if not found:
            yield FileChange(path=part.name, mode=mode)
        for i, j, k, l in found:  # noqa: E741 - the letters difflib uses
            yield FileChange(path=part.name, mode=mode, added=tuple(other[k:l]), removed=tuple(one[i:j]))


def changed_places(before: Iterable[WorkPart], after: Iterable[WorkPart], blobs: Blobs) -> Iterator[Changed]:
    """Yield the changed lines of the new state, counted from 1; for removed lines, the line after them."""
    budget = [COMPARED_IN_ALL_MAX]
    for old, new in _paired(before, after):
        if new is None or (old and (old.digest, old.mode) == (new.digest, new.mode)):
            if new is None and old is not None:
                yield Changed(path=old.name)
            continue
        one, other = text_lines(old, blobs), text_lines(new, blobs)
        if old is None or one is None or other is None or old.mode != new.mode:
            yield Changed(path=new.name)
            continue
        for _, _, k, l in spans(one, other, budget):  # noqa: E741 - the letters difflib uses
            yield Changed(path=new.name, start=k + 1, end=max(l, k + 1))


def line_now(before: Sequence[str], after: Sequence[str], line: int) -> int | None:
    """Return the line in the new text where a line of the old text is now, counted from 1; None if it is gone."""
    shift = 0
    for i, j, k, l in spans(before, after, [COMPARED_IN_ALL_MAX]):  # noqa: E741 - the letters difflib uses
        if line <= i:
            break
        if line <= j:
            return _nearest(before[line - 1], after, k, l)
        shift = (l - k) - (j - i) + shift
    return line + shift


def _nearest(text: str, lines: Sequence[str], start: int, end: int) -> int | None:
    """Find the same text among the lines that replaced it."""
    return next((number + 1 for number in range(start, end) if lines[number].strip() == text.strip()), None)


def _paired(before: Iterable[WorkPart], after: Iterable[WorkPart]) -> Iterator[tuple[WorkPart | None, WorkPart | None]]:
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    for name in sorted(old.keys() | new.keys()):
        yield old.get(name), new.get(name)


def text_lines(part: WorkPart | None, blobs: Blobs) -> list[str] | None:
    """Return the lines of a part: empty if there is no part, None if it is no text or its bytes are not available."""
    if part is None or part.mode == GONE_MODE:
        return []
    content = blobs.get(part.digest)
    if content is None or b"\0" in content:
        return None
    try:
        return list(lines_of(content.decode()))
    except UnicodeDecodeError:
        return None


def spans(old: Sequence[str], new: Sequence[str], budget: list[int]) -> Iterator[Span]:
    """Yield the changed spans; only what lies between the equal beginning and the equal end is compared."""
    start, shorter = 0, min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    one, other = old[start : len(old) - end], new[start : len(new) - end]
    if not one and not other:
        return
    many = len(one) + len(other)
    if not one or not other or many > min(COMPARED_LINES_MAX, budget[0]):
        yield start, start + len(one), start, start + len(other)
        return
    budget[0] -= many
    for tag, i, j, k, l in SequenceMatcher(a=one, b=other, autojunk=False).get_opcodes():  # noqa: E741 - as above
        if tag != "equal":
            yield start + i, start + j, start + k, start + l
