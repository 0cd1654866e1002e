"""Quiet hours, one digest a day, and no notification about what is already done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from foureyes.app.accounts import Enrolled, new_token, stream_of
from foureyes.app.chain import appended
from foureyes.app.ports import Writing
from foureyes.app.rows import Changes, OutboxRow
from foureyes.core import commands as c
from foureyes.core import events as e
from foureyes.core import protocols
from foureyes.core.model import ReportRequest, RulingRequest
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.values import Step, Who, WhoKind
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
REQUESTED = "Review requested: A piece of work\nscript by dev, round 1\nhttps://gate.example/reviews/r1"
REMINDER = "This is a reminder: the report is not in yet."


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
    """A review about which a human is asked at once, because its author disputes a finding."""
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
    """Damage a track record, about which humans are notified."""
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


async def two_eyes() -> Five:
    """A house where a human and an agent review blindly."""
    rules = rules_with(protocols.solo(programs=(), agents=("agent", "second")))
    web = Five(house=House(pool=Enrolled(), policy=policy(rules)))  # type: ignore[arg-type]
    await web.house.do(OWNER, EnrolPrincipal(kind="human", roles=("agent",)), stream_of("ann"))
    for name, roles in (("codex", ("second",)), ("dev", ())):
        command = EnrolPrincipal(kind="agent", operator=f"{name}-co", model_family=name, roles=roles)
        await web.house.do(HUMAN, command, stream_of(name))
        made = new_token()
        await web.house.do(HUMAN, IssueToken(token=made.id, hash=made.hash), stream_of(name))
    return web


async def opened(web: Five) -> str:
    stream = await web.house.open(actor=DEV)
    seats = (await web.house.review(stream)).seats.values()
    assert {one.reviewer.name for one in seats if one.reviewer} == {"ann", "codex"}
    return stream


@pytest.mark.parametrize("spelled", ["ann", "Ann"])
def test_a_human_who_reviews_blindly_hears_nothing_of_what_others_said_until_they_have_reported(spelled: str) -> None:
    """T13: neither the question nor a line of the digest; afterwards the question comes."""

    @played
    async def story() -> None:
        web = await two_eyes()
        async with post_office(web, people=(replace(ANN, name=spelled, quiet=None),)) as office:
            house = web.house
            stream = await opened(web)
            await house.object_to(stream, "It deletes the disk.")
            await house.do(DEV, c.RequestRuling(reason="We cannot agree.", argument="It does not."), stream)
            assert (await house.review(stream)).ruling() is not None
            await office.delivery.once()
            assert texts(office) == [REQUESTED]
            await house.do(HUMAN, c.SubmitReport(revision=1, verdict="approve"), stream)
            house.wait(minutes=1)
            await office.delivery.once()
            _, said = texts(office)
            assert "A decision is asked for" in said

    story()


@played
async def test_an_agent_whom_the_policy_takes_for_a_person_hears_no_more_than_it_may_see() -> None:
    """T13: an account without a seat that is not a human is blind."""
    web = await two_eyes()
    await web.house.do(HUMAN, EnrolPrincipal(kind="agent", operator="x-co", model_family="x"), stream_of("eve"))
    async with post_office(web, people=(Person(name="eve", to=(BOX,)),)) as office:
        stream = await opened(web)
        await web.house.do(DEV, c.RequestRuling(reason="We cannot agree.", argument="It does not."), stream)
        await office.delivery.once()
        assert texts(office) == []


@played
async def test_who_is_asked_for_a_report_hears_it_by_name_and_is_reminded_and_nobody_else_is() -> None:
    """001-27: and not at all once the report is in."""
    web = await two_eyes()
    bob = Person(name="bob", to=("discord://444/bob-token",))
    async with post_office(web, people=(replace(ANN, quiet=None), bob)) as office:
        stream = await opened(web)
        await office.delivery.once()
        assert texts(office) == [REQUESTED]
        await passed(web, stream, Step.REMINDED)
        await office.delivery.once()
        assert texts(office)[1:] == [REQUESTED.replace("\nhttps", f"\n{REMINDER}\nhttps")]
        await passed(web, stream, Step.REMINDED)
        await web.house.do(HUMAN, c.SubmitReport(revision=1, verdict="approve"), stream)
        await office.delivery.once()
        assert len(texts(office)) == 2
        assert office.got("/444") == []


@played
async def test_a_channel_of_reviewers_hears_that_work_is_there_and_nothing_that_others_do() -> None:
    """T13: the same is told there whatever is hidden from those who read it; a new version is told again."""
    told = []
    for reports in (False, True):
        web = await two_eyes()
        async with post_office(web, reviewer=(BOX,)) as office:
            stream = await opened(web)
            if reports:
                await web.house.object_to(stream, "It deletes the disk.")
                await passed(web, stream, Step.REMINDED)
            await office.delivery.once()
            assert await office.waiting() == {}
            told.append(texts(office))
            await web.house.revise(stream)
            await office.delivery.once()
            assert [one.split("\n")[:2] for one in texts(office)[1:]] == [
                ["There is a new version to review: A piece of work", "script by dev, round 2"]
            ]
    assert told == [[REQUESTED], [REQUESTED]]


@played
async def test_that_a_letter_tells_a_human_what_others_said_is_written_down_once() -> None:
    """T13: as if they had opened the page."""
    web = await two_eyes()
    await web.house.do(HUMAN, EnrolPrincipal(kind="human"), stream_of("bob"))
    people = (Person(name="bob", to=("discord://444/bob-token", "discord://555/bob-token")),)
    async with post_office(web, people=people) as office:
        stream = await opened(web)
        await web.house.do(DEV, c.RequestRuling(reason="We cannot agree.", argument="It does not."), stream)
        await office.delivery.once()
        assert await web.house.log("seen/r1") == [], "nobody has said anything yet"
        await web.house.object_to(stream, "It deletes the disk.")
        await passed(web, stream, Step.RENOTIFIED)
        await office.delivery.once()
        assert [len(office.got(one)) for one in ("/444", "/555")] == [2, 2]
        assert await web.house.log("seen/r1") == ["WholeSeen"]


async def passed(web: Five, stream: str, step: Step) -> None:
    """A deadline passes, of the report that ann owes or of a ruling."""
    review = await web.house.review(stream)
    seats = {one.id for one in review.seats.values() if one.reviewer and one.reviewer.name == "ann"}
    is_ruling = step is Step.RENOTIFIED
    (request,) = [
        one
        for one in review.requests.values()
        if (isinstance(one, RulingRequest) if is_ruling else isinstance(one, ReportRequest) and one.seat in seats)
    ]
    event = e.DeadlinePassed(request=request.id, step=step, due=request.due)

    def write(tx: Writing) -> None:
        known = tx.known(stream, "", "")
        row = OutboxRow(stream=stream, version=known.version + 1, type="DeadlinePassed", at=web.house.now.isoformat())
        end = known.version, known.chain
        made = appended(stream, end, (event,), at=row.at, actor="clock", cause="clock")
        tx.apply(Changes(appends=(made,), outbox=(row,)))

    await web.house.store.write(write)


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
