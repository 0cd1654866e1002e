"""Seed 003 over HTTP: signals start reviews, results in its JSON add up to one of four rules."""

from typing import Any

from foureyes.http.routes import BASE
from tests.app.house import played
from tests.http.five import Five

S = f"{BASE}/sessions/s1"
CODE = [{"path": "auth_controller.py", "text": "def login(): return md5(password)\n"}]
MILESTONE: dict[str, Any] = {
    "type": "milestone",
    "agent": "claude",
    "summary": "Implemented auth_controller.py with JWT support.",
    "files": CODE,
}
ISSUE = {
    "severity": "high",
    "description": "Password hashing is using MD5, must use Argon2.",
    "file": "auth_controller.py",
}
APPROVED = {"verdict": "approved", "summary": "Auth logic looks solid.", "issues": []}
CONCERNS = {"verdict": "concerns", "summary": "Missing salt in hash.", "issues": [ISSUE]}
BLOCKER = {"verdict": "blocker", "summary": "Keys are printed.", "issues": [ISSUE]}


def result(payload: dict[str, Any], reviewer: str, **more: Any) -> dict[str, Any]:
    """A reviewer's result, exactly as in the seed."""
    said = {"type": "review_result", "reviewer": reviewer, "timestamp": "2026-01-05T09:00:00Z", "payload": payload}
    return said | more


KEY = {"idempotency-key": "once"}


async def at_work() -> tuple[Five, dict[str, str], dict[str, str], dict[str, str], str]:
    """Claude has reached a milestone; codex and gemini were given the work."""
    web = Five()
    claude = await web.role("claude", "agent")
    codex, gemini = await web.role("codex", "reviewer"), await web.role("gemini", "reviewer")
    started = await web.done(f"{S}/signals", claude, **MILESTONE)
    assert started == {"session": "s1", "status": "RUNNING", "review": started["review"]}
    for who in (codex, gemini):
        await web.found(f"{S}/requests", who)
    return web, claude, codex, gemini, started["review"]


@played
async def test_each_of_three_signals_starts_a_review_and_progress_starts_none() -> None:
    """003-01, 003-02, 003-03, 003-14: the log has the signal and the review it started, with its trigger."""
    web = Five()
    claude = await web.role("claude", "agent")
    for name in ("codex", "gemini"):
        await web.role(name, "reviewer")
    for kind in ("milestone", "blocker", "request_review"):
        started = await web.done(f"{S}/signals", claude, **MILESTONE | {"type": kind})
        seen = (await web.found(f"{BASE}/reviews/{started['review']}", claude))["review"]
        assert (seen["trigger"], seen["origin"]["session"]) == (kind, "s1")
    said = await web.done(f"{S}/signals", claude, type="progress", summary="Half way")
    assert said == {"session": "s1", "status": "RUNNING", "review": None}
    assert await web.house.log("session/s1") == ["SignalReceived"] * 4
    bare = await web.done(f"{S}/signals", claude, type="blocker", summary="I do not understand the schema.")
    work = await web.found(f"{BASE}/reviews/{bare['review']}/work", claude)
    assert [(one["path"], one["text"]) for one in work["files"]] == [
        ("claude.md", "I do not understand the schema.\n"),
        ("of.session.md", "Session s1\n"),
    ]


@played
async def test_a_bad_signal_is_refused_and_neither_heard_nor_reviewed() -> None:
    web = Five()
    claude = await web.role("claude", "agent")
    for wrong, code in (
        ({"type": "party"}, "unknown_word"),
        ({"type": "user_manual"}, "human_only"),
        ({"agent": "codex"}, "identity_mismatch"),
        ({"files": [], "summary": ""}, "parts_missing"),
        ({"files": [{"path": "../x", "text": ""}]}, "bad_path"),
        ({"type": 7}, "bad_value"),
        ({"loud": True}, "bad_value"),
    ):
        answer = await web.post(f"{S}/signals", claude, **MILESTONE | wrong)
        assert (answer.data["code"], 400 <= answer.status < 500) == (code, True), wrong
    assert await web.house.log("session/s1") == []
    assert (await web.get(S, claude)).status == 404
    assert (await web.found(f"{BASE}/reviews", claude))["reviews"] == []


