"""A token speaks for the account whose log issued it, as long as that log says so."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from foureyes.app.accounts import Enrolled, accounts, bearer, decide, new_token, stream_of
from foureyes.app.ports import Reading, Store, Unavailable, Writing
from foureyes.app.rows import START, TOKENS
from foureyes.core import principals
from foureyes.core.facts import Principal
from foureyes.core.principals import EnrolPrincipal, IssueToken, RemovePrincipal, RevokeToken
from foureyes.core.refusals import Code
from foureyes.core.values import Who, WhoKind
from tests.app.house import House, played

SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
AGENT = EnrolPrincipal(kind="agent", roles=("auditor",))
HUMAN = EnrolPrincipal(kind="human")


async def named(house: House, secret: str) -> str:
    """Whom a secret speaks for."""

    def work(reading: Reading) -> str:
        found = bearer(reading, secret, house.now)
        return found[0].who.name if found else ""

    return await house.store.read(work)


async def pool(store: Store, directory: Enrolled) -> tuple[Principal, ...]:
    return await store.read(directory.pool)


async def names(house: House, directory: Enrolled) -> list[str]:
    return [one.who.name for one in await pool(house.store, directory) if one.available]


async def issued(house: House, name: str, expires: datetime | None = None, scopes: tuple[str, ...] = ()) -> str:
    """The id of a token issued to an enrolled account."""
    made = new_token()
    await house.do(SUE, IssueToken(token=made.id, hash=made.hash, scopes=scopes, expires=expires), stream_of(name))
    return made.id


@played
async def test_a_token_speaks_for_its_account_until_it_is_revoked_or_over() -> None:
    house, token, other = House(), new_token(), new_token()
    await house.do(SUE, AGENT, stream_of("ann"))
    await house.do(SUE, IssueToken(token=token.id, hash=token.hash), stream_of("ann"))
    ends = house.now + timedelta(hours=1)
    await house.do(SUE, IssueToken(token=other.id, hash=other.hash, expires=ends), stream_of("ann"))
    assert await named(house, token.secret) == "ann"
    assert await named(house, other.secret) == "ann"
    assert await named(house, token.secret + "x") == ""
    house.now = ends
    assert await named(house, other.secret) == ""
    await house.do(SUE, RevokeToken(token=token.id, reason="lost"), stream_of("ann"))
    assert await named(house, token.secret) == ""


@played
async def test_a_row_that_somebody_wrote_into_the_store_opens_nothing() -> None:
    house, token = House(), new_token()
    await house.do(SUE, AGENT, stream_of("ann"))
    await house.store.write(lambda tx: tx.follow(TOKENS, {token.hash: "ann"}, START))
    assert await named(house, token.secret) == ""


@played
async def test_the_secret_is_in_no_event_and_no_row() -> None:
    """T33: what the store holds gives nobody a token."""
    house, token = House(), new_token()
    await house.do(SUE, AGENT, stream_of("ann"))
    await house.do(SUE, IssueToken(token=token.id, hash=token.hash), stream_of("ann"))
    bodies = await house.store.read(lambda reading: [one.body for one in reading.events(stream_of("ann"))])
    assert not any(token.secret in one for one in bodies)


@played
async def test_the_pool_is_who_is_enrolled_now() -> None:
    house, directory = House(), Enrolled()
    assert await pool(house.store, directory) == ()
    await house.do(SUE, AGENT, stream_of("ann"))
    await house.do(SUE, replace(AGENT, roles=()), stream_of("bea"))
    for name in ("ann", "bea"):
        await issued(house, name)
    found = await pool(house.store, directory)
    assert [(one.who.name, one.roles) for one in found] == [("ann", frozenset({"auditor"})), ("bea", frozenset())]
    await house.do(SUE, RemovePrincipal(reason="left"), stream_of("ann"))
    assert await names(house, directory) == ["bea"]
    assert [one.removed for one in await house.store.read(accounts)] == [True, False]


@played
async def test_nobody_is_asked_whom_no_token_lets_in_and_a_human_signs_in() -> None:
    """A seat given to an account that cannot connect would wait in vain; an expired token is noticed automatically."""
    house = House()
    directory = Enrolled(lambda: house.now)
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("hugo"))
    for name in ("ann", "bea"):
        await house.do(SUE, AGENT, stream_of(name))
    assert await names(house, directory) == ["hugo"]
    first = await issued(house, "ann")
    await issued(house, "ann", house.now + timedelta(hours=2))
    await issued(house, "bea", house.now + timedelta(hours=1))
    assert await names(house, directory) == ["ann", "bea", "hugo"]
    house.wait(hours=1)
    assert await names(house, directory) == ["ann", "hugo"]
    house.wait(hours=1)
    assert await names(house, directory) == ["ann", "hugo"]
    house.wait(hours=-2)
    assert await names(house, directory) == ["ann", "bea", "hugo"], "a clock that was wrong is put right"
    house.wait(hours=2)
    await house.do(SUE, RevokeToken(token=first, reason="lost"), stream_of("ann"))
    assert await names(house, directory) == ["hugo"]


@played
async def test_an_agent_is_asked_while_a_token_of_the_service_that_vouches_for_it_opens() -> None:
    """T2: its agents have no token of their own."""
    house = House()
    directory = Enrolled(lambda: house.now)
    dsf = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf")
    await house.do(SUE, EnrolPrincipal(kind="service", operator="dsf"), stream_of("dsf"))
    await house.do(dsf, EnrolPrincipal(kind="agent"), stream_of("dweller"))
    assert await names(house, directory) == []
    token = await issued(house, "dsf")
    assert await names(house, directory) == ["dsf", "dweller"]
    await house.do(SUE, RevokeToken(token=token, reason="lost"), stream_of("dsf"))
    assert await names(house, directory) == []
    await issued(house, "dsf")
    await house.do(SUE, RemovePrincipal(reason="left"), stream_of("dsf"))
    assert await names(house, directory) == []


@played
async def test_a_token_that_lets_nobody_report_brings_nobody_into_the_pool() -> None:
    """A token may have fewer scopes than its account, so its holder is refused on a report."""
    house = House()
    directory = Enrolled(lambda: house.now)
    await house.do(SUE, AGENT, stream_of("ann"))
    await issued(house, "ann", scopes=("read", "author"))
    assert await names(house, directory) == []
    await issued(house, "ann", scopes=("review",))
    assert await names(house, directory) == ["ann"]
    dsf = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf")
    await house.do(SUE, EnrolPrincipal(kind="service", operator="dsf"), stream_of("dsf"))
    await house.do(dsf, EnrolPrincipal(kind="agent"), stream_of("dweller"))
    await issued(house, "dsf", scopes=("read", "vouch"))
    await issued(house, "dsf", scopes=("read", "review"))
    assert await names(house, directory) == ["ann", "dsf"]
    await issued(house, "dsf", scopes=("review", "vouch"))
    assert await names(house, directory) == ["ann", "dsf", "dweller"]


@played
async def test_a_service_and_its_agents_stay_one_operator() -> None:
    """T2: what the log says of its agents is looked at, and those who are gone count no longer."""
    house, service = House(), EnrolPrincipal(kind="service", operator="dsf")
    dsf = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf")
    await house.do(SUE, service, stream_of("dsf"))
    await house.do(dsf, EnrolPrincipal(kind="agent"), stream_of("dweller-42"))
    other = replace(service, operator="two")
    assert (await house.refused(SUE, other, stream_of("dsf"))).code is Code.DUPLICATE
    await house.do(dsf, RemovePrincipal(reason="done"), stream_of("dweller-42"))
    await house.do(SUE, other, stream_of("dsf"))


@played
async def test_the_names_a_service_vouches_for_are_counted_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """T18: removing them makes no room, for they are still read; another's are not counted."""
    monkeypatch.setattr(principals, "VOUCHED_MAX", 2)
    house, agent = House(), EnrolPrincipal(kind="agent")
    dsf, other = (Who(name=name, kind=WhoKind.SERVICE, operator=name) for name in ("dsf", "other"))
    for name in ("d1", "d2"):
        await house.do(dsf, agent, stream_of(name))
    await house.do(dsf, RemovePrincipal(reason="done"), stream_of("d2"))
    assert (await house.refused(dsf, agent, stream_of("d3"))).code is Code.LIMIT_REACHED
    await house.do(other, agent, stream_of("d3"))
    await house.do(dsf, agent, stream_of("d2"))


