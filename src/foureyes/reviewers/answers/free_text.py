"""Finds the reviewer's own answer in free text, and ignores answers quoted from the work.

A work may contain a finished answer that approves it, and an honest reviewer may quote it. So an object counts only if
it has the whole shape, is not in the work itself, and no other object says something else. A prompt has a code that no
work can know: text between marks with this code is the reviewer's, and an approval counts only there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.app.encodings import written
from foureyes.app.reviewers import Inconclusive, Task
from foureyes.codec.strict import STRICT
from foureyes.core.values import Verdict, Verification
from foureyes.reviewers.answers.shape import malformed, read_shape

TEXT_CHARS_MAX = 4 * 1024 * 1024
#: The most characters that are scanned in vain for objects; a text made to be slow is no answer.
VAIN_CHARS_MAX = 16 * 1024 * 1024
OBJECTS_MAX = 1_000
_SIGNS = re.compile(r"[\s\\\"'`+]+")
_START = re.compile(r'\{\s{0,200}"')


def extract_json(text: str, task: Task | None = None, code: str = "") -> object:
    """Return the one object in the text that is an answer; raises Inconclusive if there is none, or no single one.

    `task` tells what the work contains; `code` is the prompt's own, with which the answer may be marked.
    """
    if len(text) > TEXT_CHARS_MAX:
        raise malformed(f"the answer has {len(text)} characters, more than {TEXT_CHARS_MAX}")
    verifies = task is not None and bool(task.verify)
    inside = _marked(text, code) if code else None
    searched = text if inside is None else inside
    found = [one for one in _objects(searched) if _fits(one.value, verifies=verifies)]
    own = _own(found, task)
    if not own:
        raise malformed(_nothing(searched, quoted=bool(found)))
    if any(one.value != own[-1].value for one in own):
        raise malformed("the text holds several answers that differ; nobody can tell which one counts")
    answer = own[-1].value
    if code and inside is None and _approves(answer, verifies=verifies):
        raise malformed("the answer speaks for the work but does not stand between its marks")
    return answer


def answer_marks(code: str) -> tuple[str, str]:
    """Return the lines that a reviewer is asked to put around its answer."""
    return f"BEGIN ANSWER {code}", f"END ANSWER {code}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An object in a text, and its source text."""

    value: object
    words: str


def _marked(text: str, code: str) -> str | None:
    """Return the text between the last pair of marks; None if there is none."""
    begin, end = answer_marks(code)
    _, opened, rest = text.rpartition(begin)
    return rest.partition(end)[0] if opened else None


def _approves(answer: object, *, verifies: bool) -> bool:
    """True if the answer is in favour of the work; an answer against it needs no marks."""
    said = read_shape(answer, verifies=verifies)
    refutes = any(one.result == Verification.REFUTED for one in said.checked)
    settles = any(one.is_true for one in said.settled)
    return refutes or settles or (not verifies and said.verdict is Verdict.APPROVE)


def _objects(text: str) -> Iterator[_Found]:
    """Yield every complete object in the text, outermost only, in order."""
    at, vain = 0, 0
    for _ in range(OBJECTS_MAX):
        start = _START.search(text, at)
        if start is None or vain > VAIN_CHARS_MAX:
            return
        try:
            found, at = STRICT.raw_decode(text, start.start())
        except json.JSONDecodeError as wrong:
            at = start.end() - 1
            vain += wrong.pos - start.start()
        except (ValueError, RecursionError):
            # A duplicate name, an endless number or too deep a nesting: where the object stops is unknown.
            at = start.end() - 1
            vain += len(text) - start.start()
        else:
            yield _Found(value=found, words=text[start.start() : at])


def _fits(found: object, *, verifies: bool) -> bool:
    try:
        read_shape(found, verifies=verifies)
    except Inconclusive:
        return False
    return True


def _own(found: list[_Found], task: Task | None) -> list[_Found]:
    """Return the objects that are not in the work, as objects or as text in it: quotes from the work do not count."""
    if task is None or not found:
        return found
    own = found
    for text in _texts(task):
        bare = _bare(text)
        own = [one for one in own if _bare(one.words) not in bare]
        quoted = [one.value for one in _objects(text)] if own else []
        own = [one for one in own if one.value not in quoted]
    return own


def _bare(text: str) -> str:
    """Return the text without white space and without the signs of string literals in programs."""
    return _SIGNS.sub("", text)


def _texts(task: Task) -> Iterator[str]:
    """Yield every text shown to the reviewer that an outsider can have written."""
    change = task.change
    yield "\n".join((change.note, change.title, change.kind, *task.questions, *task.checklist))
    yield "\n".join(f"{one.path}\n{one.was}" for one in change.files)
    yield "\n".join(f"{one.path}\n{one.why}" for one in change.unread)
    for draft in (*task.verify, *(one.draft for one in task.earlier)):
        yield f"{draft.text}\n{draft.evidence}\n{draft.suggestion}"
    yield from (one.answer for one in task.earlier)
    for file in change.files:
        yield from (said.text for one in (file.content, file.before) if one and (said := written(one)))


def _nothing(text: str, *, quoted: bool) -> str:
    if quoted:
        return "the only answer in the text is one that stands in the work itself"
    return "the answer is empty" if not text.strip() else "the text holds no object of the shape that was asked for"
