"""Which names of files can be part of a work, and how is one that cannot be shown to people?"""

from __future__ import annotations

import re

from foureyes.app.work import NAME_CHARS_MAX

SHOWN_CHARS_MAX = 300
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]").search


def shown(name: bytes) -> str:
    """A name for people: what could steer a terminal or hide is written as an escape, and it ends somewhere."""
    text = name.decode(errors="backslashreplace")
    plain = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return plain if len(plain) <= SHOWN_CHARS_MAX else plain[: SHOWN_CHARS_MAX - 1] + "…"


def plain(text: str, most: int) -> str:
    """One line of somebody else's words, for a title."""
    words = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return words if len(words) <= most else words[: most - 1] + "…"


def why_not(name: bytes) -> str:
    """Why a file of this name cannot be part of a work; empty where it can."""
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
    """Whether some system takes this for git's own folder: capitals, characters nobody sees, the short name."""
    folded = "".join(one for one in step if one.isprintable()).casefold().rstrip(". ")
    return folded in (".git", "git~1")
