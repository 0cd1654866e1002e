"""A human decides by a link: GET shows, POST decides once, in their name, and never about a veto."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from foureyes.app import links
from foureyes.app.accounts import hash_of, stream_of
from foureyes.app.ports import Unavailable, Writing
from foureyes.app.rows import DECIDING_LINKS
from foureyes.core.principals import EnrolPrincipal, RemovePrincipal
from foureyes.store.memory import MemoryStore
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played
from tests.calls.counter import OWNER, SUE
from tests.cast import DEV
from tests.http.five import Five, house
from tests.http.test_seed_002 import OUTPUT, say
from tests.web.browser import Browser, Site
from tests.web.test_pages import HOSTILE, _harmless

KEY = b"k" * 32
T = TypeVar("T")


class Place(Five, Site):
    """The pages, and callers with roles."""


async def place(at: House | None = None) -> Place:
    site = Place(house=at or house(default=("default",)))
    await site.house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("sue"))
    await site.house.do(SUE, EnrolPrincipal(kind="human"), stream_of("ann"))
    return site


async def asked(site: Place, title: str = "A piece of work") -> str:
    """Open work without available reviewers and return the question to the human."""
    stream = await site.house.open(actor=DEV, title=title)
    assert stream == "review/r1"
    ruling = (await site.house.review(stream)).ruling()
    assert ruling is not None
    return ruling.id


async def link(site: Place, request: str, human: str = "ann", *, review: str = "r1", key: bytes = KEY) -> str:
    question = links.Asked(letter="msg_1", human=human, review=review, request=request)
    secret = await site.house.store.write(lambda tx: links.made(tx, key, question, site.house.now))
    assert secret is not None
    return secret


def browser(site: Place) -> Browser:
    """Any browser, signed in nowhere."""

    async def send(method: str, address: str, headers: dict[str, str], body: bytes) -> object:
        path, _, query = address.partition("?")
        return await site.request(method, path, headers, body, query=query)

    return Browser(send=send)  # type: ignore[arg-type]


@played
async def test_looking_decides_nothing_and_the_button_decides_once_in_their_name() -> None:
    """D-14: decided by a signed link, once, attributed to the human it was sent to."""
    site = await place()
    secret = await link(site, await asked(site))
    there = browser(site)
    before = await site.house.log("review/r1")
    pages = [await there.open(page_of(secret)) for _ in range(3)]
    assert [one.status for one in pages] == [200, 200, 200]
    page = pages[-1]
    await site.request("HEAD", "/decide", {}, query=f"link={secret}")
    assert await site.house.log("review/r1") == before
    assert "You decide as ann." in page.text
    option = (await site.house.review("review/r1")).ruling().options[0].id  # type: ignore[union-attr]
    done = await there.submit(page.form("/decide"), option=option, reason="I looked at it.")
    assert (done.status, "under the name ann" in done.text) == (200, True)
    (given,) = [
        one for one in await site.house.store.read(lambda r: tuple(r.events("review/r1"))) if "Given" in one.type
    ]
    assert (given.actor, '"name":"ann"' in given.body.replace(" ", ""), "link-" in given.body) == ("ann", True, True)
    for again in (
        await there.submit(page.form("/decide"), option=option, reason="Again."),
        await there.open(page_of(secret)),
    ):
        assert (again.status, "used already" in again.text) == (401, True)
    assert there.cookies == {}, "a link signs nobody in"


def page_of(secret: str) -> str:
    return f"/decide?link={secret}"


@played
async def test_of_two_who_press_at_once_one_decides() -> None:
    """D-14: once, also where both options are sent in the same moment."""
    site = await place()
    secret = await link(site, await asked(site))
    page = await browser(site).open(page_of(secret))
    options = [one.id for one in (await site.house.review("review/r1")).ruling().options]  # type: ignore[union-attr]
    tries = (browser(site).submit(page.form("/decide"), option=one, reason="Now.") for one in options[:2])
    statuses = sorted([one.status for one in await asyncio.gather(*tries)])
    assert statuses[0] == 200
    assert all(one in (401, 409) for one in statuses[1:])
    assert [one for one in await site.house.log("review/r1") if one == "RulingGiven"] == ["RulingGiven"]


@played
async def test_a_form_that_is_refused_can_be_put_right() -> None:
    site = await place()
    secret = await link(site, await asked(site))
    page = await browser(site).open(page_of(secret))
    option = (await site.house.review("review/r1")).ruling().options[0].id  # type: ignore[union-attr]
    for fields in ({"option": option, "reason": ""}, {"option": "none", "reason": "x"}, {"reason": "x"}):
        refused = await browser(site).submit(page.form("/decide"), **fields)
        assert refused.status == 422, refused.text
    assert (await browser(site).submit(page.form("/decide"), option=option, reason="Right.")).status == 200


@played
async def test_a_link_that_could_not_decide_because_the_store_was_away_still_can() -> None:
    store = Failing()
    usual = house(default=("default",))
    site = await place(House(store=store, policy=usual.policy, pool=usual.pool))
    secret = await link(site, await asked(site))
    page = await browser(site).open(page_of(secret))
    option = (await site.house.review("review/r1")).ruling().options[0].id  # type: ignore[union-attr]
    store.fails_at = 2  # the first uses the link up, the second decides
    lost = await browser(site).submit(page.form("/decide"), option=option, reason="Right.")
    assert (lost.status, store.fails_at) == (503, 0)
    assert "RulingGiven" not in await site.house.log("review/r1")
    assert (await browser(site).submit(page.form("/decide"), option=option, reason="Right.")).status == 200


class Failing(MemoryStore):
    """A store that is away for one write: the one of this number from now."""

    fails_at = 0

    async def write(self, work: Callable[[Writing], T]) -> T:
        if self.fails_at:
            self.fails_at -= 1
            if not self.fails_at:
                raise Unavailable("The database is away.", "Try again.", down=True)
        return await super().write(work)


@played
async def test_no_link_decides_about_a_veto() -> None:
    """D-14, T10: neither a question about a veto, nor any other while one stands; whatever the link says."""
    site = await place()
    agent = await site.role("daneel-1", "agent")
    who = {name: await site.role(name, family=f"of {name}") for name in ("seldon", "hardin")}
    await site.done("/validate", agent, **OUTPUT, kind="security_step")
    for number in range(3):
        await say(site, who["seldon"], "r1", "approve")
        await say(site, who["hardin"], "r1", "reject", "It deletes the disk.")
        if number < 2:
            await site.done("/validate", agent, output=f"rm -rf /{number}\n", review="r1")
    ruling = (await site.house.review("review/r1")).ruling()
    assert ruling is not None
    assert ruling.veto
    secret = await link(site, ruling.id)
    before = await site.house.log("review/r1")
    page = await browser(site).open(page_of(secret))
    assert (page.status, page.forms) == (403, [])
    assert "no link lifts one" in page.text
    for option in ruling.options:
        body = f"link={secret}&option={option.id}&reason=x".encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "origin": "http://127.0.0.1:8004"}
        assert (await site.request("POST", "/decide", headers, body)).status == 403
    assert await site.house.log("review/r1") == before


@played
async def test_a_link_ends_and_is_for_one_question_of_one_human() -> None:
    """D-14: after three days, when the question is answered, and when the human was removed."""
    site = await place()
    request = await asked(site)
    secret = await link(site, request)
    assert (await browser(site).open(page_of(secret))).status == 200
    for wrong in ("", "guessed", secret[:-1], secret + "x", "x" * 5000, hash_of(secret)):
        assert (await browser(site).open(page_of(wrong))).status == 401
    site.house.now += links.LIFE - timedelta(seconds=1)
    assert (await browser(site).open(page_of(secret))).status == 200
    site.house.now += timedelta(seconds=1)
    assert (await browser(site).open(page_of(secret))).status == 401
    other = await link(site, request, "sue")
    await site.house.do(SUE, RemovePrincipal(reason="Left."), stream_of("ann"))
    assert (
        await site.house.store.write(
            lambda tx: links.made(
                tx, KEY, links.Asked(letter="m", human="ann", review="r1", request=request), site.house.now
            )
        )
        is None
    )
    page = await browser(site).open(page_of(other))
    option = (await site.house.review("review/r1")).ruling().options[0].id  # type: ignore[union-attr]
    await browser(site).submit(page.form("/decide"), option=option, reason="Done.")
    late = await link(site, request, "sue", key=b"o" * 32)
    assert (await browser(site).open(page_of(late))).status in (401, 409)


@played
async def test_a_link_does_not_outlive_the_removal_of_its_human() -> None:
    """D-14: enrolled again they are told again; what lay in a letter from before decides nothing."""
    site = await place()
    request = await asked(site)
    secret = await link(site, request)
    await site.house.do(SUE, RemovePrincipal(reason="Left."), stream_of("ann"))
    await site.house.do(SUE, EnrolPrincipal(kind="human"), stream_of("ann"))
    assert (await browser(site).open(page_of(secret))).status == 401


@played
async def test_the_same_letter_has_the_same_link_and_a_used_one_stays_used() -> None:
    """At least once: a letter that comes again brings no second chance."""
    site = await place()
    request = await asked(site)
    secret = await link(site, request)
    assert await link(site, request) == secret
    assert await link(site, request, key=b"x" * 32) != secret
    await site.house.store.write(lambda tx: links.taken(tx, secret, site.house.now))
    assert await link(site, request) == secret
    assert (await browser(site).open(page_of(secret))).status == 401


@played
async def test_a_copy_of_the_database_opens_nothing() -> None:
    """T33: what is kept is the hash."""
    site = await place()
    secret = await link(site, await asked(site))
    rows = await site.house.store.read(lambda reading: reading.rows(DECIDING_LINKS))
    assert secret not in str(rows)
    for key, _ in rows:
        assert (await browser(site).open(page_of(key))).status == 401


@played
async def test_what_others_wrote_is_text_on_this_page_too() -> None:
    """T21."""
    site = await place()
    secret = await link(site, await asked(site, title=HOSTILE))
    _harmless(await browser(site).open(page_of(secret)))


def test_a_link_outlives_a_restart(tmp_path: Path) -> None:
    """D-14: the row is in the store, and the key on the disk; another process takes it."""

    async def before() -> str:
        store = SqliteStore.open(str(tmp_path / "a.db"))
        site = await place(replaced(store))
        secret = await link(site, await asked(site))
        await store.close()
        return secret

    async def after(secret: str) -> None:
        store = SqliteStore.open(str(tmp_path / "a.db"))
        site = Place(house=replaced(store))
        page = await browser(site).open(page_of(secret))
        option = (await site.house.review("review/r1")).ruling().options[0].id  # type: ignore[union-attr]
        assert (await browser(site).submit(page.form("/decide"), option=option, reason="Yes.")).status == 200
        await store.close()

    asyncio.run(after(asyncio.run(before())))


def replaced(store: SqliteStore) -> House:
    """The usual house on this store."""
    usual = house(default=("default",))
    return House(store=store, policy=usual.policy, pool=usual.pool, name=str(id(store)))
