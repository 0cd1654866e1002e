"""Seeds 000 to 004, complete, on a running server: programs, command-line agents, models, outside agents."""

from __future__ import annotations

from typing import Any

from tests.http.test_seed_000 import CHECKED
from tests.http.test_seed_001 import CHANGES, FULL, GOOD, WORK
from tests.http.test_seed_003 import APPROVED, CONCERNS, MILESTONE, result
from tests.stories.theatre import API, Headers, Theatre

PEER = f"{API}/peer"


async def feedback_first(here: Theatre) -> None:
    """Seed 000: two hosted agents and one from outside raise, the proposer answers, each raiser confirms."""
    haku, ann = await here.agent("haku", "agent"), await here.agent("ann", "agent")
    opened = await here.done(haku, "/review/story", title="The port", content="The guild can swallow the port.\n")
    story = opened["content_id"]
    gate = f"/review/{story}/gate"
    page = f"/review/{story}"
    # Both seats are open to all; the hosted reviewers take them, and a third one joins.
    await here.until(lambda: here.found(haku, page), lambda seen: len(seen["feedback"]) == 2)
    await here.found(ann, page)
    vague = {"category": "actor_vagueness", "description": "Who governs the port?", "severity": "minor"}
    mine = (await here.done(ann, f"{page}/feedback", items=[vague]))["items"][0]["id"]
    shown = await here.found(haku, page)
    items = {one["id"]: by["reviewer_id"] for by in shown["feedback"] for one in by["items"]}
    assert len(set(items.values())) == 3, shown["feedback"]
    assert "ann" in items.values()
    assert (await here.found(haku, gate))["reason"] == "3 feedback items unresolved"
    answers = [{"feedback_item_id": one, "response_text": "The council does, and nobody else."} for one in items]
    new = "The council governs the port, and the guild trades there.\n"
    await here.done(haku, f"/review/{story}/revise", content=new, responses=answers)
    await here.shows(haku, gate, reason="1 feedback items unresolved", can_graduate=False)
    await here.found(ann, f"/review/{story}")
    settled = [{"feedback_item_id": mine, "resolution_note": "Clear now."}]
    await here.done(ann, f"/review/{story}/feedback", checked=CHECKED, resolved=settled)
    await here.shows(haku, gate, can_graduate=True)
    assert (await here.found(haku, f"/review/{story}"))["state"] == "live"
    await here.one_report_each(story)


async def core_developers(here: Theatre) -> tuple[Headers, Headers]:
    """The requester and the first reviewer; the backup and the architect are hosted."""
    return await here.agent("core-developer", "core_developer"), await here.agent("auditor", "auditor")


async def asks(here: Theatre, dev: Headers, number: int, code: str, **more: Any) -> str:
    body = WORK | {"id": f"rev_{number}", "artifacts": WORK["artifacts"] | {"code": code}, **more}
    asked = await here.done(dev, f"{PEER}/request_review", **body)
    assert (asked["reviewer"], asked["status"]) == ("auditor", "pending")
    return str(asked["id"])


