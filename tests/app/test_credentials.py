"""A known credential is recognised without reading its log, but only while the log is unchanged."""

from datetime import timedelta

from foureyes.app.accounts import new_token, stream_of
from foureyes.app.calls.call import Caller
from foureyes.app.credentials import Acquaintances, Credential, caller_of
from foureyes.core.principals import EnrolPrincipal, IssueToken, RemovePrincipal, RevokeToken
from foureyes.core.values import Who, WhoKind
from tests.app.house import House, played

SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="acme")
DSF = Who(name="dsf", kind=WhoKind.SERVICE, operator="acme")


class Desk:
    """A desk that looks up the account of a token repeatedly."""

    def __init__(self) -> None:
        self.house, self.met = House(), Acquaintances()

    async def enrolled(self, name: str, kind: str, life: timedelta | None = None) -> tuple[str, str]:
        """The id of a token, and its secret."""
        made = new_token()
        await self.house.do(SUE, EnrolPrincipal(kind=kind), stream_of(name))
        ends = self.house.now + life if life else None
        await self.house.do(SUE, IssueToken(token=made.id, hash=made.hash, expires=ends), stream_of(name))
        return made.id, made.secret

    async def caller(self, token: str, agent: str = "") -> Caller | None:
        return await caller_of(self.house.store, Credential(token=token, agent=agent), self.house.now, self.met)


@played
async def test_a_token_is_known_again_until_it_is_revoked() -> None:
    """T24: whatever is remembered of it."""
    desk = Desk()
    name, secret = await desk.enrolled("ann", "agent")
    first = await desk.caller(secret)
    assert first is not None
    assert first.who.name == "ann"
    assert await desk.caller(secret) is first
    await desk.house.do(SUE, RevokeToken(token=name, reason="lost"), stream_of("ann"))
    assert await desk.caller(secret) is None
    assert await desk.caller(secret) is None


@played
async def test_a_token_is_known_again_until_it_is_over() -> None:
    desk = Desk()
    _, secret = await desk.enrolled("ann", "agent", timedelta(hours=1))
    assert await desk.caller(secret) is not None
    desk.house.now += timedelta(hours=1)
    assert await desk.caller(secret) is None


@played
async def test_somebody_whose_account_changed_is_not_who_they_were() -> None:
    desk = Desk()
    _, secret = await desk.enrolled("ann", "agent")
    assert await desk.caller(secret) is not None
    await desk.house.do(SUE, EnrolPrincipal(kind="agent", roles=("auditor",)), stream_of("ann"))
    found = await desk.caller(secret)
    assert found is not None
    assert found.account.roles == ("auditor",)


@played
async def test_an_agent_of_a_service_is_known_again_until_either_of_them_is_not() -> None:
    desk = Desk()
    name, secret = await desk.enrolled("dsf", "service")
    for one in ("dweller-1", "dweller-2"):
        await desk.house.do(DSF, EnrolPrincipal(kind="agent"), stream_of(one))
        found = await desk.caller(secret, one)
        assert found is not None
        assert found.who.name == one
        assert await desk.caller(secret, one) is found
    await desk.house.do(SUE, RemovePrincipal(reason="gone"), stream_of("dweller-1"))
    assert await desk.caller(secret, "dweller-1") is None
    assert await desk.caller(secret, "dweller-2") is not None
    await desk.house.do(SUE, RevokeToken(token=name, reason="lost"), stream_of("dsf"))
    assert await desk.caller(secret, "dweller-2") is None
