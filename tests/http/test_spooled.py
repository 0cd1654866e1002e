"""While the database is down: every door reports spooled commands as waiting, and a token is valid for ten minutes."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from starlette.routing import Route

from foureyes.app.accounts import stream_of
from foureyes.app.calls.call import Need
from foureyes.app.calls.office import Office
from foureyes.app.calls.registry import CALLS, answered
from foureyes.app.credentials import LATELY, credential_of
from foureyes.app.ports import Unavailable
from foureyes.app.spooling import REFUSED_LATER, SPOOLED_REFUSED, Progress, SpoolingGate, telling
from foureyes.app.work import work_of
from foureyes.bootstrap import spool
from foureyes.bootstrap.speaking import endpoint
from foureyes.core.principals import RemovePrincipal, RevokeToken
from foureyes.core.refusals import Refusal
from foureyes.http.app import build
from foureyes.http.openapi import described
from foureyes.mcp.told import CODE
from foureyes.store.spool import FileSpool
from tests.app.house import FIRST, House, played
from tests.app.test_spooling import AT, Pluggable
from tests.calls.counter import SUE
from tests.calls.test_calls import HELLO
from tests.cli.desk import Desk as Person
from tests.http.web import SITE, Answer
from tests.mcp.desk import LEGACY, Desk, no, text_of, tool

REVIEWS = "/api/v1/reviews"


class Site(Desk):
    """An application whose database can be unplugged, with the spool a server has."""

    def __init__(self, folder: Path) -> None:
        self.store = Pluggable()
        self.house = House(store=self.store)
        self.spool = SpoolingGate(self.house.gate, FileSpool(folder), self.now, tell=telling(self.store))
        self.office = Office(gate=self.house.gate, store=self.store, clock=lambda: self.house.now, spool=self.spool)
        self.endpoint = endpoint(self.office, SITE.hosts, SITE.origins)
        self.app = build(self.office, SITE, [Route("/mcp", self.endpoint)])

    def now(self) -> str:
        return self.house.now.isoformat()

    async def open(self, headers: dict[str, str], **fields: Any) -> Answer:
        return await self.post(REVIEWS, headers, **{"kind": "script", "title": "x", "files": HELLO, **fields})

    async def note(self, headers: dict[str, str], review: str, text: str) -> Answer:
        return await self.post(f"{REVIEWS}/{review}/notes", headers, text=text, key=text)

    async def token_of(self, name: str) -> str:
        """The id of an account's only token."""
        events = await self.store.read(lambda reading: list(reading.events(stream_of(name))))
        (found,) = [json.loads(one.body)["token"] for one in events if one.type == "TokenIssued"]
        return str(found)

    async def late(self, name: str) -> list[dict[str, str]]:
        """The late refusals of an account."""
        rows = await self.store.read(lambda reading: reading.rows(REFUSED_LATER, f"{name}/"))
        return [json.loads(body) for _, body in rows]


@played
async def test_what_waits_is_told_as_spooled_and_not_as_accepted(tmp_path: Path) -> None:
    """001-76, B27: 202 with the place and the key; the same key gives the gate's answer when the database is back."""
    site = Site(tmp_path)
    dev = await site.agent("dev")
    review = (await site.open(dev)).data["review"]
    site.store.down = True
    said = await site.note(dev, review, "first")
    assert said.status == 202
    assert (said.data["spooled"], said.data["accepted"], said.data["position"]) == (True, False, 1)
    assert "not accepted" in said.data["sentence"]
    opened = await site.open(dev, title="later", key="open-it")
    assert (opened.status, opened.data["key"]) == (202, "open-it")
    assert (await site.note(dev, review, "first")).data == said.data, "the same key has the same place"
    site.store.down = False
    shut = await site.get(f"/api/v1/gate/{work_of(FIRST).digest}", dev)
    assert (shut.status, shut.data["allowed"]) == (200, False)
    assert "2 commands wait in the spool" in shut.data["reason"]
    assert await site.spool.hand_in() == Progress(done=2)
    again = await site.open(dev, title="later", key="open-it")
    assert (again.status, again.data["state"]) == (201, "open")
    assert (await site.note(dev, review, "first")).status == 200


