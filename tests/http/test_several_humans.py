"""M of N over HTTP: several humans, each signed in, must agree before anything opens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from foureyes.core import protocols
from foureyes.core.rules import Exhausted, Humans, Protocol, SeatRule
from foureyes.http.routes import BASE
from tests.app.house import House, played, policy
from tests.cast import rules_with
from tests.http.web import Web

FILES = [{"path": "hello.py", "text": "print('hello')\n"}]
FINDING = {"severity": "important", "text": "Nobody is greeted.", "evidence": "It prints hello and nothing else."}
CHECKED = [{"what": "hello.py", "why": "it prints what the title says"}]


def needing(protocol: Protocol, needs: int = 2) -> Protocol:
    """The style with a gate that so many of a group must agree to open."""
    options = replace(protocol.stages[0].options, ruling_needs=needs, ruling_group="leads")
    return replace(protocol, stages=(replace(protocol.stages[0], options=options),))


async def disputed(members: frozenset[str], protocol: Protocol | None = None) -> tuple[Web, dict[str, str], str]:
    """Work with a finding, whose author asked for a ruling."""
    found = needing(protocol or protocols.solo(programs=(), agents=("agent",)))
    rules = rules_with(found, default=(found.name,), groups=(Humans(name="leads", members=members),))
    web = Web(house=House(policy=policy(rules)))
    await web.human()
    dev, codex = await web.agent("dev"), await web.agent("codex")
    opened = await web.post(f"{BASE}/reviews", dev, kind="script", title="Say hello", files=FILES)
    review = f"{BASE}/reviews/{opened.data['review']}"
    body: dict[str, Any] = {"verdict": "reject", "summary": "No.", "findings": [FINDING], "evidence": CHECKED}
    assert (await web.post(f"{review}/reports", codex, revision=1, **body)).status == 200
    assert (await web.post(f"{review}/escalations", dev, reason="We cannot agree.")).status == 200
    return web, dev, review


async def ruled(web: Web, who: dict[str, str], review: str, option: str) -> str:
    """The result of a ruling: the state of the review, or the code of the refusal."""
    seen = (await web.get(review, who)).data["review"]
    request = seen["ruling"]["request"]
    answer = await web.post(f"{review}/rulings/{request}", who, option=option, reason="I looked at it.")
    return str(answer.data["code"] if answer.status >= 300 else (await web.get(review, who)).data["review"]["state"])


@played
async def test_two_humans_of_the_group_open_and_one_counts_once_however_often_they_sign_in() -> None:
    """D-24: by another session, and under no other spelling, because there is none; members are meant as they sound."""
    web, dev, review = await disputed(frozenset({"Hugo ", "HANNA", "dev"}))
    hugo, again, hanna, zoe = [await web.human(name) for name in ("hugo", "hugo", "hanna", "zoe")]
    for name in ("Hugo", "hugo ", "HUGO", "hu\u200bgo", "hug\u043e"):
        assert (await web.post(f"{BASE}/accounts", hugo, name=name, kind="human")).status == 422, name
    assert await ruled(web, zoe, review, "as_is") == "not_in_group"
    assert await ruled(web, dev, review, "as_is") == "sign_in_needed"
    assert await ruled(web, hugo, review, "as_is") == "open"
    for one in (hugo, again):
        assert await ruled(web, one, review, "as_is") == "duplicate"
    seen = (await web.get(review, dev)).data["review"]
    assert (seen["ruling"]["needs"], [one["by"] for one in seen["ruling"]["votes"]]) == (2, ["hugo"])
    gate = await web.get(f"{BASE}/gate/{seen['digest']}", dev)
    assert gate.data["allowed"] is False
    assert await ruled(web, hanna, review, "as_is") == "cleared"
    assert (await web.get(f"{BASE}/gate/{seen['digest']}", dev)).data["allowed"] is True


@played
async def test_alone_nobody_opens_by_another_way_and_anybody_closes() -> None:
    """D-24: neither an override nor a waiver; a no of one human is enough."""
    web, dev, review = await disputed(frozenset({"hugo", "hanna"}))
    hugo, zoe = await web.human("hugo"), await web.human("zoe")
    seen = (await web.get(review, dev)).data["review"]
    passing = {"stage": seen["ruling"]["stage"], "revision": 1, "digest": seen["digest"], "reason": "In a hurry."}
    for who, code in ((hugo, "ruling_needed"), (zoe, "not_in_group")):
        assert (await web.post(f"{review}/overrides", who, **passing)).data["code"] == code
        waiver = f"{review}/findings/{seen['findings'][0]['finding']}/waiver"
        assert (await web.post(waiver, who, reason="No.")).data["code"] == code
    assert await ruled(web, zoe, review, "reject") == "rejected"


@played
async def test_an_empty_group_opens_nothing() -> None:
    """D-24: nobody in the list is nobody, not everybody."""
    web, dev, review = await disputed(frozenset())
    for name in ("hugo", "hanna"):
        assert await ruled(web, await web.human(name), review, "as_is") == "empty_group"
    assert (await web.get(review, dev)).data["review"]["state"] == "open"


@played
async def test_each_who_lifts_a_veto_with_others_has_just_signed_in() -> None:
    """D-24, 002-23: a ruling is no way around the five minutes, for the first voter as for the last."""
    layer = SeatRule(roles=("agent",), scope="security", veto=True)
    chain = protocols.chain("guarded", (layer,), unanimous=True, retries_max=2, exhausted=Exhausted.ESCALATE)
    web, _, review = await disputed(frozenset({"hugo", "hanna"}), chain)
    old, stale = await web.human("hugo"), await web.human("hanna")
    web.house.now += timedelta(minutes=6)
    assert await ruled(web, old, review, "as_is") == "sign_in_needed"
    assert await ruled(web, await web.human("hugo"), review, "as_is") == "open"
    assert await ruled(web, stale, review, "as_is") == "sign_in_needed"
    assert await ruled(web, await web.human("hanna"), review, "as_is") == "cleared"
