"""The critic of form: finds files that do not parse, merge conflicts, truncated text and leftovers."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from foureyes.app.encodings import UTF_8
from foureyes.app.reviewers import LINK_MODE, Change, File, Unread
from foureyes.reviewers.critics.critic import Hit, Judged, Rule, State, counted, judged
from foureyes.reviewers.critics.format import rules
from foureyes.reviewers.critics.format.leftovers import leftovers_in
from foureyes.reviewers.critics.format.parsing import Flaw, Unparsed, flaws_in
from foureyes.reviewers.critics.format.syntax import python_flaws
from foureyes.reviewers.critics.python.tools import parses
from foureyes.reviewers.critics.texts import has_conflict, is_prose, parsable, readable, shown, suffix

#: Only the beginning of a longer text is searched for leftovers; parsers have limits of their own.
LEFTOVERS_TEXT_MAX = 1_000_000
#: Files that may be empty.
_MAY_BE_EMPTY = frozenset({"__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll", ".npmignore", ".gitmodules"})
#: File types that contain text; bytes that are not UTF-8 are wrong there.
_TEXTS = frozenset(
    {
        *(".py", ".pyi", ".js", ".ts", ".jsx", ".tsx", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cpp", ".cs", ".rb"),
        *(".php", ".sh", ".bash", ".sql", ".json", ".yaml", ".yml", ".toml", ".xml", ".svg", ".csv", ".tsv", ".html"),
        *(".css", ".md", ".rst", ".txt", ".adoc", ".ini", ".cfg", ".tf", ".lua", ".swift", ".scala", ".env"),
    }
)
#: Kinds of work that consist of one text: an empty text is no answer.
_ONE_TEXT = frozenset({"text", "plan", "command"})


class Format:
    """The critic of form. It blocks on what cannot be parsed and on merge conflicts; all else is a note."""

    name = "format"
    scope = "format"
    rules: tuple[Rule, ...] = rules.RULES

    def look(self, change: Change) -> Judged:
        hits: list[Hit] = []
        unread: list[Unread] = []
        for file in change.files:
            try:
                hits.extend(_hit(flaw, file) for flaw in _flaws(file, change.kind))
            except Unparsed as error:
                unread.append(Unread(path=file.path, why=str(error)))
                hits.extend(_hit(flaw, file) for flaw in _leftovers(file, change.kind))
        broken, more = python_flaws(change)
        hits.extend(_hit(flaw, file) for file, flaw in broken if not has_conflict(file))
        unread.extend(more)
        if not change.files:
            hits.append(Hit(rule=rules.NOTHING, path="", state=State.CLEAR, severity="minor"))
        return judged(hits, unread=unread, looked_at=f"the form of {counted(len(change.files), 'file')}")


CRITIC = Format()


def _flaws(file: File, kind: str) -> Iterator[Flaw]:
    if file.content is None:
        return
    if file.mode == LINK_MODE:
        yield from _link(file.path, file.content.decode(errors="replace"))
        return
    if not file.content.strip():
        yield from _empty(file, kind)
        return
    said = file.written
    if said is None or said.encoding != UTF_8:
        is_text = file.text is not None or suffix(file.path) in _TEXTS
        words = f"The text is not valid UTF-8; it looks like {said.encoding}" if said else ""
        if is_text:
            yield Flaw(rule=rules.ENCODING, line=_bad_line(file.content), state=State.CLEAR, text=words)
    text = parsable(file)
    if text is not None and not has_conflict(file):
        yield from flaws_in(text, file.path)
    yield from _leftovers(file, kind)


def _link(path: str, target: str) -> Iterator[Flaw]:
    leads = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if leads.startswith(("/", "../")) or leads == "..":
        text = f"{rules.LINK_OUT.title}: to {shown(target)}"
        yield Flaw(rule=rules.LINK_OUT, line=1, state=State.CLEAR, text=text)


def _leftovers(file: File, kind: str) -> Iterator[Flaw]:
    text = readable(file)
    if text is not None and file.mode != LINK_MODE:
        found = leftovers_in(text[:LEFTOVERS_TEXT_MAX], file.path, prose=is_prose(file.path, kind))
        yield from _one_for_each_conflict(found, file)


def _one_for_each_conflict(flaws: Iterable[Flaw], file: File) -> Iterator[Flaw]:
    """Drop further markers of one conflict after the first that the change added."""
    is_told = False
    for flaw in flaws:
        if flaw.rule is rules.CONFLICT and flaw.state is State.BLOCK:
            if file.lines[flaw.line - 1].startswith("<"):
                is_told = False
            if is_told:
                continue
            is_told = file.is_changed(flaw.line)
        yield flaw


def _empty(file: File, kind: str) -> Iterator[Flaw]:
    if kind in _ONE_TEXT:
        yield Flaw(rule=rules.NOTHING, line=0)
    elif suffix(file.path) in (".json", ".xml"):
        yield from flaws_in(file.text or "", file.path)
    elif PurePosixPath(file.path).name not in _MAY_BE_EMPTY and suffix(file.path) in _TEXTS:
        yield Flaw(rule=rules.EMPTY, line=0, state=State.CLEAR)


def _bad_line(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return content.count(b"\n", 0, error.start) + 1
    return content.count(b"\n", 0, max(0, content.find(b"\0"))) + 1


def _hit(flaw: Flaw, file: File) -> Hit:
    line = min(flaw.line, max(1, len(file.lines)))
    text = flaw.text
    if flaw.state is State.BLOCK and line and not file.is_changed(line) and _is_new(flaw, file):
        # A parser reports where it notices the error; the cause may be on another line.
        line, text = 0, f"{text or flaw.rule.title} (noticed on line {line})"
    return Hit(
        rule=flaw.rule,
        path=file.path,
        line=line,
        state=flaw.state,
        text=text,
        evidence=text or flaw.rule.title,
        severity="" if flaw.state is State.BLOCK else "minor",
    )


def _is_new(flaw: Flaw, file: File) -> bool:
    """True if the file did not have this flaw at the base."""
    before = File(path=file.path, content=file.before)
    if flaw.rule is rules.CONFLICT or before.text is None:
        return flaw.rule is not rules.CONFLICT
    if flaw.rule is rules.PYTHON:
        return parses(before.text)
    try:
        return flaw.rule not in {one.rule for one in flaws_in(before.text, file.path)}
    except Unparsed:
        return True
