"""Blank out code and comments in a text, keeping positions and line breaks."""

from __future__ import annotations

import re

_NEXT = re.compile(r"<!--|^ {0,3}(?:`{3,}|~{3,})|`+", re.MULTILINE)
_NOT_LINE_FEED = re.compile(r"[^\n]+")
INLINE_MAX = 500
FENCE_MIN = 3


def bare(text: str, *, inline: bool = True) -> str:
    """Return the text without fenced code, comments and, with `inline`, code within a line; in one pass."""
    parts: list[str] = []
    done = 0
    while (match := _NEXT.search(text, done)) is not None:
        end = _end(text, match, inline=inline)
        if end <= match.end():  # nothing is opened here
            parts.append(text[done : match.end()])
            done = match.end()
            continue
        parts.append(text[done : match.start()])
        parts.append(_NOT_LINE_FEED.sub(lambda found: " " * len(found.group()), text[match.start() : end]))
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _end(text: str, match: re.Match[str], *, inline: bool) -> int:
    """Return the end of what begins here; an unclosed block extends to the end of the text."""
    opened = match.group().strip(" ")
    if opened == "<!--":
        found = text.find("-->", match.end())
        return len(text) if found < 0 else found + 3
    if len(opened) >= FENCE_MIN and (match.start() == 0 or text[match.start() - 1] == "\n"):
        found = text.find(f"\n{opened}", match.end())
        if found < 0:
            return len(text)
        line_end = text.find("\n", found + 1)
        return len(text) if line_end < 0 else line_end
    if not inline:
        return match.end()
    line_end = text.find("\n", match.end(), match.end() + INLINE_MAX)
    found = text.find(opened, match.end(), line_end if line_end >= 0 else match.end() + INLINE_MAX)
    return match.end() if found < 0 else found + len(opened)
