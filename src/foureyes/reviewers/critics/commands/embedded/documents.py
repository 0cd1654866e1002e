"""Extract commands from Markdown, SQL files and agent output, and tell examples from what will be run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from foureyes.app.looks import kind_of
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.embedded.settings import keyed
from foureyes.reviewers.critics.commands.embedded.typed import typed
from foureyes.reviewers.critics.texts import texts_in

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*\{?\.?([\w+-]*)")
_SHELL = frozenset(
    ("sh", "bash", "shell", "zsh", "console", "terminal", "shell-session", "shellsession", "fish", "ksh")
)
_SESSIONS = frozenset(("console", "terminal", "shell-session", "shellsession"))
_PROMPT = re.compile(r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.@~:/-]*[$#%\u276f]|>)\s+(.*)$")
_SQL = frozenset(("sql", "postgresql", "mysql", "psql", "plpgsql", "sqlite", "tsql"))
#: Fence languages that do not say what the lines are, like a fence without a language.
_PLAIN = frozenset(("", "text", "txt", "plain", "plaintext"))
#: A line that consists of inline code only, possibly as a list item.
_CODE = re.compile(r"^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)?`([^`]+)`\s*$")
_WAY_BACK = re.compile(
    r"^\s*--\s*(?:\+goose\s+down|\+migrate\s+down|migrate:down|@down|\+\+\+\s*down|rollback)\b", re.IGNORECASE
)
_DOWN_NAME = re.compile(r"(?:^|[._/-])(?:down|rollback|undo|revert)(?:[._/-]|$)", re.IGNORECASE)


def markdown(_path: str, text: str) -> Iterator[Piece]:
    """Yield fenced examples as notes: people read them, no machine runs them."""
    yield from _fenced(text, note=True)


def output(path: str, text: str) -> Iterator[Piece]:
    """Yield the commands an agent would have run: nothing in its output is an example; any line may be a command."""
    if kind_of(text.encode(errors="replace")) == "command":
        yield from typed(path, text)
        return
    yield from _fenced(text, note=False)
    fence = language = ""
    for number, line in enumerate(text.split("\n"), 1):
        met = _FENCE.match(line)
        if met and not fence:
            fence, language = met.group(1), met.group(2).lower()
        elif met and met.group(1).startswith(fence) and not met.group(2):
            fence = language = ""
        elif language in _PLAIN:
            said = _CODE.sub(r"\1", line).strip().removeprefix("$ ")
            if kind_of(said.encode(errors="replace")) == "command":
                yield from (replace(one, line=number, certain=True) for one in typed(path, said))


def output_json(path: str, text: str) -> Iterator[Piece]:
    """Yield the commands of an agent's output in JSON: values under known command keys, and all other texts."""
    started = list(keyed(path, text))
    yield from started
    known = {one.text for one in started}
    for value in texts_in(text):
        if value not in known:
            yield from (replace(one, line=1, pinned=True, certain=True) for one in output(path, value))


def markdown_of(kind: str) -> Callable[[str, str], Iterator[Piece]]:
    """Return a reader for text of this kind; in a plan, the fenced commands are what will be run."""

    def read(_path: str, text: str) -> Iterator[Piece]:
        yield from _fenced(text, note=kind != "plan")

    return read


def _fenced(text: str, *, note: bool) -> Iterator[Piece]:
    fence = language = ""
    body: list[str] = []
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        met = _FENCE.match(line)
        if not fence and met:
            fence, language, body, first = met.group(1), met.group(2).lower(), [], number + 1
        elif fence and met and met.group(1).startswith(fence) and not met.group(2):
            yield from _block(language, body, first, note=note)
            fence = ""
        elif fence:
            body.append(line)
    if fence:
        yield from _block(language, body, first, note=note)


def _block(language: str, body: list[str], first: int, *, note: bool) -> Iterator[Piece]:
    if language in _SQL:
        yield Piece(text="\n".join(body), line=first, language="sql", note=note)
    elif language in _SHELL:
        prompts = [_PROMPT.match(line) for line in body]
        if language in _SESSIONS or any(prompts):
            body = [met.group(1) if met else "" for met in prompts]
        yield Piece(text="\n".join(body), line=first, note=note)


def sql_file(path: str, text: str) -> Iterator[Piece]:
    """Yield the statements of a file; the down part of a migration is a note, it deletes what the up part created."""
    if _DOWN_NAME.search(path.rpartition("/")[2]):
        yield Piece(text=text, language="sql", note=True)
        return
    lines = text.split("\n")
    back = next((at for at, line in enumerate(lines) if _WAY_BACK.match(line)), len(lines))
    yield Piece(text="\n".join(lines[:back]), language="sql")
    if back < len(lines):
        yield Piece(text="\n".join(lines[back:]), line=back + 1, language="sql", note=True)
