"""The call of seed 004: a task in its plan's words, with the fix it is in and the panel's report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Office
from foureyes.app.calls.own_ids import by_own_id
from foureyes.app.calls.whole import shown_to
from foureyes.app.gate import Seen
from foureyes.app.ports import Reading
from foureyes.core.explain import Status
from foureyes.core.model import Review
from foureyes.core.reasons import issue
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Rules
from foureyes.core.situation import Situation
from foureyes.core.values import Outcome, Severity, Verdict

_PASSED = frozenset({Status.MET, Status.OVERRIDDEN, Status.SKIPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNamed:
    """Which review the task's is."""

    review: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskShown:
    """The row of a task, as far as the viewer may know it."""

    task: str
    review: str
    #: in-review, review-fix-1, escalated, complete, or the outcome.
    status: str
    #: PASS, FAIL, PENDING, or empty while the spec comes first.
    spec: str
    quality: str
    fix_iterations: str
    #: The message to the implementer or the human; empty while the panel is working.
    message: str
    #: True if tasks that build on this one may start; never while it is with a human.
    dependents_may_start: bool
    #: The panel's whole report, in Markdown.
    report: str
    #: The result, whose turn it is and what comes next; the same words at every door.
    situation: Situation


async def read_task(office: Office, caller: Caller, form: TaskNamed) -> TaskShown:
    """Where a task stands that a panel of models judges."""
    seen = await shown_to(office, caller, form.review)
    if words.PANEL not in seen.view.review.protocols:
        raise refuse(Code.REVIEW_MISSING)
    return await office.store.read(partial(_shown, office, seen))


def message_of(review: Review, rules: Rules) -> str:
    """What the implementer, or the human, is told of a task as it stands; empty while the panel is at it."""
    return _message(review, _most(rules))


def _most(rules: Rules) -> int:
    panel = rules.protocol(words.PANEL)
    return panel.revisions_max if panel else 0


def _shown(office: Office, seen: Seen, reading: Reading) -> TaskShown:
    review = seen.view.review
    most = _most(office.gate.policies.rules(reading, review.rules))
    return TaskShown(
        task=_task(review),
        review=review.id,
        status=words.task_status(review),
        spec=_stage(seen, words.SPEC),
        quality=_stage(seen, words.QUALITY),
        fix_iterations=words.fix_iterations(review, most),
        message=_message(review, most),
        dependents_may_start=review.outcome is Outcome.CLEARED,
        report=seen.report,
        situation=seen.explanation.situation,
    )


def _task(review: Review) -> str:
    return review.origin.task or review.title


def _stage(seen: Seen, stage: str) -> str:
    statuses = [one.status for one in seen.explanation.requirements if one.stage == stage]
    if statuses and _PASSED.issuperset(statuses):
        return "PASS"
    if Status.NOT_APPLICABLE in statuses:
        return ""  # its reports count once the stage before passes
    said = [one.verdict for one in seen.view.review.reports_in(stage)]
    if any(one in (Verdict.CONCERNS, Verdict.REJECT) for one in said):
        return "FAIL"
    review = seen.view.review
    owed = any(seat.id in review.requests for seat in review.seats_of(stage))
    if said and not owed and all(one is Verdict.APPROVE for one in said):
        return "PASS"  # a human may be asked all the same; `status` says so
    return "PENDING"


def _message(review: Review, most: int) -> str:
    """What the seed says to the implementer before each fix, and to the human after the last."""
    # Findings of both models with the same words and place are one issue.
    issues = dict.fromkeys(issue(one) for one in review.findings.values() if one.blocks(Severity.IMPORTANT))
    left = "; ".join(issues)
    ruling = review.ruling()
    if ruling is not None:
        spent = review.retries >= most
        return words.fixes_spent(_task(review), most, left) if spent else ruling.text
    asked = review.revision_request()
    if asked is None:
        return ""
    return words.fix_attempt(review.retries + 1, most, left or "; ".join(asked.reasons))


def calls() -> Iterator[Call[Any]]:
    """The seed's call."""
    says = (read_task.__doc__ or "").strip()
    answer = by_own_id("review", read_task)
    yield Call(name="read_task", says=says, needs=Need.READ, form=TaskNamed, answer=answer, changes=False)
