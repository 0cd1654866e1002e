"""Verifies one stream: no event edited, missing, moved or cut off, and the same as every checkpoint saw it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from foureyes.app.chain import ROOT, link_of
from foureyes.app.damages import Collected
from foureyes.app.marks import Mark
from foureyes.app.ports import Reading
from foureyes.app.rows import Head, Stored

BACKUP = "Stop the server, keep a copy of the store as it is, and compare it with a backup."
#: Distance in which a moved event is searched.
NEAR = 50


def walk(reading: Reading, head: Head, marks: list[Mark], found: Collected) -> Iterator[Stored]:
    """Verify a stream link by link; yields its events."""
    walker = _Walker(reading=reading, stream=head.stream, marks=marks, found=found)
    for one in reading.events(head.stream):
        walker.step(one)
        yield one
    walker.end(head)


@dataclass(slots=True)
class _Walker:
    """The state of a walk along a stream."""

    reading: Reading
    stream: str
    marks: list[Mark]
    found: Collected
    version: int = 0
    link: bytes | None = ROOT
    #: The newest version that agrees with a checkpoint, and how many marks are done.
    agreed: int = 0
    done: int = 0
    #: Set at the first disagreement with the checkpoints: all later ones follow from it.
    forked: bool = False
    told: bool = False

    def step(self, one: Stored) -> None:
        """Check that an event is the next one and follows from the one before."""
        expected = self.version + 1
        if one.version < expected:
            self._tell(one.version, "reordered: the event stands twice")
            return
        if one.version > expected:
            gone = f"{expected}" if one.version == expected + 1 else f"{expected} to {one.version - 1}"
            self._tell(expected, f"deleted: {gone} missing")
            self.link = None
        link = one.chain
        if self.link is not None and link_of(self.link, one) != one.chain:
            link = self._moved(self.link, one)
            if link:
                self._tell(one.version, "reordered: another event of this stream belongs here")
            else:
                self._tell(one.version, "edited: it does not follow from the one before; one of the two was changed")
        self.version, self.link = one.version, link or one.chain
        self._hold_against(one)

    def end(self, head: Head) -> None:
        """Check after the last event whether events are missing, and whether the table of heads agrees."""
        last = self.marks[-1] if self.marks else None
        if last and last.version > self.version:
            gone = last.version - self.version
            what = f"truncated: {gone} events at the end are gone; checkpoint {last.number} saw them"
            self._tell(self.version + 1, what)
        elif not self.told and (head.version, head.chain) != (self.version, self.link):
            what = (
                f"truncated: the table of heads says the stream ends at event {head.version}, "
                f"the log ends at {self.version} or with another link"
            )
            self._tell(min(head.version, self.version + 1), what)

    def _moved(self, previous: bytes, one: Stored) -> bytes:
        """Return the link of a nearby event that belongs in this place; empty if there is none."""
        near = islice(self.reading.events(self.stream, max(0, one.version - 1 - NEAR)), 2 * NEAR)
        for other in near:
            link = link_of(previous, replace(other, version=one.version))
            if other.version != one.version and link in (other.chain, one.chain):
                return link
        return b""

    def _hold_against(self, one: Stored) -> None:
        for mark in self._marks_at(one.version):
            if mark.chain == one.chain:
                self.agreed = one.version
            elif not self.forked:
                self.forked = True
                place = self.agreed + 1
                self._tell(
                    place,
                    f"fork: events {place} to {one.version} were rewritten; checkpoint {mark.number} saw others",
                )

    def _marks_at(self, version: int) -> Iterator[Mark]:
        while self.done < len(self.marks) and self.marks[self.done].version <= version:
            mark = self.marks[self.done]
            self.done += 1
            if mark.version == version:
                yield mark

    def _tell(self, version: int, what: str) -> None:
        self.told = True
        self.found.add(f"{self.stream}@{version}", what, BACKUP)
