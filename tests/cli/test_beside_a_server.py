"""One server and eight command lines in one data folder: nothing acknowledged is lost or reaches others."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.ports import Reading
from foureyes.app.rows import Head
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import played
from tests.cli.desk import Desk
from tests.cli.running import FOUREYES, Running
from tests.cli.test_up import enrolled, signed_in
from tests.conftest import EFFORT

PROCESSES = 8
OPENED = {"test": 20, "all": 400}[EFFORT]
#: The most works that are opened while the command lines run.
OPENED_MAX = 600
SEEN = [{"what": "a.txt", "why": "it holds the number of the title"}]
#: Blocks: what is dismissed or fixed must be there to be found.
WORK = "import subprocess\n\n\ndef run(name):\n    subprocess.run('ls ' + name, shell=True, check=True)\n"


def reviewing(server: Running, number: int) -> subprocess.Popen[str]:
    """A person in a folder of their own who runs a review."""
    place = server.folder / f"place-{number}"
    place.mkdir()
    (place / "tool.py").write_text(f"# {number}\n{WORK}", encoding="utf-8")
    return subprocess.Popen(
        [FOUREYES, "review", "tool.py", "--no-agents", "--json"],
        cwd=place,
        env=server.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def opening(server: Running, dev: str, codex: str, number: int) -> str:
    """Open a work over HTTP, on which another account reports; return its name."""
    files = [{"path": "a.txt", "text": f"{number}\n"}]
    opened = await server.ask(
        dev, "POST", "/reviews", kind="note", title=f"Work {number}", files=files, key=f"o{number}"
    )
    again = await server.ask(
        dev, "POST", "/reviews", kind="note", title=f"Work {number}", files=files, key=f"o{number}"
    )
    assert again == opened
    report = {"revision": 1, "verdict": "approve", "evidence": SEEN}
    await server.ask(codex, "POST", f"/reviews/{opened['review']}/reports", **report)
    return str(opened["review"])


@pytest.mark.timeout({"test": 300, "all": 900}[EFFORT])
def test_a_server_and_eight_command_lines_lose_nothing(tmp_path: Path) -> None:
    """Every review that a command line or the server named is in the log, whole, and the log is sound."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server:
            human = await signed_in(server)
            dev, codex = await enrolled(server, human, "dev"), await enrolled(server, human, "codex")
            running = [reviewing(server, number) for number in range(PROCESSES)]
            named = list[str]()
            while len(named) < OPENED or (len(named) < OPENED_MAX and any(one.poll() is None for one in running)):
                named.append(await opening(server, dev, codex, len(named)))
            done = [(one, *(await asyncio.to_thread(one.communicate))) for one in running]
            said: list[dict[str, Any]] = []
            for process, out, err in done:
                assert process.returncode == 2, (out, err)
                said.append(json.loads(out))
            reviews = [one["review"] for one in said]
            assert len({*reviews, *named}) == PROCESSES + len(named)
            assert "foureyes review --fixed" in server.run("fix", reviews[0]).stdout
            for one in said:
                await asyncio.to_thread(_dismiss, server, one)
            for review in named:
                seen = await server.ask(dev, "GET", f"/reviews/{review}")
                assert seen["review"]["review"] == review
            for review in reviews:
                headers = {"authorization": f"Bearer {dev}"}
                assert (await server.send("GET", f"/api/v1/reviews/{review}", headers)).status == 404
            assert server.end() == 0
            verified = json.loads(server.run("log", "verify", "--deep", "--json").stdout)
            assert verified["sound"], verified
            await _whole(server, "local.db", reviews, reviews)
            await _whole(server, "foureyes.db", named, [])

    story()


def _dismiss(server: Running, said: dict[str, Any]) -> None:
    """Dismiss a finding at a terminal while the server runs."""
    finding = next(one["id"] for one in said["findings"] if one["severity"] != "critical")
    desk = Desk(home=server.folder / ".local/share/foureyes", types=[finding])
    ran = desk.run("dismiss", finding, "--review", said["review"], "--because", "The name is ours.")
    assert ran.code == 0, ran.err


async def _whole(server: Running, name: str, reviews: list[str], dismissed: list[str]) -> None:
    """Check that each review's stream begins with its opening and holds every accepted report."""
    async with SqliteStore.open(server.folder / ".local/share/foureyes" / name) as store:
        assert {one.stream for one in await store.read(_streams)} == {f"review/{one}" for one in reviews}
        for review in reviews:
            stream = f"review/{review}"
            events = await store.read(lambda reading, name=stream: tuple(reading.events(name)))  # type: ignore[misc]
            types = [one.type for one in events]
            assert types[0] == "ReviewOpened"
            assert [one.version for one in events] == list(range(1, len(events) + 1))
            assert types.count("ReportSubmitted") >= 1, (review, types)
            assert types.count("FindingWaived") == (review in dismissed), (review, types)


def _streams(reading: Reading) -> list[Head]:
    return [one for one in reading.heads(limit=10_000) if one.stream.startswith("review/")]
