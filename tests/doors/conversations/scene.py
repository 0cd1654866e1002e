"""The scene of a conversation: a gate with a clock and ids that are the same in every play."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from foureyes.app.accounts import MARK, hash_of, stream_of
from foureyes.app.calls.registry import CALLS
from foureyes.app.rows import Stored
from foureyes.core.principals import EnrolPrincipal, IssueToken
from tests.calls.counter import SUE
from tests.doors.conversations.script import HUMAN, OK, Act, Pause, Story, found, meant
from tests.doors.requests import sent
from tests.http.five import house
from tests.http.web import Answer
from tests.mcp.desk import Desk


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The result of an act: `ok` or the code of the refusal, and the answer."""

    code: str
    data: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A whole play: the answer to each act, and every event written."""

    answers: tuple[Said, ...]
    events: tuple[Stored, ...]


@dataclass
class Scene:
    """One gate, the players, and the application in process."""

    story: Story
    #: A data folder, for the doors that need one.
    folder: Path
    desk: Desk = field(init=False)
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.desk = Desk(house=house(*self.story.styles, **self.story.rules))
        self.desk.house.gate.reads = self.story.reads

    async def enter(self) -> None:
        """Enrol all players, with tokens of the same name in every play."""
        self.human = await self.desk.human(HUMAN)
        for name, roles in self.story.cast.items():
            command = EnrolPrincipal(kind="agent", operator=f"{name}-co", roles=roles, model_family=name)
            await self.desk.house.do(SUE, command, stream_of(name))
            self.tokens[name] = f"{MARK}{name}_of-{self.story.name}"
            issued = IssueToken(token=f"t-{name}", hash=hash_of(self.tokens[name]))
            await self.desk.house.do(SUE, issued, stream_of(name))

    def headers(self, name: str) -> dict[str, str]:
        """The HTTP headers of a player."""
        return self.human if name == HUMAN else {"authorization": f"Bearer {self.tokens[name]}"}

    async def log(self) -> tuple[Stored, ...]:
        """Every event of every stream, in the order of the log."""

        def look(reading: Any) -> list[Stored]:
            return [one for head in reading.heads() for one in reading.events(head.stream)]

        return tuple(sorted(await self.desk.house.store.read(look), key=lambda one: one.seq))


#: The function with which a player makes a call at a door.
Ask = Callable[[str, str, Mapping[str, Any]], Awaitable[Said]]
Door = Callable[[Scene], AbstractAsyncContextManager[Ask]]


async def over_http(scene: Scene, who: str, call: str, takes: Mapping[str, Any]) -> Said:
    """Make a call over HTTP, with the idempotency key in its header."""
    body = {
        name: json.dumps(one) if isinstance(one, bool) and not CALLS[call].changes else one
        for name, one in takes.items()
    }
    key = {"idempotency-key": body.pop("key")} if "key" in body else {}
    request = sent(call, body)
    answer: Answer = await scene.desk.request(
        request.method, request.path, scene.headers(who) | key, request.body, query=request.query
    )
    good = answer.status in (200, 201)
    return Said(code=OK, data=answer.data) if good else Said(code=answer.data["code"])


async def played(story: Story, door: Door, folder: Path) -> Played:
    """Play a whole conversation at one door; acts of the human go over HTTP."""
    scene = Scene(story=story, folder=folder)
    await scene.enter()
    heard, answers = list[Said](), dict[str, Any]()
    async with door(scene) as ask:
        for number, act in enumerate(story.acts):
            if isinstance(act, Pause):
                scene.desk.house.wait(minutes=act.minutes)
                continue
            said = await _acted(scene, ask, act, _with_key(act, number, meant(act.takes, answers)))
            heard.append(said)
            if act.known:
                answers[act.known] = said.data
    return Played(answers=tuple(heard), events=await scene.log())


def _with_key(act: Act, number: int, takes: dict[str, Any]) -> dict[str, Any]:
    """Give every writing act its own key, because the log names it as the cause."""
    call = CALLS[act.call]
    return {"key": f"act-{number}", **takes} if call.changes and call.keyed else takes


async def _acted(scene: Scene, ask: Ask, act: Act, takes: dict[str, Any]) -> Said:
    said = await (over_http(scene, act.who, act.call, takes) if act.who == HUMAN else ask(act.who, act.call, takes))
    assert said.code == act.comes, (act, said)
    for path, wanted in act.says.items():
        assert found(said.data, path) == wanted, (act, said.data)
    return said
