"""For any arguments a tool answers as described or refuses in words; nothing is half done."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types

from foureyes.bootstrap.speaking import endpoint
from foureyes.codec.sizes import VALUES_MAX
from foureyes.core.refusals import Code
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.conftest import EFFORT
from tests.doors.fuzz import CURSORS, NAMES, RAW, Shooter
from tests.doors.requests import REQUESTS
from tests.doors.states import STATES, found_in
from tests.doors.worlds import World
from tests.http.web import SITE, Answer
from tests.mcp.desk import ERAS, LEGACY
from tests.mcp.wire import message, path_of, posted, said

#: Requests in all, for both eras together.
SENT = {"test": 2_500, "all": 20_000}
#: Callers with a token; all others are refused before the request is read.
CALLERS = ("dev", "ann", "bob", "eve", "robot", "dsf", "dweller", "small")
URIS = ("review://inbox", "review://reviews/{}", "review://reviews/{}/work")
VALIDATORS = {name: Draft202012Validator(one.gives()) for name, one in TOOLS.items()}


class Agent(Shooter):
    """Draws messages against what the tools say they take."""

    def __init__(self, facts: Any, seed: str) -> None:
        super().__init__(described={"paths": {}}, facts=facts, callers={}, random=Random(seed))

    def drawn(self) -> tuple[str, dict[str, Any]]:
        """Draw a request: mostly of a tool, otherwise of a resource or a prompt."""
        draw = self.random.random()
        if draw < 0.06:
            uri = self.random.choice(URIS).format(self._named("review"))
            return "resources/read", {"uri": uri if draw < 0.04 else self.random.choice(NAMES)}
        if draw < 0.1:
            method = self.random.choice(("tools/list", "resources/list", "prompts/list", "resources/templates/list"))
            return method, {"cursor": self.random.choice((*NAMES, *CURSORS))} if draw < 0.08 else {}
        if draw < 0.12:
            return "prompts/get", {"name": "author", "arguments": {"review": self.random.choice(NAMES)}}
        name = self.random.choice(sorted(TOOLS))
        arguments = self._value(TOOLS[name].takes(), "", 0)
        if self.random.random() < 0.3:
            arguments = REQUESTS[name](self.facts) if name in REQUESTS else arguments
        if self.random.random() < 0.4:
            arguments = self._spoiled(arguments)
        if isinstance(arguments, dict):  # nobody waits here as long as they may
            arguments |= {word: 0 for word in ("seconds", "wait") if word in TOOLS[name].takes()["properties"]}
        return "tools/call", {"name": name, "arguments": arguments}


def wrong_with(method: str, params: dict[str, Any], answer: Answer, grown: int) -> Iterator[str]:
    """The errors in an answer."""
    if answer.status >= 500:
        yield f"status {answer.status}"
        return
    found = said(answer)
    if "result" not in found:
        if found["error"]["code"] not in (-32602, -32600, -32020):
            yield "an error that is not the asker's"
        if grown:
            yield f"refused, and {grown} events were written"
        return
    result = found["result"]
    if method != "tools/call":
        return
    wrong = next(iter(VALIDATORS[params["name"]].iter_errors(result["structuredContent"])), None)
    if wrong:
        yield f"not what it says it answers: {wrong.message[:300]}"
    if not result.get("isError"):
        return
    code = re.search(r"^Code: (\S+)$", result["content"][0]["text"], re.MULTILINE)
    if code is None or code[1] not in set(Code) or code[1] != result["structuredContent"]["code"]:
        yield "a no without a code"
    elif grown:
        yield f"refused, and {grown} events were written"


@pytest.mark.parametrize("state", STATES)
def test_nothing_that_an_agent_sends_breaks_a_tool_or_is_half_done(state: str) -> None:
    """T19, T20, T24, T29, T30: in every state, by every kind of token, in both eras."""

    @played
    async def story() -> None:
        made, facts = await found_in(state)
        wrong = list[str]()
        for era in ERAS:
            agent = Agent(facts, f"{state} {era}")
            wrong += await _shot(made.copy(), agent, era, SENT[EFFORT] // len(STATES) // len(ERAS) + 1)
        assert not wrong, "\n\n".join(wrong[:10])

    story()


async def _shot(world: World, agent: Agent, era: str, times: int) -> list[str]:
    wrong, tools = list[str](), endpoint(world.office, SITE.hosts, SITE.origins)
    async with tools.serving():
        for _ in range(times):
            method, params = agent.drawn()
            headers, body = message(method, params, era)
            before, path = world.events, path_of(method, params)
            answer = await posted(tools, headers | world.headers[agent.random.choice(CALLERS)], body, path)
            found = wrong_with(method, params, answer, world.events - before)
            wrong += [f"{one}: {era} {method} {str(params)[:400]} {answer.body[:400]!r}" for one in found]
    return wrong


@played
async def test_bodies_that_are_no_message_are_refused_before_anybody_reads_them() -> None:
    """T19, T29."""
    world, _ = await found_in("open")
    tools = endpoint(world.office, SITE.hosts, SITE.origins)
    async with tools.serving():
        for raw in RAW:
            headers, _ = message("tools/list", {}, LEGACY)
            answer = await posted(tools, headers | world.headers["dev"], raw())
            too_full = raw().count(b"[") > VALUES_MAX
            assert answer.status in ((413,) if too_full else (400, 406)), (raw(), answer)
