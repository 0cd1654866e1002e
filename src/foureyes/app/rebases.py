"""Detects rebases: the same change of the same files on another base. A policy may then keep the earlier reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from foureyes.app.differences import COMPARED_IN_ALL_MAX, spans, text_lines
from foureyes.core.model import Revision
from foureyes.core.values import ChangeKind, KnownBase, WorkPart

#: Lines on each side of a change that must be equal too, as in git's patch ids.
AROUND = 3
Blobs = Mapping[str, bytes]
_Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A change in a file: what went and came, with the lines around it, wherever in the file it is."""

    path: str
    modes: tuple[str, str]
    removed: _Lines = ()
    added: _Lines = ()
    above: _Lines = ()
    below: _Lines = ()
    #: Digests of files that are not compared by lines.
    digests: tuple[str, str] = ("", "")


def change_of(
    last: Revision, base: KnownBase, before: Iterable[WorkPart], parts: Iterable[WorkPart], blobs: Blobs
) -> ChangeKind:
    """Return REBASE if both versions have a known base and change it in the same way; else CONTENT."""
    if not (base.is_known and last.known_base.is_known):
        return ChangeKind.CONTENT
    was = list(_pieces(last.before, last.parts, blobs))
    now = list(_pieces(before, parts, blobs))
    return ChangeKind.REBASE if now and now == was else ChangeKind.CONTENT


def _pieces(before: Iterable[WorkPart], after: Iterable[WorkPart], blobs: Blobs) -> Iterator[Piece]:
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    budget = [COMPARED_IN_ALL_MAX]
    for path in sorted(new):
        yield from _of_file(path, old.get(path), new[path], blobs, budget=budget)


def _of_file(path: str, old: WorkPart | None, new: WorkPart, blobs: Blobs, *, budget: list[int]) -> Iterator[Piece]:
    modes = (old.mode if old else "", new.mode)
    one, other = text_lines(old, blobs), text_lines(new, blobs)
    if one is None or other is None:
        yield Piece(path=path, modes=modes, digests=(old.digest if old else "", new.digest))
        return
    found = list(spans(one, other, budget))
    if not found:
        yield Piece(path=path, modes=modes)
    for i, j, k, l in found:  # noqa: E741 - the letters difflib uses
        yield Piece(
            path=path,
            modes=modes,
            removed=tuple(one[i:j]),
            added=tuple(other[k:l]),
            above=tuple(one[max(i - AROUND, 0) : i]),
            below=tuple(one[j : j + AROUND]),
        )
