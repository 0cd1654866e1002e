"""Seed 004 under its own project.yml: two models at a self-hosted endpoint judge tasks, and a fix loop follows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.agents.model import ScriptedModel
from tests.postgres.server import Server
from tests.seeds.stories.stage import SQLITE, Stage, done, found, places, posted, shows, stage, until
from tests.seeds.stories.two_models import SURE, calls
from tests.shape import ROOT

pytestmark = pytest.mark.door("http", policy="seed-004")

PEER = "/api/v1/peer"
DOCUMENT = Path(__file__).with_name("project.yml")
WRAPPER = """\
version: 1
kinds: {default: panel}
reviewers:
  haiku: {model: "endpoint:haiku"}
  sonnet: {model: "endpoint:sonnet"}
  opus: {model: "endpoint:opus"}
  auditor: {model: "endpoint:auditor"}
  optimizer: {program: security}
"""
#: Section 9 of seed 001: the criteria of a reviewer.
CRITERIA = """\
peer:
  criteria:
    create_core:
      required:
        has_comprehensive_tests:
          description: "Tests cover happy path and edge cases"
          checks:
            - "At least 5 tests present"
            - "Tests actually run and pass"
        size_appropriate:
          description: "Under 300 lines or properly split"
          checks:
            - "If >800 lines, should be multiple cores"
"""
MD5 = "both.spec critical Password hashed with MD5"
#: The findings of the models, the confidence in the report, the status, and the row of the plan's table.
SCENARIOS: tuple[tuple[tuple[str, ...], str, str, str, str], ...] = (
    ((), "Very High (1.0)", "complete", "PASS", "PASS"),
    (("sonnet.quality minor Name it better",), "High (0.85)", "complete", "PASS", "PASS"),
    ((MD5,), "High (0.9)", "review-fix-1", "FAIL", ""),
    (("both.quality critical Errors are swallowed",), "High (0.9)", "review-fix-1", "PASS", "FAIL"),
    (("haiku.spec important No limit of tries",), "Low (0.4)", "escalated", "FAIL", ""),
    (
        ("haiku.spec important No limit of tries", "sonnet.spec important The token never ends"),
        "Medium (0.6)",
        "escalated",
        "FAIL",
        "",
    ),
    (("sonnet.spec critical The key is printed",), "Medium (0.7)", "escalated", "FAIL", ""),
)
_numbers = count(1)


@dataclass
class Panel:
    """The server, and the requests to its models."""

    here: Stage
    model: ScriptedModel

    def begin(self, *orders: str, **more: Any) -> str:
        """A new task in whose file the models find this; its review."""
        number = next(_numbers)
        body = {"kind": "task", "title": f"Task {number}", "origin": {"task": str(number)}, "files": files(*orders)}
        return str(done(self.here.agent("impl-1"), "/api/v1/reviews", **{**body, **more})["review"])

    def row(self, review: str, **wanted: Any) -> Any:
        """The row of a task, once it is so."""
        return shows(self.here.agent("impl-1"), f"/api/v1/tasks/{review}", **wanted)

    def fix(self, review: str, *orders: str) -> None:
        """A new version in which the models find this."""
        done(self.here.agent("impl-1"), f"/api/v1/reviews/{review}/revisions", files=files(*orders))

    def asked(self, review: str) -> list[tuple[str, str]]:
        """The models asked about this task, with their stage, in order."""
        title = found(self.here.agent("impl-1"), f"/api/v1/reviews/{review}")["review"]["title"]
        return [(model, side) for model, side, prompt in calls(self.model.record) if f"{title}\n" in f"{prompt}\n"]

    def decides(self, review: str, effect: str) -> None:
        """A human gives the requested ruling."""
        human, native = self.here.human(), f"/api/v1/reviews/{review}"
        ruling = found(human, native)["review"]["ruling"]
        option = next(one["id"] for one in ruling["options"] if one["effect"] == effect)
        done(human, f"{native}/rulings/{ruling['request']}", option=option, reason="So it shall be.")


def files(*orders: str) -> list[dict[str, str]]:
    """A new file with distant lines that tell the models what to find."""
    lines = [f"# version {next(_numbers)}", *["pass"] * 8]
    for order in orders:
        lines += [f"# {order}", *["pass"] * 9]
    return [{"path": "auth.py", "text": "\n".join([*lines, ""])}]


@contextmanager
def models(folder: Path) -> Iterator[ScriptedModel]:
    """Both models, in a process of their own."""
    record = folder / "requests.jsonl"
    command = [sys.executable, "-m", "tests.seeds.stories.two_models", str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield ScriptedModel(url=process.stdout.readline().strip(), record=record)
        finally:
            process.kill()


@pytest.fixture(scope="module", params=places(SQLITE))
def panel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[Panel]:
    """A server under the document's own file, whose models are at an endpoint on this machine."""
    folder = tmp_path_factory.mktemp("seed-004")
    policy = folder / "seed-004.yaml"
    document = DOCUMENT.read_text(encoding="utf-8")
    policy.write_text(
        WRAPPER.replace("kinds: {", "kinds: {create_core: peer, ") + CRITERIA + document, encoding="utf-8"
    )
    with ExitStack() as stack:
        model = stack.enter_context(models(folder))
        environment = {"FOUREYES_MODEL_URL": f"{model.url}/v1"}
        arguments = ("--yes-send", "all")
        opened = stage(folder, request.param, on_postgres, policy=policy, arguments=arguments, environment=environment)
        here = stack.enter_context(opened)
        here.agent("impl-1")
        for role in ("core_developer", "architect"):
            here.agent(role.replace("_", "-"), role)
        yield Panel(here, model)


