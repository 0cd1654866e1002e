"""Reads an answer: looks its claims up in the work, and computes its verdict."""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.reviewers import Checked, Inconclusive, Look, Task
from foureyes.core.commands import Draft, Settlement
from foureyes.core.evidence import WHOLE_WORK, has_words
from foureyes.core.values import Criterion, Evidence, Failure, Place, Severity, Standing, Verification
from foureyes.reviewers.answers import schema
from foureyes.reviewers.answers.findings import Kept, keep_findings
from foureyes.reviewers.answers.shape import Numbered, Said, SaidExamined, read_shape
from foureyes.reviewers.answers.shown import one_line, shown
from foureyes.reviewers.answers.verdicts import Amounts, Grounds, amounts_to
from foureyes.reviewers.answers.work import Work

SUMMARY_MAX = 4_000
_GRAVE = (Severity.CRITICAL, Severity.IMPORTANT)


def read_answer(data: object, task: Task) -> Look:
    """Return the look an answer amounts to; raises Inconclusive if it is malformed or leaves out what was asked."""
    said = read_shape(data, verifies=bool(task.verify))
    work = Work(task.change)
    if task.verify:
        return Look(summary=said.summary, checked=_checked(said.checked, task, work))
    kept = keep_findings(said.findings, work)
    settled, unsettled = _settled(said.settled, task)
    checklist = _checklist(said.checklist, task)
    grounds = Grounds(
        said=said.verdict,
        worst=kept.worst,
        failed=sum(not one.passed for one in checklist),
        unresolved=_unresolved(unsettled, task),
        weakened=kept.grave_left_out + kept.unproven,
        older=kept.unchanged,
    )
    found = amounts_to(grounds)
    look = Look(
        verdict=found.verdict.value,
        summary=_summary(said, kept, found.why),
        findings=kept.drafts,
        settled=settled,
        evidence=_evidence(said.examined, work),
        checklist=checklist,
        answers=_answers(said.answers, task),
        strengths=said.strengths,
        confidence=min(said.confidence, found.confidence_max),
    )
    return _complete(look, task, found)


def _complete(look: Look, task: Task, found: Amounts) -> Look:
    """Return the look if nothing is missing that was asked for; else raise Inconclusive with what is missing.

    A doubt without a ground is no answer: nobody can act on it, and it must not count as an approval.
    """
    lacks: list[str] = [f"a ground that holds: {found.why}"] if found.baseless else []
    names = {one.name for one in look.checklist}
    open_items = [one for one in task.checklist if one not in names]
    if open_items:
        lacks.append(f"{len(open_items)} of {len(task.checklist)} checklist items: {_named(open_items)}")
    silent = [one for one, answer in zip(task.questions, look.answers, strict=True) if not answer]
    if silent:
        lacks.append(f"{len(silent)} of {len(task.questions)} questions of the author: {_named(silent)}")
    if look.verdict == "approve" and not look.evidence:
        lacks.append("what it examined: an approval must say in words what was checked and why it holds")
    if lacks:
        text = f"The answer leaves out {'; '.join(lacks).removesuffix('.')}."
        raise Inconclusive(Failure.INCOMPLETE, text, found=replace(look, verdict=""))
    return look


def _named(many: list[str]) -> str:
    more = f" and {len(many) - 3} more" if len(many) > 3 else ""  # noqa: PLR2004 - three names are enough to find them
    return ", ".join(one_line(one, schema.WORD_MAX) for one in many[:3]) + more


def _settled(said: tuple[Numbered, ...], task: Task) -> tuple[tuple[Settlement, ...], frozenset[str]]:
    """Return the settlements that the gate accepts, and the earlier findings that are named as still present.

    A finding that the author has not answered can be taken back only with a reason; a settled one stays settled.
    """
    settled: dict[str, Settlement] = {}
    still: set[str] = set()
    for one in said:
        if not 1 <= one.number <= len(task.earlier):
            continue
        earlier = task.earlier[one.number - 1]
        word = Settlement(finding=earlier.finding, resolved=one.is_true, note=one.text)
        if not one.is_true:
            still.add(earlier.finding)
        takes = one.text if one.is_true else earlier.standing is Standing.ANSWERED
        if earlier.standing is Standing.ANSWERED or (earlier.standing is Standing.OPEN and takes):
            settled[earlier.finding] = word
    # An answer that says both of one finding has not settled it.
    return tuple(one for one in settled.values() if not (one.resolved and one.finding in still)), frozenset(still)


def _unresolved(still: frozenset[str], task: Task) -> int:
    grave = {one.name.lower() for one in _GRAVE}
    return sum(one.finding in still and one.draft.severity.lower() in grave for one in task.earlier)


def _checklist(said: tuple[Numbered, ...], task: Task) -> tuple[Criterion, ...]:
    """Return one criterion for each item that was answered; passed only if every entry on it says so."""
    words: dict[int, list[Numbered]] = {}
    for one in said:
        words.setdefault(one.number, []).append(one)
    return tuple(
        Criterion(name=name, passed=all(one.is_true for one in words[number]), note=words[number][0].text)
        for number, name in enumerate(task.checklist, start=1)
        if number in words
    )


def _answers(said: tuple[Numbered, ...], task: Task) -> tuple[str, ...]:
    given = {one.number: one.text for one in reversed(said)}
    return tuple(given.get(number, "") for number in range(1, len(task.questions) + 1))


def _evidence(said: tuple[SaidExamined, ...], work: Work) -> tuple[Evidence, ...]:
    found: list[Evidence] = []
    for one in said[: schema.ITEMS_MAX]:
        file = work.file(one.path) if one.path else None
        if not has_words(one.why) or (one.path and file is None):
            continue
        line = one.line if file and work.has_line(file, one.line) else 0
        place = Place(path=file.path, start=line, end=line) if file else None
        what = one.what if place else f"{WHOLE_WORK}: {one.what}"
        found.append(Evidence(what=what, why=one.why, place=place))
    return tuple(dict.fromkeys(found))


def _checked(said: tuple[Numbered, ...], task: Task, work: Work) -> tuple[Checked, ...]:
    """Return a result for each finding; confirming or refuting one without a quote from the work proves neither."""
    first: dict[int, Checked] = {}
    for one in said:
        if not 1 <= one.number <= len(task.verify):
            continue
        draft = task.verify[one.number - 1]
        proven = bool(one.evidence and one.text) and _stands(one.evidence, draft, work)
        result = one.result if proven else Verification.PLAUSIBLE.value
        text = f"{one.text} Seen: {one.evidence}" if proven else f"{one.text or 'No reason was given.'} Nothing quoted."
        word = Checked(index=one.number - 1, result=result, evidence=text.strip())
        known = first.setdefault(word.index, word)
        if known.result != word.result:
            both = f"Said both: {known.evidence} / {word.evidence}"
            first[word.index] = Checked(index=word.index, result=Verification.PLAUSIBLE.value, evidence=both)
    return tuple(first[index] for index in sorted(first))


def _stands(quote: str, draft: Draft, work: Work) -> bool:
    """True if the work has these words: in the file the finding is about, or in any other."""
    file = work.file(draft.place.path) if draft.place else None
    here = file is not None and (work.find(file, quote, 1) is not None or work.had(file, quote))
    return here or work.anywhere(quote)


def _summary(said: Said, kept: Kept, why: str) -> str:
    return shown("\n".join(one for one in (said.summary, why, *kept.notes) if one), SUMMARY_MAX)
