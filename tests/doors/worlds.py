"""Who comes to the doors, and in which states do they find a review? Each world is made once and copied for use."""

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

#: How long ago somebody signed in whose sign-in is too old for lifting a veto.
LONG_AGO = timedelta(hours=1)
#: Who is enrolled: name, kind, roles. Nobody has a role that is asked for before the world says so.
AGENTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("dev", "agent", ()),
    ("ann", "agent", ("first", "hardin", "agent", "reviewer", "haiku")),
    ("bob", "agent", ("second", "seldon", "reviewer", "sonnet")),
    ("eve", "agent", ()),
    ("robot", "program", ()),
    ("dsf", "service", ()),
)
#: Two reviewers with a role each, so that who sits where is known; more may join.
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
        """The same world again; what happens in one is not seen in the other."""
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
        """Somebody with a token that is the same in every world of this name."""
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
        """Something that is taken."""
        answer = await self.post(f"{BASE}{path}", self.headers[who], **body)
        assert answer.status < 300, answer.body
        return answer.data

    async def shown(self, who: str) -> Any:
        """The review as somebody sees it."""
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
        """How long the log is."""
        assert isinstance(self.house.store, MemoryStore)
        return len(self.house.store._tables.log)

    @property
    def acts(self) -> int:
        """The same without what is noted of who looked: whoever is refused may have looked first."""
        assert isinstance(self.house.store, MemoryStore)
        return sum(not one.stream.startswith(SEEN) for one in self.house.store._tables.log)


def copied(store: MemoryStore) -> MemoryStore:
    """A store with the same in it; rows are never changed in place, so the containers are copied alone."""
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
    """Whoever is enrolled may be asked, and nobody else."""
    return cast("Pool", Enrolled())


def told(answer: Answer) -> str:
    """What came of it: `ok`, or the code of the problem."""
    return "ok" if answer.status < 300 else str(json.loads(answer.body)["code"])


async def empty(rules: Any = RULES_HERE) -> World:
    """Everybody is there, and no review yet."""
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
