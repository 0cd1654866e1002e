"""Read a typed command: a line of shell, or a statement for a database."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.embedded.piece import Piece

#: Possessive and atomic groups, so that matching rows of comments takes linear time.
_COMMENTS = r"\s*+(?>(?:--[^\n]*+\n|/\*(?>.{0,4000}?\*/))\s*+)*+"
#: Beginnings of SQL statements that no shell command has.
_BEGINS = (
    r"(?:drop|grant|revoke|select|explain|pragma|vacuum|rollback|declare)\b",
    r"truncate\s+(?!-)",
    r"(?:delete\s+from|load\s+data|kill\s+(?:query|connection)|start\s+transaction)\b",
    r"update\s+\S+(?:\s+\w+){0,3}\s+set\b",
    r"(?:merge|insert|replace|upsert)\s+(?:\w+\s+)?into\b",
    r"(?:alter|create|copy|call|purge|detach|attach|reindex|reassign|lock|comment)\s+\w",
    r"with\s+(?:recursive\s+)?\w+\s*(?:\(|as\b)",
    r"execute\s+\S|exec\s+[\w.\[\]]{0,200}(?:sp|xp)_",
    r"begin\s*(?:;|tran|work)",
    r"use\s+[\w.`\"\[\]]+\s*;",
    r"set\s+\w[\w.@ ]{0,80}(?:=|\bto\b)",
    r"do\s+\$",
    r"shutdown\s*;",
)
_STATEMENT = re.compile(f"{_COMMENTS}(?:{'|'.join(_BEGINS)})", re.IGNORECASE | re.DOTALL)


def typed(_path: str, text: str) -> Iterator[Piece]:
    """Yield the text as shell, and also as SQL if it begins like a statement: it is unknown what will run it."""
    yield Piece(text=text)
    if _STATEMENT.match(text):
        yield Piece(text=text, language="sql")
