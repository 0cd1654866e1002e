"""Models hold the seats of a panel: a whole round on this machine, from the change to the report."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from foureyes.app.reviewing.outcome import Outcome
from foureyes.policy.load import shipped
from foureyes.reviewers.models import ModelReviewer
from tests.answers.samples import answer, change, finding
from tests.models.test_in_text import Says, marked, reviewer
from tests.reviewing.desk import Desk, reviewed


def named(role: str, says: Says) -> ModelReviewer:
    one = reviewer(says)
    return ModelReviewer(name=role, endpoints=one.endpoints, build=one.build)


def panel(haiku: Says, sonnet: Says) -> Outcome:
    desk = Desk(
        reviewers={"haiku": (named("haiku", haiku),), "sonnet": (named("sonnet", sonnet),)},
        policy=shipped("panel").policy,
    )
    return asyncio.run(reviewed(desk, replace(change(), kind="task", place="here"), may_send=lambda *_: True))


def rows(outcome: Outcome, stage: str) -> dict[str, str]:
    part = outcome.report.split(f"### {stage} findings", maxsplit=1)[1].split("###", maxsplit=1)[0]
    return dict(re.findall(r"^\| ([^|]+?) \| (\d+) \|", part, re.MULTILINE))


def test_two_models_that_find_nothing_leave_it_to_a_person() -> None:
    """004-15, 004-20, 004-27, 004-28."""
    found = panel(marked(answer()), marked(answer()))
    assert "Speculative parallel (4 reviewers; spec and quality at once)" in found.report
    assert "Very High (1.0)" in found.report
    assert "escalated, a person decides: " in found.report
    assert "(to have it decided by itself: `auto_approve: true`)" in found.report
    assert {one.reviewer for one in found.looked} == {"haiku", "sonnet"}


def test_two_models_that_find_the_same_are_merged_and_quality_is_discarded() -> None:
    """004-16, 004-19, 004-22, 004-28."""
    other: dict[str, Any] = {"text": "A shell gets the path unquoted: any name runs a command.", "rule": "injection"}
    found = panel(marked(answer(finding())), marked(answer(finding(**other))))
    assert rows(found, "Spec")["Agreed"] == "1"
    assert "High (0.9)" in found.report
    assert "Discarded: spec did not pass." in found.report


@pytest.mark.parametrize("says", ["approve", '{"verdict": "approve"}'])
def test_a_model_that_answers_garbage_is_said_and_nothing_is_decided(says: str) -> None:
    """D-03, D-23."""
    found = panel(marked(answer()), lambda _: says)
    assert "none yet; waiting for sonnet on spec" in found.report
    (silent,) = {one.reviewer for one in found.looked if not one.answered}
    assert silent == "sonnet"
