"""Which shape must an answer have? The same JSON Schema for every agent and model.

Providers enforce different keywords: none of the bounds is enforced by all of them, and some refuse a schema that
has any. So `ANSWER_SCHEMA` says its bounds in words and uses only what all of them take (every property required,
nothing additional), and `BOUNDED_SCHEMA` says them as keywords too, for engines that turn a schema into a grammar.
Findings stand before the verdict, and what is wrong before how grave it is: a model writes in this order, and what
it has written it has to answer for. There are no optional values: 0, "" and [] say "nothing".
"""

from __future__ import annotations

from typing import Final

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

SEVERITIES = tuple(one.name.lower() for one in sorted(Severity, reverse=True))
VERDICTS = tuple(Verdict)
RESULTS = tuple(Verification)


def _text(means: str, most: int, bounded: bool) -> Schema:  # noqa: FBT001 - every shape below is written twice by it
    bound: Schema = {"maxLength": most} if bounded else {}
    return {"type": "string", "description": f"{means} At most {most} characters.", **bound}


def _number(means: str, most: int, bounded: bool) -> Schema:  # noqa: FBT001 - likewise
    bound: Schema = {"minimum": 0, "maximum": most} if bounded else {}
    return {"type": "integer", "description": means, **bound}


def _word(means: str, words: tuple[str, ...]) -> Schema:
    return {"type": "string", "description": means, "enum": [str(one) for one in words]}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(means: str, most: int, items: Schema, bounded: bool) -> Schema:  # noqa: FBT001 - likewise
    bound: Schema = {"maxItems": most} if bounded else {}
    return {"type": "array", "description": f"{means} At most {most}.", "items": items, **bound}


def _finding(bounded: bool) -> Schema:  # noqa: FBT001 - likewise
    return _object(
        path=_text("The file, exactly as it is named in the work; empty for the work as a whole.", PATH_MAX, bounded),
        line=_number("The first line it is about, by the numbers shown; 0 for the whole file.", LINE_MAX, bounded),
        end_line=_number("The last line it is about; the same as line for one line.", LINE_MAX, bounded),
        evidence=_text("The words of that file that prove it, copied exactly without numbers.", QUOTE_MAX, bounded),
        text=_text("What is wrong and what follows from it, in one or two sentences.", TEXT_MAX, bounded),
        severity=_word("critical: must never go live; important: must be mended; minor: a note.", SEVERITIES),
        category=_text("One word: correctness, security, tests, design, performance, docs …", WORD_MAX, bounded),
        rule=_text("A short stable name of the rule it breaks, like sql-injection; empty if none.", WORD_MAX, bounded),
        suggestion=_text("How to mend it; empty if unknown.", TEXT_MAX, bounded),
    )


def answer_schema(*, bounded: bool) -> Schema:
    """The shape of an answer, with or without bounds as keywords."""
    examined = _object(
        path=_text("The file; empty for the work as a whole.", PATH_MAX, bounded),
        line=_number("The line; 0 for the whole file.", LINE_MAX, bounded),
        what=_text("What was checked.", NOTE_MAX, bounded),
        why=_text("Why it holds.", NOTE_MAX, bounded),
    )
    settled = _object(
        number=_number("The number of the earlier finding in the task.", NUMBER_MAX, bounded),
        resolved={"type": "boolean", "description": "Whether the work as it is now no longer has it."},
        note=_text("Why.", NOTE_MAX, bounded),
    )
    checked = _object(
        number=_number("The number of the finding to verify in the task.", NUMBER_MAX, bounded),
        evidence=_text("The words of the work that prove it or refute it, copied exactly.", QUOTE_MAX, bounded),
        why=_text("Why the finding holds or does not.", NOTE_MAX, bounded),
        result=_word("confirmed, refuted, or plausible if neither can be proven.", RESULTS),
    )
    checklist = _object(
        number=_number("The number of the item in the task.", NUMBER_MAX, bounded),
        note=_text("What was looked at.", NOTE_MAX, bounded),
        passed={"type": "boolean", "description": "Whether the work meets it; false if it cannot be told."},
    )
    answer = _object(
        number=_number("The number of the question in the task.", NUMBER_MAX, bounded),
        answer=_text("The answer.", TEXT_MAX, bounded),
    )
    return _object(
        findings=_list("Every issue, the gravest first.", FINDINGS_MAX, _finding(bounded), bounded),
        examined=_list("What was checked and holds; needed to approve.", ITEMS_MAX, examined, bounded),
        settled=_list("A word on each earlier finding of the task.", ITEMS_MAX, settled, bounded),
        checked=_list("A word on each finding to verify; empty if there are none.", ITEMS_MAX, checked, bounded),
        checklist=_list("Every item of the task's checklist.", ITEMS_MAX, checklist, bounded),
        answers=_list("An answer to every question of the task.", ITEMS_MAX, answer, bounded),
        strengths=_list("What must be kept; no praise.", STRENGTHS_MAX, _text("One.", NOTE_MAX, bounded), bounded),
        summary=_text("What a person who decides has to know.", TEXT_MAX, bounded),
        verdict=_word("approve, concerns or reject; it must follow from the findings.", VERDICTS),
        confidence=_number("How sure, as a whole number from 0 to 100.", PERCENT_MAX, bounded),
    )


ANSWER_SCHEMA: Final = answer_schema(bounded=False)
BOUNDED_SCHEMA: Final = answer_schema(bounded=True)
