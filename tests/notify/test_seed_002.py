"""The posts of seed 002 arrive at a real server, byte for byte."""

from __future__ import annotations

import json

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five
from tests.http.test_seed_002 import OUTPUT, REASON, critics, say
from tests.notify.post_office import DISCORD, TELEGRAM, THREAD, post_office

TASK = "1234567890"


def content(text: str) -> bytes:
    """The expected body of a Discord message."""
    return f'{{"content":{json.dumps(text, ensure_ascii=False)},"allowed_mentions":{{"parse":[]}},"flags":4}}'.encode()


async def vetoed(web: Five, agent: dict[str, str], who: dict[str, dict[str, str]], reason: str = REASON) -> None:
    """Content that the second critic vetoes."""
    await web.done("/validate", agent, **OUTPUT | {"task_id": TASK}, kind="content_step")
    await say(web, who["magnifico"], "r1", "approve")
    await say(web, who["gaal"], "r1", "reject", reason)


@played
async def test_a_veto_and_an_approval_are_posted_to_the_thread_of_the_task() -> None:
    """002-18, 002-19: the seed's two messages, in the task's thread."""
    web, agent, who = await critics("magnifico", "gaal")
    async with post_office(web, thread=(THREAD,)) as office:
        await vetoed(web, agent, who)
        await office.delivery.once()
        (veto,) = office.receiver.got
        assert veto.path == f"/discord/222/thread-token?thread_id={TASK}"
        assert veto.body == content(
            ":octagonal_sign: gaal (veto)\n"
            "VETO on step: write\n"
            f"- gaal: {REASON}\n"
            "\n"
            "Returning to agent for revision (retry 1/3)"
        )
        await web.done("/validate", agent, output="Cited now.\n", review="r1")
        await say(web, who["magnifico"], "r1", "approve", "Lovely.")
        await say(web, who["gaal"], "r1", "approve", "Sourced.")
        await office.delivery.once()
        assert [one.body for one in office.receiver.got[1:]] == [
            content(":thumbsup: gaal (approval)\nStep completed: write")
        ]
        assert await office.waiting() == {}


@played
async def test_a_task_that_is_a_uuid_is_posted_to_the_thread_that_was_named_with_it() -> None:
    """U-25, 002-19: also of the resubmission, which names none."""
    web, agent, who = await critics("magnifico", "gaal")
    async with post_office(web, thread=(THREAD,)) as office:
        named = OUTPUT | {"task_id": "7d8f6c1e-4b9a-4f0d-9a55-0f6f7a1f2b3c", "thread": TASK}
        await web.done("/validate", agent, **named, kind="content_step")
        await say(web, who["magnifico"], "r1", "approve")
        await say(web, who["gaal"], "r1", "reject", REASON)
        await office.delivery.once()
        await web.done("/validate", agent, output="Cited now.\n", review="r1")
        await say(web, who["magnifico"], "r1", "approve", "Lovely.")
        await say(web, who["gaal"], "r1", "approve", "Sourced.")
        await office.delivery.once()
        assert [one.path for one in office.receiver.got] == [f"/discord/222/thread-token?thread_id={TASK}"] * 2


@played
async def test_an_escalation_reaches_the_alerts_channel_and_telegram() -> None:
    """002-20: both of them, in the seed's words, with whose turn it is and where."""
    web, agent, who = await critics("seldon", "hardin")
    async with post_office(web, human=(DISCORD, TELEGRAM)) as office:
        await web.done("/validate", agent, **OUTPUT, kind="security_step")
        for number in range(3):
            await say(web, who["seldon"], "r1", "approve")
            await say(web, who["hardin"], "r1", "reject", "It deletes the disk.")
            if number < 2:
                await web.done("/validate", agent, output=f"rm -rf /{number}\n", review="r1")
        assert (await web.found("/validate/r1", agent))["status"] == "escalated_to_human"
        await office.delivery.once()
        text = (
            ":octagonal_sign: hardin (veto)\nVETO on step: write\n- hardin: It deletes the disk.\n\n"
            "Escalated: a human must decide.\nhttps://gate.example/reviews/r1"
        )
        first, second = sorted(office.receiver.got, key=lambda one: one.path)
        assert (first.path, first.headers["content-type"]) == ("/bot123:bot-token/sendMessage", "application/json")
        assert first.body == (
            f'{{"chat_id":"-100200","text":{json.dumps(text)},"link_preview_options":{{"is_disabled":true}}}}'.encode()
        )
        assert (second.path, second.body) == ("/discord/111/alerts-token", content(text))


@played
async def test_where_no_critic_answered_the_channel_hears_so_and_not_who_it_was() -> None:
    """D-03, D-05: others who review may read the channel; the review itself tells the human who failed, and why."""
    web, agent, who = await critics("seldon")
    async with post_office(web, human=(DISCORD,)) as office:
        await web.done("/validate", agent, **OUTPUT, chain="default")
        body = {"seat": "default.format.1", "revision": 1, "reason": "crashed", "text": "no key for the model"}
        for _ in range(3):
            await web.done(f"{BASE}/reviews/r1/reports/inconclusive", who["seldon"], **body)
        await office.delivery.once()
        (posted,) = office.receiver.got
        text = posted.body.decode()
        assert "Nobody gave an answer on the seat default.format.1" in text
        assert "seldon" not in text
        assert "no key" not in text


@played
async def test_a_veto_that_a_human_overrode_is_told_as_passed_and_not_as_a_veto_again() -> None:
    """002-19, 002-23: the thread and the author hear that the step goes on, and that a human said so."""
    web, agent, who = await critics("magnifico", "gaal")
    async with post_office(web, thread=(THREAD,), author=(DISCORD,)) as office:
        await vetoed(web, agent, who)
        await office.delivery.once()
        before = len(office.receiver.got)
        digest = (await web.found(f"{BASE}/reviews/r1", agent))["review"]["digest"]
        body = {"stage": "content.factual", "revision": 1, "digest": digest, "reason": "I know the source."}
        await web.done(f"{BASE}/reviews/r1/overrides", await web.human(), **body)
        await office.delivery.once()
        told = [one["content"].split("\nhttps://")[0] for one in office.got("/discord")[before:]]
        assert told == [":thumbsup: human (override)\nStep completed: write"] * 2


@played
async def test_what_a_critic_wrote_calls_nobody_and_hides_nothing() -> None:
    """Mentions of Discord, Telegram and Slack, links with another text, and what would swallow the rest."""
    web, agent, who = await critics("magnifico", "gaal")
    async with post_office(web, thread=(THREAD,)) as office:
        await vetoed(
            web, agent, who, "@everyone <@123> <@&4> <!here> [safe](https://evil.example) ```\x1b[31m\u202e ||x||"
        )
        await office.delivery.once()
        (got,) = office.got()
        assert got["allowed_mentions"] == {"parse": []}
        said = got["content"].split("\n")[2]
        assert said == (
            "- gaal: @\u200beveryone <\u200b@\u200b123> <\u200b@&4> <\u200b!here> "
            "[safe]\u200b(https:\u200b//evil.example) `\u200b``[31m |\u200b|x|\u200b|"
        )
        assert (await web.found(f"{BASE}/reviews/r1", agent))["review"]["state"] == "open"
