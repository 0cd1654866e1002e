"""What a second look at a finding can and cannot do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from foureyes.app.reviewers import Checked, Earlier, Inconclusive, Look, Say, Task
from foureyes.app.reviewing.second_look import second_look
from foureyes.core.commands import Draft
from foureyes.core.values import Failure, Place, Standing, Who
from foureyes.reviewers.answers import read_answer
from tests.answers.samples import task

DRAFT = Draft(severity="critical", text="It runs a shell.", place=Place(path="shop/cart.py", start=9), evidence="os")


def word(number: int, result: str, evidence: str = "", why: str = "It is so.") -> dict[str, Any]:
    return {"number": number, "result": result, "evidence": evidence, "why": why}


@dataclass
class Second:
    """A second reviewer with scripted answers, which are read like those of every model."""

    checked: list[dict[str, Any]] = field(default_factory=list)
    fails: Inconclusive | None = None
    says: tuple[Checked, ...] = ()
    asked: list[Task] = field(default_factory=list)

    @property
    def who(self) -> Who:
        return Who(name="second")

    @property
    def sends(self) -> str:
        return ""

    async def look(self, task: Task, say: Say) -> Look:
        say("looking")
        self.asked.append(task)
        if self.fails:
            raise self.fails
        if self.says:
            return Look(checked=self.says)
        return read_answer({"checked": self.checked}, task)


def look(second: Second, *drafts: Draft, **values: Any) -> tuple[Checked, ...]:
    asked = replace(task(**values), verify=drafts or (DRAFT,))
    return asyncio.run(second_look(second, asked, lambda _: None)).checked


@pytest.mark.parametrize("result", ["confirmed", "refuted"])
def test_words_of_the_work_confirm_or_refute(result: str) -> None:
    """D-11."""
    (found,) = look(Second(checked=[word(1, result, 'os.system("rm -rf " + path)')]))
    assert (found.index, found.result) == (0, result)
    assert 'Seen: os.system("rm -rf " + path)' in found.evidence


@pytest.mark.parametrize(
    "said",
    [
        word(1, "refuted"),
        word(1, "refuted", "path is always checked before"),
        word(1, "refuted", "return True", why=""),
        word(1, "confirmed", "no such words"),
        word(7, "refuted", "return True"),
    ],
)
def test_an_opinion_changes_nothing(said: dict[str, Any]) -> None:
    """D-11."""
    (found,) = look(Second(checked=[said]))
    assert found.result == "plausible"
    assert len(found.evidence) >= 8


@pytest.mark.parametrize(("result", "evidence"), [("refuted", ""), ("refuted", "no"), ("nonsense", "it is not so")])
def test_no_reviewer_of_any_kind_refutes_without_evidence_or_in_other_words(result: str, evidence: str) -> None:
    """D-11."""
    (found,) = look(Second(says=(Checked(index=0, result=result, evidence=evidence),)))
    assert found.result == "plausible"


def test_who_says_both_has_said_neither() -> None:
    both = [word(1, "refuted", "return True"), word(1, "confirmed", "return True")]
    assert look(Second(checked=both))[0].result == "plausible"


def test_no_answer_leaves_the_finding_plausible_with_the_reason() -> None:
    """D-03, D-11."""
    none = Inconclusive(Failure.TIMED_OUT, "it took too long")
    (found,) = look(Second(fails=none))
    assert (found.result, found.evidence) == ("plausible", "The second look has no answer: it took too long")


def test_nothing_but_the_findings_is_asked() -> None:
    second = Second()
    earlier = (Earlier(finding="a-F1", draft=DRAFT, standing=Standing.OPEN),)
    look(second, checklist=("tests",), questions=("why?",), earlier=earlier)
    (asked,) = second.asked
    assert (asked.verify, asked.checklist, asked.questions, asked.earlier) == ((DRAFT,), (), (), ())


def test_many_findings_are_looked_at_in_turns_and_each_gets_its_word() -> None:
    second = Second(checked=[word(2, "refuted", "return True")])
    found = look(second, *(DRAFT,) * 65)
    assert [one.index for one in found] == list(range(65))
    assert [one.index for one in found if one.result == "refuted"] == [1, 31, 61]
    assert [len(one.verify) for one in second.asked] == [30, 30, 5]


def test_no_findings_ask_nobody() -> None:
    second = Second()
    assert asyncio.run(second_look(second, task(), lambda _: None)).checked == ()
    assert second.asked == []
