"""The JSON Schema of an answer, the same for every agent and model.

Providers enforce different keywords: none of the bounds is enforced by all of them, and some refuse a schema that has
any. So `ANSWER_SCHEMA` says its bounds in words and uses only what all of them take: every property required, nothing
additional. `small_schema` says them as keywords too and keeps them tight, for a small model whose engine turns the
schema into a grammar: such a model stops only where the grammar makes it stop.

Findings come before the verdict, and what is wrong before its severity: a model writes in this order, and is bound by
what it has written. There are no optional values: 0, "" and [] mean "nothing".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from foureyes.app.reviewers import Task
from foureyes.core.values import Severity, Verdict, Verification

Schema = dict[str, object]

FINDINGS_MAX: Final = 50
ITEMS_MAX: Final = 60
STRENGTHS_MAX: Final = 10
TEXT_MAX: Final = 2_000
QUOTE_MAX: Final = 1_000
NOTE_MAX: Final = 600
WORD_MAX: Final = 80
PATH_MAX: Final = 1_000
LINE_MAX: Final = 10_000_000
NUMBER_MAX: Final = 1_000
PERCENT_MAX: Final = 100
SMALL_ITEMS_MAX: Final = 2

SEVERITIES = tuple(one.name.lower() for one in sorted(Severity, reverse=True))
VERDICTS = tuple(Verdict)
RESULTS = tuple(Verification)


def small_schema(task: Task) -> Schema:
    """Return the schema with tight bounds, and with exactly as many entries in each list as the task asks for."""
    asked = {
        "strengths": 0,
        "settled": len(task.earlier),
        "checked": len(task.verify),
        "checklist": len(task.checklist),
        "answers": len(task.questions),
    }
    return _Writer(small=True, asked=asked).answer()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Writes the schema, with its bounds in words, or as tight keywords."""

    small: bool = False
    asked: dict[str, int] | None = None

    def text(self, means: str, most: int, few: int) -> Schema:
        if self.small:
            return {"type": "string", "description": means, "maxLength": few}
        return {"type": "string", "description": f"{means} At most {most} characters."}

    def number(self, means: str, most: int) -> Schema:
        bound: Schema = {"minimum": 0, "maximum": most} if self.small else {}
        return {"type": "integer", "description": means, **bound}

    def many(self, name: str, means: str, most: int, items: Schema) -> Schema:
        if not self.small:
            return {"type": "array", "description": f"{means} At most {most}.", "items": items}
        exact = (self.asked or {}).get(name)
        bounds = {"maxItems": SMALL_ITEMS_MAX} if exact is None else {"minItems": exact, "maxItems": exact}
        return {"type": "array", "description": means, "items": items, **bounds}

    def finding(self) -> Schema:
        return _object(
            path=self.text("The file, exactly as it is named in the work; empty for the whole work.", PATH_MAX, 120),
            line=self.number("The first line it is about, by the numbers shown; 0 for the whole file.", LINE_MAX),
            end_line=self.number("The last line it is about; the same as line for one line.", LINE_MAX),
            evidence=self.text("The words of that file that prove it, copied exactly, no numbers.", QUOTE_MAX, 120),
            text=self.text("What is wrong and what follows from it, in one or two sentences.", TEXT_MAX, 200),
            severity=_word("critical: must never go live; important: must be mended; minor: a note.", SEVERITIES),
            category=self.text("One word: correctness, security, tests, design, performance, docs …", WORD_MAX, 24),
            rule=self.text("A short stable name of the rule it breaks, like sql-injection; or empty.", WORD_MAX, 24),
            suggestion=self.text("How to mend it; empty if unknown.", TEXT_MAX, 120),
        )

    def examined(self) -> Schema:
        return _object(
            path=self.text("The file; empty for the work as a whole.", PATH_MAX, 120),
            line=self.number("The line; 0 for the whole file.", LINE_MAX),
            what=self.text("What was checked.", NOTE_MAX, 80),
            why=self.text("What you checked there and why it holds, in a sentence.", NOTE_MAX, 80),
        )

    def settled(self) -> Schema:
        return _object(
            number=self.number("The number of the earlier finding in the task.", NUMBER_MAX),
            resolved={"type": "boolean", "description": "Whether the work as it is now no longer has it."},
            note=self.text("Why.", NOTE_MAX, 80),
        )

    def checked(self) -> Schema:
        return _object(
            number=self.number("The number of the finding to verify in the task.", NUMBER_MAX),
            evidence=self.text("The words of the work that prove or refute it, copied exactly.", QUOTE_MAX, 120),
            why=self.text("Why the finding holds or does not.", NOTE_MAX, 120),
            result=_word("confirmed, refuted, or plausible if neither can be proven.", RESULTS),
        )

    def criterion(self) -> Schema:
        return _object(
            number=self.number("The number of the item in the task.", NUMBER_MAX),
            note=self.text("What was looked at.", NOTE_MAX, 80),
            passed={"type": "boolean", "description": "Whether the work meets it; false if it cannot be told."},
        )

    def reply(self) -> Schema:
        return _object(
            number=self.number("The number of the question in the task.", NUMBER_MAX),
            answer=self.text("The answer.", TEXT_MAX, 160),
        )

    def answer(self) -> Schema:
        return _object(
            findings=self.many("findings", "Every issue, the gravest first.", FINDINGS_MAX, self.finding()),
            examined=self.many(
                "examined", "What was checked and holds; needed to approve.", ITEMS_MAX, self.examined()
            ),
            settled=self.many("settled", "A word on each earlier finding of the task.", ITEMS_MAX, self.settled()),
            checked=self.many("checked", "A word on each finding to verify, if any.", ITEMS_MAX, self.checked()),
            checklist=self.many("checklist", "Every item of the task's checklist.", ITEMS_MAX, self.criterion()),
            answers=self.many("answers", "An answer to every question of the task.", ITEMS_MAX, self.reply()),
            strengths=self.many(
                "strengths", "What must be kept; no praise.", STRENGTHS_MAX, self.text("One.", NOTE_MAX, 80)
            ),
            summary=self.text("What a person who decides has to know.", TEXT_MAX, 240),
            verdict=_word("approve, concerns or reject; it must follow from the findings.", VERDICTS),
            confidence=self.number("How sure, as a whole number from 0 to 100.", PERCENT_MAX),
        )


def _word(means: str, words: tuple[str, ...]) -> Schema:
    return {"type": "string", "description": means, "enum": [str(one) for one in words]}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


ANSWER_SCHEMA: Final = _Writer().answer()
