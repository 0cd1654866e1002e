"""Remove shell quotes and escapes, and expand braces."""

from __future__ import annotations

import re

#: Marks for unquoted braces and commas that the shell may still expand; replaced once words are complete.
OPEN, COMMA, CLOSE = "\x01", "\x02", "\x03"
_TO_MARKS = str.maketrans({"{": OPEN, ",": COMMA, "}": CLOSE})
_FROM_MARKS = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})
EXPANSIONS_MAX = 64

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_RANGE = re.compile(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])$")
RANGE_MAX = 16
LAST_CODE_POINT = 0x10FFFF


def bare(text: str) -> str:
    """Return an unquoted word without backslashes; braces and commas that may still expand become marks."""
    if "\\" not in text:
        return text.translate(_TO_MARKS)
    made: list[str] = []
    at = 0
    while at < len(text):
        one = text[at]
        if one == "\\" and at + 1 < len(text):
            made.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
            continue
        made.append(one.translate(_TO_MARKS))
        at += 1
    return "".join(made)


def in_double_quotes(text: str) -> str:
    return re.sub(r'\\([$`"\\])|\\\n', lambda met: met.group(1) or "", text)


def ansi(text: str) -> str:
    """Decode the escapes of $'…', which `printf` and `echo -e` use too."""
    return _ESCAPE.sub(_unescape, text)


def _unescape(met: re.Match[str]) -> str:
    for group in (1, 2, 3):
        if met.group(group):
            return _character(int(met.group(group), 16))
    if met.group(4):
        return _character(int(met.group(4), 8) & 0xFF)
    if met.group(5):
        return _character(ord(met.group(5)) & 0x1F)
    return _NAMED.get(met.group(6), met.group(6))


def _character(code: int) -> str:
    return chr(code) if 0 < code <= LAST_CODE_POINT else ""


def braces(word: str) -> list[str]:
    """Expand `{a,b}` and `{1..3}`; groups beyond the limit are not expanded."""
    if CLOSE not in word:
        return [word.translate(_FROM_MARKS)] if OPEN in word or COMMA in word else [word]
    done: list[str] = []
    waiting = [word]
    while waiting and len(done) + len(waiting) < EXPANSIONS_MAX:
        one = waiting.pop(0)
        parts = _innermost(one)
        if parts is None:
            done.append(one)
        else:
            waiting = parts + waiting
    return [one.translate(_FROM_MARKS) for one in done + waiting]


def _innermost(word: str) -> list[str] | None:
    """Expand the first brace group that contains no other; None if there is nothing left to expand."""
    close = word.find(CLOSE)
    while close >= 0:
        opening = word.rfind(OPEN, 0, close)
        if opening < 0:
            return None
        inside = word[opening + 1 : close]
        options = inside.split(COMMA) if COMMA in inside else _range(inside)
        if options:
            return [word[:opening] + one + word[close + 1 :] for one in options]
        word_left = word[:opening] + "{" + inside + "}" + word[close + 1 :]
        return [word_left]
    return None


def _range(inside: str) -> list[str]:
    met = _RANGE.match(inside)
    if not met:
        return []
    first, last = met.groups()
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = sorted((int(first), int(last)))
        return [str(one) for one in range(low, min(high, low + RANGE_MAX) + 1)]
    low, high = sorted((ord(first), ord(last)))
    return [chr(one) for one in range(low, min(high, low + RANGE_MAX) + 1)]
