"""Detects the encoding of a text; whatever the encoding, each ASCII byte is read as the ASCII character it is.

Shells, databases and most compilers read bytes. In Shift-JIS, GBK and Big5 the second byte of a letter can be a `|`,
so decoding such letters could hide code that runs. Of such texts only the ASCII characters are read, and the result
says so.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

UTF_8 = "UTF-8"
#: A text with a few bad bytes or zeros is still read; with more it is no text.
BAD_SHARE_MAX = 0.05
BAD_MIN = 3
#: Most control characters besides tab, line end and the like; binary data is full of them.
CONTROL_SHARE_MAX = 0.01
#: Latin-alphabet languages have few accented letters; with more, the letters are of another alphabet.
ACCENTED_SHARE_MAX = 0.3
#: Share of zeros among the upper bytes of mostly ASCII text in a wide encoding without a byte order mark.
ZEROS_SHARE_MIN = 0.7
KANA_SHARE_MIN = 0.3

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
#: Bytes per letter, and which of them are zero for ASCII letters.
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
    #: The Python codec; empty if it is read byte by byte.
    codec: str = "utf-8"
    #: The byte order mark.
    mark: bytes = b""
    #: True if only its ASCII characters were read; replacement characters stand for the others.
    ascii_only: bool = False

    def encoded(self, text: str) -> bytes:
        """Encode another text in the same encoding."""
        return self.mark + text.encode(self.codec, "replace")


def written(content: bytes) -> Written | None:
    """Return the text of these bytes; None if they are no text."""
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
    """Return the text if each letter has two or four bytes, with or without a byte order mark."""
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
    """Read text in an encoding older than UTF-8; if UTF-8 letters are mixed in, they are kept as editors show them."""
    if _is_japanese(content, "euc_jp"):
        # Pairs of EUC-JP bytes often look like UTF-8 letters, but no hidden UTF-8 character looks like its letters.
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
    """True if it decodes as Japanese, which always has a good part of kana."""
    try:
        text = content.decode(codec)
    except UnicodeDecodeError:
        return False
    foreign = [one for one in text if one > "\x7f"]
    kana = sum("\u3040" <= one <= "\u30ff" for one in foreign)
    return bool(foreign) and kana >= len(foreign) * KANA_SHARE_MIN
