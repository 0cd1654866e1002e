"""Tell words from random letters, by a table of how often one letter follows another."""

# ruff: noqa: PLR2004 - each number weighs one sign of a secret, beside which it stands
from __future__ import annotations

import math
import re
from collections import Counter

#: For each letter, and for the start of a word, how rare each next letter is in English and in names used in code:
#: minus the binary logarithm of its share, less one, from 0 to 9. Counted over manuals and library sources.
_RARITY = (
    "63336547485232849232556657244425673472673593352897472545258249336716935247886824441466277455368435467869"
    "35324456586342646123656458354422781983652693343878593656164338844335923537786617761775296545268354486959"
    "44344448886331349432749685254416763766652476352859882655155427646435843547595826641667197267269744458938"
    "14651779297547229636487869373325273756643686225579675433655757533143923434476827562674396366239243477959"
    "76666888579566779543067999264415572955452594335579493636266329555633852137694827551663197456359234486847"
    "43453458486332649232878777175807682986563696567788791645266329645326823677677936352585297446529641677457"
    "344535564954323195234668662576079428635637965557684433333344455434436323454676"
)
_START = 26
#: Runs of letters with this mean rarity are no words: three in a hundred words reach it, and nine of ten random runs.
_NO_WORD = 4.0
#: Shorter runs say nothing, and short ones need a higher rarity, because abbreviations are unusual too.
_LETTERS_MIN = 4
_SHORT = 7
_NO_SHORT_WORD = 4.4

_RUNS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]")


def rarity(word: str) -> float:
    """Return how unlike a word these letters are: about 3 for words, about 5 for random letters."""
    before, total = _START, 0
    for letter in word.lower():
        now = ord(letter) - 97
        total += int(_RARITY[before * 26 + now])
        before = now
    return total / len(word)


def is_gibberish(text: str) -> bool:
    """True if the letters of this text mostly do not form words."""
    runs = _RUNS.findall(text)
    long_runs = [run for run in runs if len(run) >= _LETTERS_MIN]
    letters = sum(map(len, runs))
    if not long_runs:
        # Many short runs between digits and changes of case: people do not write like this.
        return letters >= _LETTERS_MIN and len(runs) > 2
    strange = sum(len(run) for run in long_runs if rarity(run) >= (_NO_SHORT_WORD if len(run) <= _SHORT else _NO_WORD))
    return strange * 2 >= letters or strange >= 12


def entropy(text: str) -> float:
    """Return the bits per character, counted within this text."""
    size = len(text)
    return -sum(times / size * math.log2(times / size) for times in Counter(text).values()) if size else 0.0
