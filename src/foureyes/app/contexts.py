"""Context hashes: one hash of the text around a place, for inherited objections, dismissals and repeated findings.

The shell computes the hash from the reviewed bytes; a hash sent by a client is not used. It covers the lines of the
place and those next to it as `texts` reads them, and neither path nor repository: a block that moves within its file,
to another file or to another path keeps its hash. For a file without lines, or a place without a line, it covers the
whole file.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from heapq import nsmallest

from foureyes.app.former_contexts import block_hash
from foureyes.app.reviewers import GONE_MODE, File
from foureyes.app.texts import Line, normal_digest, readings
from foureyes.core.commands import Draft
from foureyes.core.contexts import CLOSE, STRONG, WEAK, Context
from foureyes.core.values import Place, WorkPart

#: Lines before and after a place that belong to its context; empty lines and comments are skipped.
AROUND = 2
#: Text with fewer letters and digits occurs everywhere, so it is not recognised in another file.
LETTERS_MIN = 12
#: Most lines read for one command, and most characters compared.
READ_MAX, COMPARED_MAX = 400_000, 40_000_000
#: Lines that are sampled from a work.
SAMPLE = 16
#: Cost of comparing a line, besides its characters.
_LINE_COST = 32
_SHORT, _LONG = 16, 32
#: At least LETTERS_MIN letters and digits, with anything between them.
_ENOUGH = re.compile(rf"[\W_]*(?:[^\W_][\W_]*){{{LETTERS_MIN}}}")
#: The lines of a file, and the index at which a text begins.
Spot = tuple[tuple[Line, ...], int]


@dataclass(slots=True)
class Budget:
    """How much text one command still reads and compares: work up to the size limit must not hold up the others."""

    lines: int = READ_MAX
    characters: int = COMPARED_MAX

    def reads(self, count: int) -> None:
        """Count these lines as read."""
        self.lines -= count

    @property
    def may_read(self) -> bool:
        """True if one more file may be read."""
        return self.lines > 0

    def may_compare(self, lines: Sequence[Line], first: int, count: int) -> bool:
        """True if these lines may be compared too; their cost is deducted."""
        self.characters -= _LINE_COST * (count + 1)
        if self.characters > 0:
            self.characters -= sum(len(one.text) for one in lines[first : first + count])
        return self.characters > 0


def context_of(file: File, place: Place, budget: Budget | None = None) -> Context:
    """Return the context of a place in a file; of the whole file if no line is named or the budget is used up."""
    text = next(iter(readings(file)), None)
    last = max(place.start, place.end)
    lines = text.lines if text else ()
    first, end = _at(lines, place.start), _behind(lines, last)
    is_paid = budget is None or budget.may_compare(lines, first, end - first)
    if text is None or not place.start or first >= end or not is_paid:
        return Context(anchor=normal_digest(file))
    is_comment = all(one.is_comment for one in lines[first:end])
    among = lines if is_comment else text.code
    begin = _at(among, place.start)
    found = _context(among, begin, _behind(among, last) - begin, is_comment=is_comment)
    # A truncated file does not have all lines available, so a dismissal there covers less.
    block = _hash([found.before, found.digest, found.behind], _LONG) if text.is_cut else block_hash(file, place)
    return replace(found, block=block)


def with_context(draft: Draft, files: Mapping[str, File], budget: Budget | None = None) -> Draft:
    """Return the finding with the hash of the text around it; without a hash if its file is missing."""
    place = draft.place
    if place is None:
        return draft
    file = files.get(place.path)
    text = context_of(file, place, budget).text if file is not None and file.content else ""
    return draft if place.context_hash == text else replace(draft, place=replace(place, context_hash=text))


def anchors(file: File) -> Iterator[tuple[str, Spot]]:
    """Yield the lookup key of each line of a file with its spot."""
    hashed = cache(lambda text: _hash([text], _SHORT))
    for text in readings(file):
        lines, code = text.lines, text.code
        yield from ((hashed(one.text), (code, at)) for at, one in enumerate(code))
        yield from ((hashed(one.text), (lines, at)) for at, one in enumerate(lines) if one.is_comment)


def line_hashes(file: File) -> set[str]:
    """Return the lookup keys of the lines of a file."""
    texts = {one.text for text in readings(file) for one in text.lines}
    return {_hash([one], _SHORT) for one in texts}


def samples_of(file: File) -> tuple[frozenset[str], frozenset[str]]:
    """Return the hashes of a few lines that stand for a file: of lines that are distinctive alone, and of all lines."""
    text = next(iter(readings(file)), None)
    lines = {one.text for one in text.code or text.lines} if text else set()
    hashes = {one: _hash([one], _SHORT) for one in lines}
    return lowest(hashed for one, hashed in hashes.items() if _says_enough([one])), lowest(hashes.values())


def lowest(hashes: Iterable[str]) -> frozenset[str]:
    """Return the lowest of these hashes: the choice does not depend on order, and little on other lines."""
    return frozenset(nsmallest(SAMPLE, set(hashes)))


def is_at(spot: Spot, text: Context, budget: Budget) -> bool | None:
    """True if this text of lines stands at the spot; None if the budget is too small to compare it."""
    lines, at = spot
    if not budget.may_compare(lines, at, text.lines):
        return None
    if _hash([one.text for one in lines[at : at + text.lines]], _LONG) != text.digest:
        return False
    return text.stands_as(context_at(spot, text))


def context_at(spot: Spot, text: Context) -> Context:
    """Return the context at a spot, with as many lines on each side as `text` has (fewer near the end of a file)."""
    lines, at = spot
    before, behind = _count(text.before), _count(text.behind)
    return _context(lines, at, text.lines, is_comment=text.is_comment, before=before, behind=behind)


def places_of(drafts: Iterable[Draft]) -> set[str]:
    """Return the paths that findings name."""
    return {one.place.path for one in drafts if one.place is not None}


def files_of(parts: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> Iterator[File]:
    """Yield the available parts of a work as files."""
    for one in parts:
        if one.mode != GONE_MODE and one.digest in blobs:
            yield File(path=one.name, mode=one.mode, content=blobs[one.digest])


def _at(lines: Sequence[Line], number: int) -> int:
    return bisect_left(lines, number, key=_number)


def _behind(lines: Sequence[Line], number: int) -> int:
    return bisect_right(lines, number, key=_number)


def _number(line: Line) -> int:
    return line.number


def _context(
    lines: Sequence[Line], first: int, count: int, *, is_comment: bool, before: int = AROUND, behind: int = AROUND
) -> Context:
    own = [one.text for one in lines[first : first + count]]
    above = [one.text for one in lines[max(first - before, 0) : first]]
    below = [one.text for one in lines[first + count : first + count + behind]]
    strength = STRONG if _says_enough(own) else CLOSE if _says_enough([*above, *own, *below]) else WEAK
    return Context(
        anchor=_hash(own[:1], _SHORT),
        lines=len(own),
        digest=_hash(own, _LONG),
        before=_side(above),
        behind=_side(below),
        strength=strength,
        is_comment=is_comment,
    )


def _side(lines: Sequence[str]) -> str:
    """Return the number of lines on one side, and their hash."""
    return f"{len(lines)}{_hash(lines, _SHORT)}" if lines else ""


def _count(side: str) -> int:
    return int(side[0]) if side[:1].isdigit() else AROUND


def _says_enough(lines: Iterable[str]) -> bool:
    return _ENOUGH.match("".join(lines)) is not None


def _hash(lines: Sequence[str], length: int) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:length]
