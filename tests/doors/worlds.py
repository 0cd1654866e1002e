"""The worlds that callers find at the doors, each made once and copied for use."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any, cast

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from foureyes.app.accounts import Enrolled, NewToken, hash_of, stream_of
from foureyes.app.calls.whole import SEEN
from foureyes.app.signing_in import COOKIE, form_mark, new_link, redeemed
from foureyes.core import protocols
from foureyes.core.principals import EnrolPrincipal, IssueToken, RevokeToken
from foureyes.core.values import Who, WhoKind
from foureyes.http.app import Guarded
from foureyes.http.calling import FORM_HEADER
from foureyes.http.routes import BASE
from foureyes.http.table import Table
from foureyes.store.memory import MemoryStore
from foureyes.store.memory_tables import Tables
from tests.app.house import House, Pool, policy
from tests.calls.counter import OWNER, SUE
from tests.cast import rules_with
from tests.http.web import Answer, Web

#: The age of a sign-in that is too old for lifting a veto.
LONG_AGO = timedelta(hours=1)
#: The enrolled accounts: name, kind, roles. No account has a requested role until a world gives it.
AGENTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("dev", "agent", ()),
    ("ann", "agent", ("first", "hardin", "agent", "reviewer", "haiku")),
    ("bob", "agent", ("second", "seldon", "reviewer", "sonnet")),
    ("eve", "agent", ()),
    ("robot", "program", ()),
    ("dsf", "service", ()),
)
#: Two reviewers with one role each, so that the holder of each seat is known; more may join.
TWO = protocols.resolve()
_STAGE = TWO.stages[0]
_SEATS = tuple(replace(_STAGE.seats[0], roles=(role,)) for role in ("first", "second"))
RULES_HERE = rules_with(
    replace(TWO, stages=(replace(_STAGE, seats=_SEATS),)),
    protocols.solo(programs=(), agents=("agent",)),
)


@dataclass
class World(Web):
    """An application, the accounts that come to it with their headers, and the review they come about."""

    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    review: str = ""

    def copy(self) -> World:
        """Copy the world; later changes to one do not affect the other."""
        house = self.house
        assert isinstance(house.store, MemoryStore)
        twin = House(
            store=copied(house.store),
            policy=house.policy,
            pool=_enrolled(),
            now=house.now,
            keys=house.keys,
            ids=house.ids,
        )
        return World(house=twin, headers=self.headers, review=self.review)

    async def enrol(self, name: str, kind: str, roles: tuple[str, ...]) -> None:
        """Enrol an account with a token that is the same in every world."""
        await self.house.do(SUE, EnrolPrincipal(kind=kind, operator=f"{name}-co", roles=roles), stream_of(name))
        self.headers[name] = await self.token(name, f"t-{name}")

    async def token(self, name: str, number: str, *scopes: str, expires: datetime | None = None) -> dict[str, str]:
        """The headers of another token."""
        made = NewToken(id=number, secret=f"foureyes_{number}", hash=hash_of(f"foureyes_{number}"))
        command = IssueToken(token=made.id, hash=made.hash, scopes=scopes, expires=expires)
        await self.house.do(SUE, command, stream_of(name))
        return {"authorization": f"Bearer {made.secret}"}

    async def session(self, name: str) -> dict[str, str]:
        """The headers of a human who signs in now."""
        secret = await self.house.store.write(lambda tx: new_link(tx, name, self.house.now))
        session = await self.house.store.write(lambda tx: redeemed(tx, secret or "", self.house.now))
        return {"cookie": f"{COOKIE}={session}", FORM_HEADER: form_mark(session or "")}

    async def done(self, who: str, path: str, **body: Any) -> Any:
        """Make a call that must succeed."""
        answer = await self.post(f"{BASE}{path}", self.headers[who], **body)
        assert answer.status < 300, answer.body
        return answer.data

    async def shown(self, who: str) -> Any:
        """The review as this caller sees it."""
        return (await self.get(f"{BASE}/reviews/{self.review}", self.headers[who])).data["review"]

    @property
    def routes(self) -> list[BaseRoute]:
        """Everything the application serves."""
        assert isinstance(self.app, Guarded)
        assert isinstance(self.app._app, Table)
        assert isinstance(self.app._app._app, Starlette)
        return list(self.app._app._app.routes)

    @property
    def events(self) -> int:
        """The number of events in the log."""
        assert isinstance(self.house.store, MemoryStore)
        return len(self.house.store._tables.log)

    @property
    def acts(self) -> int:
        """The number of events without those that record reads: a refused caller may have read first."""
        assert isinstance(self.house.store, MemoryStore)
        return sum(not one.stream.startswith(SEEN) for one in self.house.store._tables.log)


def copied(store: MemoryStore) -> MemoryStore:
    """Copy a store; rows are never changed in place, so only the containers are copied."""
    tables = store._tables
    found = {one.name: _container(getattr(tables, one.name)) for one in fields(Tables)}
    found["outbox"] = {key: replace(one) for key, one in tables.outbox.items()}
    twin = MemoryStore()
    twin._tables = Tables(**found)
    return twin


def _container(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: dict(one) if isinstance(one, dict) else one for key, one in value.items()}
    return list(value) if isinstance(value, list) else value


def _enrolled() -> Pool:
    """The pool of all enrolled accounts."""
    return cast("Pool", Enrolled())


def told(answer: Answer) -> str:
    """The result of a call: `ok` or the code of the problem."""
    return "ok" if answer.status < 300 else str(json.loads(answer.body)["code"])


async def empty(rules: Any = RULES_HERE) -> World:
    """A world with all accounts and no review yet."""
    world = World(house=House(policy=policy(rules), pool=_enrolled()))
    house = world.house
    await house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("sue"))
    await house.do(SUE, EnrolPrincipal(kind="human"), stream_of("hugo"))
    for name, kind, roles in AGENTS:
        await world.enrol(name, kind, roles)
    dsf = Who(name="dsf", kind=WhoKind.SERVICE, operator="dsf-co")
    await house.do(dsf, EnrolPrincipal(kind="agent"), stream_of("dweller"))
    world.headers["dweller"] = world.headers["dsf"] | {"foureyes-agent": "dweller"}
    world.headers["expired"] = await world.token("eve", "t-expired", expires=house.now + LONG_AGO)
    world.headers["hugo-old"] = await world.session("hugo")
    house.wait(seconds=LONG_AGO.total_seconds())
    world.headers["hugo"] = await world.session("hugo")
    world.headers["small"] = await world.token("eve", "t-small", "signal")
    world.headers["revoked"] = await world.token("eve", "t-revoked")
    await house.do(SUE, RevokeToken(token="t-revoked", reason="lost"), stream_of("eve"))
    world.headers["nobody"] = world.headers["person"] = {}
    return world
