"""A critic that is slow or crashes on a file is inconclusive, names the file and keeps its other findings."""

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from foureyes.app.children import Children
from foureyes.app.reviewers import Change, File, Inconclusive, Look, Task
from foureyes.core.values import Failure
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, judged
from foureyes.reviewers.program import ProgramReviewer, Seconds

RULE = Rule(id="security.bad", title="This is bad", why="It is.", fix="Do not.")
MEMORY_BYTES = 400 * 1024 * 1024
#: A child imports this module in a quarter of a second of processor time, which counts.
A_FILE_SECONDS = 0.9


@dataclass(frozen=True)
class Fragile:
    """A critic that finds the word `bad`; other words make it spin, crash, fail or use up memory."""

    name: str = "fragile"
    scope: str = "security"
    rules: tuple[Rule, ...] = (RULE,)
    #: Spins where it is given more files than this at once.
    files_max: int = 1_000

    def look(self, change: Change) -> Judged:
        while len(change.files) > self.files_max:
            pass
        for file in change.files:
            _act(file.text or "")
        hits = [Hit(rule=RULE, path=one.path, line=1) for one in change.files if one.text == "bad\n"]
        return judged(hits, looked_at=f"{len(change.files)} files")


def _act(text: str) -> None:
    while text == "spin\n":
        pass
    if text == "crash\n":
        os._exit(9)
    if text == "fail\n":
        raise LookupError("no such thing")
    if text == "eat\n":
        bytearray(4 * MEMORY_BYTES)


@pytest.fixture
def children() -> Iterator[Children]:
    made = Children(most=1, memory_bytes=MEMORY_BYTES)
    yield made
    made.close()


def work(*texts: str) -> Task:
    """A work with a file for each text, called after it."""
    files = tuple(
        File(path=f"{number}-{text}.txt", content=f"{text}\n".encode(), changed=((1, 1),))
        for number, text in enumerate(texts)
    )
    return Task(change=Change(title="a change", kind="code", files=files, note="bad"))


def looked(children: Children, task: Task, *, critic: Fragile | None = None, a_work: float = 20) -> Look:
    seconds = Seconds(a_file=A_FILE_SECONDS, a_work=a_work)
    reviewer = ProgramReviewer(critic=critic or Fragile(), seconds=seconds, children=children)
    return asyncio.run(reviewer.look(task, lambda _: None))


def places(look: Look | None) -> list[str]:
    return [one.place.path for one in (look.findings if look else ()) if one.place]


def test_a_file_that_takes_too_long_is_named_with_its_limit(children: Children) -> None:
    """U-17: neither an approval nor a veto."""
    with pytest.raises(Inconclusive) as none:
        looked(children, work("spin"))
    assert none.value.reason is Failure.TIMED_OUT
    assert none.value.text == "the program fragile was cut off after 0.9 seconds on 0-spin.txt"


def test_the_findings_in_the_other_files_are_kept(children: Children) -> None:
    """U-17: what was found is told, and vouches for nothing."""
    with pytest.raises(Inconclusive) as none:
        looked(children, work("bad", "spin", "fine", "bad"))
    assert none.value.reason is Failure.TIMED_OUT
    assert "after 0.9 seconds on 1-spin.txt" in none.value.text
    assert places(none.value.found) == ["0-bad.txt", "3-bad.txt"]
    assert none.value.found
    assert [one.path for one in none.value.found.unread] == ["1-spin.txt"]
    assert none.value.found.verdict == ""


@pytest.mark.parametrize(("text", "word"), [("crash", "crashed"), ("fail", "failed (Look"), ("eat", "failed (M")])
def test_a_file_that_crashes_the_critic_is_named_and_the_others_are_read(
    children: Children, text: str, word: str
) -> None:
    with pytest.raises(Inconclusive) as none:
        looked(children, work(text, "bad"))
    assert none.value.reason is Failure.CRASHED
    assert word in none.value.text
    assert f"0-{text}.txt" in none.value.text
    assert places(none.value.found) == ["1-bad.txt"]


def test_when_the_seconds_of_the_work_are_over_the_rest_is_not_read(children: Children) -> None:
    with pytest.raises(Inconclusive) as none:
        looked(children, work(*["spin"] * 6), a_work=1)
    assert "because the 1 seconds of the work were over" in none.value.text
    assert none.value.found
    assert len(none.value.found.unread) == 6


def test_a_work_that_only_takes_too_long_as_a_whole_is_not_approved_file_by_file(children: Children) -> None:
    with pytest.raises(Inconclusive, match="although it reads each file alone") as none:
        looked(children, work("fine", "bad"), critic=Fragile(files_max=1))
    assert places(none.value.found) == ["1-bad.txt"]


def test_the_next_work_is_read_by_a_new_child(children: Children) -> None:
    with pytest.raises(Inconclusive):
        looked(children, work("crash"))
    assert looked(children, work("fine", "bad")).verdict == "reject"


def test_a_closed_pool_is_no_answer(children: Children) -> None:
    children.close()
    with pytest.raises(Inconclusive) as none:
        looked(children, work("fine"))
    assert none.value.reason is Failure.CRASHED


def test_waiting_for_a_child_takes_nothing_of_the_seconds_of_a_work(children: Children) -> None:
    """U-17: however long others hold the only child, the files are read one by one as usual."""

    async def story() -> None:
        reviewer = ProgramReviewer(
            critic=Fragile(), seconds=Seconds(a_file=A_FILE_SECONDS, a_work=5), children=children
        )
        look = asyncio.create_task(reviewer.look(replace(work("bad", "spin", "fine"), author="dev"), lambda _: None))
        await asyncio.sleep(0.1)
        others = [asyncio.create_task(children.call(time.sleep, 2.0, seconds=20, party="dev")) for _ in range(2)]
        with pytest.raises(Inconclusive) as none:
            await look
        await asyncio.gather(*others)
        assert "not read" not in none.value.text
        assert places(none.value.found) == ["0-bad.txt"]

    asyncio.run(story())
