"""The five systems over HTTP: their accounts and roles, under rules that name a style for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from foureyes.app.accounts import Enrolled, new_token, stream_of
from foureyes.app.following import catch_up_all
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.rules import Protocol
from foureyes.http.problems import MEDIA_TYPE
from foureyes.http.routes import BASE, GET, WAYS
from tests.app.house import RULES, House, policy
from tests.calls.counter import SUE
from tests.cast import rules_with
from tests.http.web import Answer, Web

PEER = f"{BASE}/peer"


def house(*changed: Protocol, **fields: Any) -> House:
    """A house whose pool is the enrolled accounts."""
    rules = rules_with(*changed, **fields) if changed or fields else RULES
    return House(pool=Enrolled(), policy=policy(rules))  # type: ignore[arg-type]


@dataclass
class Five(Web):
    """An application whose callers have roles."""

    house: House = field(default_factory=house)

    async def role(
        self, name: str, *roles: str, kind: str = "agent", family: str = "", scopes: tuple[str, ...] = ()
    ) -> dict[str, str]:
        """The headers of an account with these roles, by default one named like the account."""
        command = EnrolPrincipal(
            kind=kind, operator=f"{name}-co", roles=roles or (name.replace("-", "_"),), model_family=family or name
        )
        await self.house.do(SUE, command, stream_of(name))
        made = new_token()
        await self.house.do(SUE, IssueToken(token=made.id, hash=made.hash, scopes=scopes), stream_of(name))
        return {"authorization": f"Bearer {made.secret}"}

    async def tool(self, name: str, headers: dict[str, str], **arguments: Any) -> Answer:
        """One of seed 001's tools."""
        ask = self.get if WAYS[name].method == GET else self.post
        return await ask(f"{PEER}/{name}", headers, **arguments)

    async def done(self, path: str, headers: dict[str, str], **body: Any) -> Any:
        """Make a call that must succeed; return the fields of the document."""
        answer = await self.post(path, headers, **body)
        assert answer.status in (200, 201), answer.body
        return of_document(answer.data) if {*TOLD} <= answer.data.keys() else answer.data

    async def found(self, path: str, headers: dict[str, str], **query: Any) -> Any:
        """What is shown."""
        answer = await self.get(path, headers, **query)
        assert answer.status == 200, answer.body
        return answer.data

    async def log(self, review: str) -> list[str]:
        """The events of a review."""
        return await self.house.log(f"review/{review}")

    async def follow(self) -> None:
        """Let what follows the log catch up, as the server does."""
        await catch_up_all(self.house.store)


def refused(answer: Answer, status: int, sentence: str) -> None:
    """A problem whose title is exactly the seed's sentence."""
    assert (answer.status, answer.headers["content-type"]) == (status, MEDIA_TYPE), answer.body
    assert answer.data["title"] == sentence
    assert answer.data["next_step"]


def of_document(data: dict[str, Any]) -> dict[str, Any]:
    """An answer without the fields that every success has beside the document's own."""
    assert {*TOLD} <= set(data)
    return {name: value for name, value in data.items() if name not in TOLD}


TOLD = ("digest", "seat", "next_step", "next_call")
