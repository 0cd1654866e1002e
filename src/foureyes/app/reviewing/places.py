"""Where does a finding lie, and which review does this place belong to?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from foureyes.app.ports import Reading
from foureyes.app.reviewers import Change, File
from foureyes.core.commands import Draft
from foureyes.core.values import Place

#: So many lines before and behind belong to what a dismissed finding was about, as far as no empty line parts them.
AROUND = 2
LOCAL = "local:"


def alias_of(change: Change) -> str:
    """The name under which the next round finds the review of this one; empty where it comes from nowhere."""
    return f"{LOCAL}{change.place}" if change.place else ""


def with_context(draft: Draft, files: Mapping[str, File], here: str = "") -> Draft:
    """The finding with the hash of the text around it, so that it is known again while that stays the same."""
    place = draft.place
    file = files.get(place.path) if place else None
    if place is None or file is None:
        return draft
    return replace(draft, place=replace(place, context_hash=context_hash(file, place, here)))


def context_hash(file: File, place: Place, here: str = "") -> str:
    """What stands there, without its indentation, and what stands close by.

    An empty line ends it, and so does the end of the file: a block that moves elsewhere in its file keeps what it was,
    and a like line in another block is another one. Of what has no lines, or no line is named of, all of it stands
    there. Another repository is another place.
    """
    stands = "\n".join(_around(file.lines, place)).encode("utf-8", "surrogatepass") or file.content or b""
    named = f"{here}\0{place.path}\0".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named + stands).hexdigest()[:32]


def _around(lines: tuple[str, ...], place: Place) -> list[str]:
    """The lines of a place with those close by, each marked as what it is: what changes sides has changed."""
    if not place.start:
        return []
    first, last = place.start - 1, max(place.start, place.end)
    before = list(_close(reversed(lines[max(first - AROUND, 0) : first])))
    own = [line.strip() for line in lines[first:last]]
    behind = list(_close(lines[last : last + AROUND]))
    return [*(f"-{one}" for one in reversed(before)), *(f" {one}" for one in own), *(f"+{one}" for one in behind)]


def _close(lines: Iterable[str]) -> Iterator[str]:
    yield from takewhile(bool, (line.strip() for line in lines))


def reviews_here(reading: Reading, alias: str) -> list[str]:
    """The reviews that may be of this place, open or ended, the newest first.

    They are found by their bytes, and the same bytes may lie in other repositories: whose a review is, it says itself.
    """
    if not alias:
        return []
    found = {row.review for row in reading.digests(alias)}
    rows = [row for name in found if (row := reading.review(name)) is not None]
    return [one.review for one in sorted(rows, key=lambda row: (row.opened, row.review), reverse=True)]
