"""Can a real model hold two seats of a panel, offline? It is far too small to review: only shapes are asserted."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewing.outcome import LookedState, Outcome
from foureyes.policy.load import shipped
from foureyes.policy.policy import Model
from foureyes.reviewers import models
from tests.answers.samples import change
from tests.reviewing.desk import Desk, reviewed
from tools import local_model

#: On a quiet machine it takes a minute or two; a busy one is slow, not wrong.
SECONDS_MAX = 1_500
CONTEXT, SEATS = 8_192, 2


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    script = Path(__file__).with_name("local_model.py")
    with subprocess.Popen(
        [str(local_model.python()), str(script), str(CONTEXT), str(SEATS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.timeout(2 * SECONDS_MAX)
def test_a_real_model_holds_two_seats_of_a_panel_offline(url: str) -> None:
    """004-15, 004-28: four looks in one round; each is an answer in our shape, or says why it is none."""
    outcome = asyncio.run(_panel(url))
    print(*outcome.looked, outcome.report, sep="\n")
    assert {one.reviewer.split()[0] for one in outcome.looked} == {"haiku", "sonnet"}
    assert outcome.tokens > 4 * 500
    for one in outcome.looked:
        assert one.state in list(LookedState)
        assert one.answered or one.reason
        assert "did not answer" not in one.reason
        assert "could not be reached" not in one.reason
    assert "**Strategy:** Speculative parallel (4 reviewers; spec and quality at once)" in outcome.report
    assert "### Spec findings" in outcome.report
    assert "### Quality findings" in outcome.report
    assert outcome.state == "open"


async def _panel(url: str) -> Outcome:
    environ = {
        "FOUREYES_MODEL_URL": f"{url}/v1",
        "FOUREYES_MODEL": "smollm2",
        "FOUREYES_MODEL_CONTEXT": str(CONTEXT),
    }
    seats: dict[str, tuple[models.ModelReviewer]] = {}
    for role in ("haiku", "sonnet"):
        found, missing = models.for_role(role, (Model(provider="endpoint", name="smollm2"),), environ)
        assert found, missing
        assert found.sends == ""
        seats[role] = (found,)
    desk = Desk(reviewers=dict(seats), policy=shipped("panel").policy)
    work = replace(change(), kind="task", place="here")
    return await reviewed(desk, work, seconds_max=SECONDS_MAX, may_send=lambda *_: False)
