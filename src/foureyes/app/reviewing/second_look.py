"""Does a finding hold? Somebody else confirms or refutes it before it blocks.

A refutation needs evidence as much as a finding does. Whoever cannot say leaves it plausible, and a plausible finding
blocks: a second look can only take away what it has disproved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from foureyes.app.reviewers import Checked, Inconclusive, Reviewer, Say, Task
from foureyes.core.commands import Draft
from foureyes.core.values import Cost, Verification

#: Findings that are looked at in one go.
TOGETHER_MAX = 30
#: What says less than this proves nothing; the gate refuses it as well.
EVIDENCE_CHARS_MIN = 8
SILENT = "The second look says nothing of it."


async def second_look(
    reviewer: Reviewer,
    task: Task,
    findings: tuple[Draft, ...],
    say: Say,
    count: Callable[[Cost], None] = lambda _: None,
) -> tuple[Checked, ...]:
    """A word on every finding, in their order; what was not answered is plausible. What it costs is counted."""
    checked: list[Checked] = []
    for start in range(0, len(findings), TOGETHER_MAX):
        some = findings[start : start + TOGETHER_MAX]
        words = await _words(reviewer, task, some, say, count)
        checked += (replace(one, index=start + one.index) for one in words)
    return tuple(checked)


async def _words(
    reviewer: Reviewer, task: Task, findings: tuple[Draft, ...], say: Say, count: Callable[[Cost], None]
) -> list[Checked]:
    alone = replace(task, verify=findings, earlier=(), checklist=(), questions=())
    try:
        look = await reviewer.look(alone, say)
    except Inconclusive as none:
        count(none.cost)
        said = none.found.checked if none.found else ()
        why = f"The second look has no answer: {none.text}"
    else:
        count(look.cost)
        said, why = look.checked, SILENT
    known = {one.index: one for one in said}
    return [_grade(known.get(index), index, why) for index in range(len(findings))]


def _grade(said: Checked | None, index: int, otherwise: str) -> Checked:
    plausible = Verification.PLAUSIBLE.value
    if said is None:
        return Checked(index=index, result=plausible, evidence=otherwise)
    if said.result not in list(Verification) or len(said.evidence.strip()) < EVIDENCE_CHARS_MIN:
        return Checked(index=index, result=plausible, evidence=said.evidence.strip() or otherwise)
    return said
