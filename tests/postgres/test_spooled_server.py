"""The shipped server while its PostgreSQL is down: agents' commands wait, and nothing is cleared."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.accounts import stream_of
from foureyes.app.calls.office import Office
from foureyes.app.ports import Store
from foureyes.app.spooling import REFUSED_LATER, SPOOLED_REFUSED
from foureyes.app.tending import Tending
from foureyes.app.work import work_of
from foureyes.bootstrap import spool
from foureyes.bootstrap.addresses import addresses
from foureyes.bootstrap.serving import _made, application
from foureyes.bootstrap.speaking import endpoint
from foureyes.cli import signing
from foureyes.cli.serving import Serving
from foureyes.core.principals import RevokeToken
from foureyes.store.postgres import PostgresStore
from tests.app.house import FIRST, House, played
from tests.app.test_spooling import AT
from tests.calls.counter import SUE
from tests.calls.test_calls import HELLO
from tests.cli.desk import Desk as Person
from tests.cli.running import Running
from tests.http.web import Answer
from tests.mcp.desk import Desk
from tests.postgres.server import Server

REVIEWS = "/api/v1/reviews"
LATER = "2027-01-01T00:00:00.000000Z"


class Site(Desk):
    """The doors of the shipped server in this process; `house` is another process on the same database."""

    def __init__(self, office: Office, tending: Tending, house: House) -> None:
        self.office, self.tending, self.house = office, tending, house
        named = addresses(Serving(), 8004)
        self.endpoint = endpoint(office, named.hosts, named.origins)
        self.app = application(office, named, self.endpoint)

    async def note(self, headers: dict[str, str], review: str, text: str) -> Answer:
        return await self.post(f"{REVIEWS}/{review}/notes", headers, text=text, key=text)


@asynccontextmanager
async def shipped(url: str, home: Path) -> AsyncIterator[Site]:
    """The assembly of `foureyes up` for these settings, with background work run by hand."""
    assembly = Person(home=home).assembly({"database": url})
    async with assembly.new_store() as store, PostgresStore.open(url) as other:
        signing.signer(assembly, make=True)
        with spool.kept(assembly.settings) as kept:
            inside = _made(assembly, store, Serving(), kept, "")
            inside.dispatcher.looked.set()
            yield Site(inside.office, inside.tendings[0], House(store=other, now=assembly.now()))


async def notes_of(store: Store, review: str) -> list[str]:
    """The notes in the log of a review."""
    events = await store.read(lambda reading: list(reading.events(f"review/{review}")))
    return [json.loads(one.body)["text"] for one in events if one.type == "NoteAdded"]


def test_commands_wait_while_postgresql_is_down_and_come_in_once_and_in_order(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """001-76, B27: 202, not cleared, handed in after a restart; a token revoked meanwhile opens nothing."""

    @played
    async def story(url: str) -> None:
        async with shipped(url, tmp_path / "home") as site:
            dev, eve = await site.agent("dev"), await site.agent("eve")
            opened = await site.post(REVIEWS, dev, kind="script", title="x", files=HELLO)
            review = opened.data["review"]
            assert (await site.get("/api/v1/me", eve)).status == 200
            await asyncio.to_thread(durable_postgres.stop_immediately)
            try:
                for number, (who, text) in enumerate([(dev, "one"), (eve, "two"), (dev, "three")], start=1):
                    said = await site.note(who, review, text)
                    assert (said.status, said.data["position"], said.data["accepted"]) == (202, number, False)
                assert (await site.get(f"{REVIEWS}/{review}", dev)).status == 503
                assert (await site.get(f"/api/v1/gate/{work_of(FIRST).digest}", dev)).status == 503
                assert not (await site.office.may_go_live(work_of(FIRST).digest)).allowed
                await site.tending.once()
            finally:
                await asyncio.to_thread(durable_postgres.start)
        async with shipped(url, tmp_path / "home") as site:
            shut = await site.get(f"/api/v1/gate/{work_of(FIRST).digest}", dev)
            assert (shut.status, shut.data["allowed"]) == (200, False)
            assert "3 commands wait in the spool" in shut.data["reason"]
            other = site.house.store
            events = await other.read(lambda reading: list(reading.events(stream_of("eve"))))
            (token,) = [json.loads(one.body)["token"] for one in events if one.type == "TokenIssued"]
            ask = site.house.ask(SUE, RevokeToken(token=token, reason="lost"), stream_of("eve"), key="other-1")
            await site.house.gate.handle(ask)
            await site.tending.once()
            await site.tending.once()
            assert await notes_of(other, review) == ["one", "three"]
            rows = await other.read(lambda reading: reading.rows(REFUSED_LATER, "eve/"))
            assert [json.loads(body)["code"] for _, body in rows] == ["not_eligible"]
            parcels = await other.write(lambda tx: tx.claim("w", LATER, AT))
            assert [one.row.type for one in parcels].count(SPOOLED_REFUSED) == 1
            assert (await site.note(dev, review, "one")).status == 200, "the same key, the same answer"
            assert await notes_of(other, review) == ["one", "three"]

    with durable_postgres.fresh() as url:
        story(url)


@pytest.mark.door("http", policy="server")
@pytest.mark.timeout(180)
def test_a_running_server_hands_in_by_itself_what_waited(durable_postgres: Server, tmp_path: Path) -> None:
    """001-76, B27: `foureyes up`, its database stopped and started; the author sends the same again and is answered."""

    @played
    async def story(url: str) -> None:
        with Running(tmp_path / "home", arguments=("--database", url)) as server:
            async with PostgresStore.open(url) as other:
                people = Desk(house=House(store=other))
                token = (await people.agent("dev"))["authorization"].removeprefix("Bearer ")
                body: dict[str, Any] = {"kind": "script", "title": "x", "files": HELLO, "key": "k"}
                assert await server.ask(token, "GET", "/me")
                await asyncio.to_thread(durable_postgres.stop_immediately)
                try:
                    said = await server.ask(token, "POST", "/reviews", **body)
                    assert (said["spooled"], said["accepted"]) == (True, False)
                finally:
                    await asyncio.to_thread(durable_postgres.start)
                # A retry with the same key is answered as spooled until the replay, then with the gate's answer.
                while "spooled" in said:
                    headers = {"authorization": f"Bearer {token}"}
                    answer = await server.send("POST", REVIEWS, headers, json.dumps(body).encode())
                    assert answer.status in (201, 202, 503)
                    said = answer.data if answer.status != 503 else said
                    await asyncio.sleep(0.05)
                events = await other.read(lambda reading: list(reading.events(f"review/{said['review']}")))
                assert [one.type for one in events].count("ReviewOpened") == 1
            assert server.end() == 0

    with durable_postgres.fresh() as url:
        story(url)
