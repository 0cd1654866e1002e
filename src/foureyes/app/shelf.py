"""Review cache: reads reviews from the log, folds them, and keeps the most recent ones in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from foureyes.app.chain import ROOT, link_of
from foureyes.app.ports import Conflict, Damaged, Reading
from foureyes.app.rows import Known, Stored
from foureyes.codec import CodecError, read
from foureyes.core.events import Event, ReviewCleared, ReviewEvent
from foureyes.core.evolve import evolve, fold
from foureyes.core.model import Review
from foureyes.core.values import WorkPart

HELD_MAX = 1_000
#: Work up to this size is read and written quickly.
SMALL_BYTES_MAX = 8 * 1024
SMALL_PARTS_MAX = 64
T = TypeVar("T")
#: A decoded event with when it was written.
Dated = tuple[Event, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A review as far as it was read: its state, the end of its stream, and what the state does not keep."""

    review: Review
    version: int
    chain: bytes
    opened: str
    #: The clearance in the log and its version; the state knows only which bytes it was for.
    cleared: tuple[int, ReviewCleared] | None = None
    #: Cached judgements by digests of the rules: they depend on the review's state alone.
    judged: dict[tuple[str, str], str] = field(default_factory=dict, init=False, compare=False, repr=False)
    #: Whether a service claimed a model family in it, by the change word of the accounts.
    claimed: dict[str, bool] = field(default_factory=dict, init=False, compare=False, repr=False)
    #: The index rows of this state, by index, if they depend on nothing else.
    index_rows: dict[str, dict[str, str]] = field(default_factory=dict, init=False, compare=False, repr=False)
    #: Cached results of functions of this state.
    _kept: dict[Callable[[Review], Any], Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def kept(self, make: Callable[[Review], T]) -> T:
        """Return the result of a function of the state alone, computed once."""
        if make not in self._kept:
            self._kept[make] = make(self.review)
        found: T = self._kept[make]
        return found

    def after(self, events: tuple[ReviewEvent, ...], chain: bytes, review: Review | None = None) -> Held:
        """Return the review after more events; `review` is the result of folding them, if known."""
        cleared = self.cleared
        for version, event in enumerate(events, start=self.version + 1):
            cleared = (version, event) if isinstance(event, ReviewCleared) else cleared
        return Held(
            review=review or fold(events, self.review),
            version=self.version + len(events),
            chain=chain,
            opened=self.opened,
            cleared=cleared,
        )


class Shelf:
    """The latest reviews, folded. What lies here is used only where the stream still ends as it did."""

    def __init__(self, size: int = HELD_MAX) -> None:
        """Keep at most this many reviews."""
        self._size = size
        self._held: OrderedDict[str, Held] = OrderedDict()

    def put(self, stream: str, held: Held) -> None:
        """Cache a review whose events are committed."""
        self._held[stream] = held
        self._held.move_to_end(stream)
        while len(self._held) > self._size:
            self._held.popitem(last=False)

    def has(self, stream: str) -> bool:
        """True if the review is cached, perhaps in an earlier state."""
        return stream in self._held

    def versions(self, stream: str) -> tuple[tuple[WorkPart, ...], ...]:
        """Return the parts of each version of a cached review, perhaps in an earlier state."""
        held = self._held.get(stream)
        return tuple(one.parts for one in held.review.revisions) if held else ()

    def has_few_bytes(self, stream: str) -> bool:
        """True if the review is cached and its current version is small, including the files before it."""
        held = self._held.get(stream)
        return held is not None and has_few_bytes(held.review)

    def get(self, reading: Reading, stream: str, known: Known) -> Held | None:
        """Return the review as its stream ends now; None if there is none."""
        if not known.version:
            return None
        held = self._held.get(stream)
        if held and (held.version, held.chain) == (known.version, known.chain):
            return held
        if held and held.version >= known.version:
            held = None
        return read_review(reading, stream, known, held)


def has_few_bytes(review: Review) -> bool:
    """True if the current version is small and has few files, with those before it."""
    parts = (*review.current.parts, *review.current.before)
    return len(parts) <= SMALL_PARTS_MAX and sum(one.size for one in parts) <= SMALL_BYTES_MAX


def read_review(reading: Reading, stream: str, known: Known, held: Held | None = None) -> Held:
    """Fold the events after the cached state; every link is checked on the way."""
    past = tuple(reading.events(stream, held.version if held else 0))
    end = check_links(past, known, (held.version, held.chain) if held else (0, ROOT))
    events = cast("tuple[ReviewEvent, ...]", tuple(event for event, _ in dated(past)))
    if held is None:
        opened = evolve(None, events[0])
        held = Held(review=opened, version=1, chain=past[0].chain, opened=past[0].at)
        events = events[1:]
    return held.after(events, end)


def read_until(reading: Reading, stream: str, version: int) -> Held:
    """Return the review as it was after this many events."""
    past = tuple(one for one in reading.events(stream) if one.version <= version)
    end = check_links(past, Known(version=version, chain=past[-1].chain if past else b""), (0, ROOT))
    first, *rest = cast("tuple[ReviewEvent, ...]", tuple(event for event, _ in dated(past)))
    held = Held(review=evolve(None, first), version=1, chain=past[0].chain, opened=past[0].at)
    return held.after(tuple(rest), end)


def read_events(reading: Reading, stream: str, known: Known) -> tuple[Dated, ...]:
    """Return every event of a stream that is no review, with its time; every link is checked on the way."""
    past = tuple(reading.events(stream))
    check_links(past, known, (0, ROOT))
    return dated(past)


def check_links(past: tuple[Stored, ...], known: Known, begin: tuple[int, bytes]) -> bytes:
    """Refuse a stream whose events are not linked as they were written; returns its last link."""
    version, chain = begin
    for one in past:
        if one.version != version + 1 or link_of(chain, one) != one.chain:
            raise Damaged(f"{one.stream} was altered at event {version + 1}.")
        version, chain = one.version, one.chain
    if version > known.version:
        raise Conflict
    if (version, chain) != (known.version, known.chain):
        name = past[-1].stream if past else "A stream"
        raise Damaged(f"{name} ends at event {version}, and not as it is listed (event {known.version}).")
    return chain


def dated(past: tuple[Stored, ...]) -> tuple[Dated, ...]:
    """Decode stored events."""
    found: list[Dated] = []
    for one in past:
        try:
            event = read(one.type, one.schema, one.body)
        except (CodecError, ValueError) as error:
            raise Damaged(f"Event {one.version} of {one.stream} cannot be read: {error}") from error
        found.append((event, one.at))
    return tuple(found)
