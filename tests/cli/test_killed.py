"""A server is killed while its reviewers run; the next one continues, and every seat has one report."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.agents.fakes import ANSWER, KEYS, Place
from tests.app.house import played
from tests.cli.running import Running
from tests.cli.test_up import HELLO, WORLD, enrolled, signed_in

#: Starts a child, records each start, then waits until it is released.
WAITS = """
subprocess.Popen(["sh", "-c", "until [ -e " + str(FOLDER / "go") + " ]; do sleep 0.1; done"])
with (FOLDER / "starts").open("a") as notes:
    notes.write(str(os.getpid()) + "\\n")
while not (FOLDER / "go").exists():
    time.sleep(0.02)
says({answer!r})
"""
SEEN = [{"path": "hello.py", "line": 3, "what": "the call of print", "why": "it says what the title promises"}]
FINE = {
    **ANSWER,
    "findings": [],
    "examined": SEEN,
    "summary": "Nothing is wrong.",
    "verdict": "approve",
    "confidence": 95,
}
CRITICS = 5
AGAIN = [{"path": "again.py", "text": "print('again')\n"}]


@contextmanager
def serving(folder: Path, place: Place) -> Iterator[Running]:
    """A server that hosts a fake Codex."""
    server = Running(folder, arguments=("--yes-send", "codex"))
    server.environment |= KEYS | {"PATH": f"{place.path}:{server.environment['PATH']}"}
    with server:
        yield server


def starts(place: Place) -> list[int]:
    """The processes that were started."""
    notes = place.folder / "starts"
    return [int(one) for one in notes.read_text(encoding="utf-8").split()] if notes.exists() else []


def until_started(place: Place, number: int) -> None:
    """Wait until so many have started."""
    over = time.monotonic() + 60
    while len(starts(place)) < number:
        assert time.monotonic() < over, f"the agent was started {len(starts(place))} times"
        time.sleep(0.02)


async def ended(server: Running, token: str, review: str) -> dict[str, object]:
    """The review when it is cleared."""
    waited = server.run("wait", review, "--seconds", "90", "--json", timeout=120)
    assert waited.returncode == 0, waited.stdout + server.logged()
    seen = await server.ask(token, "GET", f"/reviews/{review}")
    found = seen["review"]
    assert isinstance(found, dict)
    return found


@pytest.mark.door("http", policy="server")
@pytest.mark.timeout(300)
def test_a_server_killed_inside_a_look_and_before_one_is_gone_on_by_the_next(tmp_path: Path) -> None:
    """001-77: requests from before the kill are processed, the running one is resumed; one report on each seat.

    An agent whose work is withdrawn is ended with its whole group, also what it started itself.
    """
    place = Place(folder=tmp_path / "agents")
    place.folder.mkdir()
    place.install("codex", WAITS.format(answer=FINE))
    home = tmp_path / "home"

    @played
    async def story() -> None:
        with serving(home, place) as server:
            human = await signed_in(server)
            dev = await enrolled(server, human, "dev", "--family", "claude")
            first = (await server.ask(dev, "POST", "/reviews", kind="script", title="Hello", files=HELLO))["review"]
            until_started(place, 1)
            second = (await server.ask(dev, "POST", "/reviews", kind="script", title="World", files=WORLD))["review"]
            server.process.send_signal(signal.SIGKILL)
            assert server.process.wait(10) == -signal.SIGKILL
        before = starts(place)
        with serving(home, place) as server:
            until_started(place, len(before) + 2)
            third = (await server.ask(dev, "POST", "/reviews", kind="script", title="Hi", files=AGAIN))["review"]
            until_started(place, len(before) + 3)
            group = os.getpgid(starts(place)[-1])
            await server.ask(dev, "POST", f"/reviews/{third}/withdrawal", reason="a mistake")
            until_gone(group)
            (place.folder / "go").touch()
            for review in (first, second):
                found = await ended(server, dev, review)
                reports = found["reports"]
                assert isinstance(reports, list)
                seats = [one["seat"] for one in reports]
                assert len(seats) == len(set(seats)) == CRITICS + 1
            assert server.run("log", "verify").returncode == 0
            assert server.end() == 0

    try:
        story()
    finally:
        (place.folder / "go").touch()


def until_gone(group: int) -> None:
    """Wait until no process of this group is left."""
    over = time.monotonic() + 30
    with suppress(ProcessLookupError):
        while True:
            os.killpg(group, 0)
            assert time.monotonic() < over, "it goes on"
            time.sleep(0.02)
