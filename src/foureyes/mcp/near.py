"""Answer MCP requests from the gate in this process: tools, resources and prompts, for the authenticated caller."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import answered
from foureyes.app.calls.waiting import is_turn_of, waited
from foureyes.app.credentials import Credential, caller_of
from foureyes.app.ports import Unavailable
from foureyes.codec import Json
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.mcp import prompts, resources
from foureyes.mcp.arguments import JUDGING, sort_out
from foureyes.mcp.instructions import instructions_for
from foureyes.mcp.listing import Which, listed, parts_of
from foureyes.mcp.told import BROKEN, COMPLETE, NotThere, done, failed, refused, words_of
from foureyes.mcp.tools import IGNORED, WAIT_SECONDS_MAX, Tool

log = logging.getLogger("foureyes.mcp")
#: Finds the caller from the transport's request, which is None over stdio.
WhoAsks = Callable[[object], Awaitable[Caller]]
#: Finds the list of tools that the transport's request asks for.
WhichListed = Callable[[object], Which]
#: Requests that make no call; they are counted here against the caller's rate limit.
_UNCOUNTED = frozenset(("tools/list", "resources/templates/list", "prompts/list", "prompts/get"))


def by_credential(office: Office, credential: Credential) -> WhoAsks:
    """Authenticate every request with this credential, looked up each time, because it may be revoked at any time."""

    async def who(_: object) -> Caller:
        found = await caller_of(office.store, credential, office.clock())
        if found is None:
            raise Refusal(
                Code.NOT_ELIGIBLE,
                "The token opens nothing: it is unknown, revoked, over, or not for that agent.",
                "Ask a human for another one, and start again with it.",
            )
        return found

    return who


def always(which: Which) -> WhichListed:
    """The same list of tools for every request, as a process on stdio was started with it."""
    return lambda _: which


_ALL = always(Which.ALL)
_BOTH = frozenset((Which.AUTHOR, Which.REVIEWER))


class Near:
    """Answer requests from the gate in this process."""

    def __init__(
        self,
        office: Office,
        who: WhoAsks,
        tools: Mapping[str, Tool],
        which: WhichListed = _ALL,
        *,
        beside: Mapping[str, Tool] | None = None,
    ) -> None:
        """Answer with these tools, and with those `beside` them, which are never listed.

        What the caller may do depends on the credential of each request.
        """
        self._office = office
        self._who = who
        self._offered = tools
        self._tools = {**(beside or {}), **tools}
        self._which = which
        self._methods: dict[str, Callable[[Caller, Json], Awaitable[Json]]] = {
            "tools/call": self._called,
            "resources/list": partial(resources.listed, office),
            "resources/templates/list": resources.templates,
            "resources/read": partial(resources.read, office),
            "completion/complete": partial(resources.completed, office),
            "prompts/list": prompts.listed,
            "prompts/get": prompts.got,
        }

    async def answer(self, method: str, params: Json, request: object) -> Json:
        """Answer one request; raises NotThere for an unknown method, and the refusals of the gate."""
        caller = await self._who(request)
        found = partial(self._listed, request) if method == "tools/list" else self._methods.get(method)
        if found is None:
            raise NotThere(f"Unknown method: {method[:200]}")
        if caller.remembered and method != "tools/call":
            raise self._office.unavailable()
        if method not in _UNCOUNTED:
            return await found(caller, params)
        async with self._office.quotas.asked(caller.who, self._office.clock()):
            return await found(caller, params)

    def takes(self, name: str) -> Mapping[str, Any] | None:
        """The input schema of a tool; None if there is no such tool."""
        return self._tools[name].takes() if name in self._tools else None

    async def instructions(self, request: object) -> str:
        """The instructions for the roles of the caller's token, limited to the list that the client asked for."""
        try:
            parts = parts_of((await self._who(request)).scopes)
        except (Refusal, Unavailable):
            parts = _BOTH  # an invalid token is reported with the client's first request
        return instructions_for(parts & {self._which(request)} or parts)

    async def _listed(self, request: object, caller: Caller, _: Json) -> Json:
        mine = [one for one in self._offered.values() if one.call.needs.value in caller.scopes]
        tools = listed(mine, self._which(request), parts_of(caller.scopes))
        return {"resultType": COMPLETE, "tools": tools, "ttlMs": 0, "cacheScope": "private"}

    async def _called(self, caller: Caller, params: Json) -> Json:
        name, arguments = str(params["name"]), params.get("arguments") or {}
        tool = self._tools.get(name)
        if tool is None:
            raise NotThere(f"Unknown tool: {name[:200]}")
        try:
            changes, judges = tool.call.changes, tool.name in JUDGING
            known, ignored = sort_out(arguments, tool.takes()["properties"], changes=changes, judges=judges)
            found = await self._done(caller, tool, known)
            return done({**found, IGNORED: ignored} if ignored else found)
        except Refusal as refusal:
            return refused(refusal)
        except Exception as error:
            words = words_of(error)
            if words is None:
                # The outermost boundary for a call: the details go to the log and not to the client.
                log.exception("the tool %s failed", tool.name)
            return failed(*(words or BROKEN))

    async def _done(self, caller: Caller, tool: Tool, arguments: Json) -> Json:
        seconds = _seconds(arguments.pop("wait", 0)) if tool.waits else 0
        if not tool.waits_after:
            if seconds:
                caller.check(tool.call.needs)
                await self._waited(caller, arguments, seconds)
            return _plain(given(await answered(self._office, caller, tool.call, arguments)))
        found = _plain(given(await answered(self._office, caller, tool.call, arguments)))
        return {**found, "now": await self._waited(caller, found, seconds)} if seconds else found

    async def _waited(self, caller: Caller, about: Json, seconds: int) -> Json | None:
        review = next((about[one] for one in ("review", "id", "review_id") if isinstance(about.get(one), str)), None)
        if review is None:
            return None
        with self._office.quotas.holding(caller.who, "waits"):
            return _plain(given(await waited(self._office, caller, review, seconds, is_turn_of(caller))))


def _seconds(wait: object) -> int:
    if type(wait) is not int or not 0 <= wait <= WAIT_SECONDS_MAX:
        raise refuse(Code.BAD_NUMBER, what="wait", value=str(wait)[:80], low=0, high=WAIT_SECONDS_MAX, field="wait")
    return wait


def _plain(value: object) -> Json:
    if not isinstance(value, dict):
        raise TypeError("a call answers with an object")
    return value
