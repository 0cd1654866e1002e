"""T43: no adversarial file makes a program exceed its time: each call ends with a look or is cut off."""

import asyncio

import pytest

from foureyes.app.children import Children, CutOff, Raised
from foureyes.app.reviewers import Change, File, Look
from foureyes.reviewers.at_hand import CRITICS, shipped_critic
from foureyes.reviewers.critic_run import CriticRun, look_at
from tests.conftest import EFFORT
from tests.critics.hostile import BYTES_MAX, Hostile, hostile_files

#: Of 6,500 pairs of file and program; the long helping has half of them.
EVERY = {"test": 173}.get(EFFORT, 2)
SIZE = {"test": 20_000}.get(EFFORT, BYTES_MAX)
SECONDS = {"test": 2.0}.get(EFFORT, 5.0)


async def all_ended(files: list[Hostile]) -> tuple[int, list[str]]:
    """Run all calls; return the number of calls and the unexpected results."""
    children = Children()
    odd: list[str] = []

    async def ended(file: Hostile, name: str) -> None:
        lines = file.content.count(b"\n") + 1
        change = Change(
            title="a change", kind="code", files=(File(path=file.path, content=file.content, changed=((1, lines),)),)
        )
        run = CriticRun(critic=shipped_critic(name), change=change)
        try:
            look = await children.call(look_at, run, seconds=SECONDS)
            assert isinstance(look, Look)
        except CutOff:
            pass
        except Raised as error:
            odd.append(f"{name} {file.name}: {error}")

    try:
        calls = [ended(file, name) for file in files for name in CRITICS]
        await asyncio.gather(*calls)
    finally:
        children.close()
    return len(calls), odd


@pytest.mark.timeout(3_600)
def test_no_adversarial_file_holds_a_program_beyond_its_seconds() -> None:
    """U-17: deterministic texts, up to the largest file that a server takes; a crash of a child fails the test."""
    files = list(hostile_files(SIZE, every=EVERY))
    count, odd = asyncio.run(all_ended(files))
    assert count >= (2_500 if EFFORT != "test" else 30)
    assert odd == []
