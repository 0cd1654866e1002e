"""Functions in child processes are limited, survived and ended."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.children import Children, CutOff, Died, Overloaded, Raised
from foureyes.app.children import pool as pools
from tests.children import functions
from tests.shape import ROOT

SECONDS = 30.0


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children(most=2, grow_seconds=0.05)
    yield made
    made.close()


def called(
    children: Children, function: Callable[[Any], Any], argument: object = None, seconds: float = SECONDS
) -> Any:
    return asyncio.run(children.call(function, argument, seconds=seconds))


def is_running(pid: int) -> bool:
    """Whether a process runs or sleeps; a zombie does not count."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def is_gone_soon(pid: int) -> bool:
    end = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_running(pid)


def noted(place: Path) -> int:
    """The number that a child writes down."""
    end = time.monotonic() + 30
    while not (text := place.read_text(encoding="utf-8") if place.exists() else "") and time.monotonic() < end:
        time.sleep(0.01)
    return int(text)


def test_a_function_runs_in_another_process_and_its_result_comes_back(children: Children) -> None:
    assert called(children, functions.double, 21) == 42
    assert called(children, functions.pid) != os.getpid()


def test_an_idle_child_is_used_again_also_in_another_event_loop(children: Children) -> None:
    assert called(children, functions.pid) == called(children, functions.pid)
    assert len(children.pids()) == 1


@pytest.mark.parametrize("function", [functions.spin, functions.spin_in_native_code])
def test_a_function_that_computes_too_long_is_cut_off_and_its_child_replaced(
    children: Children, function: Callable[[object], None]
) -> None:
    first = called(children, functions.pid)
    with pytest.raises(CutOff) as cut_off:
        called(children, function, seconds=0.3)
    assert cut_off.value.seconds == 0.3
    assert not is_running(first)
    assert called(children, functions.pid) != first


def test_a_function_that_waits_too_long_is_cut_off(children: Children) -> None:
    with pytest.raises(CutOff, match=r"longer than 0\.1 seconds"):
        called(children, functions.sleep, 3600.0, seconds=0.1)


def test_an_exception_comes_back_as_its_name_and_text_and_the_child_goes_on(children: Children) -> None:
    first = called(children, functions.pid)
    with pytest.raises(Raised) as raised:
        called(children, functions.fail, "no such thing")
    assert (raised.value.kind, raised.value.text) == ("LookupError", "no such thing")
    with pytest.raises(Raised, match="SystemExit"):
        called(children, functions.leave, 3)
    with pytest.raises(Raised, match="pickle"):
        called(children, functions.unpicklable)
    assert called(children, functions.double, 1) == 2
    assert first


@pytest.mark.parametrize(("function", "word"), [(functions.crash, "SIGSEGV"), (functions.vanish, "ended with 7")])
def test_a_child_that_crashes_is_told_and_replaced(
    children: Children, function: Callable[[None], None], word: str
) -> None:
    with pytest.raises(Died, match=word):
        called(children, function)
    assert called(children, functions.double, 4) == 8


def test_a_child_that_asks_for_too_much_memory_fails_alone() -> None:
    children = Children(memory_bytes=400 * 1024 * 1024)
    try:
        with pytest.raises(Raised, match="MemoryError"):
            called(children, functions.fill_memory)
        assert called(children, functions.double, 5) == 10
    finally:
        children.close()


def test_an_idle_child_that_was_killed_is_replaced(children: Children) -> None:
    first = called(children, functions.pid)
    os.kill(first, signal.SIGKILL)
    assert is_gone_soon(first)
    assert called(children, functions.double, 6) == 12


def test_big_arguments_and_results_pass(children: Children) -> None:
    count = 20 * 1024 * 1024
    assert called(children, functions.length, b"x" * count) == count
    assert called(children, functions.repeated, count) == b"x" * count
    with pytest.raises(Raised, match="more than"):
        called(children, functions.repeated, 70 * 1024 * 1024)