@played
async def test_a_name_that_looks_like_another_is_refused_whoever_bears_it() -> None:
    house = House()
    await house.do(SUE, AGENT, stream_of("auditor"))
    refusal = await house.refused(SUE, AGENT, stream_of("audit0r"))
    assert refusal.code is Code.DUPLICATE
    assert (await house.refused(SUE, AGENT, "review/x")).code is Code.UNKNOWN_WORD


@played
async def test_an_operator_who_looks_like_another_is_refused_and_one_alone_may_be_spelled_anew() -> None:
    """T30: those who are gone, and the account itself, are nobody to be mistaken for."""
    house, ann = House(), replace(AGENT, operator="Bolt")
    await house.do(SUE, ann, stream_of("ann"))
    assert (await house.refused(SUE, replace(AGENT, operator="bolt"), stream_of("bea"))).code is Code.DUPLICATE
    assert (await house.refused(SUE, replace(AGENT, operator="Bolt "), stream_of("bea"))).code is Code.BAD_VALUE
    await house.do(SUE, replace(AGENT, operator="bolt"), stream_of("ann"))
    await house.do(SUE, replace(AGENT, operator="bolt"), stream_of("bea"))
    for name in ("ann", "bea"):
        await house.do(SUE, RemovePrincipal(reason="left"), stream_of(name))
    await house.do(SUE, ann, stream_of("carol"))


@played
async def test_a_pool_that_was_read_in_a_change_taken_back_is_not_believed_later() -> None:
    """Commands that share a transaction see each other's accounts before anybody knows that they stay."""
    house, directory = House(), Enrolled()

    async def lost(name: str) -> None:
        def work(tx: Writing) -> None:
            decide(tx, stream_of(name), HUMAN, SUE, house.now)
            directory.pool(tx)
            raise Unavailable("The connection is gone.", "Try again.")

        with pytest.raises(Unavailable):
            await house.store.write(work)

    await house.do(SUE, HUMAN, stream_of("ann"))
    await lost("mallory")
    await house.do(SUE, HUMAN, stream_of("carol"))
    assert await names(house, directory) == ["ann", "carol"]
