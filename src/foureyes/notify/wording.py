"""Makes text safe to post in chats: no mentions, no hidden links, no control characters, bounded length.

What agents wrote is never trusted: a mention would notify a whole channel, a link could show one address and lead to
another. Each is broken by a zero-width character, so that it still reads as it was written.
"""

from __future__ import annotations

import re
import unicodedata

#: A zero-width character that belongs to no word: it ends mentions and links.
BREAK = "\u200b"
CUT = "…"
#: A mention of Discord, Telegram or Slack; `<` opens those that are written by number.
_CALLS = re.compile(r"@(?=\w)|<(?=[@#!&:/a-z])", re.IGNORECASE)
#: A link with a text of its own, an address, a spoiler, and a code fence, which would swallow the lines behind it.
_HIDES = re.compile(r"\](?=\()|:(?=//)|\|(?=\|)|`(?=``)")
_KEPT = frozenset("\n\t")


def safe(text: str) -> str:
    """Return the text with mentions, hidden links and control characters disarmed."""
    shown = "".join(one for one in text.replace("\r\n", "\n").replace("\r", "\n") if _is_shown(one))
    return _HIDES.sub(lambda found: found[0] + BREAK, _CALLS.sub(lambda found: found[0] + BREAK, shown))


def line(text: str, units_max: int = 200) -> str:
    """Return the text made safe and joined into one line."""
    return cut(" ".join(safe(text).split()), units_max)


def cut(text: str, units_max: int) -> str:
    """Cut text to this many units as chats count them: a character beyond the basic plane is two."""
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
    """Return the length of the text as chats count it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _is_shown(one: str) -> bool:
    """True unless it is a control character or an invisible one that changes how others are read."""
    return one in _KEPT or unicodedata.category(one) not in ("Cc", "Cf", "Cs", "Co", "Cn")
