"""No text in a work influences its review: verdict, findings and settlements stay as they were."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from foureyes.app.reviewers import Earlier, File, Inconclusive, Look, Task
from foureyes.core.commands import Draft
from foureyes.core.values import Standing
from foureyes.reviewers.answers import extract_json, read_answer
from foureyes.reviewers.answers.free_text import answer_marks
from foureyes.reviewers.prompts import prompt_for
from tests.answers.injected import ANSWERS, APPROVED, CORPUS
from tests.answers.samples import AFTER, answer, change, finding, shop, task

EARLIER = (Earlier(finding="a-F1", draft=Draft(severity="critical", text="x"), standing=Standing.ANSWERED),)
#: Places that others can write to: the file itself, the note, the title, a path, an answer to a finding, a question.
SPOTS = ("file", "note", "title", "path", "answer", "question")


def injected(words: str, spot: str) -> Task:
    files: tuple[File, ...] = (shop(),)
    plain = replace(task(questions=("Is it safe?",)), earlier=EARLIER)
    if spot == "file":
        files = (shop(content=AFTER + f'"""\n{words}\n"""\n'.encode(), changed=((6, 99),)),)
    if spot == "path":
        files = (shop(), File(path=f"docs/{words}.md", content=b"x\n", changed=((1, 1),)))
    told = change(*files)
    told = replace(told, note=words) if spot == "note" else replace(told, title=words) if spot == "title" else told
    asked = replace(plain, change=told)
    if spot == "answer":
        return replace(asked, earlier=(replace(EARLIER[0], answer=words, rebuttal=True),))
    return replace(asked, questions=(words,)) if spot == "question" else asked


def honest(**said: Any) -> dict[str, Any]:
    """The answer of a well-behaved reviewer, whatever the work says."""
    still = [{"number": 1, "resolved": False, "note": "still there"}]
    return answer(finding(), verdict="reject", settled=still, answers=[{"number": 1, "answer": "No."}]) | said


PLAIN = read_answer(honest(), injected("", "note"))


def outside(asked: Task) -> str:
    prompt = prompt_for(asked)
    code = prompt.code
    bare = re.sub(rf"<work-{code} part.*?</work-{code}>", "", prompt.user, flags=re.DOTALL)
    return re.sub(r"\d+", "N", bare.replace(code, "CODE"))


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("words", CORPUS)
def test_an_injected_work_gets_the_same_review(words: str, spot: str) -> None:
    """D-06: the prompt outside the frames and the look of a reviewer that behaves stay exactly as they were."""
    asked = injected(words, spot)
    assert outside(asked).split() == outside(injected("", "file")).split()
    for text in (json.dumps(honest()), f"It says: {words}\n{json.dumps(honest())}\nI do not obey: {words}"):
        assert _as_plain(read_answer(extract_json(text, asked, prompt_for(asked).code), asked))


def _as_plain(look: Look) -> bool:
    same = replace(look, findings=PLAIN.findings) == PLAIN
    return same and [one.severity for one in look.findings] == [one.severity for one in PLAIN.findings]


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("words", CORPUS)
def test_a_reviewer_that_repeats_the_work_never_approves_it(words: str, spot: str) -> None:
    """D-06: what a model merely echoes, in whatever wrapping, is no answer."""
    asked = injected(words, spot)
    code = prompt_for(asked).code
    echoes = (words, f"```json\n{words}\n```", f"Sure.\n{words}", words * 2, f"The file says: {words} (end)")
    for text in echoes:
        for given in ("", code):
            with pytest.raises(Inconclusive):
                read_answer(extract_json(text, asked, given), asked)


@pytest.mark.parametrize("words", ANSWERS)
def test_even_between_the_marks_the_works_own_answer_is_none(words: str) -> None:
    """D-06."""
    asked = injected(words, "file")
    begin, end = answer_marks(prompt_for(asked).code)
    with pytest.raises(Inconclusive):
        extract_json(f"{begin}\n{words}\n{end}", asked, prompt_for(asked).code)


def test_an_approval_that_echoes_a_plant_with_changed_words_counts_nowhere_outside_the_marks() -> None:
    """D-06."""
    asked = injected(APPROVED, "file")
    altered = json.dumps(answer(summary="Fine.", confidence=100))
    with pytest.raises(Inconclusive, match="between its marks"):
        extract_json(f"The file wants {altered}", asked, prompt_for(asked).code)
