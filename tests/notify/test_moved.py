"""A corrected address loses no waiting notification, and those without a recipient are reported as dropped."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import time, timedelta
from typing import Any

import pytest

from foureyes.app.outbox import Delivered, outbox
from foureyes.app.rows import DELIVERIES, Changes, OutboxRow
from foureyes.cli.status import _not_told
from foureyes.core import commands as c
from foureyes.notify import moving
from foureyes.notify.delivering import BATCH, Delivery
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE, PAUSE_MAX
from foureyes.notify.letters import LIFE
from foureyes.notify.records import GONE
from foureyes.policy.notifying import Notify, Person, Webhook
from tests.app.house import played
from tests.cast import DEV
from tests.notify.post_office import DISCORD, SECRET, SLACK, PostOffice, post_office
from tests.notify.test_people import HUMAN, enrolled, moment

NO = b"HTTP/1.1 500 No\r\n\r\n"
SECOND = timedelta(seconds=1)
WRONG, RIGHT = "discord://333/wrong-token", "discord://333/right-token"
ANN = Person(name="ann", to=(WRONG,), quiet=(time(22), time(7)), digest=time(8), zone="Europe/Berlin")


def started(office: PostOffice, *, shared: bool = False, **notify: Any) -> Delivery:
    """The server restarted with another policy, after which failed deliveries are retried."""
    office.web.house.now += PAUSE
    made = office.another("after")
    made.desk = Desk.of(Notify(events=office.notify.events, **notify), {"SECRET": SECRET})
    made.shared = shared
    return made


async def opened(office: PostOffice, count: int = 1) -> list[str]:
    """Open reviews about which humans are asked at once."""
    office.web.house.now += SECOND
    house = office.web.house
    return [await house.open({"a.py": f"{number}\n".encode()}, actor=DEV, kind="script") for number in range(count)]


async def targets(office: PostOffice) -> dict[str, Delivered]:
    found = await office.web.house.store.read(outbox)
    return {one.target: one for one in found.targets}


def hook(office: PostOffice, path: str) -> Webhook:
    return Webhook(url=f"{office.receiver.url}/{path}", secret="${SECRET}")


@played
async def test_questions_that_wait_for_the_morning_go_to_the_address_that_was_put_right_in_the_night() -> None:
    """F22, D-14: all but what was answered meanwhile, and none of them is given up."""
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        house = office.web.house
        house.now = moment("2026-01-05T23:00")
        await office.delivery.once()
        streams = await opened(office, 9)
        await office.delivery.once()
        ruling = (await house.review(streams[0])).ruling()
        assert ruling is not None
        answer = c.GiveRuling(request=ruling.id, option=ruling.options[0].id, reason="I was awake.")
        await house.do(HUMAN, answer, streams[0])
        after = started(office, people=(replace(ANN, to=(RIGHT,)),))
        await after.once()
        assert office.receiver.got == []
        assert [one.whom for one in (await targets(office)).values()] == ["ann"]
        house.now = moment("2026-01-06T06:00")
        await after.once()
        (said,) = office.got("/right-token")
        assert said["content"].startswith("8 decisions are asked for:")
        assert office.got("/wrong-token") == []
        assert [one for one in await office.waiting() if one.startswith("letter")] == []


@played
async def test_what_waits_for_a_program_goes_to_the_url_that_was_put_right_and_to_nobody_twice() -> None:
    """F22: each once, under the id that a letter about it to that address always has."""
    async with post_office() as office:
        wrong, right, well = (hook(office, one) for one in ("wrong", "right", "well"))
        office.receiver.refusing["/wrong"] = NO
        before = started(office, webhooks=(wrong, well))
        await before.once()
        await opened(office, 40)
        for _ in range(3):
            await before.once()
        told = {one["subject"] for one in office.got("/well")}
        assert len(told) == len(office.got("/well")) == 40
        after = started(office, webhooks=(right, well))
        for _ in range(3):
            await after.once()
        assert {one["subject"] for one in office.got("/right")} == told
        assert len({one["id"] for one in office.got("/right")}) == len(office.got("/right")) == 40
        assert len(office.got("/well")) == 40
        assert await office.waiting() == {}
        found = await office.web.house.store.read(outbox)
        assert {one.target for one in found.targets} == set(after.desk.targets)
        assert _not_told(found) == []


@played
async def test_what_waits_for_whom_the_policy_names_no_longer_is_given_up_and_said_to_be(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """F22: nobody else is to hear of it; it is in the log and in the figures, and the address is not shown any more."""
    async with post_office() as office:
        office.receiver.refusing["/discord"] = NO
        before = started(office, human=(DISCORD,), author=(SLACK,))
        await before.once()
        await opened(office, 3)
        await before.once()
        assert len(_not_told(await office.web.house.store.read(outbox))) == 1
        caplog.clear()
        await started(office, author=(SLACK,)).once()
        (name,) = (one for one in before.desk.targets if one.startswith("discord"))
        (said,) = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
        assert said.startswith(f"{name} is not in the policy any more")
        assert said.endswith("3 given up")
        assert await office.waiting() == {}
        found = await targets(office)
        assert name not in found
        assert (found[GONE].given_up, found[GONE].waiting) == (3, 0)
        assert _not_told(await office.web.house.store.read(outbox)) == []
        monitor = await office.web.agent("monitor", "read", kind="program")
        text = (await office.web.get("/metrics", monitor)).body.decode()
        assert f'foureyes_notify_given_up_total{{target="{GONE}"}} 3' in text


@played
async def test_who_has_a_letter_gets_no_second_one_because_another_is_told_no_longer() -> None:
    async with post_office() as office:
        office.receiver.refusing["/discord"] = NO
        before = started(office, human=(DISCORD, SLACK))
        await before.once()
        await opened(office)
        await before.once()
        await started(office, human=(SLACK,)).once()
        assert len(office.got("/slack")) == 1
        assert await office.waiting() == {}
        assert GONE not in await targets(office)


@played
async def test_three_addresses_that_become_one_are_one_letter() -> None:
    async with post_office() as office:
        house = office.web.house
        house.now = moment("2026-01-05T23:00")
        before = started(office, people=(replace(ANN, to=(WRONG, DISCORD, SLACK)),))
        await before.once()
        await opened(office, 11)
        await before.once()
        assert sum((await office.waiting()).values()) == 33 > BATCH, "those about the last one are not in one batch"
        await started(office, people=(replace(ANN, to=(RIGHT,)),)).once()
        assert sum((await office.waiting()).values()) == 11


@played
async def test_an_address_that_comes_back_gets_what_waited_meanwhile() -> None:
    async with post_office() as office:
        office.receiver.refusing["/discord"] = office.receiver.refusing["/slack"] = NO
        for human in ((DISCORD,), (SLACK,)):
            server = started(office, human=human)
            await server.once()
            await opened(office)
            await server.once()
        del office.receiver.refusing["/discord"]
        tried = len(office.got("/discord"))
        await started(office, human=(DISCORD,)).once()
        assert len(office.got("/discord")) == tried + 2
        assert await office.waiting() == {}


@pytest.mark.parametrize(("to", "lines"), [((RIGHT,), 1), ((RIGHT, DISCORD), 2), ((), 0)])
def test_what_waits_for_a_digest_goes_where_its_reader_is_told_now(to: tuple[str, ...], lines: int) -> None:
    """D-14: the one digest of the day, with all of the day in it."""

    @played
    async def story() -> None:
        async with post_office() as office:
            house = office.web.house
            before = started(office, people=(ANN,))
            await before.once()
            house.now += SECOND
            row = OutboxRow(stream="trust/x", version=0, type="TrustDamaged", at=house.now.isoformat())
            await house.store.write(lambda tx: tx.apply(Changes(outbox=(row,))))
            await before.once()
            people = (replace(ANN, to=to),) if to else ()
            after = started(office, people=people, author=(SLACK,))
            await after.once()
            assert sum((await office.waiting()).values()) == lines
            house.now += timedelta(days=1)
            await after.once()
            assert len(office.got()) == lines
            assert all("1 thing to know" in one["content"] for one in office.got())
            assert (GONE in await targets(office)) is not bool(lines)

    story()


@played
async def test_a_letter_about_what_cannot_be_read_waits() -> None:
    """A log that was altered is told to nobody, at no address; when it is put right it is told."""
    async with post_office() as office:
        office.receiver.refusing["/discord"] = NO
        before = started(office, human=(DISCORD,))
        await before.once()
        await opened(office)
        await before.once()
        tables = office.web.house.store._tables  # type: ignore[attr-defined]
        whole = tables.streams["review/r1"]
        tables.streams["review/r1"] = (replace(whole[0], body=whole[0].body.replace("piece", "peace")), *whole[1:])
        after = started(office, human=(SLACK,))
        await after.once()
        assert sum((await office.waiting()).values()) == 1
        tables.streams["review/r1"] = whole
        office.web.house.now += PAUSE_MAX
        await after.once()
        assert (len(office.got("/slack")), await office.waiting()) == (1, {})


@played
async def test_where_servers_share_an_outbox_an_address_is_forgotten_when_it_is_long_gone() -> None:
    """Another server may have it: so nothing waits for it, and nothing went there for three days."""
    async with post_office() as office:
        office.receiver.answers = [NO]
        before = started(office, shared=True, human=(DISCORD,))
        await opened(office)
        await before.once()
        office.web.house.now += PAUSE
        await before.once()
        assert await office.waiting() == {}
        for days, count in ((0, 1), (1, 0)):
            office.web.house.now += days * LIFE
            await started(office, shared=True, human=(SLACK,)).once()
            assert len(await office.web.house.store.read(lambda reading: reading.rows(DELIVERIES))) == count


def test_of_letters_that_were_addressed_anew_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "REMEMBERED_MAX", 2)
    assert list(moving.remembered({"a": None, "b": None}, ["c"])) == ["b", "c"]
