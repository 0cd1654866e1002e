"""Build HTML in which every string is escaped unless it is markup made here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape
from typing import TypeAlias

from foureyes.app.plain import marked

#: A character that is shown as its number takes at most this many characters.
_MARK_CHARS_MAX = 10
_VOID = frozenset({"input", "link", "meta", "br"})


class Html(str):
    """Markup made by this module, which is not escaped again."""

    __slots__ = ()


Child: TypeAlias = "str | Html | None"
Attribute: TypeAlias = "str | bool | None"


def element(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element; its children are escaped unless they are `Html`. `class_` and `for_` are written without _."""
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{said}>")
    return Html(f"<{name}{said}>{together(*children)}</{name}>")


def together(*children: Child) -> Html:
    """Several pieces joined into one."""
    return Html("".join(text(one) for one in children if one is not None))


def text(words: str) -> Html:
    """Text of any origin: escaped, with hidden and control characters shown as marks; line breaks are kept."""
    if isinstance(words, Html):
        return words
    lines = words.replace("\r\n", "\n").split("\n")
    shown = "\n".join(marked(one, _MARK_CHARS_MAX * (len(one) + 1)) for one in lines)
    return Html(escape(shown))


def prose(sentence: str) -> Html:
    """A sentence for people; words between backticks become code to type."""
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:
        return text(sentence)
    return together(*(element("code", one) if number % 2 else one for number, one in enumerate(pieces)))


def when(at: datetime, now: datetime) -> Html:
    """A time in words: relative to now, and exact."""
    exactly = f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return element("time", f"{_away(at - now)} ({exactly})", datetime=at.astimezone(UTC).isoformat())


def _away(distance: timedelta) -> str:
    seconds = abs(distance.total_seconds())
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            number = round(seconds / length)
            words = f"{number} {unit}{'' if number == 1 else 's'}"
            return f"in {words}" if distance > timedelta() else f"{words} ago"
    return "in a moment" if distance > timedelta() else "just now"


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{escape(value)}"'
