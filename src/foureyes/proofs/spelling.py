"""Recognises corrections of spelling: a few letters of a word, a repeated word, an article."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from itertools import pairwise

__all__ = ["is_respelled"]

#: The most letters of a word that are inserted, left out, replaced or swapped with the next.
EDITS_MAX = 2
#: The most of the longer word's letters that may be edited, in percent.
PERCENT_MAX = 40
WORD_CHARS_MAX = 40

_ARTICLES = frozenset({"a", "an", "the"})


def is_respelled(before: list[str], after: list[str]) -> bool:
    """True if the words are the same except for corrections of their spelling."""
    for tag, i, j, k, m in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        old, new = before[i:j], after[k:m]
        are_pairs = len(old) == len(new) and all(map(_is_typo, old, new))
        is_spaced = "".join(old).casefold() == "".join(new).casefold()
        if not (are_pairs or is_spaced or _is_small_word(before, i, j, new) or _is_small_word(after, k, m, old)):
            return False
    return True


def _is_small_word(words: list[str], start: int, end: int, instead: list[str]) -> bool:
    """True if only an article, or the repetition of the word beside it, was added or removed."""
    if end - start != 1 or instead:
        return False
    near = words[max(0, start - 1) : end + 1]
    twice = any(one.casefold() == other.casefold() for one, other in pairwise(near))
    return words[start].casefold() in _ARTICLES or twice


def _is_typo(old: str, new: str) -> bool:
    """True if one word is a misspelling of the other; the first letter of a word is seldom the wrong one.

    That it stays also keeps words of opposite meaning apart, which differ at their beginning: safe and unsafe, import
    and export.
    """
    one, other = old.casefold(), new.casefold()
    if one == other or {one, other} == {"a", "an"}:
        return True
    longer = max(len(one), len(other))
    if longer > WORD_CHARS_MAX or not all(map(_has_case, one + other)):
        return False
    begins_alike = one[0] == other[0] or (one[:2] == other[1::-1] and len(other) > 1)
    distance = _distance(one, other)
    return begins_alike and distance <= EDITS_MAX and distance * 100 <= PERCENT_MAX * longer


def _has_case(letter: str) -> bool:
    """True for letters of alphabets with case; a sign for a word or a syllable carries too much meaning."""
    return unicodedata.category(letter) in {"Ll", "Lu"} or letter in "'’"


def _distance(one: str, other: str) -> int:
    """Count the letters that were inserted, left out, replaced or swapped with their neighbour."""
    above, last = list[int](), list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, found in enumerate(other, start=1):
            cost = min(last[column] + 1, here[-1] + 1, last[column - 1] + (letter != found))
            swapped = row > 1 and column > 1 and (letter, one[row - 2]) == (other[column - 2], found)
            here.append(min(cost, above[column - 2] + 1) if swapped else cost)
        above, last = last, here
    return last[-1]
