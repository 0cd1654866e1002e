"""The text around a place: one hash for inherited objections, dismissals and findings that are found again.

The shell computes it from the bytes that are judged; what a client says of it is not used. It holds the lines of the
place and those close by as `texts` reads them, and neither the path nor the repository: a block that moves within its
file, to another file or to another path keeps its hash. Of what has no lines, or no line is named of, all of the file
is the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from foureyes.app.former_contexts import block_hash
from foureyes.app.reviewers import GONE_MODE, File
from foureyes.app.texts import Line, normal_digest, readings
from foureyes.app.work import blob_digest
from foureyes.core.commands import Draft
from foureyes.core.contexts import CLOSE, STRONG, WEAK, Context
from foureyes.core.values import Place, WorkPart

#: So many lines before and behind belong to the text of a place; empty lines and comments are passed over.
AROUND = 2
#: Text with fewer letters and digits stands everywhere, so in another file it is not known again.
LETTERS_MIN = 12
_SHORT, _LONG = 16, 32
#: The lines among which a text stands, and at which of them it begins.
Spot = tuple[tuple[Line, ...], int]


def context_of(file: File, place: Place) -> Context:
    """The text around a place in a file."""
    lines = next(iter(readings(file)), ())
    last = max(place.start, place.end)
    own = [one for one in lines if place.start <= one.number <= last] if place.start else []
    if not own:
        return Context(anchor=normal_digest(file))
    is_comment = all(one.is_comment for one in own)
    among = _among(lines, is_comment=is_comment)
    first = next(at for at, one in enumerate(among) if one.number >= place.start)
    count = sum(is_comment or not one.is_comment for one in own)
    return replace(_context(among, first, count, is_comment=is_comment), block=block_hash(file, place))


def with_context(draft: Draft, files: Mapping[str, File]) -> Draft:
    """The finding with the hash of the text around it; without one where its file is not there."""
    place = draft.place
    if place is None:
        return draft
    file = files.get(place.path)
    text = context_of(file, place).text if file is not None and file.content else ""
    return draft if place.context_hash == text else replace(draft, place=replace(place, context_hash=text))


def anchors(file: File) -> Iterator[tuple[str, Spot]]:
    """What a text would be looked up by at each line of a file."""
    for lines in readings(file):
        code = _among(lines, is_comment=False)
        yield from ((_hash([one.text], _SHORT), (code, at)) for at, one in enumerate(code))
        yield from ((_hash([one.text], _SHORT), (lines, at)) for at, one in enumerate(lines) if one.is_comment)


def is_at(spot: Spot, text: Context) -> bool:
    """Whether a text of lines stands there; what stood near the end of a file is compared with as many lines."""
    lines, at = spot
    before, behind = _count(text.before), _count(text.behind)
    return text.is_like(_context(lines, at, text.lines, is_comment=text.is_comment, before=before, behind=behind))


def count_text(file: File, text: Context) -> int:
    """How often a text stands in a file."""
    if not text.lines:
        return int(text.anchor in (normal_digest(file), blob_digest(file.content or b"")))
    found = [spot for anchor, spot in anchors(file) if anchor == text.anchor and is_at(spot, text)]
    return len({lines[at].number for lines, at in found})


def places_of(drafts: Iterable[Draft]) -> set[str]:
    """The paths that findings name."""
    return {one.place.path for one in drafts if one.place is not None}


def files_of(parts: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> Iterator[File]:
    """The parts of a work that are there, as files."""
    for one in parts:
        if one.mode != GONE_MODE and one.digest in blobs:
            yield File(path=one.name, mode=one.mode, content=blobs[one.digest])


def _among(lines: tuple[Line, ...], *, is_comment: bool) -> tuple[Line, ...]:
    return lines if is_comment else tuple(one for one in lines if not one.is_comment)


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
    letters = (char for line in lines for char in line if char.isalnum())
    return sum(1 for _, _ in zip(range(LETTERS_MIN), letters, strict=False)) == LETTERS_MIN


def _hash(lines: Sequence[str], length: int) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:length]
