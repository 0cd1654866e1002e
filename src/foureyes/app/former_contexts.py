"""The context hashes that earlier releases stored with dismissals, computed so that those dismissals still hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from foureyes.app.reviewers import File
from foureyes.app.work import blob_digest
from foureyes.core.values import Place

_AROUND, _LETTERS_MIN = 2, 12
_SHORT, _LONG = 16, 32


def former_hashes(file: File, place: Place, here: str) -> tuple[str, ...]:
    """Return the hash with repository and path in it, and the one of lines delimited by empty lines (`t1`, `f1`)."""
    stands = _around(file.lines, place) if place.start else []
    text = "\n".join(stands).encode("utf-8", "surrogatepass") or file.content or b""
    oldest = hashlib.sha256(f"{here}\0{place.path}\0".encode("utf-8", "surrogatepass") + text).hexdigest()[:_LONG]
    return oldest, _first_kind(file, place)


def block_hash(file: File, place: Place) -> str:
    """Return the hash of the lines of a place with those next to it, up to the nearest empty line."""
    return _hash(_around(file.lines, place), _LONG)


def _first_kind(file: File, place: Place) -> str:
    own = _own(file.lines, place)
    if not any(one.strip() for one in own):
        return f"f1:{blob_digest(file.content or b'')}"
    first = place.start - 1
    anchor = _hash([*_before(file.lines, first), f" {file.lines[first].strip()}"], _SHORT)
    around = _around(file.lines, place)
    is_weak = sum(char.isalnum() for line in around for char in line) < _LETTERS_MIN
    return f"t1:{anchor}:{len(own)}:{'w' if is_weak else 's'}:{_hash(around, _LONG)}"


def _own(lines: Sequence[str], place: Place) -> Sequence[str]:
    return lines[place.start - 1 : max(place.start, place.end)] if place.start else ()


def _around(lines: Sequence[str], place: Place) -> list[str]:
    last = max(place.start, place.end)
    own = [f" {line.strip()}" for line in _own(lines, place)]
    behind = [f"+{line}" for line in _close(lines[last : last + _AROUND])]
    return [*_before(lines, place.start - 1), *own, *behind]


def _before(lines: Sequence[str], first: int) -> list[str]:
    found = list(_close(reversed(lines[max(first - _AROUND, 0) : first])))
    return [f"-{line}" for line in reversed(found)]


def _close(lines: Iterable[str]) -> Iterator[str]:
    yield from takewhile(bool, (line.strip() for line in lines))


def _hash(marked: Sequence[str], length: int) -> str:
    return hashlib.sha256("\n".join(marked).encode("utf-8", "surrogatepass")).hexdigest()[:length]
