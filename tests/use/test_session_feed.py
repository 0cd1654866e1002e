"""U-21: the live feed tells an orchestrator whether its sessions may continue, and of requests and results."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.listening import listening
from tests.use.served import DOORS, Caller, Served, served
from tests.use.test_u21_u22_sessions import BLOCKER, result

pytestmark = pytest.mark.door("http", policy="session")

APPROVED = {"verdict": "approved", "summary": "Read every line of auth.py; the salt is random.", "issues": []}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("pushed"), "session") as found:
        for name in ("claude", "worker"):
            found.account(name)
        for name in ("codex", "gemini"):
            found.account(name, "reviewer")
        found.account("orchestrator", kind="service")
        yield found


def milestone(caller: Caller, session: str, **more: object) -> str:
    files = [{"path": "auth.py", "text": f"hash = argon2  # {session} {more}\n"}]
    said = {"session": session, "type": "milestone", "summary": "Implemented auth.", "files": files}
    sent = caller.call("signal", **said, **more)
    assert sent.is_ok, sent.text
    return str(sent["review"])


@pytest.mark.parametrize("follows", ["one", "all"])
def test_an_orchestrator_is_told_of_the_pause_the_request_and_the_result(up: Served, follows: str) -> None:
    """U-21: without polling; the status comes before everything else that happened."""
    name, other = f"push-{follows}", f"other-{follows}"
    claude, codex, gemini, service = (up.callers[one] for one in ("claude", "codex", "gemini", "orchestrator"))
    claude.call("signal", session=name, type="progress", summary="Begun.")
    with listening(service, session=name if follows == "one" else "*") as feed:
        first = feed.until("session.updated", session=name)
        assert first[-1][1] == {"session": name, "status": "RUNNING"}
        review = milestone(claude, name)
        kind, asked = feed.until("review.updated", review=review)[-1]
        assert (kind, asked["session"]) == ("review.updated", name)
        for one in (codex, gemini):
            assert one.call("review_requests", session=name)["requests"], one
        assert codex.call("submit_result", session=name, **result("codex", **BLOCKER))["status"] == "PAUSED"
        came = feed.until("session.updated", session=name, status="PAUSED")
        assert "Argon2" not in str(came), "what it is about is asked of the API"
        assert "Argon2" in service.call("read_session", session=name)["paused_because"]
        passing = milestone(claude, other)
        for one in (codex, gemini):
            assert one.call("review_requests", session=other)["requests"], one
            said = one.call("submit_result", session=other, **result(one.call("me")["who"]["name"], **APPROVED))
            assert said.is_ok, said.text
        if follows == "all":
            feed.until("review.updated", review=passing, session=other)
            while service.call("read_review", review=passing)["review"]["state"] != "cleared":
                feed.until("review.updated", review=passing)
        assert claude.call("end_session", session=name, reason="Begun anew elsewhere.").is_ok
        last = feed.until("session.updated", session=name, status="ENDED")
        assert follows == "all" or other not in str(last)


def test_who_comes_back_is_told_how_every_session_stands(up: Served) -> None:
    """U-21: what was missed while nobody listened is in the statuses at the beginning."""
    claude, service = up.callers["claude"], up.callers["orchestrator"]
    claude.call("signal", session="missed", type="progress", summary="Begun.")
    with listening(service, session="*") as feed:
        feed.until("session.updated", session="missed", status="RUNNING")
    assert up.human.call("pause_session", session="missed", reason="Wait for the budget.").is_ok
    with listening(service, session="*") as feed:
        feed.until("session.updated", session="missed", status="PAUSED")
        assert up.human.call("resume_session", session="missed", reason="The budget is there.").is_ok
        feed.until("session.updated", session="missed", status="RUNNING")


def test_a_blind_reviewer_is_told_nothing_of_a_hidden_result(up: Served) -> None:
    """U-21, T13: a report that changes no status makes no event for a reviewer who owes one."""
    claude, codex, gemini = (up.callers[one] for one in ("claude", "codex", "gemini"))
    name = "blind"
    review = milestone(claude, name)
    for one in (codex, gemini):
        assert one.call("review_requests", session=name)["requests"], one
    with listening(gemini, session=name) as feed, listening(claude, session=name) as other:
        assert feed.event() == ("session.updated", {"session": name, "status": "RUNNING"})
        other.event()
        said = codex.call("submit_result", session=name, **result("codex", **APPROVED))
        assert said.is_ok, said.text
        claude.call("signal", session=name, type="progress", summary="Going on.")
        assert up.human.call("pause_session", session=name, reason="Enough for today.").is_ok
        other.until("session.updated", session=name, status="PAUSED")
        assert feed.event() == ("session.updated", {"session": name, "status": "PAUSED"})
        gemini.call("submit_result", session=name, **result("gemini", **APPROVED))
        assert feed.event()[1]["review"] == review


def test_a_name_that_no_session_has_is_refused_or_silent(up: Served) -> None:
    """U-21: before the first event; one that begins later is told then."""
    service = up.callers["orchestrator"]
    assert service.raw("GET", "/api/v1/feed?session=a%0Ab").status == 422
    assert service.raw("GET", f"/api/v1/feed?session={'x' * 301}").status == 422
    with listening(service, session="later") as feed:
        up.callers["claude"].call("signal", session="later", type="progress", summary="Begun.")
        assert feed.event() == ("session.updated", {"session": "later", "status": "RUNNING"})


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="session")
def test_a_signal_that_comes_twice_counts_once(up: Served, door: str) -> None:
    """U-21, U-22: with its key it starts one review; without one, the same bytes are not reviewed twice at a time."""
    claude = up.callers["claude"].at(door)
    name = f"twice-{door}"
    first = milestone(claude, name, key=f"k-{door}")
    assert milestone(claude, name, key=f"k-{door}") == first
    seen = claude.call("read_session", session=name)
    assert [one["type"] for one in seen["signals"]] == ["milestone"]
    files = [{"path": "b.py", "text": f"b = 1  # {door}\n"}]
    said = {"session": name, "type": "milestone", "summary": "Added b.", "files": files}
    second = claude.call("signal", **said)
    again = claude.call("signal", **said)
    assert second.is_ok, second.text
    reviews = [one["review"] for one in claude.call("list_reviews")["reviews"] if one["title"].endswith(name)]
    assert again.code or again["review"] in reviews
    assert len(reviews) == len(set(reviews))
    assert again.code in ("", "under_review", "already_open", "objected", "same_digest"), again.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="session")
def test_signals_out_of_order_change_no_outcome(up: Served, door: str) -> None:
    """U-21: an old timestamp, a result before its request, a resume before a pause, and a signal after the end."""
    claude, worker, codex = (up.callers[one].at(door) for one in ("claude", "worker", "codex"))
    name = f"order-{door}"
    assert codex.call("submit_result", session=name, **result("codex", **APPROVED)).code == "unknown_request"
    now = worker.call("signal", session=name, type="progress", summary="Second.", timestamp="2026-02-13T10:00:05Z")
    old = claude.call("signal", session=name, type="progress", summary="First.", timestamp="2026-02-13T10:00:00Z")
    assert (now["status"], old["status"]) == ("RUNNING", "RUNNING")
    seen = claude.call("read_session", session=name)
    assert [one["summary"] for one in seen["signals"]] == ["Second.", "First."], "in the order they arrived"
    assert {one["agent"]: one["silent"] for one in seen["agents"]} == {"claude": False, "worker": False}
    assert up.human.call("resume_session", session=name, reason="Go on.").code == "not_open"
    assert claude.call("end_session", session=name, reason="Done.").is_ok
    late = worker.call("signal", session=name, type="milestone", summary="Late.")
    assert late.code == "not_open", late.text
    assert claude.call("read_session", session=name)["ended"] is True
    titles = [one["title"] for one in claude.call("list_reviews")["reviews"]]
    assert f"milestone in session {name}" not in titles, "nothing is reviewed for a session that has ended"
