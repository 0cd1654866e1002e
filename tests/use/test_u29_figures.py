"""U-29: the figures of seed 001 count reviews, accept roles as filters, and refuse unknown filters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.use.served import DOORS, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="server")

CHECKLIST = {"does_what_it_says": True, "errors_handled": True, "nothing_broken": True}
GOOD = {
    "status": "APPROVED",
    "confidence": 90,
    "checklist": CHECKLIST,
    "feedback": {"overall": "Read all of it twice."},
}
CHANGES = {"status": "CHANGES_REQUESTED", "confidence": 80, "feedback": {"overall": "No.", "concerns": ["No tests."]}}
NO = {"status": "REJECTED", "confidence": 95, "grounds": ["fundamental_flaw"], "feedback": {"overall": "Not so."}}
KIND = "api_endpoint_change"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Four reviews by dev: approved at the third try, rejected, sent back, and not looked at; and one by another."""
    with served(tmp_path_factory.mktemp("figures"), "server") as found:
        for name, role in (("dev", "core_developer"), ("ann", "auditor"), ("tom", "tester"), ("opt", "optimizer")):
            found.account(name, role)
        _reviewed(found, "first", CHANGES, CHANGES, GOOD)
        _reviewed(found, "second", NO)
        _reviewed(found, "third", CHANGES)
        _reviewed(found, "fourth")
        _requested(found, "opt", "fifth", kind="create_app")
        yield found


def _requested(up: Served, name: str, text: str, kind: str = KIND) -> str:
    work = {"type": kind, "title": text, "artifacts": {"code": f"# {text}\n"}}
    return str(up.callers[name].call("request_review", **work)["id"])


def _reviewed(up: Served, text: str, *reports: dict[str, Any]) -> None:
    dev, ann = up.callers["dev"], up.callers["ann"]
    review = _requested(up, "dev", text)
    for number, report in enumerate(reports, start=1):
        ann.call("get_review", reviewId=review)
        said = ann.call("submit_review", reviewId=review, **report)
        assert said.is_ok, said.text
        if number < len(reports):
            again = {"changes_made": "Tests.", "artifacts": {"code": f"# {text} {number}\n"}}
            assert dev.call("request_re_review", reviewId=review, **again).is_ok


@pytest.mark.parametrize("door", DOORS)
def test_a_review_counts_once_however_often_it_was_reported_on(up: Served, door: str) -> None:
    """U-29, 001-44: five reports on three of dev's four reviews are three reviews of the reviewer and four of dev."""
    ends = {"approved": 1, "changes_requested": 1, "rejected": 1}
    for caller in (up.human, up.callers["dev"].at(door)):
        found = caller.call("get_review_metrics", period="week", agent="dev").data
        assert {name: found[name] for name in ends} == ends
        assert (found["total_reviews"], found["escalated"]) == (4, 0)
        assert found["by_agent"]["dev"]["as_creator"] == {**ends, "total": 4, "avg_revisions": 0.5}
        assert found["by_type"][KIND]["total"] == 4
        assert found["by_type"][KIND]["avg_revisions"] == 0.5
    mine = up.callers["ann"].at(door).call("get_review_metrics")["by_agent"]
    assert mine.keys() == {"ann"}
    reviewer = mine["ann"]["as_reviewer"]
    assert {name: reviewer[name] for name in (*ends, "total", "avg_confidence")} == {
        **ends,
        "total": 3,
        "avg_confidence": 88.3,
    }
    assert mine["ann"]["as_creator"]["total"] == 0
    every = up.human.call("get_review_metrics")
    assert (every["total_reviews"], every["by_type"].keys()) == (5, {KIND, "create_app"})


@pytest.mark.parametrize("door", DOORS)
def test_the_answer_has_exactly_the_fields_of_the_document(up: Served, door: str) -> None:
    """U-29: ReviewMetrics, AgentMetrics and TypeMetrics of section 7, and nothing else."""
    found = up.callers["dev"].at(door).call("get_review_metrics").data
    sums = {"total", "approved", "changes_requested", "rejected"}
    whole = {"period", "total_reviews", "approved", "changes_requested", "rejected", "escalated", "by_agent", "by_type"}
    assert found.keys() == whole | {"avg_review_time_minutes", "avg_confidence"}
    assert found["by_agent"]["dev"].keys() == {"as_creator", "as_reviewer"}
    assert found["by_agent"]["dev"]["as_creator"].keys() == sums | {"avg_revisions"}
    assert found["by_agent"]["dev"]["as_reviewer"].keys() == sums | {"avg_review_time_minutes", "avg_confidence"}
    assert found["by_type"][KIND].keys() == sums | {"avg_review_time_minutes", "avg_revisions"}


@pytest.mark.parametrize("role", ["auditor", "Auditor", "core-developer", "core_developer"])
@pytest.mark.door("http", policy="server")
def test_a_role_is_a_filter_like_the_accounts_that_hold_it(up: Served, role: str) -> None:
    """U-29: the document names roles; each counts like the account of that role."""
    name = "ann" if "auditor" in role.lower() else "dev"
    by_role = up.human.call("get_review_metrics", agent=role)
    assert by_role.data == up.human.call("get_review_metrics", agent=name).data
    assert by_role["total_reviews"] == (3 if name == "ann" else 4)
    assert up.human.call("get_review_metrics", agent="learner")["total_reviews"] == 0, "a role that nobody holds"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("asked", "allowed"),
    [({"agent": "nobody"}, "architect"), ({"type": "poem"}, "create_core"), ({"period": "century"}, "month")],
)
def test_a_filter_that_nobody_knows_is_refused_with_those_that_are(
    up: Served, door: str, asked: dict[str, str], allowed: str
) -> None:
    """U-29: zeros would say that nothing was reviewed."""
    refused = up.callers["dev"].at(door).call("get_review_metrics", **asked)
    assert (refused.is_ok, refused.code) == (False, "unknown_word"), refused.text
    assert allowed in refused.text
    assert "opt" not in refused.text.split(), "an agent is not told who has an account"
    if door == "http":
        (field,) = asked
        assert (refused.data["status"], refused.data["fields"]["field"]) == (422, field)
        assert allowed in refused.data["fields"]["allowed"]


@pytest.mark.door("command", policy="server")
def test_the_command_line_gets_the_same(up: Served, tmp_path: Path) -> None:
    """U-29: `foureyes call get-review-metrics --agent core-developer`."""
    token = tmp_path / "token"
    token.write_text(up.callers["dev"].headers["authorization"].removeprefix("Bearer "), encoding="utf-8")
    token.chmod(0o600)
    words = ("call", "get-review-metrics", "--token-file", str(token), "--json")
    done = up.run(*words, "--agent", "core-developer")
    assert (done.returncode, json.loads(done.stdout)["total_reviews"]) == (0, 4), done.stderr
    refused = up.run(*words, "--agent", "nobody")
    assert refused.returncode == 2
    assert "core-developer" in refused.stdout + refused.stderr