async def late_and_silent_colleagues(here: Theatre) -> None:
    """Seed 001: a reminder, a replacement, a draft handed on, a tie-break, and a human who rules after 48 hours."""
    dev, auditor = await core_developers(here)
    # Not begun: reminded after 30 minutes, given to the backup 15 later, who is hosted and has no fault to find.
    first = await asks(here, dev, 1, "export const valid = 1\n")
    here.wait(minutes=31)
    await here.happens(f"review/{first}", type="DeadlinePassed", step="reminded")
    here.wait(minutes=16)
    await here.happens(f"review/{first}", type="SeatLeft", reviewer="auditor", reason="timed_out")
    seen = await here.shows(dev, f"{PEER}/get_review?reviewId={first}", status="approved")
    assert (seen["reviewer"], seen["confidence"], len(seen["feedback"]["question_answers"])) == ("codex", 95, 2)
    # Begun, then silent for an hour: the backup is given what was written so far.
    second = await asks(here, dev, 2, "try { run() } catch { /* swallow */ }\n")
    await here.found(auditor, f"{PEER}/get_review", reviewId=second)
    seat = (await here.review(auditor, second))["seats"][0]["seat"]
    draft = "The parser looks right, the tests are missing."
    await here.done(auditor, f"{API}/reviews/{second}/seats/{seat}/renewal", draft=draft)
    here.wait(minutes=61)
    await here.happens(f"review/{second}", type="SeatLeft", reviewer="auditor", reason="crashed")
    await here.shows(dev, f"{PEER}/get_review?reviewId={second}", status="changes_requested", reviewer="codex")
    assert draft in (here.agents.folder / "asked-codex").read_text(encoding="utf-8")
    # A late report of the replaced reviewer is no vote; its findings are kept, by the seed's call and the native one.
    late = await here.done(auditor, f"{PEER}/submit_review", reviewId=second, **GOOD)
    assert (late["success"], late["status"]) == (False, "too_late")
    found = [{"severity": "important", "text": "No test of an empty list.", "evidence": "tests are one line"}]
    body = {"revision": 1, "stage": "peer", "seat": seat, "verdict": "concerns", "findings": found, "confidence": 70}
    await here.done(auditor, f"{API}/reviews/{second}/reports", **body)
    for text in (found[0]["text"], GOOD["feedback"]["suggestions"][0]):
        kept = await here.happens(f"review/{second}", type="FindingRaised", raiser="auditor", text=text)
        assert kept["advisory"]
    again = {"artifacts": WORK["artifacts"] | {"code": "try { run() } catch (e) { tell(e) }\n"}}
    again |= {"changes_made": "Errors are told.", "revision_number": 1}
    await here.done(dev, f"{PEER}/request_re_review", reviewId=second, **again)
    await here.shows(dev, f"{PEER}/get_review?reviewId={second}", status="approved", revision_count=1)
    for one in (first, second):
        await here.one_report_each(one)


