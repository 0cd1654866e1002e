"""Split shell text that the parser could not read into commands, by the simplest rules of the shell."""

from __future__ import annotations

import re
from collections.abc import Callable

from foureyes.reviewers.critics.commands import quoting
from foureyes.reviewers.critics.commands.model import HOLE, words

TEXT_CHARS_MAX = 20_000
COMMANDS_MAX = 200
_PART = re.compile(
    r"(?P<end>[\n;&|()]+)|(?P<space>[ \t]+)|(?P<comment>(?<![^\s])#[^\n]*)"
    r"|(?P<redirect>\d?[<>]+&?\d?)"
    r"|\$'(?P<ansi>(?:[^'\\]|\\.)*)'|'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\""
    r"|\$\{?(?P<variable>[A-Za-z_]\w*|[0-9@*#?])\}?|(?P<bare>(?:\\.|[^\s;&|()<>'\"$\\])+)|(?P<other>.)",
    re.DOTALL,
)
_NAME = re.compile(r"\$\{?([A-Za-z_]\w*)")
_KEYWORDS = words("if then else elif fi do done while until for case esac in { } ! [[ ]] function select time")


def names(text: str) -> list[str]:
    """Return the variables that a stretch of shell text mentions."""
    return _NAME.findall(text)


def commands(text: str, lookup: Callable[[str], str | None]) -> list[tuple[int, tuple[str, ...]]]:
    """Return row and words of each command, with quotes removed and known variables filled in."""
    found: list[tuple[int, tuple[str, ...]]] = []
    words: list[str] = []
    word: str | None = None
    row = first = 0
    for met in _PART.finditer(text[:TEXT_CHARS_MAX]):
        if not words and word is None:
            first = row
        row += met.group(0).count("\n")
        if met.group("space") or met.group("comment") or met.group("redirect"):
            words, word = _closed(words, word), None
        elif met.group("end"):
            _keep(found, first, _closed(words, word))
            words, word = [], None
        else:
            word = (word or "") + _meaning(met, lookup)
    _keep(found, first, _closed(words, word))
    return found[:COMMANDS_MAX]


def _closed(words: list[str], word: str | None) -> list[str]:
    return words if word is None else [*words, *quoting.braces(word)]


def _keep(found: list[tuple[int, tuple[str, ...]]], row: int, words: list[str]) -> None:
    while words and words[0] in _KEYWORDS:
        words = words[1:]
    if words:
        found.append((row, tuple(words)))


def _meaning(met: re.Match[str], lookup: Callable[[str], str | None]) -> str:
    if met.group("variable") is not None:
        value = lookup(met.group("variable"))
        return HOLE if value is None else value
    if met.group("ansi") is not None:
        return quoting.ansi(met.group("ansi"))
    if met.group("single") is not None:
        return met.group("single")
    if met.group("double") is not None:
        return _NAME.sub(HOLE, quoting.in_double_quotes(met.group("double")))
    return quoting.bare(met.group("bare") or met.group("other") or "")