@played
async def test_a_reviewer_is_asked_in_the_seeds_own_json_and_given_the_work() -> None:
    """003-06, O7: nobody is asked to review their own work."""
    web, claude, codex, _, review = await at_work()
    (asked,) = (await web.found(f"{S}/requests", codex))["requests"]
    assert asked == {
        "review": review,
        "revision": 1,
        "briefs": [],
        "request": {
            "type": "review_request",
            "reviewer": "codex",
            "targets": ["claude"],
            "context": {"claude_summary": MILESTONE["summary"]},
            "focus_areas": ["Security vulnerabilities", "Spec compliance", "Integration correctness"],
            "max_words": 200,
        },
        "work": {"auth_controller.py": CODE[0]["text"]},
    }
    assert (await web.found(f"{S}/requests", claude))["requests"] == []


@played
async def test_rule_4_all_approved_the_session_goes_on() -> None:
    """003-11, 003-07: results exactly as the seed writes them."""
    web, claude, codex, gemini, review = await at_work()
    first = await web.done(f"{S}/results", codex, **result(APPROVED, "codex"))
    assert first == {"review": review, "rule": 0, "action": "WAIT", "status": "RUNNING", "flagged": False}
    last = await web.done(f"{S}/results", gemini, **result(APPROVED, "gemini"))
    assert last == {"review": review, "rule": 4, "action": "CONTINUE", "status": "RUNNING", "flagged": False}
    assert (await web.log(review))[-1] == "ReviewCleared"
    assert (await web.found(f"{S}/issues", claude))["issues"] == []


@played
async def test_rule_3_one_concern_is_logged_and_the_session_goes_on_flagged() -> None:
    """003-07, 003-10, 003-13, O4, X4: the work itself waits for the concern, and the issues list keeps it."""
    web, claude, codex, gemini, review = await at_work()
    await web.done(f"{S}/results", codex, **result(APPROVED, "codex"))
    decided = await web.done(f"{S}/results", gemini, **result(CONCERNS, "gemini"))
    assert decided == {"review": review, "rule": 3, "action": "LOG & CONTINUE", "status": "RUNNING", "flagged": True}
    session = await web.found(S, claude)
    assert (session["status"], session["flagged"]) == ("RUNNING", True)
    (issue,) = (await web.found(f"{S}/issues", claude))["issues"]
    assert issue == {
        "id": issue["id"],
        "review": review,
        "reviewer": "gemini",
        "severity": "high",
        "description": ISSUE["description"],
        "file": "auth_controller.py",
        "status": "open",
        "advisory": "",
    }
    seen = (await web.found(f"{BASE}/reviews/{review}", claude))["review"]
    assert (seen["state"], seen["findings"][0]["severity"]) == ("open", "important")
    finding = seen["findings"][0]["finding"]
    fixed = [{"path": "auth_controller.py", "text": "def login(): return argon2(password)\n"}]
    answers = [{"finding": finding, "text": "Argon2 now."}]
    await web.done(f"{BASE}/reviews/{review}/revisions", claude, files=fixed, answers=answers)
    for name, who in (("codex", codex), ("gemini", gemini)):
        await web.found(f"{S}/requests", who)
        await web.done(f"{S}/results", who, **result(APPROVED, name))
    assert (await web.found(f"{S}/issues", claude))["issues"][0]["status"] == "resolved"
    assert (await web.found(f"{S}/issues", claude, unsettled="true"))["issues"] == []
    assert (await web.found(S, claude))["flagged"] is False


