"""Notifications work on every store: letters, digests, links and the delivery status."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from foureyes.app import links
from foureyes.app.accounts import stream_of
from foureyes.app.outbox import outbox
from foureyes.app.rows import Changes, OutboxRow
from foureyes.core.principals import EnrolPrincipal
from foureyes.notify.channels import Channel, Discord, Message
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE
from foureyes.notify.outside import NotSent
from foureyes.policy.notifying import Notify, Person
from tests.app.house import House
from tests.calls.counter import OWNER
from tests.stores.making import Box

DAMAGED = OutboxRow(stream="trust/x", version=0, type="TrustDamaged", at="2026-01-05T09:00:00.000000Z")
ANN = Person(name="ann", to=("discord://2/ann",))


class Carrier:
    """Collects messages; one of its places refuses all."""

    def __init__(self) -> None:
        self.took: list[tuple[str, str]] = []

    async def carry(self, channel: Channel, message: Message, _now: datetime) -> None:
        assert isinstance(channel, Discord)
        if channel.token == "dead":
            raise NotSent("it answered 500")
        self.took.append((channel.token, message.title))


def office(box: Box, house: House, carrier: Carrier, worker: str) -> Delivery:
    notify = Notify(human=("discord://1/well", "discord://1/dead"), people=(ANN,))
    return Delivery(
        store=box.store,
        policies=house.gate.policies,
        desk=Desk.of(notify, {}),
        carrier=carrier,
        clock=lambda: house.now,
        worker=worker,
        public="https://gate.example",
    )


def test_letters_and_digests_are_told_and_what_fails_waits(box: Box) -> None:
    house, carrier = House(store=box.store), Carrier()
    one, two = office(box, house, carrier, "one"), office(box, house, carrier, "two")

    async def story() -> None:
        await box.store.write(lambda tx: tx.apply(Changes(outbox=(DAMAGED, DAMAGED))))
        await one.once()
        await two.once()
        assert [token for token, _ in carrier.took] == ["well", "well"]
        found = await box.store.read(outbox)
        assert {(each.whom, each.waiting, each.sent, each.failed) for each in found.targets} == {
            ("human", 0, 2, 0),
            ("human", 2, 0, 1),
            ("ann", 1, 0, 0),
        }
        house.now += PAUSE
        await one.once()
        house.now += timedelta(days=1)
        await two.once()
        assert carrier.took[2:] == [("ann", "1 thing to know, and none to decide")]
        assert sum(each.waiting for each in (await box.store.read(outbox)).targets) == 2

    box.runner.run(story())


def test_a_server_that_tells_nobody_leaves_the_shared_outbox_to_the_others(box: Box) -> None:
    house, carrier = House(store=box.store), Carrier()
    silent, telling = office(box, house, carrier, "one"), office(box, house, carrier, "two")
    silent.desk, silent.shared = Desk(), True
    old = replace(DAMAGED, at="2025-12-05T09:00:00.000000Z")

    async def story() -> None:
        await box.store.write(lambda tx: tx.apply(Changes(outbox=(old, DAMAGED))))
        assert await silent.once() == 1, "what is over"
        await telling.once()
        assert [token for token, _ in carrier.took] == ["well"]

    box.runner.run(story())


def test_a_link_is_made_once_for_a_letter_and_taken_once(box: Box) -> None:
    house = House(store=box.store)
    asked = links.Asked(letter="m", human="ann", review="r1", request="q")

    async def story() -> None:
        assert await box.store.write(lambda tx: links.made(tx, b"k", asked, house.now)) is None
        await house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("ann"))
        first = await box.store.write(lambda tx: links.made(tx, b"k", asked, house.now))
        assert first
        found = await box.store.read(lambda reading: links.link_of(reading, first, house.now))
        assert found
        assert (found.human, found.review, found.request, found.used) == ("ann", "r1", "q", False)
        assert await box.store.write(lambda tx: links.taken(tx, first, house.now))
        assert await box.store.write(lambda tx: links.taken(tx, first, house.now)) is None
        assert await box.store.write(lambda tx: links.made(tx, b"k", asked, house.now)) == first
        await box.store.write(lambda tx: links.give_back(tx, first))
        house.now += links.LIFE
        assert await box.store.read(lambda reading: links.link_of(reading, first, house.now)) is None

    box.runner.run(story())


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("minutes", [30, 49 * 60])
def test_what_was_put_off_before_the_clock_was_set_back_is_told_all_the_same(
    box: Box, minutes: int, *, restarted: bool
) -> None:
    """What failed is tried again by the new time, and a digest of a day that has not come is told now."""
    house, carrier = House(store=box.store), Carrier()
    before = office(box, house, carrier, "one")

    async def story() -> None:
        await box.store.write(lambda tx: tx.apply(Changes(outbox=(DAMAGED,))))
        await before.once()
        assert [token for token, _ in carrier.took] == ["well"]
        assert await before.once() == 0, "what failed waits, and the digest until tomorrow"
        house.now -= timedelta(minutes=minutes)
        after = office(box, house, carrier, "two") if restarted else before
        assert await after.once() == 2
        assert [token for token, _ in carrier.took] == ["well", "ann"]
        assert {each.failed for each in (await box.store.read(outbox)).targets} == {0, 2}

    box.runner.run(story())


def test_what_is_put_off_rightly_is_put_off_again_after_a_start(box: Box) -> None:
    house, carrier = House(store=box.store), Carrier()

    async def story() -> None:
        await box.store.write(lambda tx: tx.apply(Changes(outbox=(DAMAGED,))))
        await office(box, house, carrier, "one").once()
        house.now += timedelta(minutes=1)
        later = office(box, house, carrier, "two")
        await later.once()
        assert [token for token, _ in carrier.took] == ["well"], "the digest was told a day early"
        assert await later.once() == 0

    box.runner.run(story())
