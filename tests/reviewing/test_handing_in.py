"""The task of a reviewer, and the report that its look becomes at the gate."""

from collections.abc import Callable

import pytest

from foureyes.app.reviewers import Look, Task
from foureyes.app.reviewing.handing_in import confidence_of
from foureyes.app.reviewing.verdicts import corrected
from foureyes.core.commands import SubmitReport
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Criterion
from foureyes.policy.load import shipped
from foureyes.policy.policy import Policy
from foureyes.reviewers.prompts import prompt_for
from tests.app.house import played
from tests.policy.reading import loaded
from tests.reviewing.desk import Desk, Scripted, agent, change, issue, reviewed

CHECKED = """\
criteria:
  create_core:
    required:
      has_comprehensive_tests:
        description: Tests cover happy path and edge cases
        checks: [At least 5 tests present]
"""


def peer(look: Callable[[Task], Look], policy: Policy | None = None) -> tuple[Desk, Scripted]:
    """A colleague of another family than the author's."""
    codex = agent("codex", look)
    return Desk(reviewers={"auditor": (codex,)}, policy=policy or shipped("peer").policy), codex


def with_minors(many: int) -> Callable[[Task], Look]:
    def look(task: Task) -> Look:
        passed = tuple(Criterion(name=one, passed=True) for one in task.checklist)
        return Look(findings=tuple(issue(f"nit number {n}", "minor") for n in range(many)), checklist=passed)

    return look


@pytest.mark.parametrize(
    ("severities", "confidence"),
    [((), 95), (("minor",) * 2, 95), (("minor",) * 3, 75), (("minor", "moderate"), 60), (("moderate", "critical"), 40)],
)
def test_a_reviewer_who_does_not_say_how_sure_it_is(severities: tuple[str, ...], confidence: int) -> None:
    """001-29: the graver what it found, the less."""
    assert confidence_of(tuple(issue(f"gap {n}", one) for n, one in enumerate(severities))) == confidence


@pytest.mark.parametrize(("minors", "state"), [(0, "found nothing"), (2, "has findings"), (3, "rejects")])
@played
async def test_more_than_two_small_things_ask_for_changes_in_a_peer_s_review(minors: int, state: str) -> None:
    """001-29: else it is approved."""
    desk, _ = peer(with_minors(minors))
    outcome = await reviewed(desk, change("x = 1\n", kind="create_core"))
    assert [one.state for one in outcome.looked] == [state]
    assert (outcome.state == "cleared") is (minors <= 2)


@played
async def test_what_each_criterion_means_and_what_to_look_at_reaches_the_reviewer() -> None:
    """001-50: in its prompt, too."""
    desk, codex = peer(with_minors(0), loaded(CHECKED).policy)
    await reviewed(desk, change("x = 1\n", kind="create_core"))
    (task,) = codex.tasks
    means = ("Tests cover happy path and edge cases", "At least 5 tests present")
    assert task.checks == (("has_comprehensive_tests", means),)
    assert [one for one in ("has_comprehensive_tests", *means) if one not in asked(task)] == []


@pytest.mark.parametrize("role", ["auditor", "architect", "optimizer", "tester", "core_developer"])
def test_the_profile_of_a_role_reaches_the_reviewer(role: str) -> None:
    """001-52: its focus, what it knows and what it asks."""
    told = asked(Task(change=change("x = 1\n"), role=role))
    assert f"Your side: the {role.replace('_', ' ')}." in told
    assert "Focus: " in told
    assert f"the {role.replace('_', ' ')}." not in asked(Task(change=change("x = 1\n")))


def asked(task: Task) -> str:
    """Everything a reviewer reads."""
    prompt = prompt_for(task)
    return f"{prompt.system}\n{prompt.user}"


@pytest.mark.parametrize(
    ("code", "unclear", "verdict"),
    [
        (Code.GROUND_MISSING, False, "approve"),
        (Code.GROUND_MISSING, True, None),
        (Code.OWN_FINDING_BLOCKS, False, "concerns"),
        (Code.CHECKLIST_INCOMPLETE, False, None),
    ],
)
def test_what_the_gate_alone_knows_corrects_a_verdict_and_never_into_a_yes_of_who_could_not_judge(
    code: Code, unclear: bool, verdict: str | None
) -> None:
    """D-03."""
    report = SubmitReport(revision=1, verdict="reject")
    found = corrected(report, Refusal(code, "no", ""), Look(unclear=unclear))
    assert (found.verdict if found else None) == verdict
