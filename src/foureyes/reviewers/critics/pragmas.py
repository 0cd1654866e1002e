"""Comments that mark a finding on their line as intended: the finding becomes a note, it is never dropped.

The spellings are those of common tools: detect-secrets, gitleaks, TruffleHog, GitGuardian, bandit, ruff, semgrep and
Sonar. A comment that names codes applies to these codes only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

#: Text that people read behind the evidence of a finding that such a comment turned into a note.
ALLOWED = "a comment on the line allows it"
_CHARS_MAX = 2_000

_SECRET_HERE = re.compile(
    r"pragma:\s{0,4}(?:allow|white)list[ -]secret|gitleaks:allow|trufflehog:ignore|ggignore|\bnosemgrep\b|\bNOSONAR\b",
    re.IGNORECASE,
)
_SECRET_BELOW = re.compile(r"pragma:\s{0,4}(?:allow|white)list[ -]nextline[ -]secret|ggignore-next-line", re.IGNORECASE)
_NOSEC = re.compile(r"#\s{0,4}nosec\b(?P<codes>[:\s]{0,4}(?:B[0-9]{3}[,\s]{0,4}){0,20})")
_NOQA = re.compile(r"#\s{0,4}noqa\b(?::\s{0,4}(?P<codes>(?:[A-Z]{1,6}[0-9]{1,6}[,\s]{0,4}){1,40}))?", re.IGNORECASE)
_CODE = re.compile(r"[A-Z]{1,6}[0-9]{1,6}", re.IGNORECASE)
#: The checks of bandit and ruff that look for passwords.
_PASSWORDS = frozenset({"B105", "B106", "B107", "S105", "S106", "S107"})


def allows_secret(lines: Sequence[str], line: int) -> bool:
    """True if a comment on this line, or a next-line comment above it, allows a secret; lines count from 1."""
    here, above = _line(lines, line), _line(lines, line - 1)
    if _SECRET_HERE.search(here) is not None or _SECRET_BELOW.search(above) is not None:
        return True
    return allows_check(here, _PASSWORDS, bare_noqa=False)


def allows_check(line: str, codes: Collection[str], *, bare_noqa: bool = True) -> bool:
    """True if a comment on the line allows one of these checks of bandit or ruff."""
    head = line[:_CHARS_MAX]
    if (nosec := _NOSEC.search(head)) is not None and _names(nosec["codes"], codes):
        return True
    noqa = _NOQA.search(head)
    return noqa is not None and (bool(noqa["codes"]) or bare_noqa) and _names(noqa["codes"] or "", codes)


def _names(written: str, codes: Collection[str]) -> bool:
    """True if one of the codes is named, or if no codes are named at all."""
    named = {one.upper() for one in _CODE.findall(written)}
    return not named or not named.isdisjoint(codes)


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1][:_CHARS_MAX] if 0 < number <= len(lines) else ""
