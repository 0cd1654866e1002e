"""How is a text made fit for a chat? Nobody is called by it, nothing hides in it, and it has an end.

What agents wrote is never trusted: a mention would wake a whole channel, a link could say one thing and lead to
another. Each is broken by a character of no width, so that it is still read as it was written.
"""

from __future__ import annotations

import re
import unicodedata

#: Of no width, and no part of a word: behind it nothing is a mention or a link any more.
BREAK = "\u200b"
CUT = "…"
#: A mention of Discord, Telegram or Slack; `<` opens those that are written by number.
_CALLS = re.compile(r"@(?=\w)|<(?=[@#!&:/a-z])", re.IGNORECASE)
#: A link with a text of its own, an address, a spoiler, and what would swallow the lines behind it.
_HIDES = re.compile(r"\](?=\()|:(?=//)|\|(?=\|)|`(?=``)")
_KEPT = frozenset("\n\t")


def safe(text: str) -> str:
    """The text without anything that calls somebody, hides something or steers a terminal."""
    shown = "".join(one for one in text.replace("\r\n", "\n").replace("\r", "\n") if _is_shown(one))
    return _HIDES.sub(lambda found: found[0] + BREAK, _CALLS.sub(lambda found: found[0] + BREAK, shown))


def line(text: str, units_max: int = 200) -> str:
    """The same on one line."""
    return cut(" ".join(safe(text).split()), units_max)


def cut(text: str, units_max: int) -> str:
    """At most so many units as chats count them: a character beyond the basic plane is two."""
    if units(text) <= units_max:
        return text
    room, kept = units_max - len(CUT), list[str]()
    for one in text:
        room -= units(one)
        if room < 0:
            break
        kept.append(one)
    return "".join(kept) + CUT


def units(text: str) -> int:
    """How long a chat says that it is."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_shown(one: str) -> bool:
    """Neither a control character nor one that has no shape and changes how others are read."""
    return one in _KEPT or unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn")
