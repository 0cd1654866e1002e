"""A human signs in by a link that works once, and is signed in for a while."""

from datetime import timedelta

from foureyes.app.accounts import stream_of
from foureyes.app.rows import LINKS, SIGN_INS
from foureyes.app.signing_in import LINK_LIFE, SIGN_IN_LIFE, form_mark, new_link, redeemed, sign_out, signed_in
from foureyes.core.principals import EnrolPrincipal, RemovePrincipal
from foureyes.core.values import Who, WhoKind
from tests.app.house import House, played

OWNER = Who(name="owner", kind=WhoKind.PERSON)
SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="sue")


async def with_sue() -> House:
    house = House()
    await house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("sue"))
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("tom"))
    await house.do(SUE, EnrolPrincipal(kind="agent"), stream_of("ann"))
    return house


async def link(house: House, name: str = "sue") -> str | None:
    return await house.store.write(lambda tx: new_link(tx, name, house.now))


async def use(house: House, secret: str) -> str | None:
    return await house.store.write(lambda tx: redeemed(tx, secret, house.now))


async def who(house: House, session: str) -> str:
    found = await house.store.read(lambda reading: signed_in(reading, session, house.now))
    return found.account.who.name if found else ""


async def session_of(house: House, name: str = "sue") -> str:
    secret = await link(house, name)
    session = await use(house, secret or "")
    assert session
    return session


@played
async def test_a_link_signs_its_human_in_once() -> None:
    house = await with_sue()
    secret = await link(house)
    assert secret
    session = await use(house, secret)
    assert session
    assert await who(house, session) == "sue"
    assert await use(house, secret) is None
    assert await use(house, "made up") is None
    assert await who(house, "made up") == ""


@played
async def test_a_link_that_was_left_lying_and_a_session_of_yesterday_open_nothing() -> None:
    house = await with_sue()
    old, session = await link(house), await session_of(house)
    house.now += LINK_LIFE
    assert await use(house, old or "") is None
    house.now += SIGN_IN_LIFE
    assert await who(house, session) == ""


@played
async def test_only_humans_who_are_enrolled_get_a_link() -> None:
    house = await with_sue()
    assert await link(house, "ann") is None
    assert await link(house, "nobody-i-know") is None
    early, session = await link(house, "tom"), await session_of(house, "tom")
    await house.do(SUE, RemovePrincipal(reason="left"), stream_of("tom"))
    assert await who(house, session) == ""
    assert await use(house, early or "") is None
    assert await link(house, "tom") is None


@played
async def test_who_was_removed_and_enrolled_again_signs_in_anew() -> None:
    """T24: a session ended by the removal of its account is not revived by a new enrolment."""
    house = await with_sue()
    early, session = await link(house, "tom"), await session_of(house, "tom")
    await house.do(SUE, RemovePrincipal(reason="lost the laptop"), stream_of("tom"))
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("tom"))
    assert await who(house, session) == ""
    assert await use(house, early or "") is None
    new = await session_of(house, "tom")
    await house.do(SUE, EnrolPrincipal(kind="human", roles=("lead",)), stream_of("tom"))
    assert await who(house, new) == "tom"


@played
async def test_signing_out_ends_the_session_and_nobody_elses() -> None:
    house = await with_sue()
    first, second = await session_of(house), await session_of(house)
    await house.store.write(lambda tx: sign_out(tx, first))
    assert await who(house, first) == ""
    assert await who(house, second) == "sue"
    assert form_mark(first) != form_mark(second)


@played
async def test_what_is_over_is_swept_and_no_secret_is_kept() -> None:
    house = await with_sue()
    session, secret = await session_of(house), await link(house)
    tables = await house.store.read(lambda reading: [reading.rows(SIGN_INS), reading.rows(LINKS)])
    assert [len(one) for one in tables] == [1, 1]
    assert session not in str(tables)
    assert str(secret) not in str(tables)
    house.now += SIGN_IN_LIFE + timedelta(seconds=1)
    new = await session_of(house)
    tables = await house.store.read(lambda reading: [reading.rows(SIGN_INS), reading.rows(LINKS)])
    assert [len(one) for one in tables] == [1, 0]
    assert await who(house, new) == "sue"
