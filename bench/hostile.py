"""Server latency while programs look at hostile files, and the cost of the child process for a small review.

    python -m bench.hostile [--every N] [--beside SOURCE] [--rounds N]

Every adversarial file of the tests, up to the largest that a server accepts, is submitted for review over HTTP, each
to all programs; `/health` is polled all the while. `--every` takes each N-th file only. `--beside` names the `src` of
another version: then the processor time of `foureyes review` on 20 lines, children included, is measured in turns
with that version.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http import HTTPStatus
from pathlib import Path
from typing import Self

from bench.lines import Figure, keep
from bench.review import CLEAN, repository
from foureyes.reviewers.at_hand import CRITICS
from tests.critics.hostile import hostile_files
from tests.use.served import Caller, Served, served

COMMAND = "python -m bench.hostile"
HEALTH_P99_SECONDS = 0.5
REVIEW_MORE_SECONDS = 0.15
PAUSE_SECONDS = 0.02
#: Concurrent works: more than there are child processes, so that the queue is exercised too.
UNDER_WAY_MAX = 6
#: A file counts as lost after this; the limits of the programs are far below.
FILE_SECONDS_MAX = 300.0


class Health:
    """Polls the health of a server and keeps the time of each answer."""

    def __init__(self, caller: Caller) -> None:
        """Poll as this caller."""
        self.took: list[float] = []
        self.failed = 0
        self._caller, self._stop = caller, threading.Event()
        self._asker = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> Self:
        self._asker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._asker.join()

    def _ask(self) -> None:
        while not self._stop.wait(PAUSE_SECONDS):
            began = time.perf_counter()
            try:
                fine = self._caller.raw("GET", "/health").status == HTTPStatus.OK
            except OSError:
                fine = False
            self.took.append(time.perf_counter() - began)
            self.failed += not fine


def answered(house: Served, review: str) -> set[str]:
    """The programs that have reported, or given a reason why not."""
    rows = house.human.call("audit", review=review)["rows"]
    return {one["who"] for one in rows if one["type"] in ("ReportSubmitted", "ReportFailed")} & set(CRITICS)


def besieged(every: int) -> None:
    """Submit every hostile file and poll the health meanwhile."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder, served(Path(folder), "solo") as house:
        dev = house.account("dev", "agent")
        pairs = lost = 0
        waiting: dict[str, float] = {}
        files = list(hostile_files(every=every))
        with Health(dev) as health:
            for number, file in enumerate(files):
                sent = [{"path": file.path, "text": file.content.decode(errors="ignore")}]
                opened = dev.call("open_review", kind="code", title=f"File {number}", files=sent)
                if opened.is_ok:
                    waiting[str(opened["review"])] = time.monotonic()
                while len(waiting) >= UNDER_WAY_MAX or (waiting and number == len(files) - 1):
                    time.sleep(0.1)
                    for review, began in list(waiting.items()):
                        done = answered(house, review)
                        late = time.monotonic() - began > FILE_SECONDS_MAX
                        if len(done) == len(CRITICS) or late:
                            pairs, lost = pairs + len(done), lost + len(CRITICS) - len(done)
                            dev.call("withdraw", review=review, reason="The measurement is done.")
                            del waiting[review]
    p99 = statistics.quantiles(health.took, n=100)[98]
    keep(
        Figure(
            figure="hostile.health",
            what="an answer to /health beside adversarial files, the 99th of 100",
            measured=round(p99, 4),
            unit="s",
            command=COMMAND,
            correct=not health.failed and not lost,
            demand=HEALTH_P99_SECONDS,
            more={"pairs": pairs, "lost": lost, "answers": len(health.took), "slowest_s": round(max(health.took), 3)},
        )
    )


def review_seconds(source: str, folder: Path) -> float:
    """Processor seconds of one small review with this source, children included."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-home-") as home:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FOUREYES_")}
        environment |= {"FOUREYES_HOME": f"{home}/data", "PYTHONPATH": source}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = (str(Path(sys.executable).with_name("foureyes")), "review", "--no-agents", "--json")
        subprocess.run(words, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compared(beside: str, rounds: int) -> None:
    """Extra cost of a review of 20 lines compared with the other version: both in turns, median of the differences."""
    mine = str(Path(__file__).resolve().parent.parent / "src")
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as place:
        folder = repository(Path(place) / "small", {"adding.py": CLEAN})
        pairs = [(review_seconds(beside, folder), review_seconds(mine, folder)) for _ in range(rounds + 1)][1:]
    keep(
        Figure(
            figure="hostile.review.more",
            what="processor time that a review of 20 lines takes more than without child processes",
            measured=round(statistics.median(new - old for old, new in pairs), 3),
            unit="s",
            command=f"{COMMAND} --beside SOURCE",
            correct=True,
            demand=REVIEW_MORE_SECONDS,
            more={"before_s": round(statistics.median(old for old, _ in pairs), 3)},
        )
    )


def main() -> None:
    """Measure what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--beside", default="")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    if given.beside:
        compared(given.beside, given.rounds)
    else:
        besieged(given.every)


if __name__ == "__main__":
    main()
