"""Seed 003 on a plain `foureyes up`: sessions, their reviews and the four rules, seen by an orchestrator."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.http.test_seed_003 import APPROVED, BLOCKER, CONCERNS, ISSUE, MILESTONE, result
from tests.postgres.server import Server
from tests.seeds.stories.stage import POSTGRES, Stage, done, found, places, posted, stage, until
from tests.use.served import Caller

pytestmark = pytest.mark.door("http", policy="server")

SESSIONS = "/api/v1/sessions"
WORDS = {
    0: ("WAIT", "RUNNING", False),
    1: ("STOP & ESCALATE", "PAUSED", False),
    2: ("PAUSE & CLARIFY", "PAUSED", False),
    3: ("LOG & CONTINUE", "RUNNING", True),
    4: ("CONTINUE", "RUNNING", False),
}
_numbers = count(1)


@pytest.fixture(scope="module", params=places(POSTGRES))
def here(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[Stage]:
    """A server without any policy: a worker, two reviewers, and an orchestrator that sees what a service sees."""
    with stage(tmp_path_factory.mktemp("seed-003"), request.param, on_postgres) as here:
        here.agent("claude")
        for name in ("codex", "gemini"):
            here.agent(name, "reviewer")
        here.agent("orchestrator", kind="service")
        yield here


def begun(here: Stage, kind: str = "milestone") -> tuple[str, str]:
    """Start a session whose signal by claude both reviewers are asked about; return its path and the review."""
    session = f"{SESSIONS}/s{next(_numbers)}"
    files = [{"path": "auth_controller.py", "text": f"def login(): return md5(password)  # {session}\n"}]
    sent = done(here.agent("claude"), f"{session}/signals", **{**MILESTONE, "type": kind, "files": files})
    for name in ("codex", "gemini"):
        assert found(here.agent(name), f"{session}/requests")["requests"]
    return session, sent["review"]


def says(here: Stage, session: str, name: str, payload: dict[str, Any], **more: Any) -> Any:
    """Report as a reviewer and return the resulting action."""
    found(here.agent(name), f"{session}/requests")
    return done(here.agent(name), f"{session}/results", **result(payload, name, **more))


def is_rule(decided: Any, rule: int) -> None:
    """The answer to a result names this rule with its action and status."""
    assert (decided["rule"], decided["action"], decided["status"], decided["flagged"]) == (rule, *WORDS[rule])


def watched(here: Stage, session: str) -> str:
    """The orchestrator's view, by which alone it decides whether its agents continue."""
    return str(found(here.agent("orchestrator"), session)["status"])


def fixed(here: Stage, review: str) -> None:
    """Claude sends a new version, with an answer to each open finding."""
    open_ = [one["finding"] for one in found(here.agent("claude"), f"/api/v1/reviews/{review}")["review"]["findings"]]
    files = [{"path": "auth_controller.py", "text": f"def login(): return argon2(password)  # {review}\n"}]
    answers = [{"finding": one, "text": "Argon2 now."} for one in open_]
    done(here.agent("claude"), f"/api/v1/reviews/{review}/revisions", files=files, answers=answers)


def test_three_signals_start_a_review_and_progress_starts_none(here: Stage) -> None:
    """003-01, 003-02, 003-03, 003-14: each with its trigger; nothing else starts one."""
    claude = here.agent("claude")
    for kind in ("milestone", "blocker", "request_review"):
        session, review = begun(here, kind)
        seen = found(claude, f"/api/v1/reviews/{review}")["review"]
        assert (seen["trigger"], seen["origin"]["session"]) == (kind, session.rpartition("/")[2])
        for name in ("codex", "gemini"):
            says(here, session, name, APPROVED)
    quiet = f"{SESSIONS}/quiet"
    assert done(claude, f"{quiet}/signals", type="progress", summary="Half way.")["review"] is None
    assert done(claude, f"{quiet}/end", reason="Done.")["session"] == "quiet"


