"""Cost of secret redaction for the reader of a work, compared turn by turn with the same call without it.

Usage: python -m bench.redaction. An office on SQLite in this process; the answer is written as JSON, as a door does.
Each work is read once before, so that the figure is the cost of every later read.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from bench.lines import Figure, keep
from foureyes.app.calls.bodies import given
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered
from foureyes.app.redaction import Redaction
from foureyes.codec.shapes import spelled
from foureyes.reviewers.cutter import SecretsCutter
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House
from tests.calls.counter import Counter

COMMAND = "python -m bench.redaction"
ROUNDS, TURN = 15, 20
KEY = "AKIA" + "2E0A8F3B244C9986"
LINE = "total = amount * rate  # what the customer pays in this country\n"
SECONDS = 60.0
DEMAND = 1.3


async def measure(files: int, kilobytes: int) -> tuple[float, float, bool]:
    """Milliseconds of one read with and without redaction, and whether the answers were right."""
    with tempfile.TemporaryDirectory() as folder:
        async with SqliteStore.open(Path(folder, "store.db")) as store:
            counter = Counter(House(store=store))
            dev, codex = await counter.agent("dev", "read", "author"), await counter.agent("codex", "read", "review")
            text = LINE * (kilobytes * 1024 // len(LINE)) + f'KEY = "{KEY}"\n'
            sent = [{"path": f"src/part{n}.py", "text": f"# {n}\n{text}"} for n in range(files)]
            opened = await counter.call(dev, "open_review", kind="code", title="t", files=sent)
            plain = counter.office
            cutting = replace(plain, redaction=Redaction(cutter=SecretsCutter(seconds=SECONDS)))

            async def read(office: Office) -> str:
                form = {"review": opened.review}
                return spelled(given(await answered(office, codex, CALLS["read_work"], form)))

            correct = KEY not in await read(cutting) and KEY in await read(plain)
            cut, whole = list[float](), list[float]()
            for _ in range(ROUNDS):
                whole.append(await _turn(partial(read, plain)))
                cut.append(await _turn(partial(read, cutting)))
            return median(cut), median(whole), correct


async def _turn(act: Callable[[], Awaitable[object]]) -> float:
    began = time.process_time()
    for _ in range(TURN):
        await act()
    return 1000 * (time.process_time() - began) / TURN


def main() -> None:
    """Measure a small work and a large one, and write the lines."""
    for name, files, kilobytes in (("small", 1, 2), ("large", 20, 20)):
        cut, plain, correct = asyncio.run(measure(files, kilobytes))
        size = f"{files * kilobytes} KiB in {files} file{'s' if files > 1 else ''}"
        keep(
            Figure(
                figure=f"redaction.{name}",
                what=f"`read-work` of {size} with secrets cut out, against the same without",
                measured=round(cut / plain, 3),
                unit="×",
                command=COMMAND,
                correct=correct,
                demand=DEMAND,
                more={"ms": round(cut, 3), "without ms": round(plain, 3)},
            )
        )


if __name__ == "__main__":
    main()
