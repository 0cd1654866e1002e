"""Checks which file names can be part of a work, and escapes names for display."""

from __future__ import annotations

import re

from foureyes.app.work import NAME_CHARS_MAX

SHOWN_CHARS_MAX = 300
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]").search


def shown(name: bytes) -> str:
    """Return a name for display, shortened; characters that could steer a terminal or hide are escaped."""
    text = name.decode(errors="backslashreplace")
    plain = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return plain if len(plain) <= SHOWN_CHARS_MAX else plain[: SHOWN_CHARS_MAX - 1] + "…"


def plain(text: str, most: int) -> str:
    """Return text from outside as one line of printable characters, for a title."""
    words = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return words if len(words) <= most else words[: most - 1] + "…"


def why_not(name: bytes) -> str:
    """Return why a file of this name cannot be part of a work; empty if it can."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "its name is not UTF-8"
    if _UNSAFE(text):
        return "its name contains control characters"
    if "\\" in text:
        return "its name contains a backslash"
    if len(text) > NAME_CHARS_MAX:
        return f"its name is longer than {NAME_CHARS_MAX} characters"
    if any(step in ("", ".", "..") or is_git(step) for step in text.split("/")):
        return "its name leads out of the work or into git's own folder"
    return ""


def is_git(step: str) -> bool:
    """True if any system takes this for git's own folder: other case, invisible characters, the Windows short name."""
    folded = "".join(one for one in step if one.isprintable()).casefold().rstrip(". ")
    return folded in (".git", "git~1")