def test_a_reviewer_is_asked_and_answers_in_the_documents_json(here: Stage) -> None:
    """003-06, 003-07, O7: its words, and nobody reviews their own work; what is no result is refused."""
    session, review = begun(here)
    (asked,) = found(here.agent("codex"), f"{session}/requests")["requests"]
    assert asked["review"] == review
    assert asked["request"] == {
        "type": "review_request",
        "reviewer": "codex",
        "targets": ["claude"],
        "context": {"claude_summary": MILESTONE["summary"]},
        "focus_areas": ["Security vulnerabilities", "Spec compliance", "Integration correctness"],
        "max_words": 200,
    }
    assert "md5" in asked["work"]["auth_controller.py"]
    assert found(here.agent("claude"), f"{session}/requests")["requests"] == []
    for wrong in (
        result(APPROVED | {"verdict": "fine"}, "codex"),
        result(APPROVED, "gemini"),
        result(APPROVED, "codex", type="review"),
        result(CONCERNS | {"issues": [ISSUE | {"severity": "huge"}]}, "codex"),
    ):
        assert not posted(here.agent("codex"), f"{session}/results", **wrong).is_ok, wrong
    is_rule(says(here, session, "codex", APPROVED), 0)
    is_rule(says(here, session, "gemini", APPROVED), 4)
    done(here.agent("claude"), f"{session}/end", reason="Done.")


def test_results_in_any_order_give_the_same_rule(here: Stage) -> None:
    """003-08, 003-09, 003-10, 003-11, 003-12: the orchestrator sees the status at once, whoever reported first."""
    rows = ((APPROVED, APPROVED, 4), (APPROVED, CONCERNS, 3), (CONCERNS, CONCERNS, 2), (CONCERNS, BLOCKER, 1))
    for one, other, rule in rows:
        for first, second in ((one, other), (other, one)):
            session, _ = begun(here)
            early = says(here, session, "codex", first)
            is_rule(early, 1 if first is BLOCKER else 0)
            if first is not BLOCKER:
                assert watched(here, session) == "RUNNING", "nothing of the first result shows"
            decided = says(here, session, "gemini", second)
            is_rule(decided, rule)
            assert watched(here, session) == decided["status"]
            seen = found(here.agent("claude"), session)
            assert (seen["status"], seen["flagged"]) == (decided["status"], decided["flagged"])
            done(here.agent("claude"), f"{session}/end", reason="Done.")


def test_one_concern_is_logged_and_gone_once_it_is_settled(here: Stage) -> None:
    """003-10, 003-13: the issues list keeps it while the work goes on, and after that too."""
    session, review = begun(here)
    claude = here.agent("claude")
    says(here, session, "codex", APPROVED)
    is_rule(says(here, session, "gemini", CONCERNS), 3)
    (issue,) = found(claude, f"{session}/issues")["issues"]
    wanted = {"reviewer": "gemini", "severity": "high", "file": "auth_controller.py", "status": "open"}
    assert wanted.items() <= issue.items()
    assert issue["description"] == ISSUE["description"]
    fixed(here, review)
    for name in ("codex", "gemini"):
        says(here, session, name, APPROVED)
    (issue,) = found(claude, f"{session}/issues")["issues"]
    assert issue["status"] == "resolved"
    assert found(claude, f"{session}/issues", unsettled="true")["issues"] == []
    assert (watched(here, session), found(claude, session)["flagged"]) == ("RUNNING", False)
    done(claude, f"{session}/end", reason="Done.")


def test_two_concerns_pause_until_the_agents_have_clarified(here: Stage) -> None:
    """003-09, O8: a prompt, its answer, a second look; who is not convinced leaves it to a human."""
    for convinces in (True, False):
        session, review = begun(here)
        claude = here.agent("claude")
        says(here, session, "codex", CONCERNS)
        is_rule(says(here, session, "gemini", CONCERNS), 2)
        assert watched(here, session) == "PAUSED"
        (asked,) = found(claude, f"{session}/clarifications")["clarifications"]
        assert asked["type"] == "clarification_request"
        assert "- codex: Missing salt in hash." in asked["prompt"]
        said = done(claude, f"{session}/clarifications", text="The salt is added by the database.")
        assert said["status"] == "RUNNING"
        assert watched(here, session) == "RUNNING"
        doubts = {name: {**CONCERNS, "summary": f"{name} is not convinced."} for name in ("codex", "gemini")}
        decided = [says(here, session, name, APPROVED if convinces else doubt) for name, doubt in doubts.items()][-1]
        if convinces:
            is_rule(decided, 4)
        else:
            assert (decided["status"], watched(here, session)) == ("PAUSED", "PAUSED")
            assert review in [one["review"] for one in found(here.human(), "/api/v1/inbox")["waiting"]]
        done(claude, f"{session}/end", reason="Done.")


