"""A dismissed finding stays hidden until its code changes, with who, when and why, and stores no secret."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.app.reviewing.outcome import Outcome
from foureyes.core.events import FindingWaived
from foureyes.core.situation import Result
from foureyes.reviewers.boundary import redacted
from tests.app.house import played
from tests.reviewing.desk import NOW, Desk, change, marks, reviewed, rounds, solo
from tests.reviewing.logs import happened

BLOCK = "def pay():\n    total = 0\n    total += bad\n    return total\n"
OTHER = "def ship():\n    return 1\n"
BECAUSE = "it is only a name"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


async def dismissed(text: str = BLOCK, because: str = BECAUSE) -> tuple[Desk, Outcome]:
    """A finding in this text, dismissed."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(text))
    (found,) = first.blocking
    await rounds(desk).dismiss(first.review, found.id, because)
    desk.now += timedelta(days=1)
    return desk, first


@pytest.mark.parametrize(
    "moved",
    [
        f"{OTHER}\n{BLOCK}",
        f"{BLOCK}\n{OTHER}",
        f"\n\n\n{BLOCK}",
        f"{OTHER}\n\n{BLOCK}\n\n{OTHER}",
        "if True:\n\n" + "".join(f"    {line}\n" for line in BLOCK.splitlines()),
    ],
)
@pytest.mark.parametrize("anew", [False, True])
@played
async def test_a_block_that_moves_stays_dismissed(moved: str, anew: bool) -> None:
    """D-10: in the next version of its review, and in a new one."""
    desk, _ = await dismissed()
    outcome = await reviewed(desk, change(moved), anew=anew)
    assert (outcome.result, len(outcome.dismissed)) == (Result.NOTHING_BLOCKS, 1)


@pytest.mark.parametrize(
    "changed",
    [
        BLOCK.replace("total += bad", "total -= bad"),
        BLOCK.replace("total = 0", "total = 1"),
        BLOCK.replace("return total", "return -total"),
        BLOCK.replace("def pay", "def pay_twice"),
        BLOCK.replace("    total += bad\n", "").replace("    return", "    total += bad\n    return eval"),
    ],
)
@pytest.mark.parametrize("anew", [False, True])
@played
async def test_a_line_that_changes_brings_it_back(changed: str, anew: bool) -> None:
    """D-10: its own, and those close by."""
    desk, _ = await dismissed()
    outcome = await reviewed(desk, change(changed), anew=anew)
    assert outcome.result is Result.BLOCKED


@played
async def test_the_same_line_in_another_block_is_another_finding() -> None:
    """D-10: one word about one place silences no other."""
    desk, _ = await dismissed()
    outcome = await reviewed(desk, change(f"{BLOCK}\ndef refund():\n    total = 9\n    total += bad\n"), anew=True)
    assert [one.line for one in outcome.blocking] == [8]
    assert [one.found.line for one in outcome.dismissed] == [3]


@played
async def test_who_dismissed_it_when_and_why_is_told_here_and_in_later_reviews() -> None:
    """D-10: listed, never silently."""
    desk, first = await dismissed()
    (own,) = (await rounds(desk).stands(first.review)).dismissed
    assert (own.by, own.because, own.at, own.proven) == ("anna", BECAUSE, NOW, False)
    later = await reviewed(desk, change(f"{OTHER}\n{BLOCK}"), anew=True)
    assert later.review != first.review
    (word,) = later.dismissed
    where = f"{BECAUSE} (in review/{first.review}:{own.found.id})"
    assert (word.by, word.because, word.at) == ("anna", where, NOW)


@played
async def test_a_secret_in_the_reason_is_never_stored() -> None:
    """D-16: not even by the person who types it."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BLOCK))
    careful = replace(rounds(desk), redact=lambda text, path: redacted(text, path)[0])
    await careful.dismiss(first.review, first.blocking[0].id, f"the token {TOKEN} is revoked")
    (event,) = await happened(desk, first.review, FindingWaived)
    assert TOKEN not in event.reason
    assert "[secret removed" in event.reason
