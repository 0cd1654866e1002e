"""A reviewer who has not reported is not notified of what others did, by name or in the reviewers' channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

import pytest

from foureyes.notify import desk
from foureyes.notify.channels import Channel, Message
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.policy.notifying import Notify, Person
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.hidden import KINDS, Ground, at_the_end, differing, ground
from tests.doors.worlds import World
from tests.notify.post_office import EVENTS, KEY, PUBLIC

#: Pairs of worlds for each style.
PAIRS = {"test": 3, "all": 40}
#: The most pairs before a planted leak must be found.
PLANTED_PAIRS = 40
CHANNEL, BOX = "discord://111/channel", "discord://222/box"


@dataclass
class Kept:
    """Carries nothing out, and keeps what it would have."""

    told: list[tuple[str, ...]] = field(default_factory=list)

    async def carry(self, channel: Channel, message: Message, now: datetime) -> None:
        self.told.append((str(channel), message.title, message.text, message.url, f"{now:%d}"))


async def told(world: World, viewer: str) -> list[tuple[str, ...]]:
    """All notifications of this viewer within a day."""
    notify = Notify(reviewer=(CHANNEL,), people=(Person(name=viewer, to=(BOX,)),), events=EVENTS)
    kept = Kept()
    one = Delivery(
        store=world.house.store,
        policies=world.house.gate.policies,
        desk=Desk.of(notify, {}),
        carrier=kept,
        clock=lambda: world.house.now,
        worker="one",
        public=PUBLIC,
        link_key=KEY,
    )
    for _ in range(2):
        await one.once()
        world.house.now += timedelta(days=1)
    return kept.told


async def told_apart(start: Ground, random: Random, pairs: int) -> str:
    """The differing notifications in the first of so many pairs of worlds; empty if all are equal."""
    known = await told(at_the_end(start.world), start.viewer)
    assert known
    while pairs:
        other = await differing(start, random)
        if other is None:
            continue
        got, pairs = await told(other, start.viewer), pairs - 1
        if got != known:
            return f"{known}\n{got}"
    return ""


@pytest.mark.parametrize(
    ("kind", "viewer"), [*((kind, "ann") for kind in KINDS), ("story", "hugo begun"), ("script", "hugo begun")]
)
def test_worlds_that_differ_in_what_is_hidden_tell_a_reviewer_the_same(kind: str, viewer: str) -> None:
    """T13: by name, in the channel of reviewers, and in the digest of the day."""

    @played
    async def story() -> None:
        found = await told_apart(await ground(kind, viewer), Random(f"{kind} {viewer}"), PAIRS[EFFORT])
        assert not found, found

    story()


def told_to_all(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(desk, "_is_theirs", lambda *_: True)


def told_all_the_same(patch: pytest.MonkeyPatch) -> None:
    async def hides(*_: object) -> bool:
        return False

    patch.setattr(Delivery, "_hides", hides)


def told_in_the_channel(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("foureyes.notify.notices._is_first", lambda *_: True)


@pytest.mark.parametrize("plant", [told_to_all, told_all_the_same, told_in_the_channel])
def test_a_planted_leak_is_found(plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself is tried."""
    plant(monkeypatch)

    @played
    async def story() -> None:
        assert await told_apart(await ground("story", "hugo begun"), Random("planted"), PLANTED_PAIRS)

    story()
