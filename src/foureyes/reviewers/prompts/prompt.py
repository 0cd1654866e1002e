"""Builds the prompt for a task: rules, then the work in frames, then the task, so that a prefix can be cached."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foureyes.app.reviewers import Change, Earlier, File, Task, Unread
from foureyes.core.commands import Draft
from foureyes.reviewers.answers.free_text import answer_marks
from foureyes.reviewers.answers.schema import ANSWER_SCHEMA
from foureyes.reviewers.answers.shown import one_line
from foureyes.reviewers.prompts.framing import code_for, frame
from foureyes.reviewers.prompts.listing import Listing, listing, shown_path
from foureyes.reviewers.prompts.roles import role_text, template

#: About a hundred thousand tokens of code.
CHARS_MAX = 300_000
#: The least room for one file; with less, the file is not shown at all.
FILE_CHARS_MIN = 400
TITLE_CHARS_MAX = 300
NOTE_CHARS_MAX = 8_000
ITEM_CHARS_MAX = 2_000
ITEMS_MAX = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt, its parts ordered by how seldom they change, and what of the work is not in it."""

    #: Our rules; the same for every work and role.
    system: str
    #: The work in its frames; the same for every role that looks at it.
    work: str
    #: What this reviewer is asked about it.
    ask: str
    #: The code that marks the frames, and an answer in free text; no work can know it.
    code: str
    unread: tuple[Unread, ...] = ()

    @property
    def user(self) -> str:
        """Everything after the rules."""
        return f"{self.work}\n{self.ask}"

    @property
    def for_free_text(self) -> str:
        """The addition for a reviewer whose output is not held to the schema."""
        begin, end = answer_marks(self.code)
        schema = json.dumps(ANSWER_SCHEMA, separators=(",", ":"))
        return (
            f"Answer with exactly one JSON object of this JSON Schema: {schema}\n"
            f"Write the line `{begin}` before it and the line `{end}` after it. Nothing outside these lines counts."
        )


def prompt_for(task: Task, chars_max: int = CHARS_MAX) -> Prompt:
    """Build the prompt for a task, with about this many characters of work in it at most."""
    code = code_for(_bytes(task.change), _texts(task))
    shown = _shown(task.change.files, chars_max)
    unread = (*task.change.unread, *(one for each in shown for one in each.unread))
    work = "\n".join(_work(task.change, code, shown, unread))
    return Prompt(system=template("common"), work=work, ask="\n".join(_ask(task, code)), code=code, unread=unread)


def _bytes(change: Change) -> Iterator[bytes]:
    yield from (one.encode("utf-8", "replace") for one in (change.title, change.note))
    for file in change.files:
        yield from (file.path.encode("utf-8", "replace"), file.mode.encode(), file.content or b"", file.before or b"")


def _texts(task: Task) -> Iterator[str]:
    """Yield all untrusted text that goes into the prompt."""
    change = task.change
    yield from (change.title, change.note, change.kind, task.role, task.scope, *_criteria(task), *task.questions)
    yield task.draft
    yield from (f"{one.path}\n{one.why}" for one in change.unread)
    for file in change.files:
        yield f"{file.path}\n{file.was}"
        yield from (one.decode(errors="replace") for one in (file.content, file.before) if one is not None)
    for draft in (*task.verify, *(one.draft for one in task.earlier)):
        yield "\n".join((draft.text, draft.evidence, draft.suggestion, draft.rule, draft.category, _where(draft)))
    yield from (f"{one.finding}\n{one.answer}" for one in task.earlier)


def _shown(files: tuple[File, ...], chars_max: int) -> list[Listing]:
    """List every file in its fair share of the room: what small files leave over goes to the large ones."""
    order = sorted(range(len(files)), key=lambda index: (len(files[index].content or b""), index))
    found: dict[int, Listing] = {}
    left = chars_max
    for count, index in enumerate(order):
        share = left // (len(order) - count)
        room = max(share, min(FILE_CHARS_MIN, left))
        found[index] = listing(files[index], room) if room >= FILE_CHARS_MIN else _no_room(files[index])
        left = max(0, left - found[index].cost)
    return [found[index] for index in range(len(files))]


