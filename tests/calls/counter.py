"""An office with callers, as a door has them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from foureyes.app.accounts import bearer, new_token, stream_of
from foureyes.app.calls.call import Caller, scopes_of
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.refusals import Refusal
from foureyes.core.values import Who, WhoKind
from tests.app.house import House

SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="sue")
OWNER = Who(name="owner", kind=WhoKind.PERSON)


@dataclass
class Counter:
    """A door-like counter for people and agents."""

    house: House = field(default_factory=House)

    def __post_init__(self) -> None:
        self.office = Office(gate=self.house.gate, store=self.house.store, clock=lambda: self.house.now)

    async def agent(self, name: str, *scopes: str, kind: str = "agent", roles: tuple[str, ...] = ("agent",)) -> Caller:
        """Enrol an agent with a token that is looked up again."""
        operator = f"{name}-co"
        await self.house.do(SUE, EnrolPrincipal(kind=kind, operator=operator, roles=roles), stream_of(name))
        made = new_token()
        await self.house.do(SUE, IssueToken(token=made.id, hash=made.hash, scopes=scopes), stream_of(name))
        found = await self.house.store.read(lambda reading: bearer(reading, made.secret, self.house.now))
        assert found is not None
        account, token = found
        return Caller(account=account, scopes=scopes_of(account, token.scopes), credential=token.id)

    async def known(self, name: str) -> Caller:
        """A caller whose credential has the same name in every world."""
        return replace(await self.agent(name), credential=name)

    async def call(self, caller: Caller, name: str, **body: Any) -> Any:
        """A call that is answered."""
        return await answered(self.office, caller, CALLS[name], body)

    async def refused(self, caller: Caller, name: str, **body: Any) -> Refusal:
        """A call that is not."""
        with pytest.raises(Refusal) as caught:
            await self.call(caller, name, **body)
        return caught.value