def test_each_scenario_has_its_confidence_and_its_action(panel: Panel) -> None:
    """004-03, 004-04, 004-16, 004-20, 004-21, 004-22, 004-23, 004-24, 004-25, 004-26: the table, row by row."""
    opened = [panel.begin(*orders) for orders, *_ in SCENARIOS]
    for review, (orders, confidence, status, spec, quality) in zip(opened, SCENARIOS, strict=True):
        row = panel.row(review, status=status, spec=spec)
        assert confidence in row["report"], (orders, row["report"])
        if quality:
            assert row["quality"] == quality, orders
        if spec == "FAIL":
            assert "Discarded: spec did not pass." in row["report"]
        if status == "complete" and orders:
            assert "approved with notes" in row["report"]
        if status == "escalated":
            assert row["message"], "the human is told why"
            assert review in [one["review"] for one in found(panel.here.human(), "/api/v1/inbox")["waiting"]]
            panel.decides(review, "reject")
            assert panel.row(review)["status"] == "rejected"


def test_the_models_are_asked_by_whoever_hosts_them(panel: Panel) -> None:
    """004-03: with a worker beside the server, the worker asks them and the server none."""
    review = panel.begin()
    panel.row(review, status="complete")
    assert panel.here.hosted(review) == {f"{one} (endpoint:{one})" for one in ("haiku", "sonnet")}


def test_a_report_groups_what_the_models_found(panel: Panel) -> None:
    """004-19, 004-28: agreed and alone, with severity and what becomes of it, and how to decide oneself."""
    both, own = "both.quality minor Name it after what it does", "haiku.quality minor The comment is old"
    review = panel.begin(both, own)
    report = panel.row(review, status="complete")["report"]
    assert "**Strategy:** Speculative parallel (4 reviewers; spec and quality at once)" in report
    assert "**Confidence: High (0.85)**" in report
    assert "`auto_approve: false`" in report
    quality = report.split("### Quality findings", maxsplit=1)[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in quality.splitlines() if "|" in line]
    counts = {row[0]: row[1] for row in rows}
    assert (counts["Agreed"], counts["Haiku only"], counts["Sonnet only"], counts["Contradictions"]) == (
        "1",
        "1",
        "0",
        "0",
    )
    disputed = panel.begin("sonnet.spec important No limit of tries")
    assert "Sonnet only" in panel.row(disputed, status="escalated")["report"]
    panel.decides(disputed, "reject")


