"""U-17: secrets are searched for in a child process; a text that takes too long is not sent at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from foureyes.app.reviewers import Change, File, Inconclusive, Task
from foureyes.core.values import Failure
from foureyes.reviewers import secrets_out
from foureyes.reviewers.known import NOTHING_KNOWN
from foureyes.reviewers.secrets_out import lay_out_clean, take_out
from tests.critics.secrets.planted import one_of_each

KEY = one_of_each(21)["github-token"]
#: Far more than can be searched in the seconds that these tests allow.
MUCH = b"".join(b"key_%d = 'x%d'\n" % (number, number) for number in range(100_000))
SHORT_SECONDS = 0.05


def _task(content: bytes) -> Task:
    return Task(change=Change(title="t", kind="code", files=(File(path="a.py", content=content),)))


def test_a_work_comes_back_without_its_secrets_and_with_what_only_this_process_has() -> None:
    """U-17: the same as in this process; how an answer is kept is no matter of the child's."""

    async def once(_: str, __: object) -> str:
        return ""

    task = Task(change=_task(f"key = '{KEY}'\n".encode()).change, once=once)
    found = asyncio.run(take_out(task))
    assert KEY.encode() not in (found.task.change.files[0].content or b"")
    assert found.removed
    assert found.task.once is once


def test_a_text_that_takes_too_long_is_sent_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """U-17: it is neither a yes nor a no, and the loop goes on meanwhile."""
    monkeypatch.setattr(secrets_out, "SECONDS_MAX", SHORT_SECONDS)
    turns = 0

    async def play() -> None:
        nonlocal turns
        search = asyncio.ensure_future(take_out(_task(MUCH)))
        while not search.done():
            await asyncio.sleep(0.001)
            turns += 1
        await search

    with pytest.raises(Inconclusive, match="Nothing was sent: the work could not be searched for secrets") as caught:
        asyncio.run(play())
    assert caught.value.reason is Failure.TIMED_OUT
    assert turns > 10


def test_a_folder_is_searched_apart_and_is_not_used_where_that_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U-17: what lies around a work is as hostile as the work."""

    def lay(folder: Path) -> None:
        (folder / "a.py").write_text(f"key = '{KEY}'\n", encoding="utf-8")
        (folder / "much.py").write_bytes(MUCH)

    fine, cut = tmp_path / "fine", tmp_path / "cut"
    for one in (fine, cut):
        one.mkdir()
    asyncio.run(lay_out_clean(lay, fine, NOTHING_KNOWN))
    assert KEY not in (fine / "a.py").read_text(encoding="utf-8")
    monkeypatch.setattr(secrets_out, "SECONDS_MAX", SHORT_SECONDS)
    with pytest.raises(Inconclusive, match="Nothing was sent: its folder could not be searched"):
        asyncio.run(lay_out_clean(lay, cut, NOTHING_KNOWN))
