"""Seed 004 over HTTP: two models judge a task, spec then quality, and the plan's table shows the state."""

from typing import Any

from foureyes.core import protocols
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five, house

MD5 = {
    "severity": "critical",
    "text": "Password hashed with MD5",
    "category": "security",
    "place": {"path": "auth.py", "start": 10, "end": 12},
    "evidence": "auth.py calls md5",
}
CHECKED = [{"what": "auth.py against its task", "why": "each demand has its line and its test"}]


async def begun(**switches: Any) -> tuple[Five, dict[str, str], dict[str, dict[str, str]], str]:
    """A task that haiku and sonnet judge."""
    web = Five(house=house(protocols.panel(**switches)))
    dev = await web.role("impl-1", "agent")
    models = {name: await web.role(name) for name in ("haiku", "sonnet")}
    body = {"kind": "task", "title": "Log in", "origin": {"task": "2"}}
    files = [{"path": "auth.py", "text": "md5\n" * 20}]
    review = (await web.done(f"{BASE}/reviews", dev, **body, files=files))["review"]
    return web, dev, models, review


async def say(web: Five, who: dict[str, str], review: str, stage: str, *found: dict[str, Any]) -> None:
    """A model's report on one stage; it passes where it finds nothing, and what it found before is gone then."""
    seen = (await web.found(f"{BASE}/reviews/{review}", who))["review"]
    body: dict[str, Any] = {"stage": stage, "revision": seen["revision"], "evidence": CHECKED, "findings": list(found)}
    body |= {"verdict": "concerns" if found else "approve", "summary": f"{len(found)} findings"}
    me = (await web.found(f"{BASE}/me", who))["who"]["name"]
    mine = [
        one["finding"]
        for one in seen["findings"]
        if one["raiser"] == me and one["seat"].startswith(stage) and one["standing"] != "resolved"
    ]
    settled = [] if found else [{"finding": one, "resolved": True, "note": "gone"} for one in mine]
    await web.done(f"{BASE}/reviews/{review}/reports", who, **body, settled=settled)


async def row(web: Five, who: dict[str, str], review: str) -> tuple[str, str, str, str]:
    """The row of the plan's table: status, spec, quality, fix iterations."""
    found = await web.found(f"{BASE}/tasks/{review}", who)
    return found["status"], found["spec"], found["quality"], found["fix_iterations"]


@played
async def test_a_task_both_models_pass_is_complete_with_no_fix() -> None:
    """004-03, 004-07, 004-15: the four reviews of the first round may come in any order."""
    web, dev, models, review = await begun(auto_approve=True)
    assert await row(web, dev, review) == ("in-review", "PENDING", "", "0")
    for stage in ("quality", "spec"):
        for who in models.values():
            await say(web, who, review, stage)
    assert await row(web, dev, review) == ("complete", "PASS", "PASS", "0")
    shown = await web.found(f"{BASE}/tasks/{review}", dev)
    assert (shown["task"], shown["message"]) == ("2", "")
    assert "Speculative parallel" in shown["report"]
    assert (await web.log(review))[-1] == "ReviewCleared"


@played
async def test_what_both_call_critical_goes_to_the_fix_loop_and_then_to_a_human() -> None:
    """004-05, 004-06, 004-07, 004-22, P2: each fix is looked at again, and its message names file and line."""
    web, dev, models, review = await begun(auto_reject=True)
    for attempt in (1, 2):
        for who in models.values():
            await say(web, who, review, "spec", MD5)
        shown = await web.found(f"{BASE}/tasks/{review}", dev)
        assert (shown["status"], shown["spec"]) == (f"review-fix-{attempt}", "FAIL")
        assert shown["fix_iterations"] == ("1", "2 (max)")[attempt - 1]
        assert shown["message"] == f"Fix attempt {attempt}/2: Password hashed with MD5 (auth.py:10)"
        (asked,) = (await web.found(f"{BASE}/inbox", dev))["waiting"]
        assert (asked["review"], asked["kind"]) == (review, "revision")
        files = [{"path": "auth.py", "text": f"md5 {attempt}\n" * 20}]
        await web.done(f"{BASE}/reviews/{review}/revisions", dev, files=files)
        status, _, _, fixes = await row(web, dev, review)
        assert (status, fixes) == (f"review-fix-{attempt}", ("1", "2 (max)")[attempt - 1])
    for who in models.values():
        await say(web, who, review, "spec", MD5)
    shown = await web.found(f"{BASE}/tasks/{review}", dev)
    assert (shown["status"], shown["fix_iterations"]) == ("escalated", "2 (max)")
    assert shown["message"] == (
        "Task 2 failed review after 2 fix attempts. Remaining issues: Password hashed with MD5 (auth.py:10)"
    )
    assert (await web.log(review))[-1] == "RulingRequested"
    assert not shown["dependents_may_start"]
    body = {"kind": "task", "title": "Log out", "origin": {"task": "3"}, "after": [review]}
    files = [{"path": "out.py", "text": "print()\n"}]
    held = await web.post(f"{BASE}/reviews", dev, **body, files=files)
    assert (held.status, held.data["code"]) == (409, "not_ended"), "dependent tasks do not start"
    sue = await web.human()
    ruling = (await web.found(f"{BASE}/reviews/{review}", sue))["review"]["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
    path = f"{BASE}/reviews/{review}/rulings/{ruling['request']}"
    await web.done(path, sue, option=option, reason="Good enough for a prototype.")
    for who in models.values():
        await say(web, who, review, "quality")
    ruling = (await web.found(f"{BASE}/reviews/{review}", sue))["review"]["ruling"]
    if ruling:
        option = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
        path = f"{BASE}/reviews/{review}/rulings/{ruling['request']}"
        await web.done(path, sue, option=option, reason="Good enough for a prototype.")
    assert (await web.found(f"{BASE}/tasks/{review}", dev))["dependents_may_start"]
    assert (await web.done(f"{BASE}/reviews", dev, **body, files=files))["state"] == "open"


@played
async def test_where_the_models_disagree_a_human_decides() -> None:
    """004-23, 004-27, P1: by default nothing goes by itself; the reason is told, and no token decides."""
    web, dev, models, review = await begun()
    sue = await web.human()
    await say(web, models["haiku"], review, "spec")
    await say(web, models["sonnet"], review, "spec", MD5)
    shown = await web.found(f"{BASE}/tasks/{review}", dev)
    assert (shown["status"], shown["fix_iterations"]) == ("escalated", "0")
    assert shown["message"]
    ruling = (await web.found(f"{BASE}/reviews/{review}", sue))["review"]["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "reject")
    path = f"{BASE}/reviews/{review}/rulings/{ruling['request']}"
    assert (await web.post(path, dev, option=option, reason="x")).status == 403
    await web.done(path, sue, option=option, reason="MD5 will not do.")
    assert (await row(web, dev, review))[0] == "rejected"


@played
async def test_a_model_that_has_not_reported_learns_nothing_from_the_row() -> None:
    """004-15, X6: blind between the models, in the report and in its words too."""
    web, _, models, review = await begun()
    before = (await web.get(f"{BASE}/tasks/{review}", models["haiku"])).body
    await say(web, models["sonnet"], review, "spec", MD5)
    assert (await web.get(f"{BASE}/tasks/{review}", models["haiku"])).body == before
    other = await web.role("writer", "agent")
    story = (await web.done("/review/story", other, content="A story."))["content_id"]
    assert (await web.get(f"{BASE}/tasks/{story}", other)).status == 404