@played
async def test_rule_2_two_concerns_pause_and_the_agents_clarify() -> None:
    """003-09, O8: a prompt goes to the agents; their answer is looked at again; a second pause is a human's."""
    web, claude, codex, gemini, review = await at_work()
    await web.done(f"{S}/results", codex, **result(CONCERNS, "codex"))
    decided = await web.done(f"{S}/results", gemini, **result(CONCERNS, "gemini"))
    assert decided == {"review": review, "rule": 2, "action": "PAUSE & CLARIFY", "status": "PAUSED", "flagged": False}
    (asked,) = (await web.found(f"{S}/clarifications", claude))["clarifications"]
    assert (asked["type"], asked["review"]) == ("clarification_request", review)
    assert {one["reviewer"] for one in asked["concerns"]} == {"codex", "gemini"}
    assert "- codex: Missing salt in hash." in asked["prompt"]
    assert (await web.post(f"{S}/clarifications", codex, text="I say so")).status == 422
    said = await web.done(f"{S}/clarifications", claude, text="The salt is added by the database.")
    assert said == {"session": "s1", "status": "RUNNING", "review": review}
    assert "RevisionSubmitted" in (await web.log(review))[2:]
    for name, who in (("codex", codex), ("gemini", gemini)):
        await web.found(f"{S}/requests", who)
        again = {**CONCERNS, "summary": f"{name} is not convinced."}
        decided = await web.done(f"{S}/results", who, **result(again, name))
    assert decided["status"] == "PAUSED"
    assert "RulingRequested" in await web.log(review)


@played
async def test_a_prompt_reaches_every_agent_whose_work_is_doubted() -> None:
    """003-09: a review by hand is of several agents' work; one of them answers for all, and all hear the question."""
    web, claude, codex, gemini, _ = await at_work()
    sue, others = await web.human(), {"codex": codex, "eve": await web.role("eve", "reviewer")}
    await web.done(f"{S}/signals", gemini, type="progress", summary="Provided updated schema for users table.")
    review = (await web.done(f"{S}/review", sue, reason="I want to know."))["review"]
    for name, who in others.items():
        await web.found(f"{S}/requests", who)
        said = {**CONCERNS, "issues": [{**ISSUE, "file": None}]}
        await web.done(f"{S}/results", who, **result(said, name, review=review))
    (mine,) = (await web.found(f"{S}/clarifications", gemini))["clarifications"]
    (theirs,) = (await web.found(f"{S}/clarifications", claude))["clarifications"]
    assert [(await web.found(S, who))["status"] for who in (gemini, claude)] == ["PAUSED", "PAUSED"]
    assert (mine["review"], mine["concerns"]) == (theirs["review"], theirs["concerns"])
    assert mine["prompt"].split("\n")[-1].startswith("Say what is meant")
    assert theirs["prompt"].split("\n")[-1].startswith("Help gemini to say what is meant")
    for who in (*others.values(), sue):
        assert (await web.found(f"{S}/clarifications", who))["clarifications"] == []
    assert (await web.post(f"{S}/clarifications", claude, text="I say so", review=review)).status == 403
    await web.done(f"{S}/clarifications", gemini, text="The salt is added by the database.", review=review)
    assert (await web.found(f"{S}/clarifications", claude))["clarifications"] == []


@played
async def test_rule_1_a_blocker_stops_at_once_until_a_human_overrides() -> None:
    """003-07, 003-08, O2: it does not wait for the others, and no agent lifts it."""
    web, claude, codex, _, review = await at_work()
    sue = await web.human()
    decided = await web.done(f"{S}/results", codex, **result(BLOCKER, "codex"))
    assert decided == {"review": review, "rule": 1, "action": "STOP & ESCALATE", "status": "PAUSED", "flagged": False}
    assert (await web.found(S, claude))["waits_for"] == [review]
    ruling = (await web.found(f"{BASE}/reviews/{review}", claude))["review"]["ruling"]
    path = f"{BASE}/reviews/{review}/rulings/{ruling['request']}"
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
    assert (await web.post(path, claude, option=option, reason="Mine")).status == 403
    await web.done(path, sue, option=option, reason="A false alarm.")
    assert (await web.found(S, claude))["status"] == "RUNNING"


