"""Speed of the core on a review of 60 events: fold, decide, evolve.

Usage: python -m bench.core [--repeat N]. Prints one JSON line with commit, load, figures and a correctness check.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import time
from datetime import UTC, datetime

from foureyes.core import commands
from foureyes.core.decide import decide
from foureyes.core.evolve import fold
from foureyes.core.values import Outcome
from tests.cast import ANN, BOB, CHECKED, DEV, Play, finding

EVENTS = 60


def long_review() -> Play:
    """A resolve review with many findings, answered and settled, up to the last command, which clears it."""
    play = Play()
    play.open()
    play.report(ANN, findings=tuple(finding(f"issue number {word}") for word in _words(17)))
    play.report(BOB, evidence=CHECKED)
    names = list(play.review.findings)
    for name in names:
        play.do(DEV, commands.AnswerFinding(finding=name, text="done"))
    for name in names[:-1]:
        play.do(ANN, commands.SettleFinding(finding=name, revision=1, resolved=True))
    return play


def _words(count: int) -> list[str]:
    """Texts so different that no two findings are merged."""
    return [chr(ord("a") + index) * 6 for index in range(count)]


def measure(repeat: int) -> dict[str, object]:
    """Time the last command of the review, from the log to the new state, and each part of it."""
    play = long_review()
    last = commands.SettleFinding(finding=list(play.review.findings)[-1], revision=1, resolved=True)
    whole: list[int] = []
    folding: list[int] = []
    after = fold(play.log)
    for _ in range(repeat):
        start = time.perf_counter_ns()
        review = fold(play.log)
        middle = time.perf_counter_ns()
        new = decide(play.rules, review, last, actor=ANN, facts=play.facts, now=play.now)
        after = fold(new, review)
        end = time.perf_counter_ns()
        whole.append(end - start)
        folding.append(middle - start)
    return {
        "bench": "core.command",
        "events": len(play.log),
        "repeat": repeat,
        "median_ms": round(statistics.median(whole) / 1e6, 3),
        "p95_ms": round(sorted(whole)[int(repeat * 0.95)] / 1e6, 3),
        "fold_median_ms": round(statistics.median(folding) / 1e6, 3),
        "correct": after.outcome is Outcome.CLEARED and len(play.log) >= EVENTS,
    }


def context() -> dict[str, object]:
    """The context of a figure: commit, load, time."""
    return {
        "commit": _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "--porcelain", "src") else ""),
        "load1": round(os.getloadavg()[0], 2),
        "cores": os.cpu_count(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _git(*words: str) -> str:
    """Return the output of git; a plus after a commit means uncommitted changes."""
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603, S607 - the git of the machine


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=500)
    print(json.dumps({**measure(parser.parse_args().repeat), **context()}))


if __name__ == "__main__":
    main()
