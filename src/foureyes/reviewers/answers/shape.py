"""Parses an answer into its shape, by hand, so that an error says exactly what is wrong.

What is too long is cut, what is missing or of another type is refused: a guess at what a reviewer meant is no review.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from foureyes.app.reviewers import Inconclusive
from foureyes.core.checks import SEVERITIES
from foureyes.core.values import Failure, Severity, Verdict, Verification
from foureyes.reviewers.answers import schema
from foureyes.reviewers.answers.shown import one_line, shown

#: With more entries than this in one list, an answer is refused as a flood.
LIST_MAX = 1_000
_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
}
_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
One = TypeVar("One")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidFinding:
    """A finding as it was answered, before it is compared with the work."""

    path: str
    line: int
    end_line: int
    evidence: str
    text: str
    severity: Severity
    category: str
    rule: str
    suggestion: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidExamined:
    """Something the reviewer claims to have checked."""

    path: str
    line: int
    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """A remark on one numbered item of the task: an earlier finding, a criterion, a question, a finding to verify."""

    number: int
    text: str = ""
    is_true: bool = False
    result: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer of the right shape."""

    findings: tuple[SaidFinding, ...] = ()
    examined: tuple[SaidExamined, ...] = ()
    settled: tuple[Numbered, ...] = ()
    checked: tuple[Numbered, ...] = ()
    checklist: tuple[Numbered, ...] = ()
    answers: tuple[Numbered, ...] = ()
    strengths: tuple[str, ...] = ()
    summary: str = ""
    verdict: Verdict = Verdict.CONCERNS
    confidence: int = 0


def malformed(text: str) -> Inconclusive:
    """Return the Inconclusive for an answer in another shape: neither an approval nor a veto."""
    return Inconclusive(Failure.MALFORMED, text)


def read_shape(data: object, *, verifies: bool) -> Said:
    """Parse the answer; a verifying reviewer owes `checked` alone, any other owes the rest."""
    whole = _Fields(data, "the answer")
    checked = whole.each("checked", _checked, needed=verifies)
    return Said(
        findings=whole.each("findings", _finding, needed=not verifies),
        examined=whole.each("examined", _examined, needed=False),
        settled=whole.each("settled", _settled, needed=False),
        checked=checked,
        checklist=whole.each("checklist", _criterion, needed=False),
        answers=whole.each("answers", _answered, needed=False),
        strengths=whole.each("strengths", _strength, needed=False)[: schema.STRENGTHS_MAX],
        summary=whole.text("summary", schema.TEXT_MAX, needed=not verifies),
        verdict=Verdict.CONCERNS if verifies else Verdict(whole.word("verdict", tuple(Verdict))),
        confidence=0 if verifies else whole.number("confidence", schema.PERCENT_MAX),
    )


class _Fields:
    """An object of the answer and the name of its place, for error messages."""

    def __init__(self, data: object, place: str) -> None:
        if not isinstance(data, Mapping):
            raise malformed(f"{place} is {_kind(data)}, not an object")
        self._data = data
        self._place = place

    def text(self, name: str, most: int, *, needed: bool = True) -> str:
        found = self._value(name, needed=needed)
        if found is None:
            return ""
        if not isinstance(found, str):
            raise malformed(f"{self._at(name)} is {_kind(found)}, not a text")
        return shown(found.strip(), most)

    def word(self, name: str, allowed: tuple[str, ...]) -> str:
        found = self._value(name, needed=True)
        word = found.strip().lower() if isinstance(found, str) else ""
        if word not in allowed:
            said = repr(one_line(found, 40)) if isinstance(found, str) else _kind(found)
            raise malformed(f"{self._at(name)} is {said}, not one of {', '.join(allowed)}")
        return word

    def number(self, name: str, most: int, *, needed: bool = True) -> int:
        found = self._value(name, needed=needed)
        if found is None:
            return 0
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            raise malformed(f"{self._at(name)} is {_kind(found)}, not a whole number")
        if not 0 <= found <= most:
            raise malformed(f"{self._at(name)} is not between 0 and {most}")
        return found

    def flag(self, name: str) -> bool:
        found = self._value(name, needed=True)
        if not isinstance(found, bool):
            raise malformed(f"{self._at(name)} is {_kind(found)}, not true or false")
        return found

    def each(self, name: str, read: Callable[[object, str], One], *, needed: bool) -> tuple[One, ...]:
        found = self._value(name, needed=needed)
        if found is None:
            return ()
        if not isinstance(found, list):
            raise malformed(f"{self._at(name)} is {_kind(found)}, not a list")
        if len(found) > LIST_MAX:
            raise malformed(f"{self._at(name)} has {len(found)} entries, more than {LIST_MAX}")
        return tuple(read(one, f"{name}[{index}]") for index, one in enumerate(found))

    def _value(self, name: str, *, needed: bool) -> object:
        found = self._data.get(name)
        if found is None and needed:
            raise malformed(f"{self._at(name)} is missing")
        return found

    def _at(self, name: str) -> str:
        return name if self._place == "the answer" else f"{self._place}.{name}"


