"""Play many worlds on real stores, and name what must have been seen in them.

Usage: python -m tests.sim.real.campaign SEED STEPS [memory] plays the worlds from a seed on, each on a file of its own,
and prints the histogram and how the first failing one is played again.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.sim.campaign import Campaign, tempers_of
from tests.sim.counts import Counts
from tests.sim.real.faults import Fault
from tests.sim.real.run import JUMP_HOURS, RealRun, played
from tests.sim.real.works import CLAIMED

#: The steps of a world, after which the next seed's begins.
WORLD_STEPS = 1_000
#: What a thousand steps must show, each several times.
OFTEN = {
    "faults": (Fault.AWAY, Fault.FASTER, Fault.UNDONE, Fault.LOST),
    "engine": (
        "a run begins",
        "a hosted reviewer reports",
        "a hosted reviewer has no answer",
        "a hosted reviewer gives a sign of life",
        "a deadline passes",
        "a process is begun again",
        "a second server is asked",
        "a reviewer answers",
        "a reviewer takes its time",
        "a reviewer fails",
        "a lie about the base: same",
        "a reviewer crashes",
        "a reviewer hangs",
        "a reviewer lies",
    ),
    "commands": ("OpenReview", "SubmitRevision", "SubmitReport", "TakeSeat", "RenewSeat", "PassDeadline"),
    "replies": ("accepted", "repeated: accepted"),
}
#: What twenty thousand steps must show as well.
EVERYTHING = {
    "faults": (*Fault, *(f"the clock jumps {hours:+} hours" for hours in JUMP_HOURS)),
    "engine": (
        *OFTEN["engine"],
        "a hosted reviewer verifies",
        "a hosted reviewer loses its seat",
        "a hosted reviewer makes room",
        "a late answer is kept as advice",
        *(f"a lie about the base: {sort}" for sort in CLAIMED),
    ),
    "commands": (
        *OFTEN["commands"],
        *("LeaveSeat", "ReportInconclusive", "SettleFinding", "AnswerFinding", "VerifyFinding", "KeepReport"),
        *("GiveRuling", "RequestRuling", "OverrideStage", "WaiveFinding", "ReopenReview", "WithdrawReview"),
        *("AddNote", "ReportEscape", "RecordLive", "ActivatePolicy", "EnableSkip", "RecordLesson", "RetireLesson"),
        *("ReceiveSignal", "PauseSession"),
    ),
    "replies": OFTEN["replies"],
}


def play(seed: int, steps: int, where: Path | str | None) -> RealRun:
    """The world of a seed, on a file in this folder, on this empty database, or in memory."""
    return played(seed, steps, tempers_of(seed), where)


def campaign(first_seed: int, steps: int, folder: Path | None) -> Campaign:
    """Play worlds, one seed after the other, until so many steps were answered; stop at the first that fails."""
    found, seed = Campaign(), first_seed
    while found.counts.steps < steps and not found.failures:
        most = min(WORLD_STEPS, steps - found.counts.steps)
        run = play(seed, most, folder)
        found.counts.merge(run.world.counts)
        if run.world.violations:
            again = f"python -m tests.sim.real.campaign {seed} {most}"
            found.failures.append(f"seed {seed}: {run.world.violations[0]}\nplay it again with: {again}")
        seed += 1
    return found


def unseen(counts: Counts, expected: Mapping[str, Iterable[str]], at_least: int = 1) -> dict[str, int]:
    """The expected things that were seen too seldom, with their counts."""
    missing = [counts.missing(sort, names, at_least) for sort, names in expected.items()]
    return {name: seen for one in missing for name, seen in one.items()}


def main() -> None:
    """Play from the command line."""
    seed, steps, *where = sys.argv[1:]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = campaign(int(seed), int(steps), None if where else Path(folder))
    spent = time.process_time() - began
    print(found.counts.table())
    print(f"never seen: {unseen(found.counts, EVERYTHING)}")
    print("\n".join(found.failures) or "no violation")
    print(f"{found.counts.steps / spent:.0f} steps a second of processor time")


if __name__ == "__main__":
    main()
