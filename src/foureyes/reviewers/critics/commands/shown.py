"""Format a command for people, with secrets cut out."""

from __future__ import annotations

import re

from foureyes.reviewers.critics.commands.model import without_marks

SHOWN_CHARS_MAX = 160
_CUT = "***"
_URL_LOGIN = re.compile(r"(\w{2,20}://)[^/@\s]{1,200}@")
_NAMED = re.compile(
    r"(?i)^(-{0,2}[\w.-]{0,60}(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key|auth|credential)[\w.-]{0,60}[=:])(.+)$",
    re.DOTALL,
)
_OPTION = re.compile(r"(?i)^--?[\w-]{0,60}(?:password|passwd|token|secret|key|auth|credential)[\w-]{0,60}$")
_HEADER = re.compile(r"(?i)^((?:authorization|x-[\w-]*(?:key|token)|cookie|private-token)\s*:).*$", re.DOTALL)
_DENSE = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9+/_=-]{24,}")
_MYSQL = re.compile(r"^-p.+")


def shown(argv: tuple[str, ...]) -> str:
    """Return the command as people read it: short, and without passwords, tokens and keys."""
    words = [without_marks(word)[: SHOWN_CHARS_MAX * 2] for word in argv[:60]]
    made: list[str] = []
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        made.append(_CUT if at and _OPTION.match(before) and not word.startswith("-") else _clean(word, words[0]))
    text = " ".join(" ".join(one.split()) for one in made)
    return text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + "…"


def _clean(word: str, program: str) -> str:
    if program in ("mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass") and _MYSQL.match(word):
        return "-p" + _CUT
    word = _NAMED.sub(lambda met: met.group(1) + _CUT, word)
    word = _HEADER.sub(lambda met: met.group(1) + " " + _CUT, word)
    word = _URL_LOGIN.sub(lambda met: met.group(1) + _CUT + "@", word)
    return _DENSE.sub(_CUT, word) if "/" not in word else word