async def a_tie_and_a_dispute(here: Theatre) -> None:
    """Seed 001 §8, §12, §15: the architect is hosted; 48 hours favour the reviewer, and an override clears later."""
    dev, auditor = await core_developers(here)
    third = await asks(here, dev, 3, "export const valid = 3\n", creator_confidence=95)
    await here.found(auditor, f"{PEER}/get_review", reviewId=third)
    unsure = {**CHANGES, "confidence": 50, "feedback": {**CHANGES["feedback"], "concerns": []}}
    await here.done(auditor, f"{PEER}/submit_review", reviewId=third, **unsure)
    await here.shows(dev, f"{PEER}/get_review?reviewId={third}", status="approved")
    assert (await here.happens(f"review/{third}", type="ReviewCleared"))["flags"] == ["tie-break"]
    fourth = await asks(here, dev, 4, "export const valid = 4\n")
    await here.found(auditor, f"{PEER}/get_review", reviewId=fourth)
    reject = {**CHANGES, "status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
    await here.done(auditor, f"{PEER}/submit_review", reviewId=fourth, **reject)
    argument = {"reason": "creator_disagrees", "creator_argument": "It is by the book.", "request_human_decision": True}
    await here.done(dev, f"{PEER}/escalate_review", reviewId=fourth, **argument)
    asked = await here.happens(f"review/{fourth}", type="RulingRequested")
    assert {one["name"] for one in asked["positions"]} == {"core-developer", "auditor"}
    assert {one["effect"] for one in asked["options"]} >= {"pass_stage", "revise"}
    here.wait(hours=49)
    given = await here.happens(f"review/{fourth}", type="RulingGiven")
    assert (given["by_clock"], given["effect"] == "pass_stage") == (True, False)
    await here.shows(dev, f"{PEER}/get_review?reviewId={fourth}", status="rejected")
    sue = await here.human()
    await here.done(sue, f"{API}/reviews/{fourth}/reopening", reason="It deserves a look.", undoes="rejected")
    seen = await here.review(sue, fourth)
    override = {"stage": "peer", "revision": 1, "digest": seen["digest"], "reason": "The author is right."}
    await here.done(sue, f"{API}/reviews/{fourth}/overrides", **override)
    await here.shows(dev, f"{PEER}/get_review?reviewId={fourth}", status="approved")
    assert (await here.found(dev, f"{API}/gate/{seen['digest']}"))["allowed"]
    await here.one_report_each(fourth)


async def doubt_and_an_author_who_is_gone(here: Theatre) -> None:
    """Seed 001 §8, §15: counsel by a hosted agent; the author silent for 24 hours, the human for 48, and again."""
    dev, auditor = await core_developers(here)
    work = await asks(here, dev, 5, "export const valid = 5\n", creator_confidence=55)
    await here.found(auditor, f"{PEER}/get_review", reviewId=work)
    await here.done(auditor, f"{PEER}/submit_review", reviewId=work, **{**CHANGES, "confidence": 50})
    asked = await here.happens(f"review/{work}", type="RulingRequested")
    assert (asked["text"], asked["flags"]) == (
        "Both uncertain: author 55%, auditor 50%; needs research",
        ["needs research"],
    )
    counsel = await here.happens(f"review/{work}", type="ReportSubmitted", seat="peer.counsel")
    assert counsel["summary"] == "In order."
    sue = await here.human()
    ruling = (await here.review(sue, work))["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "revise")
    await here.done(sue, f"{API}/reviews/{work}/rulings/{ruling['request']}", option=option, reason="Mend it.")
    here.wait(hours=25)
    await here.happens(f"review/{work}", type="RulingRequested", reason="author_silent")
    here.wait(hours=49)
    await here.happens(f"review/{work}", type="RulingGiven", by_clock=True)
    here.wait(hours=25)
    await here.review(dev, work, state="shelved")
    assert "ReviewCleared" not in await here.types(f"review/{work}")
    await here.one_report_each(work)


async def a_reviewer_who_contradicts_themselves(here: Theatre) -> None:
    """Seed 001 §15: a reviewer contradicts a settled, unchanged point and must clarify first."""
    dev, auditor = await core_developers(here)
    work = await asks(here, dev, 6, "one\ntwo\nthree\n", questions=[])
    swallowed: dict[str, Any] = {"severity": "important", "text": "Errors are swallowed", "evidence": "two"}
    swallowed |= {"place": {"path": "code", "start": 2, "end": 2}}
    nameless: dict[str, Any] = {"severity": "important", "text": "The name says nothing", "evidence": "Validate"}
    nameless |= {"place": {"path": "documentation", "start": 1, "end": 1}}
    failing = [{"name": name, "passed": False} for name in FULL]
    passing = [{"name": name, "passed": True} for name in FULL]

    async def says(revision: int, verdict: str, **more: Any) -> None:
        await here.found(auditor, f"{PEER}/get_review", reviewId=work)
        body = {"revision": revision, "stage": "peer", "verdict": verdict, "confidence": 85, "checklist": failing}
        await here.done(auditor, f"{API}/reviews/{work}/reports", **{**body, **more})

    async def revises(revision: int, **artifacts: str) -> None:
        body = {"reviewId": work, "changes_made": "Mended.", "revision_number": revision}
        await here.done(dev, f"{PEER}/request_re_review", **body, artifacts={**WORK["artifacts"], **artifacts})

    await says(1, "concerns", findings=[swallowed])
    await revises(1, code="one\nzwei\nthree\n", documentation="# Validate it\n")
    settled = [{"finding": "peer.1-F1", "resolved": True, "note": "mended"}]
    await says(2, "concerns", findings=[nameless], settled=settled)
    await revises(2, code="one\nzwei\nthree\n", documentation="# Validate an address\n")
    settled = [{"finding": "peer.1-F2", "resolved": True, "note": "renamed"}]
    await says(3, "concerns", findings=[swallowed], settled=settled, checklist=passing)
    told = await here.happens(f"review/{work}", type="ReportSubmitted", contradicts=["peer.1-F1"])
    assert told["revision"] == 3
    asked = await here.happens(f"review/{work}", type="ReportRequested", about=["peer.1-F1"])
    assert (asked["revision"], (await here.review(dev, work))["ruling"]) == (3, None)
    await says(3, "approve", checklist=passing, confidence=95, summary="I misread the code.")
    await here.shows(dev, f"{PEER}/get_review?reviewId={work}", status="approved", revision_count=2)


async def a_veto_and_the_three_ends(here: Theatre) -> None:
    """Seed 002: a program, then a hosted critic with a veto; retries, all three ends, and a human's override."""
    agent = await here.agent("daneel-1", "agent")
    fine = await here.done(agent, "/validate", output="A note.\n", step="write", chain="default", task_id="t-1")
    assert (fine["status"], [one["critic_agent_id"] for one in fine["layers"]]) == ("approved", ["seldon"])
    body = {"step": "deploy", "task_id": "t-2", "kind": "security_change"}
    asked = await here.done(agent, "/validate", output="rm -rf / # version 0\n", **body)
    run = asked["review"]
    for number in (1, 2):
        seen = await here.shows(agent, f"/validate/{run}", status="returned")
        assert [(one["critic_agent_id"], one["decision"]) for one in seen["layers"]] == [
            ("seldon", "approve"),
            ("claude", "veto"),
        ] * number
        assert seen["message"] == (
            ":octagonal_sign: claude (veto)\nVETO on step: deploy\n- claude: It deletes the disk.\n\n"
            f"Returning to agent for revision (retry {number}/2)"
        )
        shown = await here.done(agent, "/validate", output=f"rm -rf / # version {number}\n", review=run)
        assert shown["retry"] == number
    await here.shows(agent, f"/validate/{run}", status="escalated_to_human")
    same = await here.post(
        agent, "/validate", output="rm -rf / # version 2\n", step="write", chain="default", task_id="t-3"
    )
    assert same.data["code"] == "vetoed"
    here.wait(hours=49)
    assert (await here.found(agent, f"/validate/{run}"))["status"] == "escalated_to_human", "a veto is only reminded of"
    sue = await here.human()
    seen = await here.review(sue, run)
    override = {"stage": "security.security", "revision": 3, "digest": seen["digest"], "reason": "It is a test."}
    await here.done(sue, f"{API}/reviews/{run}/overrides", **override)
    await here.shows(agent, f"/validate/{run}", status="approved")
    await here.one_report_each(run)
    await _ends(here, agent)


async def _ends(here: Theatre, agent: Headers) -> None:
    """`return_error` by a program, `return_to_author` by critics from outside."""
    conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"
    bad = (await here.done(agent, "/validate", output=conflict, step="merge", chain="default", task_id="t-4"))["review"]
    for number in range(1, 4):
        await here.shows(agent, f"/validate/{bad}", status="returned", retry=number - 1)
        await here.done(agent, "/validate", output=f"{number}\n{conflict}", review=bad)
    await here.shows(agent, f"/validate/{bad}", status="failed", retry=3)
    critics = {name: await here.agent(name, name) for name in ("magnifico", "gaal")}
    tale = (await here.done(agent, "/validate", output="A tale.\n", step="tell", task_id="t-5", kind="content"))[
        "review"
    ]
    for number in range(4):
        for name, verdict in (("magnifico", "approve"), ("gaal", "reject")):
            report = {"revision": number + 1, "verdict": verdict, "summary": f"Read output.md: {verdict} {number}"}
            await here.done(critics[name], f"{API}/reviews/{tale}/reports", **report)
        if number < 3:
            await here.done(agent, "/validate", output=f"A tale, told {number} times.\n", review=tale)
    assert (await here.found(agent, f"/validate/{tale}"))["status"] == "returned_to_author"


async def a_session_and_its_silence(here: Theatre) -> None:
    """Seed 003: a milestone, two concerns, a pause, a clarification; 15 minutes of silence; a human's wish; the end."""
    claude, rita = await here.agent("claude-dev", "agent", family="claude"), await here.agent("rita", "reviewer")
    session = f"{API}/sessions/s-{here.folder.name}"
    code = [{"path": "auth_controller.py", "text": "def login(password):\n    return md5(password)\n"}]
    signal = {**MILESTONE, "agent": "claude-dev", "files": code}
    key = {**claude, "idempotency-key": "milestone-1"}
    started = await here.done(key, f"{session}/signals", **signal)
    assert await here.done(key, f"{session}/signals", **signal) == started, "sent twice, heard once"
    first = started["review"]
    (asked,) = (await here.found(rita, f"{session}/requests"))["requests"]
    assert asked["request"]["targets"] == ["claude-dev"]
    await here.done(rita, f"{session}/results", **result(CONCERNS, "rita"))
    await here.shows(claude, session, status="PAUSED")
    (prompt,) = (await here.found(claude, f"{session}/clarifications"))["clarifications"]
    assert {one["reviewer"] for one in prompt["concerns"]} == {"gemini", "rita"}
    here.wait(minutes=20)
    await here.done(claude, f"{session}/clarifications", text="It is a test vector and no password.")
    await here.found(rita, f"{session}/requests")
    await here.done(rita, f"{session}/results", **result(APPROVED, "rita"))
    fixed = [{"path": "auth_controller.py", "text": "def login(password):\n    return argon2(password)\n"}]
    await here.until(lambda: here.types(f"review/{first}"), lambda seen: seen.count("ReportSubmitted") >= 4)
    await here.done(claude, f"{API}/reviews/{first}/revisions", files=fixed)
    await here.found(rita, f"{session}/requests")
    await here.done(rita, f"{session}/results", **result(APPROVED, "rita"))
    await here.review(claude, first, state="cleared")
    await here.shows(claude, session, status="RUNNING")
    here.wait(minutes=16)
    silence = f"session/s-{here.folder.name}"
    await here.happens(silence, type="SilenceDetected")
    listed = await here.found(claude, f"{API}/reviews", author="claude-dev")
    second = next(one["review"] for one in listed["reviews"] if one["review"] != first)
    assert (await here.review(claude, second))["trigger"] == "timeout_fallback"
    await here.found(rita, f"{session}/requests")
    await here.done(rita, f"{session}/results", **result(APPROVED, "rita"))
    await here.review(claude, second, state="cleared")
    here.wait(minutes=40)
    sue = await here.human()
    third = (await here.done(sue, f"{session}/review", reason="I want to know."))["review"]
    await here.found(rita, f"{session}/requests")
    await here.done(rita, f"{session}/results", **result(APPROVED, "rita"))
    await here.review(claude, third, state="cleared")
    await here.done(claude, f"{session}/end", reason="Done")
    assert (await here.types(silence)).count("SilenceDetected") == 1, "one silence, one review"
    for one in (first, second, third):
        await here.one_report_each(one)


async def a_panel_and_its_fix_loop(here: Theatre) -> None:
    """Seed 004: the messages and statuses of the fix loop, held dependents, a ruling, and good work."""
    dev = await here.agent("impl-1", "agent")

    async def begin(task: str, text: str, **more: Any) -> str:
        body = {"kind": "task", "title": f"Task {task}", "origin": {"task": task}}
        files = [{"path": "auth.py", "text": text}]
        return str((await here.done(dev, f"{API}/reviews", **body, files=files, **more))["review"])

    task = await begin("2", "import os\n" * 9 + "md5(password)\n")
    where = f"{API}/tasks/{task}"
    for attempt in (1, 2):
        seen = await here.shows(dev, where, status=f"review-fix-{attempt}", spec="FAIL")
        assert seen["message"] == f"Fix attempt {attempt}/2: Password hashed with MD5 (auth.py:10)"
        assert seen["fix_iterations"] == ("1", "2 (max)")[attempt - 1]
        files = [{"path": "auth.py", "text": "import os\n" * 9 + f"md5(password, {attempt})\n"}]
        await here.done(dev, f"{API}/reviews/{task}/revisions", files=files)
    seen = await here.shows(dev, where, status="escalated", dependents_may_start=False)
    assert seen["message"].startswith("Task 2 failed review after 2 fix attempts. Remaining issues: ")
    after = {"kind": "task", "title": "Task 3", "origin": {"task": "3"}, "after": [task]}
    held = await here.post(dev, f"{API}/reviews", **after, files=[{"path": "out.py", "text": "print()\n"}])
    assert held.data["code"] == "not_ended"
    sue = await here.human()
    ruling = (await here.review(sue, task))["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "reject")
    await here.done(sue, f"{API}/reviews/{task}/rulings/{ruling['request']}", option=option, reason="MD5 will not do.")
    await here.shows(dev, where, status="rejected")
    good = await begin("4", "argon2(password)\n")
    done = await here.shows(dev, f"{API}/tasks/{good}", status="complete", spec="PASS", quality="PASS")
    assert (done["fix_iterations"], done["dependents_may_start"]) == ("0", True)
    for one in (task, good):
        await here.one_report_each(one)


#: In this order on one server: hours that pass in one find nothing open of another.
STORIES = (
    feedback_first,
    late_and_silent_colleagues,
    a_tie_and_a_dispute,
    doubt_and_an_author_who_is_gone,
    a_reviewer_who_contradicts_themselves,
    a_veto_and_the_three_ends,
    a_session_and_its_silence,
    a_panel_and_its_fix_loop,
)
