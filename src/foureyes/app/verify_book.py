"""Verifies the checkpoint journal: complete, in order, and signed by keys that follow from the trusted key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.book import BadLine, Line, Restored, Rotated, lines_in, parsed
from foureyes.app.damages import Collected
from foureyes.app.envelopes import BadEnvelope, check_signature, signer_of
from foureyes.app.keys import KeyTrouble, PublicKey
from foureyes.app.marks import Marks

#: A checkpoint seen before: number and hash, kept by the person who verifies.
Seen = tuple[int, str]

COPY = "Compare the book with a copy kept elsewhere."
STOLEN = "If nobody of yours did this, take the key for stolen: rotate it, and trust only the new one."


def read_book(folder: Path, trusted: PublicKey, marks: Marks, *, seen: Seen | None = None) -> BookReader:
    """Verify every line, and record what the valid ones say."""
    reader = BookReader(marks=marks, trusted=trusted, keys=_trusted_keys(folder, trusted), seen=seen)
    for number, text in lines_in(folder):
        reader.take(number, text)
    reader.end()
    return reader


@dataclass(slots=True)
class BookReader:
    """Goes through the book line by line."""

    marks: Marks
    trusted: PublicKey
    #: Every key that follows from the trusted one by a rotation that both keys signed.
    keys: tuple[PublicKey, ...]
    seen: Seen | None
    found: Collected = field(default_factory=Collected)
    last: Line | None = None
    count: int = 0
    #: The key in use; the first line says which of the trusted ones that is.
    current: PublicKey | None = None
    seen_is_there: bool = False
    #: Whether the trusted key was ever in use; a journal that never uses it is not covered by it.
    is_trusted: bool = False

    def take(self, number: int, text: bytes) -> None:
        """Verify one line of the journal."""
        if not text.endswith(b"\n"):
            self.found.notes.append(
                f"Line {number} of the book is half written, as a crash leaves it; the next checkpoint replaces it."
            )
            return
        try:
            line = parsed(text)
        except BadLine as error:
            self.found.add(f"line {number} of the book", f"it was altered: {error}", COPY)
            return
        if self._is_signed(line):
            self._place(line)
            self._note(line)
            self.last = line
            self.count += 1

    def end(self) -> None:
        """Report what is only known after the last line."""
        newest = self.last.checkpoint.number if self.last else 0
        if self.seen and not self.seen_is_there:
            what = f"truncated: it was seen before, and the book ends at {newest}"
            self.found.add(f"checkpoint {self.seen[0]}", what, COPY)
        if self.count and not self.is_trusted:
            self.found.add("the book", f"wrong signature: it never comes to the trusted key {self.trusted.id}", COPY)

    def _is_signed(self, line: Line) -> bool:
        """True if the key in use has signed the line, and for a rotation the new key too."""
        try:
            if self.current is None:
                self.current = signer_of(line.envelope, self.keys)
            signer = self.current
            check_signature(line.envelope, signer)
            if isinstance(line.checkpoint.said, Rotated):
                self.current = _rotated(line, line.checkpoint.said, signer)
            self.is_trusted |= self.trusted in (signer, self.current)
        except (BadEnvelope, KeyTrouble) as error:
            self.found.add(f"checkpoint {line.checkpoint.number}", f"wrong signature: {error}", COPY)
            return False
        return True

    def _place(self, line: Line) -> None:
        """Check that the line follows from the one before."""
        one, number = line.checkpoint, line.checkpoint.number
        expected, previous = (self.last.checkpoint.number + 1, self.last.digest) if self.last else (1, "")
        if number > expected:
            gone = f"{expected}" if number == expected + 1 else f"{expected} to {number - 1}"
            self.found.add(f"checkpoint {expected}", f"deleted: {gone} missing from the book", COPY)
        elif number < expected or one.previous != previous:
            self.found.add(
                f"checkpoint {number}", "fork: it is signed, but it continues another history than this one", STOLEN
            )
        elif self.last and one.store != self.last.checkpoint.store:
            self.found.add(f"checkpoint {number}", "fork: it is signed for another store", STOLEN)
        if self.seen and number == self.seen[0]:
            self.seen_is_there = True
            if line.digest != self.seen[1]:
                self.found.add(f"checkpoint {number}", "fork: another one of this number was seen before", STOLEN)

    def _note(self, line: Line) -> None:
        """Record what the line says."""
        said, at = line.checkpoint.said, f"{line.checkpoint.at:%Y-%m-%d %H:%M} UTC"
        if isinstance(said, Restored):
            self.marks.forget_behind(said.to)
            self.found.notes.append(
                f"{said.by} restored a backup at {at}: what followed checkpoint {said.to} was given up ({said.reason})."
            )
        elif isinstance(said, Rotated):
            old, new = PublicKey.of(said.old).id, PublicKey.of(said.new).id
            self.found.notes.append(f"{said.by} replaced key {old} by {new} at {at} ({said.reason}).")
        self.marks.add(line)


def _rotated(line: Line, said: Rotated, current: PublicKey) -> PublicKey:
    """Return the new key, if its rotation is signed by itself and from the key in use."""
    new = PublicKey.of(said.new)
    check_signature(line.envelope, new)
    if said.old != current.text:
        raise BadEnvelope("it rotates from a key that was not in use")
    return new


def _trusted_keys(folder: Path, trusted: PublicKey) -> tuple[PublicKey, ...]:
    """Return the trusted key and, unless it signed the first line, all keys linked to it by doubly signed rotations."""
    if _signed_first(folder, trusted):
        return (trusted,)
    keys = {trusted.text: trusted}
    rotations = list(_rotations(folder))
    # A later rotation may lead to an earlier one, so repeat until nothing is added.
    for _ in rotations:
        for old, new in rotations:
            if old.text in keys or new.text in keys:
                keys |= {old.text: old, new.text: new}
    return tuple(keys.values())


def _whole_lines(folder: Path) -> Iterator[bytes]:
    """Yield the lines without a half line left by a crash: it cannot be checked, so nothing of it is believed."""
    return (text for _, text in lines_in(folder) if text.endswith(b"\n"))


def _signed_first(folder: Path, key: PublicKey) -> bool:
    for text in _whole_lines(folder):
        try:
            check_signature(parsed(text).envelope, key)
        except (BadLine, BadEnvelope):
            return False
        return True
    return True


def _rotations(folder: Path) -> Iterator[tuple[PublicKey, PublicKey]]:
    for text in _whole_lines(folder):
        try:
            line = parsed(text)
            said = line.checkpoint.said
            if isinstance(said, Rotated):
                old, new = PublicKey.of(said.old), PublicKey.of(said.new)
                check_signature(line.envelope, old)
                check_signature(line.envelope, new)
                yield old, new
        except (BadLine, BadEnvelope, KeyTrouble):
            continue  # reported by `take`
