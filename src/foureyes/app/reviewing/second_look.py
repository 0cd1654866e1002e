"""Second looks: another reviewer confirms or refutes a finding before it blocks.

A refutation needs evidence as much as a finding does. A reviewer who cannot say leaves the finding plausible, and a
plausible finding blocks: a second look can only remove what it has disproved.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from foureyes.app.reviewers import Checked, Inconclusive, Look, Reviewer, Say, Task
from foureyes.core.values import Cost, Failure, Verification

#: Most findings verified in one call.
TOGETHER_MAX = 30
#: Shorter evidence proves nothing; the gate refuses it as well.
EVIDENCE_CHARS_MIN = 8
SILENT = "The second look says nothing of it."


async def looked_at(reviewer: Reviewer, task: Task, say: Say) -> Look:
    """Return a reviewer's look within its time limit; if it was asked to verify findings, a result for each."""
    seconds = task.bounds.seconds
    try:
        async with asyncio.timeout(seconds):
            return await (second_look(reviewer, task, say) if task.verify else reviewer.look(task, say))
    except TimeoutError as error:
        raise Inconclusive(Failure.TIMED_OUT, f"no answer within {seconds:.0f} seconds") from error


async def second_look(reviewer: Reviewer, task: Task, say: Say) -> Look:
    """Return a result for every finding the task asks about, in order; unanswered findings are plausible."""
    checked: list[Checked] = []
    costs: list[Look] = []
    unverified = ""
    for start in range(0, len(task.verify), TOGETHER_MAX):
        some = replace(task, verify=task.verify[start : start + TOGETHER_MAX], earlier=(), checklist=(), questions=())
        look = await _answer(reviewer, some, say)
        costs.append(look)
        unverified = unverified or look.unverified
        why = f"The second look has no answer: {look.unverified}" if look.unverified else SILENT
        known = {one.index: one for one in look.checked}
        words = (_grade(known.get(index), index, why) for index in range(len(some.verify)))
        checked += (replace(one, index=start + one.index) for one in words)
    return Look(
        checked=tuple(checked),
        summary=_summary(checked),
        unverified=unverified,
        cost=Cost(usd_micro=sum(one.cost.usd_micro for one in costs), tokens=sum(one.cost.tokens for one in costs)),
        cost_known=all(one.cost_known for one in costs),
    )


async def _answer(reviewer: Reviewer, task: Task, say: Say) -> Look:
    """Return a reviewer's results for some findings; if it has no answer, the partial one and why."""
    try:
        return await reviewer.look(task, say)
    except Inconclusive as none:
        return replace(none.found or Look(), unverified=none.text or none.reason.value, cost=none.cost)


def _grade(said: Checked | None, index: int, otherwise: str) -> Checked:
    plausible = Verification.PLAUSIBLE.value
    if said is None:
        return Checked(index=index, result=plausible, evidence=otherwise)
    if said.result not in list(Verification) or len(said.evidence.strip()) < EVIDENCE_CHARS_MIN:
        return Checked(index=index, result=plausible, evidence=said.evidence.strip() or otherwise)
    return said


def _summary(checked: list[Checked]) -> str:
    counted = ((sum(one.result == word for one in checked), word.value) for word in Verification)
    return "a second look: " + ", ".join(f"{count} {word}" for count, word in counted if count)