@played
async def test_nothing_is_read_by_a_token_that_nobody_can_look_up(tmp_path: Path) -> None:
    """001-76, B27: reads, the gate, other calls, humans and strangers are told that the database is down; 503."""
    site = Site(tmp_path)
    sue, dev = await site.human(), await site.agent("dev")
    review = (await site.open(dev)).data["review"]
    assert (await site.get(f"{REVIEWS}/{review}", sue)).status == 200
    fresh = await site.agent("fresh")
    site.store.down = True
    assert (await site.note(dev, review, "one")).status == 202
    for path in (f"{REVIEWS}/{review}", f"/api/v1/gate/{work_of(FIRST).digest}", "/api/v1/inbox"):
        no_answer = await site.get(path, dev)
        assert no_answer.status == 503
        assert "1 command waits in the spool" in no_answer.data["title"]
    assert (await site.post(f"{REVIEWS}/batch", dev, reviews=[])).status == 503
    assert (await site.note(sue, review, "a human's")).status == 503, "who they are must be known when they act"
    assert (await site.note(fresh, review, "never seen")).status == 503
    assert (await site.open(dev, files=[{"path": "a", "digest": "0" * 64}])).status == 503, "nobody can look it up"
    assert site.spool.waiting == 1
    site.store.down = False
    assert (await site.note(sue, review, "behind it")).status == 503, "not past what waits before it"
    await site.spool.hand_in()
    assert (await site.note(sue, review, "behind it")).status == 200


@played
async def test_a_database_that_comes_back_in_between_opens_nothing_to_who_was_not_looked_up(tmp_path: Path) -> None:
    """001-76: nothing is read, and a command is taken only when its token is looked up with it."""
    site = Site(tmp_path)
    dev = await site.agent("dev")
    review = (await site.open(dev)).data["review"]
    site.store.down = True
    caller = await site.office.recognised(credential_of(dev), spools=True)
    assert caller is not None
    assert caller.remembered
    site.store.down = False
    with pytest.raises(Unavailable, match="cannot be reached"):
        await answered(site.office, caller, CALLS["read_review"], {"review": review})
    assert await answered(site.office, caller, CALLS["add_note"], {"review": review, "text": "good still"})
    await site.house.do(SUE, RevokeToken(token=await site.token_of("dev"), reason="lost"), stream_of("dev"))
    with pytest.raises(Refusal, match="revoked"):
        await answered(site.office, caller, CALLS["add_note"], {"review": review, "text": "not any more"})


@played
async def test_a_token_that_was_good_lately_counts_for_ten_minutes(tmp_path: Path) -> None:
    """001-76: then nobody is believed until the database is back."""
    site = Site(tmp_path)
    dev = await site.agent("dev")
    review = (await site.open(dev)).data["review"]
    site.store.down = True
    site.house.now += LATELY
    assert (await site.note(dev, review, "just")).status == 202
    site.house.now += timedelta(seconds=1)
    assert (await site.note(dev, review, "too late")).status == 503
    assert (await site.get("/api/v1/me", {"authorization": "Bearer foureyes_no"})).status == 503


@pytest.mark.parametrize("ends", ["token", "account"])
def test_what_came_with_a_token_that_was_revoked_meanwhile_is_refused_at_last(tmp_path: Path, ends: str) -> None:
    """001-76, B27: by another process, before it was handed in; the no is kept, told, and nothing was done."""

    @played
    async def story() -> None:
        site = Site(tmp_path)
        dev, eve = await site.agent("dev"), await site.agent("eve")
        review = (await site.open(dev)).data["review"]
        assert (await site.get("/api/v1/me", eve)).status == 200
        site.store.down = True
        assert (await site.note(eve, review, "eve's")).status == 202
        assert (await site.note(dev, review, "dev's")).status == 202
        site.store.down = False
        over = (
            RevokeToken(token=await site.token_of("eve"), reason="lost")
            if ends == "token"
            else RemovePrincipal(reason="gone")
        )
        ask = site.house.ask(SUE, over, stream_of("eve"))
        await site.house.another_gate().handle(ask)
        assert await site.spool.hand_in() == Progress(done=2, refused=1)
        (told,) = await site.late("eve")
        assert (told["code"], told["key"]) == ("not_eligible", "eve's")
        assert "revoked" in told["sentence"]
        parcels = await site.store.write(lambda tx: tx.claim("w", AT, AT))
        assert [one.row.type for one in parcels].count(SPOOLED_REFUSED) == 1
        events = await site.store.read(lambda reading: list(reading.events(f"review/{review}")))
        assert [json.loads(one.body)["text"] for one in events if one.type == "NoteAdded"] == ["dev's"]
        assert (await site.note(eve, review, "eve's")).status == 401

    story()


