"""Text similarity of findings: extract their meaningful terms and compare the sets."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from math import isqrt

TEXTS_CACHED_MAX = 4_096
#: Longer texts are cut: the rest adds no term that distinguishes two findings.
CHARS_MAX = 20_000

_COMMON = """
    a about after against all also an and any are as at be because been before being between both bug but by can
    cause causes causing code could do does during each for from had has have if in incorrect incorrectly
    instead into is issue it its lead leading leads likely may might more most no not of on only or other
    possible possibly potential potentially rather same should since so such than that the their then there
    these this those to use used uses using via was were when where which while will with within without would
    wrong you your
"""
_STOP_WORDS = frozenset(_COMMON.split())
_ENDINGS = (
    *("ations", "ation", "ingly", "ments", "ings", "edly", "ions", "ment", "able"),
    *("ing", "ion", "ies", "ers", "ed", "es", "ly", "er", "or", "s"),
)
_STEM_CHARS_MIN = 4
_RAW = re.compile(r"[^\W\d][\w]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in their order, without case, punctuation and free-standing numbers."""
    folded = unicodedata.normalize("NFKC", text[:CHARS_MAX]).casefold()
    return tuple([word for word in _WORD.findall(folded) if not word.isdigit()])


def similarity(a: str, b: str) -> int:
    """Similarity of two texts in percent: the cosine between their sets of meaningful terms."""
    return likeness(terms_of(a), terms_of(b))


def likeness(a: frozenset[str], b: frozenset[str]) -> int:
    """The cosine between two sets in percent, computed in integers so that every machine gets the same."""
    if not a or not b:
        return 0
    shared = len(a & b)
    return isqrt(10_000 * shared * shared // (len(a) * len(b)))


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def terms_of(text: str) -> frozenset[str]:
    """The stems of the meaningful words; a compound name counts as itself and by its parts."""
    terms: set[str] = set()
    for raw in _RAW.findall(unicodedata.normalize("NFKC", text[:CHARS_MAX])):
        parts = [part.lower() for part in _PARTS.findall(raw)]
        if len(parts) > 1:
            terms.add(f"={raw.lower()}")
        terms.update(_stem(part) for part in parts if len(part) > 1 and part not in _STOP_WORDS)
    return frozenset(terms)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_CHARS_MIN:
            return word.removesuffix(ending)
    return word
