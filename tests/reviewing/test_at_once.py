"""Two concurrent runs on the same work are one review; the same bytes in another repository are another."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from foureyes.app.ports import Reading, Writing
from foureyes.app.reviewers import Look, Task
from foureyes.app.reviewing.outcome import Options, Outcome
from foureyes.app.reviewing.round import ASKED_ELSEWHERE
from foureyes.app.rows import Listing
from foureyes.core.situation import Result
from foureyes.home.questions import Questions
from foureyes.store.memory import MemoryStore
from tests.app.house import played
from tests.git.ground import new
from tests.policy.reading import loaded
from tests.reviewing.command import PROGRAM
from tests.reviewing.desk import Desk, Watching, agent, change, finds, issue, marks, reviewed, rounds, solo

T = TypeVar("T")
CLEAN, BAD = "x = 1\n", "x = bad\n"


@dataclass
class Meeting(MemoryStore):
    """A store in which so many runs wait for each other before one writes."""

    runs: int = 2
    waiting: set[object] = field(default_factory=set)
    all_here: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        super().__init__()

    async def write(self, work: Callable[[Writing], T]) -> T:
        self.waiting.add(asyncio.current_task())
        if len(self.waiting) >= self.runs:
            self.all_here.set()
        await asyncio.wait_for(self.all_here.wait(), 20)
        return await super().write(work)


async def both(desk: Desk, *others: Desk, **options: object) -> list[Outcome]:
    """Run these at once; each has read what there is before any of them writes."""
    desks = (desk, *others)
    meeting = desk.kept
    assert isinstance(meeting, Meeting)
    meeting.waiting.clear()
    meeting.all_here.clear()
    work = change("x = bad\n")
    return await asyncio.gather(
        *(rounds(one).run(work, options=Options(**options), watch=Watching()) for one in desks)  # type: ignore[arg-type]
    )


def open_reviews(reading: Reading) -> list[str]:
    return [one.review for one in reading.reviews(Listing(state="open"))]


@played
async def test_two_first_runs_at_once_open_one_review_and_tell_the_same() -> None:
    """D-20: the second joins the first, and nobody's report is an error because another run handed in the same."""
    desk = replace(solo(agent("codex", finds(issue("a gap"))), security=marks("bad")), kept=Meeting())
    first, second = await both(desk, desk)
    assert first.review == second.review
    assert await desk.kept.read(open_reviews) == [first.review]
    assert {one.state.value for one in (*first.looked, *second.looked)} == {"found nothing", "rejects"}
    assert [one.ids for one in first.found] == [one.ids for one in second.found]


@played
async def test_runs_at_once_that_call_it_differently_are_one_review_too() -> None:
    """From two terminals the author's session differs; the work does not."""
    desk = replace(solo(security=marks("bad")), kept=Meeting())
    here, there = rounds(desk), rounds(desk)
    there = replace(there, author=replace(there.author, session="another terminal"))
    works = (change(BAD), replace(change(BAD), title="under another title"))
    runs = (one.run(work, options=Options(), watch=Watching()) for one, work in zip((here, there), works, strict=True))
    first, second = await asyncio.gather(*runs)
    assert first.review == second.review
    assert await desk.kept.read(open_reviews) == [first.review]


@played
async def test_two_runs_at_once_that_start_over_open_one_new_review() -> None:
    desk = replace(solo(security=marks("bad", "minor")), kept=Meeting(runs=1))
    old = await reviewed(desk, change(BAD))
    desk.kept.runs = 2  # type: ignore[attr-defined]
    first, second = await both(desk, desk, anew=True)
    assert first.review == second.review != old.review
    assert await desk.kept.read(open_reviews) == [first.review]


@played
async def test_two_runs_at_once_hand_in_one_new_version() -> None:
    desk = replace(solo(security=marks("bad")), kept=Meeting(runs=1))
    old = await reviewed(desk, change("y = bad\n"))
    desk.kept.runs = 2  # type: ignore[attr-defined]
    first, second = await both(desk, desk)
    assert [(one.review, one.revision, one.held_up) for one in (first, second)] == [(old.review, 2, "")] * 2


@played
async def test_starting_over_again_and_again_is_no_repetition() -> None:
    """A key from the work must not tie a later run to an earlier one."""
    desk = solo(security=marks("bad", "minor"))
    seen: list[str] = []
    for text, anew in ((BAD, True), (BAD, True), (BAD, True), (CLEAN, False), (BAD, False), (CLEAN, False)):
        desk.now += timedelta(minutes=1)
        seen.append((await reviewed(desk, change(text), anew=anew)).review)
    assert len(set(seen)) == len(seen)


