"""Detects the encoding of a text; whatever the encoding, each ASCII byte is read as the ASCII character it is.

Shells, databases and most compilers read bytes. In Shift-JIS, GBK and Big5 the second byte of a letter can be a `|`,
so decoding such letters could hide code that runs. Of such texts only the ASCII characters are read, and the result
says so.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

UTF_8 = "UTF-8"
#: Of a text with a few bad bytes or zeros the rest is still read; with more it is no text.
BAD_SHARE_MAX = 0.05
BAD_MIN = 3
#: Control characters beside tab, line end and the like; data is full of them.
CONTROL_SHARE_MAX = 0.01
#: In languages of the Latin alphabet accented letters are few; with more, the letters are others.
ACCENTED_SHARE_MAX = 0.3
#: In a wide encoding without its mark, so many of the upper bytes of mostly ASCII text are zero.
ZEROS_SHARE_MIN = 0.7
KANA_SHARE_MIN = 0.3

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
#: How wide a letter is, and at which of its bytes ASCII letters have zeros.
_WIDE = (
    (4, (1, 2, 3), "utf-32-le", "UTF-32"),
    (4, (0, 1, 2), "utf-32-be", "UTF-32"),
    (2, (1,), "utf-16-le", "UTF-16"),
    (2, (0,), "utf-16-be", "UTF-16"),
)
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\r\f\b\x1b"))
_LETTERS = bytes((*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)))
_HIGH = bytes(range(128, 256))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text as it was read, and the encoding it is written in, in words."""

    text: str
    encoding: str = UTF_8
    #: The name Python has for it; empty where it is read byte by byte.
    codec: str = "utf-8"
    #: What it begins with, before its first letter.
    mark: bytes = b""
    #: Whether only its ASCII characters were read; in place of the others stand replacement characters.
    ascii_only: bool = False

    def encoded(self, text: str) -> bytes:
        """Another text in the same encoding."""
        return self.mark + text.encode(self.codec, "replace")


def written(content: bytes) -> Written | None:
    """The text that these bytes are; None where they are none."""
    if found := wide(content):
        return found
    zeros = content.count(0)
    if not zeros:
        try:
            return Written(text=content.decode())
        except UnicodeDecodeError:
            pass
    text = content.decode(errors="replace")
    bad = text.count("\ufffd")
    own = len(text) - bad - len(content.translate(None, _HIGH))
    few = bad + zeros <= max(BAD_MIN, len(text) * BAD_SHARE_MAX)
    if few and (zeros or own):
        return Written(text=text, encoding="UTF-8 with bad bytes")
    if zeros or len(content) - len(content.translate(None, _CONTROLS)) > len(content) * CONTROL_SHARE_MAX:
        return None
    return _narrow(content, text, is_mixed=own > 0)


def wide(content: bytes) -> Written | None:
    """The text where each letter has two or four bytes, with the mark that says so or without."""
    for mark, codec, name in _MARKS:
        if content.startswith(mark):
            text = content[len(mark) :].decode(codec, errors="replace")
            return Written(text=text, encoding=name, codec=codec, mark=mark)
    if b"\0" not in content:
        return None
    for width, zeros, codec, name in _WIDE:
        letters = len(content) // width
        uppers = [content[at::width].count(0) for at in range(width)]
        if not letters or any(uppers[at] < letters * ZEROS_SHARE_MIN for at in zeros):
            continue
        text = content.decode(codec, errors="replace")
        odd = text.count("\ufffd") + sum(text.count(chr(one)) for one in _CONTROLS)
        if odd <= letters * CONTROL_SHARE_MAX + len(content) % width:
            return Written(text=text, encoding=name, codec=codec)
    return None


def _narrow(content: bytes, text: str, *, is_mixed: bool) -> Written:
    """A text of an encoding from before UTF-8; with letters of UTF-8 among them, these are what editors show."""
    if _is_japanese(content, "euc_jp"):
        # Pairs of its bytes often pass for letters of UTF-8, and no hidden character of UTF-8 for its letters.
        return Written(text=content.decode("ascii", errors="replace"), encoding="EUC-JP", ascii_only=True)
    if _is_japanese(content, "cp932"):
        return Written(text=text, encoding="Shift-JIS", ascii_only=True)
    high = len(content) - len(content.translate(None, _HIGH))
    letters = high + len(content) - len(content.translate(None, _LETTERS))
    if is_mixed or high > letters * ACCENTED_SHARE_MAX:
        return Written(text=text, encoding="neither UTF-8 nor Latin-1", ascii_only=True)
    try:
        western = content.decode("cp1252")
    except UnicodeDecodeError:
        return Written(text=content.decode("latin-1"), encoding="Latin-1", codec="latin-1")
    name = "Latin-1" if western == content.decode("latin-1") else "Windows-1252"
    return Written(text=western, encoding=name, codec="cp1252")


def _is_japanese(content: bytes, codec: str) -> bool:
    """Whether it reads as Japanese, of which a good part is always kana."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return False
    foreign = [one for one in text if one > "\x7f"]
    kana = sum("\u3040" <= one <= "\u30ff" for one in foreign)
    return bool(foreign) and kana >= len(foreign) * KANA_SHARE_MIN