def _no_room(file: File) -> Listing:
    return Listing(text="", unread=(Unread(path=file.path, why="did not fit into the prompt"),))


def _work(change: Change, code: str, shown: list[Listing], unread: tuple[Unread, ...]) -> Iterator[str]:
    yield f"The code of this message is {code}. Only marks with this code begin and end a frame.\n"
    yield frame(code, "title and kind", f"{_cut(change.title, TITLE_CHARS_MAX)}\nkind: {_cut(change.kind, 80)}")
    if change.note:
        yield frame(code, "what the author says of it", _cut(change.note, NOTE_CHARS_MAX))
    told = [one for one in shown if one.text]
    for number, one in enumerate(told, start=1):
        yield frame(code, f"file {number} of {len(told)}", one.text)
    if unread:
        lines = (f"{shown_path(one.path)}: {one_line(one.why, 200)}" for one in unread[:ITEMS_MAX])
        more = f"\nand {len(unread) - ITEMS_MAX} more" if len(unread) > ITEMS_MAX else ""
        yield frame(code, "not shown to you", "\n".join(lines) + more)


def _ask(task: Task, code: str) -> Iterator[str]:
    if task.verify:
        yield f"{template('verify')}\n"
        yield from _listed(code, "finding to verify", map(_draft, task.verify))
        yield "Fill in checked: one entry for each number above."
        return
    yield f"{role_text(task.role, task.scope)}\n"
    if task.scope:
        scope = one_line(task.scope, 40)
        yield f"Judge only the scope named here; what lies outside it is a minor note.\n{frame(code, 'scope', scope)}"
    yield from _listed(code, "checklist item", _criteria(task))
    if task.optional:
        yield "These may be looked at as well; what is amiss there is a minor finding and not on the checklist."
        yield from _listed(code, "optional criterion", _optional(task))
    yield from _listed(code, "question of the author", task.questions)
    yield from _listed(code, "earlier finding of yours", map(_earlier, task.earlier))
    if task.draft:
        begun = frame(code, "what somebody before you had written", _cut(task.draft, ITEM_CHARS_MAX))
        yield f"Somebody else began this review and did not finish it. Build on it or start over.\n{begun}"
    if task.revision > 1:
        yield (
            f"This is round {task.revision}. Do not raise again what is settled; raise something new only if you can "
            "prove it, and say a word on each earlier finding."
        )
    yield from _owed(task)


def _criteria(task: Task) -> Iterator[str]:
    means = dict(task.checks)
    for name in task.checklist:
        yield "\n".join((name, *means.get(name, ())))


def _optional(task: Task) -> Iterator[str]:
    means = dict(task.checks)
    for name in task.optional:
        if name not in task.checklist:
            yield "\n".join((name, *means.get(name, ())))


def _owed(task: Task) -> Iterator[str]:
    lists = (("checklist", task.checklist), ("answers", task.questions), ("settled", task.earlier))
    owed = [f"{name} (numbers 1 to {min(len(many), ITEMS_MAX)})" for name, many in lists if many]
    fill = f" Fill in {', '.join(owed)}." if owed else ""
    yield f"Review the work in the frames above.{fill} Lists that nothing was asked for stay empty, checked too."


def _listed(code: str, part: str, items: Iterable[str]) -> Iterator[str]:
    for number, one in enumerate(items, start=1):
        if number <= ITEMS_MAX:
            yield frame(code, f"{part} {number}", _cut(one, ITEM_CHARS_MAX))


def _draft(draft: Draft) -> str:
    lines = (
        f"place: {_where(draft)}",
        f"severity: {one_line(draft.severity, 20)}",
        f"says: {draft.text}",
        f"evidence: {draft.evidence or 'none given'}",
    )
    return "\n".join(lines)


def _where(draft: Draft) -> str:
    if draft.place is None:
        return "the work as a whole"
    lines = f":{draft.place.start}" if draft.place.start else ""
    return f"{shown_path(draft.place.path)}{lines}"


def _earlier(earlier: Earlier) -> str:
    said = "objects" if earlier.rebuttal else "answers"
    answer = f"the author {said}: {earlier.answer}" if earlier.answer else "the author has not answered"
    return f"{_draft(earlier.draft)}\nstands: {earlier.standing.value}\n{answer}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} characters more)"
