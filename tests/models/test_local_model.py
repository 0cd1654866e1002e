"""Can a real model hold two seats of a panel, offline? It is far too small to review: only shapes are asserted."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.app.reviewers import Bounds, Inconclusive, Look, Task
from foureyes.app.reviewing.panel_report import panel_report
from foureyes.core.values import Failure, Verdict
from foureyes.core.views import view
from foureyes.policy.policy import Model
from foureyes.reviewers import models
from tests.answers.samples import task
from tests.cast import HUGO
from tests.seeds.panel_play import MODELS, panel
from tools import local_model

#: On a quiet machine it takes a minute or two; a busy one is slow, not wrong.
SECONDS_MAX = 1_500
CONTEXT, SEATS = 8_192, 2
#: How an answer of so small a model may end; anything else would be a fault of ours.
WEAK = (Failure.MALFORMED, Failure.INCOMPLETE)


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
    """004-15, 004-28: spec and quality of two reviewers, each look whole or inconclusive with its reason."""
    environ = {
        "FOUREYES_MODEL_URL": f"{url}/v1",
        "FOUREYES_MODEL": "smollm2",
        "FOUREYES_MODEL_CONTEXT": str(CONTEXT),
    }
    said: list[str] = []
    looks = asyncio.run(_panel(environ, said))
    play = panel()
    for (seat, stage), look in looks.items():
        print(seat, stage, look)
        if isinstance(look, Look) and not look.unclear:
            assert look.verdict in list(Verdict)
            assert look.cost.tokens > 0
            assert not look.cost_known
            fields = {"stage": stage, "verdict": look.verdict, "summary": look.summary, "findings": look.findings}
            play.report(MODELS[seat], **fields, evidence=look.evidence, confidence=look.confidence)
        elif isinstance(look, Inconclusive):
            assert look.reason in WEAK, look.text
            assert look.text
    assert len(looks) == 4
    assert any(isinstance(one, Look) for one in looks.values()), looks
    assert "### Spec findings" in panel_report(play.rules, view(play.rules, play.review, HUGO))


async def _panel(environ: dict[str, str], said: list[str]) -> dict[tuple[str, str], Look | Inconclusive]:
    """Four looks at once, as in the first round."""
    seats: dict[tuple[str, str], asyncio.Task[Look]] = {}
    for seat, role in (("A", "haiku"), ("B", "sonnet")):
        reviewer, missing = models.for_role(role, (Model(provider="endpoint", name="smollm2"),), environ)
        assert reviewer, missing
        assert reviewer.sends == ""
        for stage in ("spec", "quality"):
            asked: Task = task(role=stage, bounds=Bounds(seconds=SECONDS_MAX))
            seats[seat, stage] = asyncio.create_task(reviewer.look(asked, said.append))
    done = await asyncio.gather(*seats.values(), return_exceptions=True)
    found: dict[tuple[str, str], Look | Inconclusive] = {}
    for key, one in zip(seats, done, strict=True):
        if not isinstance(one, Look | Inconclusive):
            raise one
        found[key] = one
    return found
