"""An agent ends when it is told to, with every process it started."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Failure
from foureyes.reviewers.agents import process
from foureyes.reviewers.agents.process import MARK, Ended, Run, run
from tests.shape import ROOT

#: Starts a child that ignores SIGTERM, prints its process id, and runs for an hour.
STUBBORN = """
import os, signal, subprocess, sys, time
code = "import signal, sys, time; signal.signal(15, signal.SIG_IGN); signal.signal(1, signal.SIG_IGN); time.sleep(3600)"
child = subprocess.Popen([sys.executable, "-IS", "-c", code], start_new_session={apart})
open({note!r}, "w").write(str(child.pid))
"""


def order(folder: Path, code: str, *, seconds: float = 20, output_bytes: int = 1 << 20) -> Run:
    return Run(
        called="The agent",
        argv=(sys.executable, "-IS", "-c", code),
        environ={"PATH": "/usr/bin:/bin"},
        folder=folder,
        seconds=seconds,
        output_bytes=output_bytes,
        mark=f"{folder}",
    )


def ended(what: Run) -> Ended:
    return asyncio.run(run(what))


def is_gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has, and one just killed is about to."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def waited_for(note: Path) -> int:
    """The number a child wrote down."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if note.exists() and (text := note.read_text(encoding="utf-8")):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("the child never started")


@pytest.mark.parametrize("apart", [False, True])
def test_an_agent_that_hangs_is_killed_with_grandchildren_that_ignore_it(tmp_path: Path, apart: bool) -> None:
    """D-03."""
    note = tmp_path / "child"
    code = STUBBORN.format(apart=apart, note=str(note)) + "time.sleep(3600)"
    for seconds in (1, 4, 16):  # a busy machine may need longer to start the child at all
        with pytest.raises(Inconclusive, match=f"within {seconds} seconds") as none:
            ended(order(tmp_path, code, seconds=seconds))
        assert none.value.reason is Failure.TIMED_OUT
        if note.exists():
            break
    assert is_gone(waited_for(note))


def test_the_group_is_killed_also_where_the_system_shows_no_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_PROCESSES", tmp_path / "none")
    note = tmp_path / "child"
    found = ended(order(tmp_path, STUBBORN.format(apart=False, note=str(note)) + "print('done')"))
    assert found.out == b"done\n"
    assert is_gone(waited_for(note))


@pytest.mark.parametrize("apart", [False, True])
def test_what_goes_on_after_the_agent_ended_is_killed_and_not_waited_for(tmp_path: Path, apart: bool) -> None:
    note = tmp_path / "child"
    began = time.monotonic()
    found = ended(order(tmp_path, STUBBORN.format(apart=apart, note=str(note)) + "print('done')"))
    assert found.out == b"done\n"
    assert time.monotonic() - began < 10
    assert is_gone(waited_for(note))


def test_being_cancelled_ends_everything(tmp_path: Path) -> None:
    note = tmp_path / "child"
    code = STUBBORN.format(apart=False, note=str(note)) + "time.sleep(3600)"

    async def cancelled() -> None:
        running = asyncio.create_task(run(order(tmp_path, code)))
        await asyncio.to_thread(waited_for, note)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert is_gone(waited_for(note))


@pytest.mark.parametrize("where", ["stdout", "stderr"])
def test_an_agent_that_prints_without_end_is_stopped(tmp_path: Path, where: str) -> None:
    code = f"import sys\nfor _ in range(100): sys.{where}.write('x' * 1024 * 1024)"
    with pytest.raises(Inconclusive) as none:
        ended(order(tmp_path, code, output_bytes=100_000))
    assert none.value.reason is Failure.MALFORMED
    assert "more than 100,000 bytes" in none.value.text


def test_it_gets_the_variables_it_was_given_and_an_empty_input(tmp_path: Path) -> None:
    found = ended(order(tmp_path, "import os, sys; print(sorted(os.environ), repr(sys.stdin.read()))"))
    names = {"LC_CTYPE", "PATH", MARK}
    assert set(eval(found.out.decode().rpartition(" ")[0])) <= names  # noqa: S307 - printed by the line above
    assert found.out.rstrip().endswith(b"''")


def test_its_exit_code_and_the_end_of_its_complaints_are_told(tmp_path: Path) -> None:
    found = ended(order(tmp_path, "import sys; sys.stderr.write('a' * 100_000 + 'end'); sys.exit(3)"))
    assert found.code == 3
    assert found.err.endswith(b"end")
    assert len(found.err) < 70_000


def test_a_program_that_cannot_be_started_is_no_answer(tmp_path: Path) -> None:
    what = order(tmp_path, "")
    missing = Run(**{**{name: getattr(what, name) for name in Run.__slots__}, "argv": (str(tmp_path / "no"),)})
    with pytest.raises(Inconclusive, match="could not be started") as none:
        ended(missing)
    assert none.value.reason is Failure.CRASHED


def test_a_line_that_says_it_is_in_vain_ends_the_run(tmp_path: Path) -> None:
    def watch(line: bytes) -> None:
        if line == b"in vain":
            raise Inconclusive(Failure.OUT_OF_BUDGET, "It is in vain.")

    code = "import time; print('fine'); print('in vain', flush=True); time.sleep(3600)"
    with pytest.raises(Inconclusive, match="in vain"):
        asyncio.run(run(order(tmp_path, code), watch))


#: Runs an agent, as a worker does, and is killed while it runs.
KILLED = """
import asyncio
from pathlib import Path
from tests.agents.test_process import order, run
asyncio.run(run(order(Path({folder!r}), {code!r}, seconds=3600)))
"""


@pytest.mark.parametrize("apart", [False, True])
def test_an_agent_does_not_outlive_whoever_started_it(tmp_path: Path, apart: bool) -> None:
    """F17: kill -9 of a worker; the run that takes over must not have a second, costly agent beside it."""
    note, own = tmp_path / "child", tmp_path / "own"
    code = STUBBORN.format(apart=apart, note=str(note)) + f"open({str(own)!r}, 'w').write(str(os.getpid()))\n"
    script = KILLED.format(folder=str(tmp_path), code=code + "time.sleep(3600)")
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT) as worker:
        pids = [waited_for(note), waited_for(own)]
        worker.kill()
    assert [is_gone(one) for one in pids] == [True, True]


def test_who_is_cancelled_while_it_begins_to_listen_leaves_no_pipe_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F21: each would take a file descriptor from the process until the garbage collection."""
    started, start = list[subprocess.Popen[bytes]](), process._start

    async def cancelled(pipe: Any, _: object) -> asyncio.ReadTransport:
        pipe.close()  # as asyncio does with the one it was about to return
        raise asyncio.CancelledError

    def noted(what: Run) -> subprocess.Popen[bytes]:
        started.append(start(what))
        return started[-1]

    monkeypatch.setattr(process, "_listen", cancelled)
    monkeypatch.setattr(process, "_start", noted)
    with pytest.raises(asyncio.CancelledError):
        ended(order(tmp_path, "import time; time.sleep(3600)"))
    (one,) = started
    assert one.stdout is not None
    assert one.stderr is not None
    assert (one.stdout.closed, one.stderr.closed) == (True, True)