@played
async def test_a_hidden_blocker_pauses_the_session_and_tells_nothing_else_to_who_has_not_reported() -> None:
    """003-08, 000-14, U-21: neither the session nor its issues tell a reviewer what another one said, or who."""
    web, claude, codex, gemini, _ = await at_work()
    paths = (S, f"{S}/issues", f"{S}/requests", f"{S}/clarifications")
    before = [(await web.get(path, gemini)).body for path in paths]
    await web.done(f"{S}/results", codex, **result(BLOCKER, "codex"))
    seen, *others = [(await web.get(path, gemini)).body for path in paths]
    assert others == before[1:]
    plain = seen.replace(b'"status":"PAUSED"', b'"status":"RUNNING"')
    assert plain.replace(b'"paused_because":"paused"', b'"paused_because":""') == before[0] != plain
    assert (await web.found(S, claude))["status"] == "PAUSED"


@played
async def test_results_that_are_no_results_are_refused() -> None:
    """003-07: the words are the seed's, the reviewer is the credential's, and the version is the one that was given."""
    web, claude, codex, gemini, review = await at_work()
    for wrong, code in (
        (result(APPROVED | {"verdict": "fine"}, "codex"), "unknown_word"),
        (result(APPROVED, "gemini"), "identity_mismatch"),
        (result(APPROVED, "codex", type="review"), "unknown_word"),
        (result(APPROVED | {"extra": 1}, "codex"), "bad_value"),
        (result(APPROVED, "codex", review="none"), "review_missing"),
        (result(CONCERNS | {"issues": [ISSUE | {"severity": "huge"}]}, "codex"), "unknown_word"),
    ):
        answer = await web.post(f"{S}/results", codex, **wrong)
        assert (answer.data["code"], 400 <= answer.status < 500) == (code, True), wrong
    assert (await web.post(f"{S}/results", claude, **result(APPROVED, "claude"))).data["code"] == "unknown_request"
    assert (await web.post(f"{BASE}/sessions/other/results", codex, **result(APPROVED, "codex"))).status == 422
    files = [{"path": "auth_controller.py", "text": "pass\n"}]
    await web.done(f"{BASE}/reviews/{review}/revisions", claude, files=files)
    stale = await web.post(f"{S}/results", gemini, **result(APPROVED, "gemini"))
    assert (stale.status, stale.data["code"]) == (409, "stale")
    assert "ReportSubmitted" not in await web.log(review)


@played
async def test_a_human_triggers_pauses_resumes_and_ends_and_no_agent_does() -> None:
    """003-04, Y22: a review by hand is of everybody's work in the session, and none of them reviews it."""
    web, claude, codex, gemini, _ = await at_work()
    sue, eve = await web.human(), await web.role("eve", "reviewer")
    await web.done(f"{S}/signals", gemini, type="progress", summary="Provided updated schema for users table.")
    for name in ("review", "pause", "resume"):
        assert (await web.post(f"{S}/{name}", claude, reason="x")).data["code"] == "sign_in_needed"
    started = await web.done(f"{S}/review", sue, reason="I want to know.")
    (asked,) = (await web.found(f"{S}/requests", eve))["requests"]
    assert (asked["review"], sorted(asked["request"]["targets"])) == (started["review"], ["claude", "gemini"])
    assert asked["request"]["context"]["gemini_summary"] == "Provided updated schema for users table."
    seen = (await web.found(f"{BASE}/reviews/{started['review']}", sue))["review"]
    assert (seen["trigger"], seen["author"]["name"]) == ("user_manual", "gemini")
    assert await web.done(f"{S}/pause", sue, reason="Lunch") == {"session": "s1", "status": "PAUSED"}
    paused = await web.found(S, codex)
    assert (paused["status"], paused["paused_by"], paused["paused_because"]) == ("PAUSED", "sue", "Lunch")
    assert (await web.done(f"{S}/resume", sue, reason="Back"))["status"] == "RUNNING"
    assert (await web.post(f"{S}/end", eve, reason="x")).data["code"] == "not_eligible"
    assert (await web.done(f"{S}/end", claude, reason="Done"))["status"] == "PAUSED"
    assert (await web.found(S, claude))["ended"] is True
    assert (await web.house.log("session/s1"))[-4:] == [
        "SignalReceived",
        "SessionPaused",
        "SessionResumed",
        "SessionEnded",
    ]