def test_the_fix_loop_ends_with_a_human_after_two_attempts(panel: Panel) -> None:
    """004-05, 004-06, 004-07, 004-15, 004-17: the messages, the statuses, and who is asked in which round."""
    review = panel.begin(MD5)
    task = panel.row(review)["task"]
    first: list[tuple[str, str]] = []
    for attempt in (1, 2):
        panel.row(review, status=f"review-fix-{attempt}", spec="FAIL")
        row = until(lambda: panel.row(review), lambda seen: bool(seen["message"]))
        assert row["message"] == f"Fix attempt {attempt}/2: Password hashed with MD5 (auth.py:10)"
        assert row["fix_iterations"] == ("1", "2 (max)")[attempt - 1]
        if attempt == 1:
            first = until(lambda: panel.asked(review), lambda asked: len(asked) == 4)
            assert sorted(first) == [(one, side) for one in ("haiku", "sonnet") for side in ("quality", "spec")]
        panel.fix(review, MD5)
    row = panel.row(review, status="escalated", fix_iterations="2 (max)", dependents_may_start=False)
    remaining = "Remaining issues: Password hashed with MD5 (auth.py:10)"
    assert row["message"] == f"Task {task} failed review after 2 fix attempts. {remaining}"
    later = panel.asked(review)[len(first) :]
    assert {side for _, side in later} == {"spec"}, "quality is not asked before the spec passes"
    after: dict[str, Any] = {"kind": "task", "title": "Task next", "files": files(), "after": [review]}
    held = posted(panel.here.agent("impl-1"), "/api/v1/reviews", **after)
    assert held.code == "not_ended", "what builds on it does not start"
    panel.decides(review, "reject")
    assert panel.row(review)["status"] == "rejected"


def test_a_fix_that_helps_completes_the_task(panel: Panel) -> None:
    """004-03, 004-07, 004-17: the second round asks for the spec, then for the quality; then others may start."""
    review = panel.begin(MD5)
    panel.row(review, status="review-fix-1", spec="FAIL")
    until(lambda: len(panel.asked(review)), lambda number: number == 4)
    panel.fix(review)
    row = panel.row(review, status="complete", spec="PASS", quality="PASS")
    assert (row["fix_iterations"], row["dependents_may_start"]) == ("1", True)
    later = panel.asked(review)[4:]
    assert [side for _, side in later] == ["spec", "spec", "quality", "quality"]
    after: dict[str, Any] = {"kind": "task", "title": "Task next", "files": files(), "after": [review]}
    assert posted(panel.here.agent("impl-1"), "/api/v1/reviews", **after).is_ok


def test_a_fix_that_takes_too_many_turns_is_a_humans(panel: Panel) -> None:
    """004-02: ten turns are allowed; the implementer says how many it took."""
    review = panel.begin(MD5)
    panel.row(review, status="review-fix-1", spec="FAIL")
    sent = posted(panel.here.agent("impl-1"), f"/api/v1/reviews/{review}/revisions", files=files(MD5), turns=11)
    assert sent.is_ok, sent.text
    row = panel.row(review, status="escalated")
    assert "The fix took 11 turns, 10 are allowed" in row["message"]
    panel.decides(review, "reject")


