"""U-21, U-22: every member of a session sees at once that it is paused, and sessions never share a digest."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.use.clocked import clocked
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="session")

BLOCKER = {
    "verdict": "blocker",
    "summary": "Password hashing is MD5 and must use Argon2.",
    "issues": [{"severity": "high", "description": "MD5 is used for passwords", "file": "auth.py"}],
}
#: So long the server has to notice a silence.
SECONDS_MAX = 20
#: The reviews that silence opens.
SILENT = {f"timeout_fallback in session {one}" for one in ("dupa", "dupb")}
FILES = [{"path": "auth.py", "text": "hash = md5\n"}]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the shipped session policy, two workers, two reviewers, and read-only accounts."""
    with served(tmp_path_factory.mktemp("sessions"), "session") as found:
        for name in ("claude", "worker"):
            found.account(name)
        for name in ("codex", "gemini"):
            found.account(name, "reviewer")
        found.account("orchestrator", kind="service")
        yield found


def result(reviewer: str, **payload: object) -> dict[str, object]:
    return {"type": "review_result", "reviewer": reviewer, "payload": payload}


@pytest.mark.parametrize("door", DOORS)
def test_everybody_sees_the_pause_and_only_the_blind_do_not_see_why(up: Served, door: str) -> None:
    """U-21: the fellow worker, the service and the reviewer who owes a report all see PAUSED after one blocker."""
    name = f"pause-{door}"
    claude, worker, codex, gemini = (up.callers[one].at(door) for one in ("claude", "worker", "codex", "gemini"))
    worker.call("signal", session=name, type="progress", summary="Provided the schema.")
    files = [{**FILES[0], "text": f"hash = md5  # {door}\n"}]
    sent = claude.call("signal", session=name, type="milestone", summary="Implemented auth.", files=files)
    assert sent.is_ok, sent.text
    (asked,) = codex.call("review_requests", session=name)["requests"]
    assert set(asked["request"]["targets"]) == {"claude", "worker"}
    assert asked["request"]["context"]["worker_summary"] == "Provided the schema."
    said = codex.call("submit_result", session=name, **result("codex", **BLOCKER))
    assert said["status"] == "PAUSED", said.text
    service = up.callers["orchestrator"]
    for one in (claude, worker, service, codex):
        seen = one.call("read_session", session=name)
        assert seen["status"] == "PAUSED", one
        assert "Argon2" in seen["paused_because"], one
    blind = gemini.call("read_session", session=name)
    assert (blind["status"], blind["paused_because"], blind["waits_for"]) == ("PAUSED", "paused", [])
    assert "Argon2" not in blind.text
    assert worker.call("signal", session=name, type="progress", summary="Going on.")["status"] == "PAUSED"
    listed = {one["session"]: one["status"] for one in worker.call("list_sessions")["sessions"]}
    assert listed[name] == "PAUSED"


@pytest.mark.door("http", "page", policy="session")
def test_the_page_lists_sessions_and_says_why_one_is_paused(up: Served) -> None:
    """U-21: from the first page a human finds the list, and on the session's page the reason."""
    claude, codex = up.callers["claude"], up.callers["codex"]
    claude.call("signal", session="on-a-page", type="blocker", summary="I am stuck with the salt.")
    codex.call("review_requests", session="on-a-page")
    said = codex.call("submit_result", session="on-a-page", **result("codex", **{**BLOCKER, "issues": []}))
    assert said["status"] == "PAUSED", said.text
    assert "Sessions" in up.page("/")
    assert "on-a-page" in up.page("/sessions")
    because = claude.call("read_session", session="on-a-page")["paused_because"]
    assert because.startswith("Blocker: "), because
    assert "a report" not in because, "gemini still owes one, which pauses nothing"
    assert because.endswith("(a human decides)")
    page = up.page("/sessions/on-a-page")
    assert "Argon2" in page
    assert "a decision that is asked of a human is made on its page" in " ".join(page.split())


@pytest.mark.parametrize("door", DOORS)
def test_equal_words_in_two_sessions_are_two_reviews(up: Served, door: str) -> None:
    """U-22: what one session says is no reason not to look at another."""
    claude = up.callers["claude"].at(door)
    words = f"Working on the parser, {door}."
    claude.call("signal", session=f"a-{door}", type="progress", summary=words)
    first = up.human.call("trigger_review", session=f"a-{door}")
    second = claude.call("signal", session=f"b-{door}", type="milestone", summary=words)
    assert second.is_ok, second.text
    listed = {one["review"]: one["digest"] for one in claude.call("list_reviews")["reviews"]}
    assert listed[first["review"]] != listed[second["review"]]


@pytest.mark.door("http", policy="session")
def test_silence_is_reviewed_in_every_session(tmp_path_factory: pytest.TempPathFactory) -> None:
    """U-22: equal last words are reviewed in each silent session, also while another session's review has them."""
    with clocked(tmp_path_factory.mktemp("silent"), "session") as (served_, clock):
        claude: Caller = served_.account("claude")
        for name in ("codex", "gemini"):
            served_.account(name, "reviewer")
        for name in ("dupm", "dupa", "dupb"):
            claude.call("signal", session=name, type="progress", summary="Working on the parser.")
        assert served_.human.call("trigger_review", session="dupm").is_ok
        clock.wait(minutes=16)
        ends = time.monotonic() + SECONDS_MAX
        while not (opened := _titles(claude)) >= SILENT and time.monotonic() < ends:
            time.sleep(0.2)
        assert opened >= SILENT, opened


def _titles(caller: Caller) -> set[str]:
    return {one["title"] for one in caller.call("list_reviews")["reviews"]}
