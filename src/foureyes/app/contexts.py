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

#: So many lines before and behind belong to the text of a place; empty lines and comments are passed over.
AROUND = 2
#: Text with fewer letters and digits stands everywhere, so in another file it is not known again.
LETTERS_MIN = 12
#: So many lines are read for one command, and texts of so many characters compared.
READ_MAX, COMPARED_MAX = 400_000, 40_000_000
#: So many lines stand for all of a work.
SAMPLE = 16
#: What a line costs to compare beside its characters.
_LINE_COST = 32
_SHORT, _LONG = 16, 32
#: Letters and digits with whatever stands among them.
_ENOUGH = re.compile(rf"[\W_]*(?:[^\W_][\W_]*){{{LETTERS_MIN}}}")
#: The lines among which a text stands, and at which of them it begins.
Spot = tuple[tuple[Line, ...], int]


@dataclass(slots=True)
class Budget:
    """How much text one command still reads and compares: work up to the size limit must not hold up the others."""

    lines: int = READ_MAX
    characters: int = COMPARED_MAX

    def reads(self, count: int) -> None:
        """Note that so many lines were read."""
        self.lines -= count

    @property
    def may_read(self) -> bool:
        """Whether one more file is read."""
        return self.lines > 0

    def may_compare(self, lines: Sequence[Line], first: int, count: int) -> bool:
        """Whether these lines are compared too; they are paid for."""
        self.characters -= _LINE_COST * (count + 1)
        if self.characters > 0:
            self.characters -= sum(len(one.text) for one in lines[first : first + count])
        return self.characters > 0


def context_of(file: File, place: Place, budget: Budget | None = None) -> Context:
    """The text around a place in a file; all of the file where no line is there, or none more may be compared."""
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
    # The lines of a file that is not read to its end are not all at hand: there a dismissal holds for fewer.
    block = _hash([found.before, found.digest, found.behind], _LONG) if text.is_cut else block_hash(file, place)
    return replace(found, block=block)


def with_context(draft: Draft, files: Mapping[str, File], budget: Budget | None = None) -> Draft:
    """The finding with the hash of the text around it; without one where its file is not there."""
    place = draft.place
    if place is None:
        return draft
    file = files.get(place.path)
    text = context_of(file, place, budget).text if file is not None and file.content else ""
    return draft if place.context_hash == text else replace(draft, place=replace(place, context_hash=text))


def anchors(file: File) -> Iterator[tuple[str, Spot]]:
    """What a text would be looked up by at each line of a file."""
    hashed = cache(lambda text: _hash([text], _SHORT))
    for text in readings(file):
        lines, code = text.lines, text.code
        yield from ((hashed(one.text), (code, at)) for at, one in enumerate(code))
        yield from ((hashed(one.text), (lines, at)) for at, one in enumerate(lines) if one.is_comment)


def line_hashes(file: File) -> set[str]:
    """What the lines of a file are looked up by."""
    texts = {one.text for text in readings(file) for one in text.lines}
    return {_hash([one], _SHORT) for one in texts}


def samples_of(file: File) -> tuple[frozenset[str], frozenset[str]]:
    """The hashes of a few lines that stand for a file: of those that say enough alone, and of all."""
    text = next(iter(readings(file)), None)
    lines = {one.text for one in text.code or text.lines} if text else set()
    hashes = {one: _hash([one], _SHORT) for one in lines}
    return lowest(hashed for one, hashed in hashes.items() if _says_enough([one])), lowest(hashes.values())


def lowest(hashes: Iterable[str]) -> frozenset[str]:
    """The lowest of these hashes: whether a line is among them depends on no order, and little on other lines."""
    return frozenset(nsmallest(SAMPLE, set(hashes)))


def is_at(spot: Spot, text: Context, budget: Budget) -> bool | None:
    """Whether a text of lines stands there; None where too much was compared already to say so."""
    lines, at = spot
    if not budget.may_compare(lines, at, text.lines):
        return None
    if _hash([one.text for one in lines[at : at + text.lines]], _LONG) != text.digest:
        return False
    return text.stands_as(context_at(spot, text))


def context_at(spot: Spot, text: Context) -> Context:
    """The text at a spot, with as many lines on each side as another has: that may be near the end of its file."""
    lines, at = spot
    before, behind = _count(text.before), _count(text.behind)
    return _context(lines, at, text.lines, is_comment=text.is_comment, before=before, behind=behind)


def places_of(drafts: Iterable[Draft]) -> set[str]:
    """The paths that findings name."""
    return {one.place.path for one in drafts if one.place is not None}


def files_of(parts: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> Iterator[File]:
    """The parts of a work that are there, as files."""
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
    """How many lines stand on a side, and their hash."""
    return f"{len(lines)}{_hash(lines, _SHORT)}" if lines else ""


def _count(side: str) -> int:
    return int(side[0]) if side[:1].isdigit() else AROUND


def _says_enough(lines: Iterable[str]) -> bool:
    return _ENOUGH.match("".join(lines)) is not None


def _hash(lines: Sequence[str], length: int) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:length]
