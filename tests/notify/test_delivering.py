"""Events are delivered at least once, under the same id, and an unreachable target delays no other."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from foureyes.app.rows import DELIVERIES
from foureyes.notify.channels import Channel, Discord, Message, signature
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE, PAUSE_MAX
from foureyes.notify.letters import LIFE
from foureyes.notify.records import GONE
from foureyes.policy.notifying import Webhook
from tests.app.house import played
from tests.cast import DEV
from tests.notify.post_office import DISCORD, SLACK, TELEGRAM, PostOffice, post_office
from tests.notify.receiving import HANGS, OK

NO = b"HTTP/1.1 500 No\r\n\r\n"


async def opened(office: PostOffice) -> str:
    """Open a review that no reviewer can take, so that a human is asked and others are notified."""
    return await office.web.house.open(actor=DEV, kind="script")


def hooks(office: PostOffice, *paths: str) -> None:
    """Configure webhooks at these paths of the server."""
    made = tuple(Webhook(url=f"{office.receiver.url}/{one}", secret="${SECRET}") for one in paths)
    office.notify = type(office.notify)(events=office.notify.events, human=office.notify.human, webhooks=made)
    office.delivery = office.another("one")


async def record(office: PostOffice, path: str) -> Any:
    """The delivery status of the target whose address contains this."""
    return {
        json.loads(body)["whom"] + " " + key.split("-")[0]: json.loads(body)
        for key, body in await office.web.house.store.read(lambda reading: reading.rows(DELIVERIES))
    }[path]


@played
async def test_a_program_is_told_everything_in_signed_cloudevents() -> None:
    """D-14: whatever somebody owes or what ended, with an id, a time and a signature."""
    async with post_office() as office:
        hooks(office, "in")
        await opened(office)
        await office.delivery.once()
        events = await office.web.house.store.read(lambda reading: tuple(reading.events("review/r1")))
        assert [one.type for one in events] == ["ReviewOpened", "RevisionSubmitted", "RulingRequested"]
        assert [one["type"] for one in office.got("/in")] == ["foureyes.ruling_requested"]
        first = office.receiver.got[0]
        name, at = first.headers["webhook-id"], first.headers["webhook-timestamp"]
        (target,) = office.delivery.desk.targets.values()
        assert first.headers["webhook-signature"] == signature(target.channel.secret, name, at, first.body)  # type: ignore[union-attr]
        assert int(at) == int(office.web.house.now.timestamp())
        body = json.loads(first.body)
        assert (body["id"], body["specversion"], body["source"]) == (name, "1.0", "https://gate.example")
        assert (body["subject"], body["data"]["review"], body["data"]["title"]) == (
            "review/r1",
            "r1",
            "A piece of work",
        )
        assert "reviewer" not in first.body.decode()
        assert await office.waiting() == {}


@played
async def test_who_does_not_answer_is_tried_again_later_with_the_same_id_and_bytes() -> None:
    async with post_office() as office:
        hooks(office, "in")
        office.receiver.answers = [NO]
        await opened(office)
        await office.delivery.once()
        (first,) = office.receiver.got
        count = sum((await office.waiting()).values())
        await office.delivery.once()
        assert len(office.receiver.got) == 1, "it is left alone for a while"
        office.web.house.now += PAUSE
        await office.delivery.once()
        again = next(one for one in office.receiver.got[1:] if one.headers["webhook-id"] == first.headers["webhook-id"])
        assert again.body == first.body
        assert len(office.receiver.got) == count + 1
        assert await office.waiting() == {}
        kept = await record(office, "program http")
        assert (kept["sent"], kept["failed"], kept["failing_since"], kept["why"]) == (count, 1, "", "")


@pytest.mark.parametrize("answer", [NO, HANGS, b"HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\n\r\n"])
def test_a_dead_target_holds_up_only_its_own_letters(answer: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """F22: it fails, hangs or redirects; the others are told at once, and no decision waits for it."""

    @played
    async def story() -> None:
        async with post_office(human=(DISCORD, SLACK)) as office:
            office.seconds_max = 1.0 if answer == HANGS else 30.0
            hooks(office, "dead", "well")
            office.receiver.refusing["/dead"] = answer
            await opened(office)
            await office.delivery.once()
            assert (len(office.got("/discord")), len(office.got("/slack"))) == (1, 1)
            well = len(office.got("/well"))
            assert len(office.got("/dead")) == 1, "after one failure it is not tried again at once"
            waits = await office.waiting()
            assert sum(waits.values()) == well
            assert len({one.split(" ")[1] for one in waits}) == 1
            stream = await office.web.house.open({"b.py": b"b\n"}, actor=DEV)
            assert (await office.web.house.review(stream)).revision == 1
            await office.delivery.once()
            assert len(office.got("/well")) > well
            assert [one.message for one in caplog.records].count("ended") == 0
            warned = [one for one in caplog.records if one.levelno >= logging.WARNING]
            assert len(warned) == 1
            assert "127.0.0.1" not in warned[0].getMessage()

    story()


@played
async def test_a_clock_that_is_set_back_silences_no_target() -> None:
    async with post_office() as office:
        hooks(office, "in")
        office.receiver.answers = [NO]
        await opened(office)
        await office.delivery.once()
        office.web.house.now -= timedelta(hours=49)
        await office.web.house.open({"b.py": b"b\n"}, actor=DEV, kind="script")
        await office.delivery.once()
        assert office.got("/in")[-1]["subject"] == "review/r2"


@played
async def test_a_dead_target_is_left_alone_longer_each_time_and_given_up_after_days() -> None:
    async with post_office() as office:
        hooks(office, "dead")
        office.receiver.refusing["/dead"] = NO
        await opened(office)
        tries: list[float] = []
        began = office.web.house.now
        for _ in range(2000):
            await office.delivery.once()
            if len(office.receiver.got) > len(tries):
                tries.append((office.web.house.now - began).total_seconds())
            if not await office.waiting():
                break
            office.web.house.now += timedelta(minutes=5) if len(tries) > 6 else timedelta(seconds=10)
        gaps = [after - before for before, after in pairwise(tries)]
        assert gaps[:5] == [10, 20, 40, 80, 160]
        assert max(gaps) == PAUSE_MAX.total_seconds()
        assert await office.waiting() == {}
        assert office.web.house.now - began > LIFE
        kept = await record(office, "program http")
        assert (kept["sent"], kept["failed"] > 10, kept["given_up"] > 0) == (0, True, True)
        assert kept["why"] == "it answered 500"


@played
async def test_who_asks_for_patience_gets_it() -> None:
    async with post_office(human=(TELEGRAM,)) as office:
        office.receiver.answers = [b"HTTP/1.1 429 Slow down\r\nretry-after: 300\r\n\r\n"]
        await opened(office)
        await office.delivery.once()
        office.web.house.now += timedelta(seconds=299)
        await office.delivery.once()
        assert len(office.receiver.got) == 1
        office.web.house.now += timedelta(seconds=1)
        await office.delivery.once()
        assert len(office.receiver.got) == 2


@played
async def test_a_worker_that_is_told_to_end_keeps_what_arrived_and_leaves_the_rest_to_others_at_once() -> None:
    """What was on its way may have arrived: it comes again, as the same letter; what was answered does not."""
    async with post_office() as office:
        hooks(office, "in")
        for number in range(3):
            await office.web.house.open({"a.py": f"{number}\n".encode()}, actor=DEV)
        office.receiver.answers = [OK, HANGS]
        ending = asyncio.create_task(office.delivery.once())
        while len(office.receiver.got) < 2:
            office.receiver.came.clear()
            await office.receiver.came.wait()
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)
        await office.another("two").once()
        first, second, again, third = (one.headers["webhook-id"] for one in office.receiver.got)
        assert (again, len({first, second, third})) == (second, 3)
        assert office.receiver.got[1].body == office.receiver.got[2].body
        assert await office.waiting() == {}


@played
async def test_two_workers_tell_everything_once() -> None:
    async with post_office(human=(DISCORD,)) as office:
        hooks(office, "in")
        for number in range(20):
            await office.web.house.open({"a.py": f"{number}\n".encode()}, actor=DEV)
        await asyncio.gather(office.delivery.once(), office.another("two").once(), office.another("three").once())
        ids = [one.headers["webhook-id"] for one in office.receiver.got if "/in" in one.path]
        assert len(ids) == len(set(ids)) >= 20
        assert await office.waiting() == {}


@played
async def test_with_nobody_to_tell_nothing_piles_up() -> None:
    async with post_office() as office:
        await opened(office)
        assert await office.waiting() != {}
        await office.delivery.once()
        assert await office.waiting() == {}
        assert office.receiver.got == []


@played
async def test_what_happened_long_before_anybody_was_to_be_told_is_not_told_now() -> None:
    async with post_office(human=(DISCORD,)) as office:
        await opened(office)
        office.web.house.now += LIFE + timedelta(seconds=1)
        await office.delivery.once()
        assert (office.receiver.got, await office.waiting()) == ([], {})


@played
async def test_a_letter_is_given_up_and_said_to_be_where_the_policy_has_no_address_any_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """F22: what is for another address then, see test_moved."""
    async with post_office(human=(DISCORD,)) as office:
        office.receiver.answers = [NO]
        await opened(office)
        await office.delivery.once()
        assert await office.waiting() != {}
        office.delivery.desk = Desk()
        office.web.house.now += PAUSE
        await office.delivery.once()
        assert await office.waiting() == {}
        assert "1 letters given up" in caplog.text
        rows = await office.web.house.store.read(lambda reading: reading.rows(DELIVERIES))
        assert [(name, json.loads(body)["given_up"]) for name, body in rows] == [(GONE, 1)]


@played
async def test_a_log_that_was_altered_is_told_to_nobody_and_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async with post_office() as office:
        hooks(office, "in")
        await opened(office)
        await office.web.house.open({"b.py": b"b\n"}, actor=DEV)
        tables = office.web.house.store._tables  # type: ignore[attr-defined]
        first, *rest = tables.streams["review/r1"]
        tables.streams["review/r1"] = (replace(first, body=first.body.replace("piece", "peace")), *rest)
        await office.delivery.once()
        assert {one["subject"] for one in office.got("/in")} == {"review/r2"}
        assert "altered" in caplog.text
        assert sum((await office.waiting()).values()) > 0


@played
async def test_a_surprise_with_one_target_is_no_other_targets() -> None:
    """What nobody thought of is raised for the loop to tell, when the others are done."""
    async with post_office(human=(DISCORD, SLACK)) as office:
        carried = office.delivery.carrier

        class Odd:
            async def carry(self, channel: Channel, message: Message, now: datetime) -> None:
                match channel:
                    case Discord():
                        raise LookupError("odd")
                    case _:
                        await carried.carry(channel, message, now)

        office.delivery.carrier = Odd()
        await opened(office)
        with pytest.raises(LookupError, match="odd"):
            await office.delivery.once()
        assert len(office.got("/slack")) == 1
        (waits,) = await office.waiting()
        assert waits.startswith("letter discord-")
        assert await office.delivery.once() == 0, "what is odd is left alone for a while"
        office.delivery.carrier = carried
        office.web.house.now += PAUSE
        await office.delivery.once()
        assert (len(office.got("/discord")), len(office.got("/slack"))) == (1, 1)
