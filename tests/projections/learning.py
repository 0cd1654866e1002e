"""A gate that learns: after two good reviews a human may enable the fast lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from foureyes.app.ports import Reading, Store
from foureyes.app.rows import TrustRow
from foureyes.core.rules import Learning, Rules
from foureyes.core.trust import EnableSkip
from foureyes.core.values import Outcome
from foureyes.store.memory import MemoryStore
from tests.app.house import RULES, House, policy
from tests.cast import HUGO


def trust(reading: Reading) -> tuple[TrustRow, ...]:
    """Every record as it is written."""
    return tuple(reading.trusts())


def learning_house(store: Store | None = None) -> House:
    rules = replace(RULES, learning=Learning(successes_min=2, trust_min_percent=55, audit_percent=1))
    return House(policy=policy(rules), store=store or MemoryStore())


async def trusted(house: House) -> None:
    """Play two good reviews and let a human enable the fast lane."""
    for number in range(2):
        await house.approve(await house.open({"a.py": b"%d\n" % number}), confidence=95)
        house.wait(hours=1)
    await house.do(HUGO, EnableSkip(), "trust/script/dev")


async def is_skipped(house: House, text: bytes) -> bool:
    review = await house.review(await house.open({"a.py": text}))
    assert (review.outcome is Outcome.CLEARED) == bool(review.skipped)
    return bool(review.skipped)


def rules_in(house: House) -> Callable[[Reading, str], Rules]:
    return house.gate.policies.rules
