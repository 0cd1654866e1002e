"""Where in free text is the reviewer's own answer, and not one quoted from the work?

A work may contain a finished answer that approves it, and an honest reviewer may quote it. So an object counts only
if it has the whole shape, does not stand in the work itself, and no other object says something else. Where the
reviewer marks its answer with the code of the prompt, which no work can know, nothing outside the marks counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from foureyes.app.reviewers import Inconclusive, Task
from foureyes.reviewers.answers.shape import malformed, read_shape

TEXT_CHARS_MAX = 4 * 1024 * 1024
#: Characters that are read in vain in search of objects; a text made to be slow is no answer.
VAIN_CHARS_MAX = 16 * 1024 * 1024
OBJECTS_MAX = 1_000
_START = re.compile(r'\{\s{0,200}"')


def extract_json(text: str, task: Task | None = None, code: str = "") -> object:
    """The one object in the text that is an answer; raises Inconclusive where there is none, or no single one.

    `task` tells what the work contains; `code` is the prompt's own, with which the answer may be marked.
    """
    if len(text) > TEXT_CHARS_MAX:
        raise malformed(f"the answer has {len(text)} characters, more than {TEXT_CHARS_MAX}")
    verifies = task is not None and bool(task.verify)
    found = [one for one in _objects(_marked(text, code)) if _fits(one, verifies=verifies)]
    own = _own(found, task)
    if not own:
        raise malformed(_nothing(text, quoted=bool(found)))
    if any(one != own[-1] for one in own):
        raise malformed("the text holds several answers that differ; nobody can tell which one counts")
    return own[-1]


def answer_marks(code: str) -> tuple[str, str]:
    """The lines a reviewer is asked to put around its answer."""
    return f"BEGIN ANSWER {code}", f"END ANSWER {code}"


def _marked(text: str, code: str) -> str:
    """What stands between the last pair of marks; the whole text where there are none."""
    if not code:
        return text
    begin, end = answer_marks(code)
    before, _, rest = text.rpartition(begin)
    if not before and not text.startswith(begin):
        return text
    inside, closed, _ = rest.partition(end)
    return inside if closed else rest


def _objects(text: str) -> Iterator[object]:
    """Every complete object in the text, outermost only, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_refused)
    at, vain = 0, 0
    for _ in range(OBJECTS_MAX):
        start = _START.search(text, at)
        if start is None or vain > VAIN_CHARS_MAX:
            return
        try:
            found, at = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError as wrong:
            at = start.end() - 1
            vain += wrong.pos - start.start()
        except (ValueError, RecursionError):
            # A name twice, a number without end, a nest without floor: nobody can tell where it stops.
            at = start.end() - 1
            vain += len(text) - start.start()
        else:
            yield found


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no number")


def _fits(found: object, *, verifies: bool) -> bool:
    try:
        read_shape(found, verifies=verifies)
    except Inconclusive:
        return False
    return True


def _own(found: list[object], task: Task | None) -> list[object]:
    """Those that do not stand in the work: what is quoted from it says nothing about it."""
    if task is None or not found:
        return found
    quoted = [one for text in _texts(task) for one in _objects(text)]
    return [one for one in found if one not in quoted]


def _texts(task: Task) -> Iterator[str]:
    yield from (task.change.note, task.change.title, *task.questions, *task.checklist)
    yield from (one.answer for one in task.earlier)
    for file in task.change.files:
        yield file.text or ""
        if file.before is not None and b"\0" not in file.before:
            yield file.before.decode(errors="replace")


def _nothing(text: str, *, quoted: bool) -> str:
    if quoted:
        return "the only answer in the text is one that stands in the work itself"
    return "the answer is empty" if not text.strip() else "the text holds no object of the shape that was asked for"
