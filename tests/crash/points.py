"""The system calls at which a play can be struck, found by tracing it once; calls are counted per thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tests.crash.checking import fill, quick_folder
from tests.crash.nursery import Nursery

#: openat creates files; the others change files or make them durable.
STRUCK = ("pwrite64", "fdatasync", "fsync", "openat", "ftruncate", "unlink", "rename", "link", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The n-th call of a name in some thread of a play."""

    play: str
    call: str
    turn: int


def points_of(nursery: Nursery, play: str, before: Mapping[str, bytes]) -> list[Point]:
    """Every point of a play, grouped by call and not by time."""
    with quick_folder() as folder:
        fill(folder / "data", before)
        run = nursery.run(folder / "data", play, data=False)
        assert run.code == 0, run.output
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for line in run.log.read_text(encoding="ascii", errors="replace").splitlines():
            thread, _, rest = line.partition(" ")
            counts[rest.lstrip().partition("(")[0]][thread] += 1
    # How many commands share a commit varies, and with it the number of calls: the later half may not occur.
    share = 2 if play == "together" else 1
    most = {call: max(1, max(counts[call].values()) // share) for call in STRUCK if counts[call]}
    return [Point(play=play, call=call, turn=turn) for call, last in most.items() for turn in range(1, last + 1)]


def spread(points: list[Point], count: int) -> list[Point]:
    """Pick so many points, evenly spread."""
    return points if count >= len(points) else [points[number * len(points) // count] for number in range(count)]


def nearer(point: Point) -> Iterator[Point]:
    """The point, then earlier ones: which thread makes a call varies, so a turn seen once may not occur again."""
    yield point
    turn = point.turn
    while turn:
        yield replace(point, turn=turn)
        turn //= 2
