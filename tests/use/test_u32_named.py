"""U-32: names of the source documents are shown where their users look, and in the native review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.use.judging import PASSED, judge
from tests.use.served import DOORS, Served, served

#: The step of the document's workflow, verbatim.
STEP = {
    "step": 5,
    "name": "security_review",
    "action": "dispatch",
    "agent": "hardin",
    "critic_chain": "security",
    "can_veto": True,
}
MATRIX = """\
core_developer:
  primary_reviewer: auditor
  rationale: Auditor is the code quality expert.
  backup_reviewer: tester
  escalate_to: architect
  escalate_when:
    - "Design questions arise"
    - "Unclear requirements"
"""
_numbers = count()


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that judges by chains, with the agent of the document's step."""
    with served(tmp_path_factory.mktemp("named"), "chains") as running:
        running.account("hardin", "hardin")
        running.account("alice")
        yield running


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="chains")
def test_the_step_of_the_document_is_taken_and_its_action_is_shown(chains: Served, door: str) -> None:
    """U-32: `action` and the step's number were refused; now they are in the answer and in the native review."""
    hardin = chains.callers["hardin"].at(door)
    done = hardin.call("validate", output=f"A plain note {next(_numbers)}.", **STEP)
    assert (done["step"], done["action"]) == ("security_review", "dispatch"), done.text
    again = hardin.call("read_validation", review=done["review"])
    assert (again["step"], again["action"]) == ("security_review", "dispatch")
    seen = hardin.call("read_review", review=done["review"])["review"]
    assert dict(map(tuple, seen["context"])) == {"action": "dispatch", "step": "5"}
    assert seen["origin"]["step"] == "security_review"
    assert hardin.call("validate", output="x", **STEP | {"step": [5]}).code == "bad_value"


@pytest.mark.door("http", "page", policy="chains")
def test_the_decision_log_has_overrides_and_task_ids(chains: Served) -> None:
    """U-32: an override was no row, and a run without a task had no task id."""
    alice = chains.callers["alice"]
    done = alice.call("validate", output=f"echo {next(_numbers)}\nrm -rf /\n", chain="security")
    review = done["review"]
    digest = alice.call("read_review", review=review)["review"]["digest"]
    done_by_human = chains.human.call(
        "override", review=review, stage="security.security", revision=1, digest=digest, reason="It is a test machine."
    )
    assert done_by_human.is_ok, done_by_human.text
    for caller in (alice, chains.human):
        rows = caller.call("decisions", review=review)["decisions"]
        assert {one["task_id"] for one in rows} == {done["task_id"]}
        (passed,) = [one for one in rows if one["decision"] == "override"]
        said = tuple(passed[one] for one in ("critic_agent_id", "reason", "chain_name", "layer_index"))
        assert said == ("root", "It is a test machine.", "security", 1)
    assert "It is a test machine." in chains.page(f"/reviews/{review}/record")


@pytest.mark.door("http", "mcp", "page", policy="reviewer-matrix")
def test_escalate_when_and_optional_criteria_reach_the_reviewer(tmp_path: Path) -> None:
    """U-32: the matrix of the document names when to ask a human; it was read and dropped."""
    policy = tmp_path / "reviewer-matrix.yaml"
    policy.write_text(MATRIX, encoding="utf-8")
    with served(tmp_path, "peer", FOUREYES_POLICY=str(policy)) as up:
        up.account("dev", "core_developer")
        up.account("auditor", "auditor")
        asked = up.callers["dev"].call("request_review", type="create_core", title="A", artifacts={"code": "A = 1\n"})
        for door in DOORS:
            (brief,) = up.callers["auditor"].at(door).call("get_review", reviewId=asked["id"])["briefs"]
            assert brief["escalate_when"] == ["Design questions arise", "Unclear requirements"]
            optional = [one["name"] for one in brief["criteria"] if not one["required"]]
            assert optional == ["performance_acceptable", "dependencies_justified", "config_schema_clear"]
            natively = up.callers["auditor"].at(door).call("read_review", review=asked["id"])["review"]["briefs"]
            assert natively == [brief]
        page = up.page(f"/reviews/{asked['id']}")
        assert "Design questions arise" in page
        assert "dependencies_justified" in page


@pytest.mark.door("http", "mcp", "page", policy="peer")
def test_doubt_on_both_sides_needs_research_and_a_changed_policy_is_noted(tmp_path: Path) -> None:
    """U-32: "needs research" was a flag that nobody showed; that the policy changed stood nowhere on the review."""
    with served(tmp_path, "peer") as up:
        up.account("dev", "core_developer")
        up.account("auditor", "auditor")
        dev, auditor = up.callers["dev"], up.callers["auditor"]
        code = {"code": "A = 1\n"}
        body = {"type": "create_core", "title": "A", "artifacts": code, "creator_confidence": 50}
        review = dev.call("request_review", **body)["id"]
        assert dev.call("read_review", review=review)["review"]["policy_changed"] == ""
        assert up.human.call("activate_policy", shipped="team").is_ok
        said = judge(auditor, review, "concerns", checklist=PASSED, confidence=40, summary="I am not sure of it.")
        assert said.is_ok, said.text
        seen = dev.call("get_review", reviewId=review)
        assert "needs research" in seen["escalation_reason"]
        assert "needs research" in up.page(f"/reviews/{review}")
        kept = "The policy was changed while this was open: it keeps the criteria it began with."
        assert seen["policy_changed"] == kept
        assert dev.at("mcp").call("read_review", review=review)["review"]["policy_changed"] == kept
        assert kept in up.page(f"/reviews/{review}")
        rows = up.human.call("audit", review=review)["rows"]
        assert [one["says"] for one in rows if one["what"] == "incident"] == ["policy changed"], json.dumps(rows)
