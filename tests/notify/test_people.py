"""People are left in peace: nothing in quiet hours, one digest a day, and nothing about what is done already."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from foureyes.app.accounts import Enrolled, stream_of
from foureyes.app.rows import Changes, OutboxRow
from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.principals import EnrolPrincipal
from foureyes.core.values import Who, WhoKind
from foureyes.notify.hours import digest_at, resumes
from foureyes.policy.notifying import Person
from tests.app.house import House, played, policy
from tests.calls.counter import OWNER
from tests.cast import DEV, rules_with
from tests.http.five import Five
from tests.notify.post_office import PostOffice, post_office

BOX = "discord://333/ann-token"
ANN = Person(name="ann", to=(BOX,), quiet=(time(22), time(7)), digest=time(8), zone="Europe/Berlin")
HUMAN = Who(name="ann", kind=WhoKind.HUMAN)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        ("2026-01-05T20:59", None),  # 21:59 in Berlin
        ("2026-01-05T21:00", "2026-01-06T06:00"),
        ("2026-01-06T05:59", "2026-01-06T06:00"),
        ("2026-01-06T06:00", None),
        ("2026-07-05T20:00", "2026-07-06T05:00"),  # in summer the same hours are others in UTC
        ("2026-03-28T22:00", "2026-03-29T05:00"),  # the night in which the clock goes forward
        ("2026-10-24T22:00", "2026-10-25T06:00"),  # and back
    ],
)
def test_quiet_hours_are_those_of_the_clock_on_the_wall(now: str, wanted: str | None) -> None:
    assert resumes(ANN, moment(now)) == (moment(wanted) if wanted else None)


def test_without_quiet_hours_it_is_never_quiet() -> None:
    assert resumes(Person(name="bob", to=(BOX,)), moment("2026-01-05T03:00")) is None
    noon = Person(name="eve", to=(BOX,), quiet=(time(12), time(13)))
    assert resumes(noon, moment("2026-01-05T12:30")) == moment("2026-01-05T13:00")
    assert resumes(noon, moment("2026-01-05T13:00")) is None


def test_a_digest_comes_at_its_time_of_the_day() -> None:
    assert digest_at(ANN, moment("2026-01-05T06:59")) == moment("2026-01-05T07:00")
    assert digest_at(ANN, moment("2026-01-05T07:00")) == moment("2026-01-06T07:00")


async def enrolled(office: PostOffice) -> None:
    await office.web.house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("ann"))


async def asked(office: PostOffice) -> str:
    """A review about which a human is asked at once: its author disputes what a human can only decide."""
    stream = await office.web.house.open(actor=DEV, kind="script")
    assert (await office.web.house.review(stream)).ruling() is not None
    return stream


def texts(office: PostOffice) -> list[Any]:
    return [one["content"] for one in office.got("/discord")]


@played
async def test_a_question_that_comes_at_night_waits_for_the_morning() -> None:
    """D-14: quiet hours hold a question back, and nothing else does."""
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        office.web.house.now = moment("2026-01-05T23:00")
        await asked(office)
        await office.delivery.once()
        office.web.house.now = moment("2026-01-06T05:59")
        await office.delivery.once()
        assert texts(office) == []
        office.web.house.now = moment("2026-01-06T06:00")
        await office.delivery.once()
        (said,) = texts(office)
        assert said.startswith("A decision is asked for: A piece of work\n")
        assert "\nhttps://gate.example/decide?link=" in said


@played
async def test_a_question_that_was_answered_in_the_night_wakes_nobody() -> None:
    """D-14: people hear only of what needs them."""
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        office.web.house.now = moment("2026-01-05T23:00")
        stream = await asked(office)
        await office.delivery.once()
        ruling = (await office.web.house.review(stream)).ruling()
        assert ruling is not None
        answer = c.GiveRuling(request=ruling.id, option=ruling.options[0].id, reason="I was awake.")
        await office.web.house.do(HUMAN, answer, stream)
        office.web.house.now = moment("2026-01-06T06:00")
        await office.delivery.once()
        assert [one for one in texts(office) if "A decision is asked for" in one] == []


@played
async def test_what_needs_no_decision_comes_once_a_day_all_in_one() -> None:
    """D-14: one digest a day."""
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        house = office.web.house
        for day, count in ((5, 3), (6, 1)):
            for number in range(count):
                house.now = moment(f"2026-01-0{day}T{10 + number}:00")
                await damage(office, f"{day}{number}")
                await office.delivery.once()
            before = len(texts(office))
            house.now = moment(f"2026-01-0{day + 1}T06:59")
            await office.delivery.once()
            assert len(texts(office)) == before
            house.now = moment(f"2026-01-0{day + 1}T07:00")
            await office.delivery.once()
            await office.delivery.once()
            assert len(texts(office)) == before + 1
        first, second = texts(office)
        assert first.startswith("3 things to know, and none to decide:\n- A track record was damaged")
        assert first.count("\n- ") == 3
        assert first.endswith("\nhttps://gate.example/")
        assert second.startswith("1 thing to know, and none to decide:\n")
        assert await office.waiting() == {}


async def damage(office: PostOffice, text: str) -> None:
    """A track record is damaged, which is told to humans."""
    row = OutboxRow(stream=f"trust/{text}", version=0, type="TrustDamaged", at=office.web.house.now.isoformat())
    await office.web.house.store.write(lambda tx: tx.apply(Changes(outbox=(row,))))


@played
async def test_a_digest_that_could_not_be_sent_is_sent_with_what_came_since() -> None:
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        house = office.web.house
        house.now = moment("2026-01-05T10:00")
        await damage(office, "one")
        await office.delivery.once()
        office.receiver.answers = [b"HTTP/1.1 500 No\r\n\r\n"]
        house.now = moment("2026-01-06T07:00")
        await office.delivery.once()
        await damage(office, "two")
        house.now += timedelta(minutes=1)
        await office.delivery.once()
        house.now += timedelta(days=1)
        await office.delivery.once()
        got = [one for one in texts(office) if "to know" in one]
        assert [one.split(" ")[0] for one in got] == ["1", "2"]


@played
async def test_a_human_who_reviews_blindly_hears_nothing_of_what_others_said_until_they_have_reported() -> None:
    """T13: neither the question nor a line of the digest; afterwards the question comes."""
    rules = rules_with(protocols.solo(programs=(), agents=("agent", "second")))
    web = Five(house=House(pool=Enrolled(), policy=policy(rules)))  # type: ignore[arg-type]
    async with post_office(web, people=(replace(ANN, quiet=None),)) as office:
        house = web.house
        await house.do(OWNER, EnrolPrincipal(kind="human", roles=("agent",)), stream_of("ann"))
        for name, roles in (("codex", ("second",)), ("dev", ())):
            command = EnrolPrincipal(kind="agent", operator=f"{name}-co", model_family=name, roles=roles)
            await house.do(HUMAN, command, stream_of(name))
        stream = await house.open(actor=DEV)
        seats = (await house.review(stream)).seats.values()
        assert {one.reviewer.name for one in seats if one.reviewer} == {"ann", "codex"}
        await house.object_to(stream, "It deletes the disk.")
        await house.do(DEV, c.RequestRuling(reason="We cannot agree.", argument="It does not."), stream)
        assert (await house.review(stream)).ruling() is not None
        await office.delivery.once()
        assert texts(office) == []
        await house.do(HUMAN, c.SubmitReport(revision=1, verdict="approve"), stream)
        house.wait(minutes=1)
        await office.delivery.once()
        (said,) = texts(office)
        assert "A decision is asked for" in said


@played
async def test_many_questions_at_once_are_one_message_that_leads_to_all_of_them() -> None:
    """D-14: nobody wakes up to a pile; a few come one by one, each with its link."""
    async with post_office(people=(ANN,)) as office:
        await enrolled(office)
        house = office.web.house
        house.now = moment("2026-01-05T23:00")
        for number in range(7):
            await house.open({"a.py": f"{number}\n".encode()}, actor=DEV, title=f"Work {number}")
        house.now = moment("2026-01-06T06:00")
        office.receiver.answers = [b"HTTP/1.1 500 No\r\n\r\n"]
        await office.delivery.once()
        house.wait(minutes=1)
        await office.delivery.once()
        failed, said = texts(office)
        assert failed == said
        assert said.startswith("7 decisions are asked for:\n- A decision is asked for: Work 0\n")
        assert (said.count("\n- "), said.endswith("\nhttps://gate.example/")) == (7, True)
        assert await office.waiting() == {}
        for number in range(5):
            await house.open({"a.py": f"b{number}\n".encode()}, actor=DEV)
        await office.delivery.once()
        assert ["/decide?link=" in one for one in texts(office)[2:]] == [True] * 5
