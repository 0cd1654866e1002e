"""Servers that share an outbox and know different addresses: none takes a notification of another."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foureyes.app.rows import DIGESTS, Changes, OutboxRow
from foureyes.notify.delivering import Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE_MAX
from foureyes.notify.leaving import SWEEP, SWEPT_MAX
from foureyes.notify.letters import LIFE
from foureyes.policy.notifying import Notify, Person
from tests.app.house import played
from tests.cast import DEV
from tests.notify.post_office import DISCORD, SLACK, PostOffice, post_office

NOBODY = Notify()
SECOND = timedelta(seconds=1)


def server(office: PostOffice, name: str, notify: Notify, *, shared: bool = True) -> Delivery:
    """A server on the shared database, with its own policy file."""
    made = office.another(name)
    made.desk, made.shared = Desk.of(notify, {}), shared
    return made


async def opened(office: PostOffice) -> None:
    await office.web.house.open(actor=DEV, kind="script")


@played
async def test_a_server_that_tells_nobody_leaves_to_others_what_they_are_to_tell() -> None:
    async with post_office(human=(DISCORD,)) as office:
        silent, telling = server(office, "silent", NOBODY), server(office, "telling", office.notify)
        await opened(office)
        before = await office.waiting()
        assert await silent.once() == 0
        assert await office.waiting() == before != {}
        await telling.once()
        assert len(office.got("/discord")) == 1, "it is free again at once"
        assert await office.waiting() == {}


@played
async def test_where_no_server_tells_anybody_nothing_stays_for_ever() -> None:
    async with post_office() as office:
        silent = server(office, "silent", NOBODY)
        for number in range(SWEPT_MAX + 1):
            await office.web.house.open({"a.py": f"{number}\n".encode()}, actor=DEV)
        office.web.house.now += LIFE
        await silent.once()
        count = sum((await office.waiting()).values())
        assert count > SWEPT_MAX
        office.web.house.now += SECOND
        assert await silent.once() == 0, "it does not look every second"
        office.web.house.now += SWEEP
        assert await silent.once() == count
        assert await office.waiting() == {}


@pytest.mark.parametrize("shared", [True, False])
def test_a_letter_to_an_address_that_is_not_known_here_yet_waits_for_who_knows_it(*, shared: bool) -> None:
    """While a change of the policy goes round, the server before it meets letters of the one behind it."""

    @played
    async def story() -> None:
        async with post_office(human=(DISCORD, SLACK)) as office:
            old = server(office, "old", Notify(events=office.notify.events, human=(DISCORD,)), shared=shared)
            new = server(office, "new", office.notify, shared=shared)
            await old.once()
            await new.once()
            office.web.house.now += SECOND
            office.receiver.answers = [b"HTTP/1.1 500 No\r\n\r\n"] * 2
            await opened(office)
            await new.once()
            assert sum((await office.waiting()).values()) == 2
            office.web.house.now += timedelta(minutes=1)
            await old.once()
            assert await old.once() == 0
            assert sum((await office.waiting()).values()) == int(shared)
            office.web.house.now += PAUSE_MAX
            await new.once()
            assert (len(office.got("/discord")), len(office.got("/slack"))) == (2, 1 + int(shared))
            assert await office.waiting() == {}

    story()


@played
async def test_a_letter_to_an_address_that_nobody_knows_ends_like_every_other() -> None:
    async with post_office(human=(DISCORD,)) as office:
        office.receiver.answers = [b"HTTP/1.1 500 No\r\n\r\n"]
        await opened(office)
        await server(office, "before", office.notify).once()
        after = server(office, "after", Notify(human=(SLACK,)))
        office.web.house.now += LIFE
        await after.once()
        assert await office.waiting() != {}
        office.web.house.now += PAUSE_MAX
        await after.once()
        assert await office.waiting() == {}


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("human", [(), (SLACK,)])
def test_a_digest_that_goes_takes_its_lines_along_so_that_the_next_can_come(
    human: tuple[str, ...], *, shared: bool
) -> None:
    ann = Notify(people=(Person(name="ann", to=(DISCORD,)),))
    damaged = OutboxRow(stream="trust/x", version=0, type="TrustDamaged", at="")

    @played
    async def story() -> None:
        async with post_office() as office:
            house = office.web.house

            async def happens() -> None:
                row = OutboxRow(stream=damaged.stream, version=0, type=damaged.type, at=house.now.isoformat())
                await house.store.write(lambda tx: tx.apply(Changes(outbox=(row,))))
                await server(office, "knows", ann, shared=shared).once()

            await happens()
            assert await house.store.read(lambda reading: reading.rows(DIGESTS))
            house.now += LIFE + SECOND
            await server(office, "another", Notify(human=human), shared=shared).once()
            assert await office.waiting() == {}
            assert await house.store.read(lambda reading: reading.rows(DIGESTS)) == ()
            await happens()
            assert [one.split(" ")[0] for one in await office.waiting()] == ["digest"]

    story()
