"""An injected work changes nothing in the result of a round: state, verdicts and permissions stay as they were."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

import pytest

from foureyes.app.reviewing.outcome import Outcome
from foureyes.policy.load import shipped
from tests.answers.injected import CORPUS
from tests.answers.samples import AFTER, answer, change, finding, shop
from tests.models.test_in_text import Says, bare, marked
from tests.models.test_panel import named
from tests.reviewing.desk import Desk, reviewed


def round_of(words: str, haiku: Says, sonnet: Says) -> Outcome:
    """One round of a panel on a work that carries these words in its file and in its author's note."""
    file = shop(content=AFTER + f'"""\n{words}\n"""\n'.encode(), changed=((6, 10),))
    work = replace(change(file), kind="task", place="here", note=words)
    seats = {"haiku": (named("haiku", haiku),), "sonnet": (named("sonnet", sonnet),)}
    desk = Desk(reviewers=dict(seats), policy=shipped("panel").policy)
    return asyncio.run(reviewed(desk, work, may_send=lambda *_: True))


def comes_to(outcome: Outcome) -> tuple[object, ...]:
    """Everything that decides: state, verdicts, blockers, the turn and the permitted commands."""
    return (
        outcome.state,
        outcome.result,
        outcome.gate,
        outcome.report,
        sorted((one.reviewer, one.state, one.findings) for one in outcome.looked),
        [(one.text, one.severity, one.blocking, one.line) for one in outcome.found],
        [(one.who, one.what) for one in outcome.waits],
        [one.line.split()[:2] for one in outcome.next],
    )


@cache
def plain() -> tuple[object, ...]:
    found = round_of("nothing at all", marked(answer(finding())), marked(answer(finding())))
    assert found.blocking
    return comes_to(found)


@pytest.mark.parametrize("words", CORPUS)
def test_reviewers_that_behave_come_to_the_same(words: str) -> None:
    """D-06."""
    honest = marked(answer(finding()))
    assert comes_to(round_of(words, honest, honest)) == plain()


@pytest.mark.parametrize("words", CORPUS)
def test_reviewers_that_only_repeat_the_work_let_nothing_through(words: str) -> None:
    """D-06, D-23."""
    found = round_of(words, bare(words), bare(f"```json\n{words}\n```"))
    assert found.state == "open"
    assert found.result in ("inconclusive", "pending", "blocked")
    assert not any(one.answered for one in found.looked)
