"""A scanner for comments and strings in languages where that needs no grammar."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.proofs.layout import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """Where the comments are, and every string as it is written."""

    comments: tuple[Span, ...]
    strings: tuple[str, ...]


def scan(text: str, *, long_strings: tuple[tuple[str, bool], ...], has_only_division: bool) -> Scan | None:
    """Find comments and strings; None if the text cannot be read for certain without a grammar."""
    comments, strings, at = list[Span](), list[str](), 0
    while at < len(text):
        end = _end_of_comment(text, at)
        if end > at:
            comments.append((at, end))
        elif end == at:
            end = _end_of_string(text, at, long_strings)
            if end > at:
                strings.append(text[at:end])
        if end < at or (text[at] == "/" and end == at and not has_only_division):
            return None
        at = max(end, at + 1)
    return Scan(comments=tuple(comments), strings=tuple(strings))


def _end_of_comment(text: str, at: int) -> int:
    """Return where the comment that begins here ends; `at` if there is none, -1 if it has no end."""
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return -1 if end < 0 else end + 2
    return at


def _end_of_string(text: str, at: int, long_strings: tuple[tuple[str, bool], ...]) -> int:
    """Return where the string that begins here ends; `at` if there is none, -1 if it has no end."""
    for mark, escapes in long_strings:
        if text.startswith(mark, at):
            return _closed(text, at + len(mark), mark, escapes=escapes, stop="")
    if text[at] == "`":
        return -1
    return _closed(text, at + 1, text[at], escapes=True, stop="\n") if text[at] in "\"'" else at


def _closed(text: str, at: int, mark: str, *, escapes: bool, stop: str) -> int:
    while at < len(text) and text[at] != stop:
        if text.startswith(mark, at):
            return at + len(mark)
        if escapes and text[at] == "\\":
            if text[at + 1 : at + 2] == stop:
                return -1
            at += 1
        at += 1
    return -1