def _finding(data: object, place: str) -> SaidFinding:
    fields = _Fields(data, place)
    line = fields.number("line", schema.LINE_MAX, needed=False)
    text = fields.text("text", schema.TEXT_MAX)
    if not text:
        raise malformed(f"{place}.text is empty")
    return SaidFinding(
        path=fields.text("path", schema.PATH_MAX, needed=False),
        line=line,
        end_line=max(line, fields.number("end_line", schema.LINE_MAX, needed=False)),
        evidence=fields.text("evidence", schema.QUOTE_MAX, needed=False),
        text=text,
        severity=SEVERITIES[fields.word("severity", tuple(SEVERITIES))],
        category=_slug(fields.text("category", schema.WORD_MAX, needed=False)) or "other",
        rule=one_line(fields.text("rule", schema.WORD_MAX, needed=False), schema.WORD_MAX),
        suggestion=fields.text("suggestion", schema.TEXT_MAX, needed=False),
    )


def _examined(data: object, place: str) -> SaidExamined:
    fields = _Fields(data, place)
    return SaidExamined(
        path=fields.text("path", schema.PATH_MAX, needed=False),
        line=fields.number("line", schema.LINE_MAX, needed=False),
        what=fields.text("what", schema.NOTE_MAX),
        why=fields.text("why", schema.NOTE_MAX),
    )


def _settled(data: object, place: str) -> Numbered:
    fields = _Fields(data, place)
    note = fields.text("note", schema.NOTE_MAX, needed=False)
    return Numbered(number=fields.number("number", schema.NUMBER_MAX), is_true=fields.flag("resolved"), text=note)


def _criterion(data: object, place: str) -> Numbered:
    fields = _Fields(data, place)
    note = fields.text("note", schema.NOTE_MAX, needed=False)
    return Numbered(number=fields.number("number", schema.NUMBER_MAX), is_true=fields.flag("passed"), text=note)


def _answered(data: object, place: str) -> Numbered:
    fields = _Fields(data, place)
    return Numbered(number=fields.number("number", schema.NUMBER_MAX), text=fields.text("answer", schema.TEXT_MAX))


def _checked(data: object, place: str) -> Numbered:
    fields = _Fields(data, place)
    return Numbered(
        number=fields.number("number", schema.NUMBER_MAX),
        result=fields.word("result", tuple(Verification)),
        evidence=fields.text("evidence", schema.QUOTE_MAX, needed=False),
        text=fields.text("why", schema.NOTE_MAX, needed=False),
    )


def _strength(data: object, place: str) -> str:
    if not isinstance(data, str):
        raise malformed(f"{place} is {_kind(data)}, not a text")
    return shown(data.strip(), schema.NOTE_MAX)


def _slug(word: str) -> str:
    return _NOT_A_WORD.sub("_", word.lower()).strip("_")


def _kind(value: object) -> str:
    return "nothing" if value is None else _KINDS.get(type(value), type(value).__name__)
