"""Index of the lines of some files, looked up by the first line of a text; lines read and text compared are bounded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from foureyes.app.contexts import Budget, Spot, anchors, context_at, context_of, is_at, line_hashes
from foureyes.app.reviewers import File
from foureyes.app.texts import normal_digest, readings
from foureyes.app.work import blob_digest
from foureyes.core.contexts import Context
from foureyes.core.values import Place


@dataclass(kw_only=True)
class TextIndex:
    """Files in which texts are looked for; what is not read or not compared is said, and never taken for changed."""

    files: tuple[File, ...]
    budget: Budget = field(default_factory=Budget)

    @cached_property
    def _read(self) -> tuple[File, ...]:
        """The files that are read, the smallest first: a large file must not keep the others from being compared."""
        found = []
        for file in sorted(self.files, key=lambda one: (len(one.content or b""), one.path)):
            if self.budget.may_read:
                self.budget.reads(sum(len(one.lines) for one in readings(file)))
                found.append(file)
        return tuple(found)

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The paths of files that are not read, or not to their end."""
        read = {one.path for one in self._read if not any(text.is_cut for text in readings(one))}
        return tuple(one.path for one in self.files if one.path not in read)

    @cached_property
    def digests(self) -> dict[str, str]:
        """The path of each text, by the digest of the whole text."""
        return {normal_digest(one): one.path for one in self._read}

    @cached_property
    def begins(self) -> dict[str, list[tuple[str, Spot]]]:
        """The spots of each line by its lookup key."""
        found: dict[str, list[tuple[str, Spot]]] = {}
        for file in self._read:
            for anchor, spot in anchors(file):
                found.setdefault(anchor, []).append((file.path, spot))
        return found

    @cached_property
    def line_hashes(self) -> set[str]:
        """The lookup keys of the lines of the files."""
        return set().union(*map(line_hashes, self._read))

    def find(self, known: Context, place: Place) -> Place | None:
        """Return where a text of lines stands, or may stand if it could not be compared.

        Weak text is only found at its own path. Of several places, one with the same lines around it comes first.
        """
        first: tuple[str, Spot] | None = None
        for path, spot in self.begins.get(known.anchor, ()):
            if known.is_weak and path != place.path:
                continue
            stands = is_at(spot, known, self.budget)
            if stands and known.is_like(context_at(spot, known)):
                return self._place(known, path, spot)
            if stands is not False:
                first = first or (path, spot)
            if stands is None:
                break
        return self._place(known, *first) if first else self.find_unread(known, place)

    def find_unread(self, known: Context, place: Place) -> Place | None:
        """Return the file in which a text may stand because not all of it was read; its own path first."""
        paths = [one for one in self.unread if one == place.path or not known.is_weak]
        if not paths:
            return None
        path = place.path if place.path in paths else paths[0]
        return replace(place, path=path, start=0, end=0, context_hash=known.text)

    def _place(self, known: Context, path: str, spot: Spot) -> Place:
        """Return the place of a text, with the context it has here."""
        lines, at = spot
        last = lines[min(at + known.lines, len(lines)) - 1].number
        place = Place(path=path, start=lines[at].number, end=last, context_hash=known.text)
        file = next(one for one in self.files if one.path == path)
        here = context_of(file, place, self.budget)
        return replace(place, context_hash=here.text) if known.stands_as(here) else place

    def count(self, text: Context) -> int | None:
        """Count how often a text stands there; None if too much would have to be read or compared."""
        if not text.lines:
            return sum(text.anchor in (normal_digest(one), blob_digest(one.content or b"")) for one in self.files)
        found = set()
        for path, (lines, at) in self.begins.get(text.anchor, ()):
            stands = is_at((lines, at), text, self.budget)
            if stands is None:
                return None
            if stands and text.is_like(context_at((lines, at), text)):
                found.add((path, lines[at].number))
        return None if self.unread else len(found)
