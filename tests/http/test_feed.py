"""A listener is notified when what they see has changed, can resume where they stopped, and learns nothing else."""

import asyncio
from datetime import datetime
from typing import Any, Literal

from foureyes.app.accounts import stream_of
from foureyes.app.feeding import Following, feed
from foureyes.app.ports import Unavailable
from foureyes.core.principals import RemovePrincipal
from foureyes.http.routes import BASE
from foureyes.store.memory import MemoryStore
from tests.app.house import House, played
from tests.calls.counter import SUE, Counter
from tests.calls.test_calls import CHECKED, FINDING, HELLO
from tests.http.listening import Connection
from tests.http.test_http import WORK, told
from tests.http.web import Web

STORY: dict[str, Any] = {"kind": "story", "title": "A story", "files": HELLO}
REPORT: dict[str, Any] = {"revision": 1, "findings": [FINDING], "evidence": CHECKED}


@played
async def test_a_change_is_told_with_the_mark_of_what_is_seen_now() -> None:
    web = Web()
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        opened = await web.post(f"{BASE}/reviews", dev, **WORK)
        review = opened.data["review"]
        first = await line.event()
        assert (first["type"], first["subject"]) == ("foureyes.review.updated", review)
        seen = await web.get(f"{BASE}/reviews/{review}", dev)
        assert first["data"] == {"review": review, "mark": seen.data["mark"]}
        await web.post(f"{BASE}/reviews/{review}/withdrawal", dev, reason="Not needed.")
        assert (await line.event())["data"]["mark"] != first["data"]["mark"]


@played
async def test_what_another_process_writes_is_told_too() -> None:
    web = Web()
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        stream = await web.house.open()
        assert f"review/{(await line.event())['subject']}" == stream


@played
async def test_a_blind_reviewer_hears_nothing_of_what_others_report() -> None:
    """T13: no event, and no id that would be another."""
    ids = []
    for reports in (False, True):
        web = Web()
        dev, codex, gemini = [await web.agent(name) for name in ("dev", "codex", "gemini")]
        opened = await web.post(f"{BASE}/reviews", dev, **STORY)
        path = f"{BASE}/reviews/{opened.data['review']}"
        assert (await web.post(f"{path}/seats", gemini, stage="resolve")).status == 200
        async with Connection(web, gemini) as line, Connection(web, dev) as other:
            if reports:
                assert (await web.post(f"{path}/reports", codex, **REPORT)).status == 200
                await other.event()  # the author hears of it, so it was told by now
            await web.post(f"{path}/withdrawal", dev, reason="Not needed.")
            event = await line.event()
            assert (await web.get(path, gemini)).data["mark"] == event["data"]["mark"]
            ids.append(len(event["id"]))
    assert ids[0] == ids[1]


@played
async def test_who_lost_the_connection_is_told_what_came_meanwhile() -> None:
    web = Web()
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        await web.post(f"{BASE}/reviews", dev, **WORK)
        last = (await line.event())["id"]
    second = (await web.post(f"{BASE}/reviews", dev, **WORK)).data["review"]
    third = (await web.post(f"{BASE}/reviews", dev, **WORK)).data["review"]
    async with Connection(web, dev | {"last-event-id": last}) as line:
        assert [(await line.event())["subject"] for _ in range(2)] == [second, third]


@played
async def test_after_a_restart_a_listener_looks_at_everything_again_and_misses_nothing() -> None:
    """F6: a place is known to the server that told it alone; another one says so instead of leaving something out."""
    web = Web()
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        await web.post(f"{BASE}/reviews", dev, **WORK)
        last = (await line.event())["id"]
    missed = (await web.post(f"{BASE}/reviews", dev, **WORK)).data["review"]
    again = Web(house=web.house)
    async with Connection(again, dev | {"last-event-id": last}) as line:
        reset = await line.event()
        assert (reset["type"], reset["data"], "subject" in reset) == ("foureyes.feed.reset", {}, False)
        found = (await again.get(f"{BASE}/reviews", dev)).data["reviews"]
        assert missed in {one["review"] for one in found}
        later = (await again.post(f"{BASE}/reviews", dev, **WORK)).data["review"]
        assert (await line.event())["subject"] == later
    last_one = (await again.post(f"{BASE}/reviews", dev, **WORK)).data["review"]
    async with Connection(again, dev | {"last-event-id": reset["id"]}) as line:
        assert [(await line.event())["subject"] for _ in range(2)] == [later, last_one]


