"""A process that has imported everything and forks children to be traced, which saves the start of Python each time.

It reads commands as lines of JSON on its standard input and answers each with one line.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tests.crash.marks import marking
from tests.crash.planting import plant
from tests.crash.stages import PLAYS, Play, load
from tests.crash.tracing import SECONDS_MAX, TRACED, Run, attached, untraced

GAVE_UP = 3


class Nursery:
    """Starts driven processes; each begins when its tracer holds it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env=untraced(),
        )
        self._answer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._pipe(self._process.stdin).close()
        self._process.wait(SECONDS_MAX)
        self._pipe(self._process.stdout).close()

    def run(
        self,
        folder: Path,
        play: str,
        *,
        bugs: Sequence[str] = (),
        trace: str = TRACED,
        inject: Sequence[str] = (),
        data: bool = True,
    ) -> Run:
        """Run a play in a child under strace; its marks, output and calls are written beside the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._say({"folder": str(folder), "play": play, "bugs": list(bugs)})
        child = int(self._answer())
        log = folder.parent / "calls"
        with attached(child, log, trace=trace, inject=inject, data=data):
            os.kill(child, signal.SIGCONT)
            self._say({"wait": child})
            code = int(self._answer())
        output = (folder.parent / "output").read_text(encoding="utf-8", errors="replace")
        return Run(code=code, output=output, log=log)

    def _say(self, order: dict[str, object]) -> None:
        pipe = self._pipe(self._process.stdin)
        pipe.write(json.dumps(order) + "\n")
        pipe.flush()

    def _answer(self) -> str:
        pipe = self._pipe(self._process.stdout)
        ready, _, _ = select.select([pipe], [], [], SECONDS_MAX)
        line = pipe.readline() if ready else ""
        if not line:
            self._process.kill()
            raise RuntimeError("the nursery does not answer")
        return line

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def serve() -> None:
    """Execute commands until the input ends."""
    load()
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        child = os.fork()
        if child == 0:
            _be_child(order, PLAYS[order["play"]])
        os.waitpid(child, os.WUNTRACED)
        print(child, flush=True)


def _be_child(order: dict[str, Any], play: Play) -> None:
    folder = Path(str(order["folder"]))
    output = os.open(folder.parent / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    code = 1
    try:
        plant(*order["bugs"])
        mark = marking(folder)
        os.kill(os.getpid(), signal.SIGSTOP)
        code = 0 if asyncio.run(play(folder, mark)) else GAVE_UP
    except BaseException:  # noqa: BLE001 - whatever it is, it is written down and the child ends here
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