def test_each_key_of_the_document_has_its_meaning(panel: Panel) -> None:
    """004-01, 004-02, 004-18, 004-27, 004-29: bounds, defaults, one model instead of two, and one after the other."""
    human = panel.here.human()
    before = found(human, "/api/v1/policy")["digest"]
    text = WRAPPER + DOCUMENT.read_text(encoding="utf-8")

    def activate(old: str, new: str) -> Any:
        assert old in text
        return posted(human, "/api/v1/policy", text=text.replace(old, new))

    for key, wrong, bounds in (("max_fix_iterations", (0, 6), "1-5"), ("fix_timeout_turns", (4, 31), "5-30")):
        value = {"max_fix_iterations": 2, "fix_timeout_turns": 10}[key]
        for number in wrong:
            refused = activate(f"{key}: {value}", f"{key}: {number}")
            assert f"{key} must be {bounds}" in refused.text, refused.text
    assert activate("strategy: parallel ", "strategy: single ").is_ok
    single = panel.begin()
    until(lambda: sorted(panel.asked(single)), lambda asked: asked == [("opus", "quality"), ("opus", "spec")])
    assert activate("speculative_quality: true", "speculative_quality: false").is_ok
    review = panel.begin()
    panel.row(review, status="complete")
    assert [side for _, side in panel.asked(review)] == ["spec", "spec", "quality", "quality"]
    assert done(human, "/api/v1/policy", text=WRAPPER)["digest"] != before
    for orders in ((), (MD5,)):
        review = panel.begin(*orders)
        assert panel.row(review, status="escalated")["message"], "by default a human decides"
        panel.decides(review, "reject")
    done(human, "/api/v1/policy", digest=before)


def test_a_model_in_the_seat_of_a_colleague_is_given_its_side_and_the_criteria(panel: Panel) -> None:
    """001-50, 001-52: the profile of its role, and each criterion with what exactly to look at."""
    dev = panel.here.agent("core-developer")
    work: dict[str, Any] = {"type": "create_core", "title": "A core for addresses", "artifacts": {"code": "export 1\n"}}
    review = done(dev, f"{PEER}/request_review", **work)["id"]
    seen = shows(dev, f"{PEER}/get_review?reviewId={review}", status="approved")
    assert (seen["confidence"], seen["checklist"]) == (
        SURE,
        {"has_comprehensive_tests": True, "size_appropriate": True},
    )
    (prompt,) = [text for model, _, text in calls(panel.model.record) if model == "auditor"]
    for said in (
        "Your side: the auditor.",
        "Focus: code quality",
        "Tests cover happy path",
        "At least 5 tests present",
    ):
        assert said in prompt, said


def test_a_reviewer_who_does_not_say_how_sure_it_is_counts_by_what_it_found(panel: Panel) -> None:
    """001-29: critical 40, moderate 60; both ask for changes."""
    author = panel.here.agent("architect")
    for code, confidence in (("rm -rf /\n", 40), ("chmod 777 app\n", 60)):
        work = {"type": "create_core", "title": "A core", "artifacts": {"run.sh": f"#!/bin/sh\n{code}"}}
        review = done(author, f"{PEER}/request_review", **work)["id"]
        seen = shows(author, f"{PEER}/get_review?reviewId={review}", status="changes_requested")
        assert seen["confidence"] == confidence, seen


def test_a_finding_that_a_human_dismisses_is_a_false_positive_later(panel: Panel) -> None:
    """004-11: set aside with the human's reason in the next review of the task, and not found again."""
    order = "both.spec important The toBlocking call blocks"
    review = panel.begin(order)
    panel.row(review, status="escalated")
    author, native = panel.here.agent("impl-1"), f"/api/v1/reviews/{review}"
    seen = found(author, native)["review"]
    why = "A valid pattern by the team's rules."
    # Open findings of earlier tasks of the author are inherited and settled with their origin.
    for one in (one for one in seen["findings"] if not one["finding"].startswith("inherited")):
        body = {"reason": why, "false_positive": True}
        done(panel.here.human(), f"{native}/findings/{one['finding']}/waiver", **body)
    posted(author, f"{native}/withdrawal", reason="Begun anew.")
    again = panel.begin(order, origin=seen["origin"])
    row = panel.row(again, status="complete")
    assert "| Set aside | 2 | important | not counted |" in row["report"], row["report"]
