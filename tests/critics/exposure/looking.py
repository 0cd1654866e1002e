"""Helpers that run the critic on a text, and the notation of bad and good twins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import Hit, Judged
from foureyes.reviewers.critics.exposure import CRITIC
from foureyes.reviewers.critics.exposure.rules import PREFIX

FOLDER = Path(__file__).parent / "twins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """A bad file with the rules it breaks on each line, and a similar good one that breaks none of them."""

    path: str
    bad: str
    good: str
    expected: frozenset[tuple[int, str]]


def look(path: str, text: str | bytes) -> Judged:
    content = text.encode() if isinstance(text, str) else text
    file = File(path=path, content=content, changed=((1, content.count(b"\n") + 1),))
    return CRITIC.look(Change(title="work", kind="code", files=(file,)))


def named(hits: tuple[Hit, ...]) -> set[tuple[int, str]]:
    return {(one.line, one.rule.id.removeprefix(PREFIX)) for one in hits}


def met(path: str, text: str) -> set[str]:
    return {rule for _, rule in named(look(path, text).hits)}


def twins() -> Iterator[Twin]:
    """The twins of every file: `=== path`, the bad text with `#! rule` after its lines, `---`, the good text."""
    for source in sorted(FOLDER.glob("*.txt")):
        for part in source.read_text(encoding="utf-8").split("=== ")[1:]:
            path, _, rest = part.partition("\n")
            bad, _, good = rest.partition("\n---")
            text, expected = _read(bad + "\n")
            yield Twin(path=path, bad=text, good=good.partition("\n")[2], expected=frozenset(expected))


def _read(marked: str) -> tuple[str, list[tuple[int, str]]]:
    """The text without its marks, and each rule with its line; `rule@7` names another line."""
    lines, expected = [], []
    for number, line in enumerate(marked.split("\n"), 1):
        text, _, marks = line.partition(" #! ")
        lines.append(text)
        for mark in marks.split():
            rule, _, other = mark.partition("@")
            expected.append((int(other or number), rule))
    return "\n".join(lines), expected