def test_a_blocker_stops_everybody_until_a_human_overrides(here: Stage) -> None:
    """003-08, O2: at once, for the orchestrator too; no agent and no service lifts it."""
    session, review = begun(here)
    claude, service = here.agent("claude"), here.agent("orchestrator")
    is_rule(says(here, session, "codex", BLOCKER), 1)
    seen = found(service, session)
    assert (seen["status"], seen["waits_for"]) == ("PAUSED", [review])
    native = f"/api/v1/reviews/{review}"
    ruling = found(here.human(), native)["review"]["ruling"]
    decides = f"{native}/rulings/{ruling['request']}"
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "pass_stage")
    for caller in (claude, service):
        assert not posted(caller, decides, option=option, reason="Mine.").is_ok
    done(here.human(), decides, option=option, reason="A false alarm.")
    assert watched(here, session) == "RUNNING"
    done(claude, f"{session}/end", reason="Done.")


@pytest.mark.door("http", "page", policy="server")
def test_a_human_triggers_a_review_by_button_pauses_and_resumes(here: Stage) -> None:
    """003-04, Y22: of everybody's work; agents and services do none of it."""
    claude, service = here.agent("claude"), here.agent("orchestrator")
    session = f"{SESSIONS}/by-hand"
    done(claude, f"{session}/signals", type="progress", summary="Provided the schema of the users table.")
    for caller in (claude, service):
        for name in ("review", "pause", "resume"):
            assert posted(caller, f"{session}/{name}", reason="x").code == "sign_in_needed"
    here.human()
    page = asyncio.run(here.up.browser.open("/sessions/by-hand"))
    shown = asyncio.run(here.up.browser.submit(page.form("/sessions/by-hand/review"), reason="I want to know."))
    assert shown.status == 200, shown.text
    (asked,) = found(here.agent("codex"), f"{session}/requests")["requests"]
    assert asked["request"]["context"] == {"claude_summary": "Provided the schema of the users table."}
    seen = found(claude, f"/api/v1/reviews/{asked['review']}")["review"]
    assert seen["trigger"] == "user_manual"
    human = here.human()
    done(human, f"{session}/pause", reason="Lunch.")
    assert watched(here, session) == "PAUSED"
    assert found(service, session)["paused_because"] == "Lunch."
    done(human, f"{session}/resume", reason="Back.")
    assert watched(here, session) == "RUNNING"
    done(claude, f"{session}/end", reason="Done.")


def test_fifteen_minutes_of_silence_are_reviewed(here: Stage) -> None:
    """003-05, 003-11, 003-14: not sooner, not while signals arrive, and once for one silence."""
    claude = here.agent("claude")
    session = f"{SESSIONS}/silent"
    done(claude, f"{session}/signals", type="progress", summary="Working on the parser.")
    here.wait(minutes=14)
    done(claude, f"{session}/signals", type="progress", summary="Still working on the parser.")
    here.wait(minutes=14)
    assert _fallbacks(claude) == []
    here.wait(minutes=2)
    (review,) = until(lambda: _fallbacks(claude), bool)
    assert found(claude, f"/api/v1/reviews/{review}")["review"]["trigger"] == "timeout_fallback"
    for name in ("codex", "gemini"):
        says(here, session, name, APPROVED)
    here.wait(minutes=14)
    assert _fallbacks(claude) == [review]
    done(claude, f"{session}/end", reason="Done.")
    here.wait(minutes=60)
    assert _fallbacks(claude) == [review]


def _fallbacks(caller: Caller) -> list[str]:
    listed = found(caller, "/api/v1/reviews")["reviews"]
    return [one["review"] for one in listed if "timeout_fallback in session silent" in json.dumps(one)]
