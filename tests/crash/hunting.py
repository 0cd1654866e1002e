"""Record a driven process, rebuild the disks it may leave, and report their errors."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.crash.checking import Checker, fill, quick_folder, wrong_on
from tests.crash.disks import possible
from tests.crash.nursery import Nursery
from tests.crash.planting import DIES

SEED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunt:
    """The errors found, the number of disks, and the exit of the process."""

    found: tuple[str, ...]
    states: int
    code: int
    output: str


def hunt(
    nursery: Nursery,
    play: str,
    checker: Checker,
    *,
    wanted: int,
    bugs: Sequence[str] = (),
    inject: Sequence[str] = (),
    before: Mapping[str, bytes] | None = None,
    share: tuple[int, int] = (0, 1),
    enough: int = 1_000_000,
    dies: bool = False,
) -> Hunt:
    """Check this many disks, or until enough errors are found.

    With `dies` the process is killed as soon as its disk fails, and a second one without faults continues.
    """
    found: list[str] = []
    count = 0
    with quick_folder() as folder:
        fill(folder / "data", before or {})
        run = nursery.run(folder / "data", play, bugs=(*bugs, *([DIES] if dies else [])), inject=inject)
        steps = run.steps
        if dies:
            assert run.code == -signal.SIGKILL, run.output
            run = nursery.run(folder / "data", play, bugs=bugs)
            steps += run.steps
        for state in possible(steps, folder / "data", wanted=wanted, seed=SEED, before=before, share=share):
            count += 1
            if wrong := wrong_on(state, checker):
                found.append(f"seed {SEED}, step {state.point}, {state.variant}: {wrong}")
            if len(found) >= enough:
                break
    return Hunt(found=tuple(found), states=count, code=run.code, output=run.output)