def test_a_call_that_is_cancelled_ends_its_child(children: Children, tmp_path: Path) -> None:
    async def story() -> int:
        call = asyncio.create_task(children.call(functions.spin_noting, str(tmp_path / "pid"), seconds=SECONDS))
        pid = await asyncio.to_thread(noted, tmp_path / "pid")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return pid

    assert not is_running(asyncio.run(story()))
    assert children.pids() == ()
    assert called(children, functions.double, 7) == 14


def test_no_more_children_run_than_allowed_and_the_others_wait_their_turn(children: Children) -> None:
    async def story() -> list[float]:
        calls = [asyncio.create_task(children.call(functions.sleep, 0.1, seconds=SECONDS)) for _ in range(8)]
        while not all(one.done() for one in calls):
            assert len(children.pids()) <= 2
            await asyncio.sleep(0.01)
        return [one.result() for one in calls]

    assert asyncio.run(story()) == [0.1] * 8


def test_a_call_that_waits_gets_the_replacement_of_a_child_that_was_cut_off() -> None:
    children = Children(most=1)

    async def story() -> int:
        slow = asyncio.create_task(children.call(functions.spin, None, seconds=0.3))
        await asyncio.sleep(0)
        quick = asyncio.create_task(children.call(functions.double, 8, seconds=SECONDS))
        with pytest.raises(CutOff):
            await slow
        return await quick

    try:
        assert asyncio.run(story()) == 16
    finally:
        children.close()


def test_a_call_that_is_cancelled_while_it_waits_takes_no_child_with_it() -> None:
    children = Children(most=1)

    async def story() -> int:
        first = asyncio.create_task(children.call(functions.sleep, 0.2, seconds=SECONDS))
        await asyncio.sleep(0)
        waits = asyncio.create_task(children.call(functions.double, 1, seconds=SECONDS))
        await asyncio.sleep(0.05)
        waits.cancel()
        await first
        return await children.call(functions.double, 9, seconds=SECONDS)

    try:
        assert asyncio.run(story()) == 18
    finally:
        children.close()


def test_parties_take_turns_however_many_calls_one_of_them_has(children: Children) -> None:
    """U-17: a child that becomes free goes to the party that has the fewest, and then round."""
    began = list[str]()

    async def story() -> None:
        async def ask(party: str) -> None:
            await children.call(functions.sleep, 0.2, seconds=SECONDS, party=party)
            began.append(party)

        flood = [asyncio.create_task(ask("flood")) for _ in range(12)]
        await asyncio.sleep(0)
        others = [asyncio.create_task(ask(party)) for party in ("dev", "dev", "dev", "ann")]
        await asyncio.gather(*flood, *others)

    asyncio.run(story())
    assert began[:3].count("flood") <= 2
    assert began.index("ann") <= 6
    assert max(place for place, party in enumerate(began) if party == "dev") <= 9