@played
async def test_the_same_key_starts_one_review_however_often_it_is_sent() -> None:
    web = Five()
    claude = await web.role("claude", "agent") | {"idempotency-key": "once"}
    first = await web.done(f"{S}/signals", claude, **MILESTONE)
    assert await web.done(f"{S}/signals", claude, **MILESTONE) == first
    assert await web.house.log("session/s1") == ["SignalReceived"]
    assert (await web.post(f"{S}/signals", claude, **MILESTONE | {"summary": "Other"})).data["code"] == "key_reused"


@played
async def test_what_a_session_was_told_under_a_key_is_told_once_and_answered_again() -> None:
    """F7: the seed's own JSON names no review, and by the second time nothing is asked there any more."""
    web, claude, codex, gemini, review = await at_work()
    first = await web.done(f"{S}/results", codex | KEY, **result(CONCERNS, "codex"))
    assert await web.done(f"{S}/results", codex | KEY, **result(CONCERNS, "codex")) == first
    await web.done(f"{S}/results", gemini, **result(CONCERNS, "gemini"))
    said = await web.done(f"{S}/clarifications", claude | KEY, text="The database adds the salt.")
    before = await web.log(review)
    assert await web.done(f"{S}/clarifications", claude | KEY, text="The database adds the salt.") == said
    assert (await web.post(f"{S}/clarifications", claude | KEY, text="Or not.")).data["code"] == "key_reused"
    await web.found(f"{S}/requests", codex)
    other = result({**CONCERNS, "summary": "Not convinced."}, "codex")
    assert (await web.post(f"{S}/results", codex | KEY, **other)).data["code"] == "key_reused"
    assert await web.log(review) == before


@played
async def test_a_result_of_somebody_who_was_replaced_is_answered_again_too() -> None:
    """F7, F12: no report came of it, and yet it was taken."""
    web, _, codex, _, review = await at_work()
    await web.role("eve", "reviewer")
    seat = (await web.found(f"{BASE}/reviews/{review}", codex))["review"]["seats"][0]["seat"]
    await web.done(f"{BASE}/reviews/{review}/seats/{seat}/leave", codex, reason="overloaded")
    said = result(CONCERNS, "codex", review=review)
    first = await web.done(f"{S}/results", codex | KEY, **said)
    assert await web.done(f"{S}/results", codex | KEY, **said) == first
    log = await web.log(review)
    assert (log.count("FindingRaised"), log.count("ReportSubmitted")) == (1, 0)


@played
async def test_the_issues_come_in_pages_in_one_order() -> None:
    """003-13."""
    web, claude, codex, _, _ = await at_work()
    many = [ISSUE | {"description": f"Issue number {one}"} for one in range(5)]
    await web.done(f"{S}/results", codex, **result(BLOCKER | {"issues": many}, "codex"))
    whole = [one["id"] for one in (await web.found(f"{S}/issues", claude))["issues"]]
    paged, cursor = list[str](), ""
    while True:
        page = await web.found(f"{S}/issues", claude, limit=2, cursor=cursor)
        paged += [one["id"] for one in page["issues"]]
        cursor = page["next"]
        if not cursor:
            break
    assert paged == whole
    assert len(whole) == 5
    assert (await web.get(f"{S}/issues", claude, limit=0)).status == 422
