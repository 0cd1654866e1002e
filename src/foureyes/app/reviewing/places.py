"""Where does a finding lie, and which review does this place belong to?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from foureyes.app.ports import Reading
from foureyes.app.reviewers import Change, File
from foureyes.core.commands import Draft
from foureyes.core.values import Place

#: So many lines before and behind belong to what a dismissed finding was about.
AROUND = 1
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
    """What stands there, without its indentation: moving it elsewhere in the file changes nothing.

    Of what has no lines, or no line is named of, all of it stands there. Another repository is another place.
    """
    first = max(place.start - 1 - AROUND, 0)
    around = file.lines[first : max(place.start, place.end) + AROUND] if place.start else ()
    stands = "\n".join(line.strip() for line in around).encode("utf-8", "surrogatepass") or file.content or b""
    named = f"{here}\0{place.path}\0".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named + stands).hexdigest()[:32]


def reviews_here(reading: Reading, alias: str) -> list[str]:
    """The reviews that may be of this place, open or ended, the newest first.

    They are found by their bytes, and the same bytes may lie in other repositories: whose a review is, it says itself.
    """
    if not alias:
        return []
    found = {row.review for row in reading.digests(alias)}
    rows = [row for name in found if (row := reading.review(name)) is not None]
    return [one.review for one in sorted(rows, key=lambda row: (row.opened, row.review), reverse=True)]
