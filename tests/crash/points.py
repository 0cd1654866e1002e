"""At which system calls can a play be struck? Found by watching it once; each thread's calls are counted apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tests.crash.checking import fill, quick_folder
from tests.crash.nursery import Nursery

#: Opening is where a new file comes from; the rest changes files or makes them safe.
STRUCK = ("pwrite64", "fdatasync", "fsync", "openat", "ftruncate", "unlink", "rename", "link", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The n-th call of a name in some thread of a play."""

    play: str
    call: str
    turn: int


def points_of(nursery: Nursery, play: str, before: Mapping[str, bytes]) -> list[Point]:
    """Every point of a play, in no order of time; the turns of one call one after the other."""
    with quick_folder() as folder:
        fill(folder / "data", before)
        run = nursery.run(folder / "data", play, data=False)
        assert run.code == 0, run.output
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for line in run.log.read_text(encoding="ascii", errors="replace").splitlines():
            thread, _, rest = line.partition(" ")
            counts[rest.lstrip().partition("(")[0]][thread] += 1
    # How many commands share a commit is chance, and with it the number of calls: the later half may not come.
    share = 2 if play == "together" else 1
    most = {call: max(1, max(counts[call].values()) // share) for call in STRUCK if counts[call]}
    return [Point(play=play, call=call, turn=turn) for call, last in most.items() for turn in range(1, last + 1)]


def spread(points: list[Point], count: int) -> list[Point]:
    """So many of them, from all over."""
    return points if count >= len(points) else [points[number * len(points) // count] for number in range(count)]


def nearer(point: Point) -> Iterator[Point]:
    """The point, and earlier ones: which thread makes a call may be chance, and a turn that came once may not come."""
    yield point
    turn = point.turn
    while turn:
        yield replace(point, turn=turn)
        turn //= 2