@played
async def test_every_event_is_a_cloud_event_that_can_be_told_from_every_other() -> None:
    """The attributes that CloudEvents 1.0 demands, and no id twice."""
    web = Web()
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        events = list[dict[str, Any]]()
        for _ in range(3):
            await web.post(f"{BASE}/reviews", dev, **WORK)
            events.append(await line.event())
    assert len({(one["source"], one["id"]) for one in events}) == len(events)
    for one in events:
        assert one.keys() == {
            *("specversion", "id", "source", "type", "time", "datacontenttype", "subject", "data"),
        }
        assert (one["specversion"], one["source"]) == ("1.0", f"{BASE}/feed")
        assert one["datacontenttype"] == "application/json"
        assert datetime.fromisoformat(one["time"]) == web.house.now


@played
async def test_a_place_nobody_knows_means_to_look_at_everything_again() -> None:
    """T24: another's id is no better than one that was made up."""
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    async with Connection(web, dev) as line:
        await web.post(f"{BASE}/reviews", dev, **WORK)
        theirs = (await line.event())["id"]
    for last in (theirs, "made-up", "x" * 5000):
        async with Connection(web, codex | {"last-event-id": last}) as line:
            assert (await line.event())["type"] == "foureyes.feed.reset"


@played
async def test_the_feed_ends_when_the_account_is_removed_and_when_the_server_does() -> None:
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    async with Connection(web, dev) as line:
        await web.house.do(SUE, RemovePrincipal(reason="Gone."), stream_of("dev"))
        assert await line.read() == ""
    async with Connection(web, codex) as line:
        web.office.bell.close()
        assert await line.read() == ""


@played
async def test_an_account_has_so_many_connections_and_no_more() -> None:
    """T18."""
    web = Web()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    lines = [Connection(web, dev) for _ in range(web.office.quotas.limits.account.feeds)]
    for line in lines:
        await line.__aenter__()
    answer = await web.get(f"{BASE}/feed", dev)
    told(answer, 429, "limit_reached")
    assert int(answer.headers["retry-after"]) >= 1
    async with Connection(web, codex) as other:
        assert other.status == 200
    for line in lines:
        await line.__aexit__()
    async with Connection(web, dev) as line:
        assert line.status == 200
    assert web.office.quotas.held("feeds") == 0


@played
async def test_nobody_listens_without_a_credential() -> None:
    web = Web()
    told(await web.get(f"{BASE}/feed", {}), 401, "credential_needed")
    small = await web.agent("small", "signal")
    told(await web.get(f"{BASE}/feed", small), 403, "not_eligible")


class Away(MemoryStore):
    """A store that the test can make unreachable."""

    away = False

    async def read(self, work: Any) -> Any:
        if self.away:
            raise Unavailable("The store is away.", "Come back.", down=True)
        return await super().read(work)


@played
async def test_a_feed_ends_quietly_when_the_store_is_out_of_reach_and_is_taken_up_again() -> None:
    """F6: whether the listener still has access is unknown then, so nothing is sent."""
    store = Away()
    web = Web(house=House(store=store))
    dev = await web.agent("dev")
    async with Connection(web, dev) as line:
        await web.post(f"{BASE}/reviews", dev, **WORK)
        last = (await line.event())["id"]
        listener = next(iter(web.office.bell._listeners))
        store.away = True
        listener.woken.set()
        assert await line.read() == ""
        told(await web.get(f"{BASE}/feed", dev), 503, "unavailable")
    store.away = False
    later = await web.post(f"{BASE}/reviews", dev, **WORK)
    async with Connection(web, dev | {"last-event-id": last}) as line:
        assert (await line.event())["subject"] == later.data["review"]


@played
async def test_who_asks_for_the_head_alone_is_answered_at_once() -> None:
    web = Web()
    dev = await web.agent("dev")
    answer = await web.request("HEAD", f"{BASE}/feed", dev)
    assert (answer.status, answer.body, web.office.quotas.held("feeds")) == (200, b"", 0)


@played
async def test_where_nothing_happens_a_sign_of_life_comes() -> None:
    counter = Counter()
    dev = await counter.agent("dev")

    async def always() -> bool:
        return True

    news = feed(counter.office, dev, Following(), always, heartbeat_seconds=0.001)
    assert [await anext(news), await anext(news)] == [None, None]
    await news.aclose()


class Restless(asyncio.Event):
    """Something happens all the time, and nothing of it is seen."""

    def is_set(self) -> bool:
        return True

    async def wait(self) -> Literal[True]:
        return True


@played
async def test_what_is_hidden_puts_off_no_sign_of_life() -> None:
    """T13: otherwise the intervals between keep-alives would reveal when a reviewer reported."""
    counter = Counter()
    dev = await counter.agent("dev")

    async def always() -> bool:
        await asyncio.sleep(0)
        return True

    news = feed(counter.office, dev, Following(), always, heartbeat_seconds=0.001)
    assert await anext(news) is None
    (listener,) = counter.office.bell._listeners
    listener.woken = Restless()
    async with asyncio.timeout(5):
        assert await anext(news) is None
    await news.aclose()
