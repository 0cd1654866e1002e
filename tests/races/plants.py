"""Planted bugs that the race must detect: gates that are nearly right."""

from __future__ import annotations

from datetime import UTC, datetime

from foureyes.app.asks import Ask, Reply
from foureyes.app.chain import appended
from foureyes.app.gate import Gate
from foureyes.app.live import Live
from foureyes.app.ports import Writing
from foureyes.app.rows import Changes
from foureyes.core.events import WentLive
from foureyes.core.live import RecordLive
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import Who


class CheckThenAct(Gate):
    """Checks first whether the work may go live and acts later, when the answer may be outdated."""

    async def handle(self, ask: Ask) -> Reply:
        live = ask.command
        if not isinstance(live, RecordLive):
            return await super().handle(ask)
        answer = await self.may_go_live(live.digest, live.target)
        if not answer.allowed:
            raise refuse(Code.REVIEW_MISSING)
        event = WentLive(target=live.target, review=live.review, digest=live.digest)

        def write(tx: Writing) -> int:
            end = tx.known(ask.stream, "", "")
            at, actor = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}", ask.actor.name
            log = appended(ask.stream, (end.version, end.chain), (event,), at=at, actor=actor, cause=ask.key)
            tx.apply(Changes(appends=(log,)))
            return end.version + 1

        version = await self._store.write(write)
        return Reply(stream=ask.stream, version=version, events=("WentLive",))


class Remembering(Gate):
    """Caches a yes: a second query for the same bytes gets it without reading the log."""

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        yes: dict[str, Live] = self.__dict__.setdefault("_yes", {})
        answer = await super().may_go_live(name, target, viewer)
        if answer.allowed:
            yes[name] = answer
        return yes.get(name, answer)


PLANTS: dict[str, type[Gate]] = {"": Gate, "check-then-act": CheckThenAct, "remembering": Remembering}
