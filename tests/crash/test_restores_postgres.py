"""A restore into PostgreSQL killed in any call leaves a database that starts, or a message that says how to go on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import pytest

from tests.conftest import EFFORT
from tests.crash.checking import fill, quick_folder
from tests.crash.marks import marked
from tests.crash.nursery import Nursery
from tests.crash.points import STRUCK, Point, nearer, spread
from tests.crash.restore_play import URL
from tests.crash.restores import before_moving_in, wrong_restore
from tests.postgres.server import Server

pytestmark = pytest.mark.timeout(1800)

PLAY = "restore"
KILLED = -9
MISSED = "was not killed there but ended"
#: Calls that change files of the data folder or send statements and commits to the database.
CALLS = (*(one for one in STRUCK if one != "openat"), "sendto")
KILLS = {"test": 10, "all": 50}.get(EFFORT, 10)


def test_a_killed_restore_into_postgresql_starts_or_says_how_to_go_on(
    nursery: Nursery, durable_postgres: Server
) -> None:
    """U-18: each child died by SIGKILL in that very call; then a server starts or says it, and going on works."""
    points = _points(nursery, durable_postgres)
    sent = [one for one in points if one.call == "sendto"]
    written = [one for one in points if one.call != "sendto"]
    of_files = spread(written, KILLS // 2)
    chosen = [*of_files, *spread(sent, KILLS - len(of_files))]
    assert len(chosen) == KILLS
    found = {point: wrong for point in chosen if (wrong := _killed(nursery, durable_postgres, point))}
    assert found == {}


def _before(url: str) -> Mapping[str, bytes]:
    """A data folder with nothing but a backup, and the address of an empty database."""
    return {**before_moving_in(), URL: url.encode()}


def _points(nursery: Nursery, durable_postgres: Server) -> list[Point]:
    """Every call of a restore that is not killed; each thread's are counted apart."""
    with quick_folder() as folder, durable_postgres.fresh() as url:
        fill(folder / "data", _before(url))
        run = nursery.run(folder / "data", PLAY, trace=",".join(CALLS), data=False)
        assert run.code == 0, run.output
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for line in run.log.read_text(encoding="ascii", errors="replace").splitlines():
            thread, _, rest = line.partition(" ")
            counts[rest.lstrip().partition("(")[0]][thread] += 1
    most = {call: max(counts[call].values()) for call in CALLS if counts[call]}
    assert "sendto" in most, "nothing was sent to the database"
    return [Point(play=PLAY, call=call, turn=turn) for call, last in most.items() for turn in range(1, last + 1)]


def _killed(nursery: Nursery, durable_postgres: Server, point: Point) -> str:
    """Kill a child at a point, or a little earlier, and say what is wrong afterwards; one must have died there."""
    outcomes = (_killed_at(nursery, durable_postgres, one) for one in nearer(point))
    return next((one for one in outcomes if not one.startswith(MISSED)), MISSED)


def _killed_at(nursery: Nursery, durable_postgres: Server, point: Point) -> str:
    with quick_folder() as folder, durable_postgres.fresh() as url:
        data = folder / "data"
        fill(data, _before(url))
        inject = f"{point.call}:signal=SIGKILL:when={point.turn}"
        run = nursery.run(data, point.play, trace=",".join(CALLS), inject=(inject,), data=False)
        if run.code != KILLED or not run.killed_at(point.call, point.turn):
            return f"{MISSED} with {run.code}: {run.output}"
        return wrong_restore(data, marked(data))