@pytest.mark.timeout(120)
def test_two_processes_at_once_open_one_review(tmp_path: Path) -> None:
    """D-20: as two terminals, or a hook and a person, would."""
    ground = new(tmp_path / "shop")
    ground.commit(a__py="x = 1\n")
    ground.write("a.py", "x = 2\n")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "FOUREYES_HOME": str(tmp_path / "data")}
    words = (str(PROGRAM), "review", "--no-agents", "--json")

    def run() -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, cwd=ground.path, env=environ, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)

    runs = [run() for _ in range(3)]
    said = [one.communicate(timeout=90)[0] for one in runs]
    assert [one.returncode for one in runs] == [0, 0, 0]
    assert len({_review(one) for one in said}) == 1


#: Begins these questions, prints which it owns, and holds them until it is stopped.
_OTHER = """
import sys
from foureyes.home.questions import Questions
asking = Questions(sys.argv[1])
print([asking.begin(one) for one in sys.argv[2:]], flush=True)
sys.stdin.read()
"""


def another(home: Path, *questions: str) -> subprocess.Popen[str]:
    """Another process that asks these reviewers."""
    words = (sys.executable, "-c", _OTHER, str(home), *questions)
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said_by(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_question_is_asked_by_one_run_at_a_time_and_free_again_however_that_run_ends(tmp_path: Path) -> None:
    """D-09, D-20: a reviewer that is asked twice costs twice."""
    with another(tmp_path, "one", "two") as first:
        assert said_by(first) == "[True, True]"
        with another(tmp_path, "one", "three") as second:
            assert said_by(second) == "[False, True]"
            second.kill()
        first.kill()
    mine = Questions(str(tmp_path))
    assert mine.begin("one")
    with another(tmp_path, "one") as third:
        assert said_by(third) == "[False]"
        third.kill()
    mine.end()
    with another(tmp_path, "one") as fourth:
        assert said_by(fourth) == "[True]"
        fourth.kill()


@played
async def test_whoever_another_run_asks_is_not_asked_again_and_that_is_said() -> None:
    """D-09, D-20: the second run pays for nobody, clears nothing, and says where the answer will be."""
    asked: list[str] = []

    def counted(task: Task) -> Look:
        asked.append(task.change.title)
        return Look(verdict="approve", summary="fine")

    desk = solo(agent("codex", counted), agent("gemini"), security=marks("bad"))
    desk = replace(desk, questions=lambda: Elsewhere(names=("codex", "gemini")))
    told = await reviewed(desk, change(CLEAN))
    assert asked == []
    assert {one.who: one.why for one in told.not_looked} == {"codex": ASKED_ELSEWHERE, "gemini": ASKED_ELSEWHERE}
    assert "security" in {one.reviewer for one in told.looked}
    assert told.state != "cleared"

    alone = await reviewed(replace(desk, questions=Elsewhere), change(CLEAN))
    assert len(asked) == 1
    assert alone.review == told.review
    assert alone.state == "cleared"


@played
async def test_questions_about_another_version_are_others() -> None:
    """The change must be reviewed, even while the earlier version is still under review."""
    asking = Elsewhere()
    desk = replace(solo(agent("codex", finds(issue("a gap")))), questions=lambda: asking)
    await reviewed(desk, change(CLEAN))
    await reviewed(desk, change("y = 2\n"))
    first, second = asking.begun
    assert first != second
    assert asking.ended == 2


@dataclass
class Elsewhere:
    """Another run that asks these reviewers."""

    names: tuple[str, ...] = ()
    begun: list[str] = field(default_factory=list)
    ended: int = 0

    def begin(self, question: str) -> bool:
        self.begun.append(question)
        return not question.endswith(self.names)

    def end(self) -> None:
        self.ended += 1


def _review(said: bytes) -> str:
    return said.decode().partition('"review": "')[2][:12]


@played
async def test_what_another_repository_cleared_is_not_cleared_here() -> None:
    """D-02, D-07: a yes under another repository's policy says nothing of this one's, though the bytes are the same."""
    lax = solo(agent("codex"))
    there = await reviewed(lax, change(CLEAN, place="there"))
    assert there.result is Result.CLEARED
    strict = replace(lax, policy=loaded("version: 1\nkinds: {default: [solo, peer]}\n").policy)
    here = await reviewed(strict, change(CLEAN, place="here"))
    assert here.digest == there.digest
    assert (here.review != there.review, here.state) == (True, "open")
    assert here.result is not Result.CLEARED


@played
async def test_a_place_finds_its_own_review_though_the_same_bytes_came_in_elsewhere_later() -> None:
    desk = solo(security=marks("bad"))
    here = await reviewed(desk, change(CLEAN, place="here"))
    there = await reviewed(desk, change(CLEAN, place="there"))
    again = await reviewed(desk, change(CLEAN, place="here"))
    assert again.review == here.review != there.review