def test_a_call_that_waits_too_long_for_a_child_is_given_up(children: Children) -> None:
    """U-17: the others go on, and nothing is left of it in the line."""

    async def story() -> int:
        calls = [asyncio.create_task(children.call(functions.sleep, 1.0, seconds=SECONDS)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded, match=r"no child process was free within 0\.1 seconds"):
            await children.call(functions.double, 1, seconds=SECONDS, wait_seconds=0.1)
        assert await asyncio.gather(*calls) == [1.0] * 3
        return await children.call(functions.double, 2, seconds=SECONDS, wait_seconds=0.1)

    assert asyncio.run(story()) == 4


def test_more_waiting_calls_than_allowed_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "WAITING_MAX", 1)
    children = Children(most=1)

    async def story() -> None:
        calls = [asyncio.create_task(children.call(functions.sleep, 0.1, seconds=SECONDS)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await children.call(functions.double, 1, seconds=SECONDS)
        await asyncio.gather(*calls)

    try:
        asyncio.run(story())
    finally:
        children.close()


def test_closing_ends_all_children_and_the_calls_that_run_or_wait(tmp_path: Path) -> None:
    children = Children(most=1)

    async def story() -> int:
        runs = asyncio.create_task(children.call(functions.spin_noting, str(tmp_path / "pid"), seconds=SECONDS))
        waits = asyncio.create_task(children.call(functions.double, 1, seconds=SECONDS))
        pid = await asyncio.to_thread(noted, tmp_path / "pid")
        children.close()
        for one in (runs, waits):
            with pytest.raises(Died):
                await one
        with pytest.raises(Died, match="were ended"):
            await children.call(functions.double, 1, seconds=SECONDS)
        return pid

    assert not is_running(asyncio.run(story()))


def test_programs_that_a_child_started_end_with_it(children: Children, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    with pytest.raises(CutOff):
        called(children, functions.start_program, str(place), seconds=0.3)
    assert is_gone_soon(int(place.read_text(encoding="utf-8")))


def test_temporary_files_of_a_child_that_was_cut_off_are_removed(children: Children, tmp_path: Path) -> None:
    place = tmp_path / "folder"
    with pytest.raises(CutOff):
        called(children, functions.leave_temporary_files, str(place), seconds=0.3)
    folder = Path(place.read_text(encoding="utf-8"))
    assert folder.name.startswith("tmp")
    assert not folder.exists()
    assert not folder.parent.exists()


def test_a_child_knows_no_secret_of_the_parent_and_holds_none_of_its_files(
    children: Children, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FOUREYES_MODEL_KEY", "canary")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    with (tmp_path / "store.db").open("w", encoding="utf-8"):
        assert "canary" not in called(children, functions.environment).values()
        places = [one for one in called(children, functions.open_files) if not one.startswith(("/proc/", "/dev/null"))]
    assert all(one.startswith("socket:") for one in places), places
    assert len(set(places)) == 1


def test_an_interrupt_at_the_terminal_is_left_to_the_parent(children: Children) -> None:
    assert called(children, functions.is_interrupt_ignored)
    assert os.getpgid(children.pids()[0]) != os.getpgid(0)


PARENT = """
import asyncio, sys
from foureyes.app.children import Children
from tests.children import functions

asyncio.run(Children().call(getattr(functions, sys.argv[1]), sys.argv[2], seconds=600))
"""


@pytest.mark.parametrize("function", ["spin_noting", "sleep_noting"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_child_survives_its_parent(tmp_path: Path, function: str, number: signal.Signals) -> None:
    place = tmp_path / "pid"
    words = (sys.executable, "-c", PARENT, function, str(place))
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL) as parent:
        pid = noted(place)
        assert is_running(pid)
        parent.send_signal(number)
        parent.wait(30)
    assert is_gone_soon(pid)


def test_an_idle_child_ends_when_its_parent_is_killed_and_leaves_no_folder(tmp_path: Path) -> None:
    text = """
import asyncio, os, signal
from foureyes.app.children import Children
from tests.children import functions

children = Children()
print(asyncio.run(children.call(functions.pid, None, seconds=60)), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    words, environ = (sys.executable, "-c", text), {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, check=False)
    assert is_gone_soon(int(done.stdout))
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_forgets_to_close_leaves_no_child_behind() -> None:
    text = """
import asyncio
from foureyes.app.children import Children
from tests.children import functions

print(asyncio.run(Children().call(functions.pid, None, seconds=60)))
"""
    done = subprocess.run((sys.executable, "-c", text), cwd=ROOT, capture_output=True, check=True)
    assert not is_running(int(done.stdout))


def test_a_parent_with_much_memory_keeps_its_child() -> None:
    text = """
import asyncio
from foureyes.app.children import Children
from tests.children import functions

held = b"x" * (600 * 1024 * 1024)
children = Children()
pids = {asyncio.run(children.call(functions.pid, None, seconds=60)) for _ in range(20)}
print(len(pids))
"""
    done = subprocess.run((sys.executable, "-c", text), cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.split() == [b"1"]


def test_a_child_that_grew_is_replaced_and_no_call_meets_its_end(children: Children) -> None:
    async def grown() -> list[int]:
        return [await children.call(functions.grow, 520 * 1024 * 1024, seconds=SECONDS) for _ in range(4)]

    assert len(set(asyncio.run(grown()))) == 4
