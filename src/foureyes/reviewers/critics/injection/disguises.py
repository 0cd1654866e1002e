"""Decode disguised text: encodings, spaced letters, pig latin, rot13, reversed words and leetspeak.

A decoded text counts only if it reads like a sentence, and the number of attempts is limited. The result is scored by
the same model of traits as any other sentence.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

BLOBS_MAX = 50_000
WORDS_MIN = 3
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,4000}={0,2}")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){14,2000}(?![0-9a-fA-F])")
_ESCAPES = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[0-7]{3}){10,1000}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}){10,1000}")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};[ ]?){10,1000}")
_BINARY = re.compile(r"(?<![01])[01]{8}(?:[ ,]{0,2}[01]{8}){9,1000}(?![01])")
_MORSE = re.compile(r"(?<![.\-\w])[.-]{1,6}(?:[ ]{1,2}(?:[/|][ ]{1,2})?[.-]{1,6}){11,1000}(?![.\-\w])")
_SPACED = re.compile(r"(?<![^\W_])[a-z](?:[ ._*|~-]{1,3}[a-z]){7,200}(?![^\W_])")
_PIG = re.compile(r"\b[a-z']{1,20}ay\b(?:[ ,.]+[a-z']{1,20}ay\b){3,40}")
#: Letters of leetspeak and the signs that replace them, for words that give orders.
_LEET = {"a": "a4@", "e": "e3", "i": "i1!|", "o": "o0", "s": "s5$", "t": "t7+", "g": "g9", "l": "l1|", "b": "b8"}
_TELLING = (
    "ignore",
    "disregard",
    "instruction",
    "approve",
    "previous",
    "prompt",
    "reveal",
    "password",
    "reviewer",
    "verdict",
)
_LEET_WORDS = re.compile("|".join("".join(f"[{re.escape(_LEET.get(one, one))}]" for one in word) for word in _TELLING))
_UNLEET = str.maketrans({sign: letter for letter, signs in reversed(_LEET.items()) for sign in signs[1:]})
#: The same words in rot13, and reversed.
_ROTATED = tuple(codecs.encode(word, "rot13") for word in _TELLING)
_REVERSED = tuple(word[::-1] for word in _TELLING)
SENTENCE_SIDE_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguised:
    """A stretch of a text and what it says when decoded."""

    position: int
    how: str
    plain: str
    #: True if nobody writes like this by chance, so that a person should look whatever it says.
    certain: bool = False


def disguised_in(text: str, lowered: str) -> Iterator[Disguised]:
    """Yield everything in a text that says something else once decoded."""
    for how, pattern, decode in _ENCODINGS:
        for match in islice(pattern.finditer(text), BLOBS_MAX):
            plain = decode(match.group())
            if plain is not None and _reads_like_words(plain):
                yield Disguised(position=match.start(), how=how, plain=plain.lower())
    yield from _spelled(lowered)
    yield from _letters_changed(lowered)


def _spelled(lowered: str) -> Iterator[Disguised]:
    for match in islice(_SPACED.finditer(lowered), BLOBS_MAX):
        words = re.split(r"[ ]{2,}|[|]", match.group())
        plain = " ".join(re.sub(r"[^a-z]", "", word) for word in words)
        yield Disguised(position=match.start(), how="letters spaced out", plain=plain)
        if len(words) == 1:
            yield Disguised(position=match.start(), how="letters spaced out", plain=_parted(plain))
    for match in islice(_PIG.finditer(lowered), BLOBS_MAX):
        words = re.findall(r"[a-z']+", match.group())
        if sum(word.endswith("day") for word in words) * 2 > len(words):  # the days of the week
            continue
        plain = " ".join(map(_unpig, words))
        yield Disguised(position=match.start(), how="pig latin", plain=plain, certain=True)


def _letters_changed(lowered: str) -> Iterator[Disguised]:
    for how, words, undo in (
        ("turned by thirteen letters", _ROTATED, lambda part: codecs.decode(part, "rot13")),
        ("written backwards", _REVERSED, lambda part: part[::-1]),
    ):
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                yield Disguised(position=at, how=how, plain=undo(_around(lowered, at)))
                at = lowered.find(word, at + SENTENCE_SIDE_MAX)
    for match in islice(_LEET_WORDS.finditer(lowered), BLOBS_MAX):
        if not match.group().isalpha():
            part = _around(lowered, match.start())
            yield Disguised(position=match.start(), how="digits for letters", plain=part.translate(_UNLEET))


def _around(text: str, at: int) -> str:
    start = max(text.rfind("\n", max(0, at - SENTENCE_SIDE_MAX), at) + 1, at - SENTENCE_SIDE_MAX, 0)
    end = text.find("\n", at, at + SENTENCE_SIDE_MAX)
    return text[start : end if end >= 0 else at + SENTENCE_SIDE_MAX]


def _parted(letters: str) -> str:
    """Insert spaces around the words of interest in a run of letters."""
    known = (*_TELLING, "all", "above", "instructions", "your", "the", "this", "code", "change", "rules", "system")
    for word in sorted(known, key=len, reverse=True):
        letters = letters.replace(word, f" {word} ")
    return letters.replace(" instruction s", " instructions")


def _unpig(word: str) -> str:
    stem = word.removesuffix("ay").removesuffix("w").removesuffix("y") if word.endswith(("way", "yay")) else word[:-2]
    match = re.search(r"[^aeiou]+$", stem)
    if word.endswith(("way", "yay")) or match is None:
        return stem
    return match.group() + stem[: match.start()]


def _reads_like_words(plain: str) -> bool:
    """True if decoded bytes are a sentence rather than chance."""
    if not plain.isprintable() and not plain.replace("\n", " ").replace("\t", " ").isprintable():
        return False
    words = plain.split()
    return len(words) >= WORDS_MIN and sum(map(str.isalpha, plain)) >= len(plain) * 0.6


def _from_bytes(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _from_base64(blob: str) -> str | None:
    body = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _from_bytes(base64.b64decode(body + "=" * (-len(body) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _from_hex(blob: str) -> str | None:
    return _from_bytes(bytes.fromhex(blob))


def _from_escapes(blob: str) -> str | None:
    codes = re.findall(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\([0-7]{3})", blob)
    return "".join(chr(int(one or two, 16) if one or two else int(three, 8)) for one, two, three in codes)


def _from_binary(blob: str) -> str | None:
    figures = re.sub(r"[ ,]", "", blob)
    return _from_bytes(bytes(int(figures[at : at + 8], 2) for at in range(0, len(figures), 8)))


_MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE_LETTERS = dict(zip(_MORSE_CODES.split(" "), "abcdefghijklmnopqrstuvwxyz", strict=True))


def _from_morse(blob: str) -> str | None:
    words = re.split(r"[ ]{0,2}[/|][ ]{0,2}|[ ]{2}", blob)
    return " ".join("".join(_MORSE_LETTERS.get(one, "") for one in word.split()) for word in words)


_ENCODINGS: tuple[tuple[str, re.Pattern[str], Callable[[str], str | None]], ...] = (
    ("base64", _BASE64, _from_base64),
    ("hexadecimal", _HEX, _from_hex),
    ("escapes", _ESCAPES, _from_escapes),
    ("percent signs", _PERCENT, unquote),
    ("entities", _ENTITIES, html.unescape),
    ("binary", _BINARY, _from_binary),
    ("Morse code", _MORSE, _from_morse),
)
