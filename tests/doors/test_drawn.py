"""Cases that schemathesis draws from the description are answered as described: no server errors, nothing half done."""

import asyncio
from collections import Counter
from contextlib import nullcontext, suppress
from itertools import cycle
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode

from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.drawn import Sender, corners, drawn, operations
from tests.doors.states import STATES, found_in

#: Number of valid and invalid cases drawn per operation, in addition to the limits of each field.
DRAWN = {"test": 3, "all": 40}
#: All corners once, each in another state and by another caller; or each in every state.
ROUNDS = {"test": 1, "all": len(STATES)}
#: The least number of requests at the limits, over all shares.
SENT = {"test": 2_500, "all": 20_000}
#: The shares that can run in parallel, one per test.
SHARES = 4


def shares() -> list[int]:
    """The share of the operations that a test sends."""
    return list(range(SHARES))


async def senders() -> list[Sender]:
    """One sender for each state."""
    return [Sender(*await found_in(state)) for state in STATES]


@pytest.mark.parametrize("share", shares())
def test_every_form_at_its_limits_is_answered_as_described(share: int) -> None:
    """T19, T20, T24, T29: by agents, a program, a human and nobody, in every state."""

    @played
    async def story() -> None:
        all_of_them = await senders()
        for offset in range(ROUNDS[EFFORT]):
            turns = cycle(all_of_them[offset:] + all_of_them[:offset])
            for operation in operations()[share::SHARES]:
                for case in corners(operation):
                    await next(turns).send(case)
        wrong = [one for sender in all_of_them for one in sender.wrong]
        assert not wrong, "\n\n".join(wrong[:5])
        statuses = sum((sender.statuses for sender in all_of_them), Counter[int]())
        assert statuses.total() >= SENT[EFFORT] // SHARES, "the description has less in it than it had"
        assert statuses.keys() >= {200, 401, 403, 409, 422}, "much of it went through, and much was refused"

    story()


@pytest.mark.parametrize("share", shares())
def test_whatever_is_drawn_is_answered_as_described(share: int) -> None:
    """T19, T20, T24, T29: any form that fits the description, and any that does not."""
    with asyncio.Runner() as runner:
        turns = cycle(runner.run(senders()))
        wrong = list[str]()
        for operation in operations()[share::SHARES]:
            for mode in GenerationMode:
                sender = next(turns)
                # An operation without parameters has no invalid form.
                with suppress(Unsatisfiable) if mode.is_negative else nullcontext():
                    _draw(runner, sender, drawn(operation, mode, sender.facts))
                wrong += sender.wrong
                sender.wrong.clear()
    assert not wrong, "\n\n".join(wrong[:5])


def _draw(runner: asyncio.Runner, sender: Sender, strategy: st.SearchStrategy[Case[Any]]) -> None:
    @settings(
        max_examples=DRAWN[EFFORT],
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def sends(case: Case[Any]) -> None:
        runner.run(sender.send(case))

    sends()
