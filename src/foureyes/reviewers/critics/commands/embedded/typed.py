"""What is a command that somebody would type: a line of shell, or a statement for a database?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.embedded.piece import Piece

#: Nothing here is tried twice, so that no row of comments takes longer than it is long.
_COMMENTS = r"\s*+(?>(?:--[^\n]*+\n|/\*(?>.{0,4000}?\*/))\s*+)*+"
#: How a statement begins and no shell command does.
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
    """Nobody said who will run it, so it is read as both where it begins like a statement."""
    yield Piece(text=text)
    if _STATEMENT.match(text):
        yield Piece(text=text, language="sql")