@played
async def test_what_was_done_before_the_token_was_revoked_is_not_told_as_refused(tmp_path: Path) -> None:
    """001-76: a restarted replay finds it by its key before it checks the token."""
    site = Site(tmp_path)
    dev = await site.agent("dev")
    review = (await site.open(dev)).data["review"]
    site.store.down = True
    await site.note(dev, review, "done")
    site.store.down, site.store.torn = False, True
    assert (await site.spool.replay()).stopped
    site.store.torn = False
    await site.house.do(SUE, RevokeToken(token=await site.token_of("dev"), reason="lost"), stream_of("dev"))
    assert await site.spool.hand_in() == Progress(done=1)
    assert await site.late("dev") == []


@played
async def test_what_was_refused_at_last_is_told_to_who_asked_and_to_nobody_else(tmp_path: Path) -> None:
    """001-76, B27: with its key and the way on, whether they ask again or only look; no other agent hears of it."""
    site = Site(tmp_path)
    dev, eve = await site.agent("dev"), await site.agent("eve")
    review = (await site.open(dev)).data["review"]
    for one in (dev, eve):
        assert (await site.get("/api/v1/me", one)).data["refused_later"] == []
    site.store.down = True
    reason = {"reason": "Not needed.", "key": "w-1"}
    assert (await site.post(f"{REVIEWS}/{review}/withdrawal", dev, **reason)).status == 202
    site.house.now += timedelta(minutes=1)
    assert (await site.post(f"{REVIEWS}/{review}/withdrawal", dev, **reason | {"key": "w-2"})).status == 202
    site.house.now += timedelta(minutes=1)
    assert (await site.note(dev, "r-nothing", "lost")).status == 202
    site.store.down = False
    assert await site.spool.hand_in() == Progress(done=3, refused=2)
    latest, second = (await site.get("/api/v1/me", dev)).data["refused_later"]
    assert (latest["key"], latest["code"], latest["about"]) == ("lost", "review_missing", "review/r-nothing")
    assert (second["key"], second["code"], second["about"]) == ("w-2", "review_ended", f"review/{review}")
    assert latest["at"] > second["at"]
    assert all(one["sentence"] and one["next_step"] for one in (latest, second))
    assert (await site.get("/api/v1/me", eve)).data["refused_later"] == []
    again = await site.post(f"{REVIEWS}/{review}/withdrawal", dev, **reason | {"key": "w-2"})
    assert (again.status, again.data["code"]) == (409, "review_ended")
    async with site.endpoint.serving(), site.over_http(dev, LEGACY) as client:
        assert [one["key"] for one in (await tool(client, "me"))["refused_later"]] == ["lost", "w-2"]


@played
async def test_an_agent_is_told_by_its_tool(tmp_path: Path) -> None:
    """001-76, B27: a result that nobody takes for done, with the key to ask again by; reads say that it is down."""
    site = Site(tmp_path)
    dev = await site.agent("dev")
    async with site.endpoint.serving(), site.over_http(dev, LEGACY) as client:
        review = (await tool(client, "open_review", kind="script", title="x", files=HELLO))["review"]
        site.store.down = True
        result = await client.call_tool("add_note", {"review": review, "text": "wait", "key": "k-9"})
        assert result.is_error
        assert (result.meta or {})[CODE] == "spooled"
        assert "not accepted" in text_of(result)
        assert "k-9" in text_of(result)
        assert "Code: unavailable" in await no(client, "read_review", review=review)
        with pytest.raises(MCPError, match="Nothing is cleared meanwhile"):
            await client.list_tools()
        site.store.down = False
        await site.spool.hand_in()
        assert (await tool(client, "add_note", review=review, text="wait", key="k-9"))["review"] == review


def test_the_description_names_202_where_a_call_may_wait_and_no_humans_call_does() -> None:
    """001-76: one for each call that may wait, none for the others."""
    assert not [one.name for one in CALLS.values() if one.spools and (one.needs is Need.HUMAN or not one.changes)]
    named = {
        operation["operationId"].removesuffix("_2")
        for path in described()["paths"].values()
        for operation in path.values()
        if "#/components/schemas/Spooled" in json.dumps(operation["responses"].get("202", {}))
    }
    assert named == {one.name for one in CALLS.values() if one.spools}


def test_on_sqlite_there_is_no_spool(tmp_path: Path) -> None:
    """B27: what cannot be written is refused with its reason, and no folder is made."""
    settings = Person(home=tmp_path).assembly().settings
    with spool.kept(settings) as kept:
        assert kept is None
    assert not Path(settings.spool).exists()
