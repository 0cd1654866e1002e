"""Words that change the meaning of a sentence: negations, obligations, exceptions and quantities.

The lists hold the languages in which most projects write. A sentence in another language is only as safe as the other
rules make it.
"""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["amounts", "are_opposites", "turning_words", "words_of"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_ENGLISH = (
    "not no nor none neither never nothing nobody nowhere cannot without except unless only always must shall should "
    "may ought all every each any everything everyone anything anyone both required mandatory optional forbidden "
    "prohibited allowed permitted dont cant wont doesnt isnt arent mustnt "
    "shouldnt wouldnt couldnt didnt instead"
)
_GERMAN = (
    "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne außer nur immer muss müssen musst "
    "soll sollen sollte sollten darf dürfen alle allen alles jede jeder jedes jeden "
    "verboten erlaubt statt stattdessen"
)
_FRENCH = (
    "ne pas jamais rien aucun aucune sans sauf seulement toujours doit doivent devez faut tout tous toute toutes "
    "chaque interdit obligatoire non"
)
_SPANISH = (
    "nunca jamás nada ningún ninguno ninguna sin salvo solo sólo siempre debe deben debes todos toda todas "
    "cada prohibido obligatorio"
)
_ITALIAN = "mai niente nessun nessuno nessuna senza tranne sempre deve devono devi tutto tutti tutte ogni"
_PORTUGUESE = "não nem nenhum nenhuma sem exceto apenas somente sempre deves devem tudo"
_DUTCH = "niet geen nooit niets zonder behalve alleen altijd moet moeten mag mogen alles elke ieder"
_RUSSIAN = (
    "не нет ни никогда ничего никто без кроме только всегда должен должна должны нельзя надо нужно можно все всё "
    "каждый любой"
)
_TURNING = frozenset(
    word
    for words in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH, _RUSSIAN)
    for word in words.split()
)
#: Characters and endings of languages that put no space between words.
_TURNING_SIGNS = re.compile(
    "[不没沒無无未勿莫别別禁必须須应應只仅僅全每都总總]|ません|ない|なし|ずに|だけ|のみ|すべて|常に|않|없|말|모든|항상|만"
)

_AMOUNTS = (
    "zero one two three four five six seven eight nine ten dozen hundred thousand million half twice double triple few "
    "several many some more less fewer most least minimum maximum mehr weniger mindestens höchstens plus moins más "
    "menos più meno mais meer minder больше меньше"
)
_NUMBERS = frozenset(_AMOUNTS.split())
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "de", "mis", "anti", "over", "under", "re")
_SUFFIXES = ("ful", "less")


def words_of(text: str) -> list[str]:
    """Return the words of a text, without the signs between them."""
    return _WORD.findall(text)


def turning_words(text: str) -> list[str]:
    """Return the words that say whether, when and for whom something holds, in their order."""
    words = (word.casefold().replace("’", "'") for word in words_of(text))
    return [word for word in words if word in _TURNING or word.endswith("n't")] + _TURNING_SIGNS.findall(text)


def amounts(text: str) -> list[str]:
    """Return the numbers of a text, in digits and in words."""
    words = (word.casefold() for word in words_of(text))
    return [word for word in words if word in _NUMBERS or any(letter.isdigit() for letter in word)]


def are_opposites(before: list[str], after: list[str]) -> bool:
    """True if a word was replaced by its opposite: safe and unsafe, harmful and harmless."""
    old, new = (Counter(word.casefold() for word in words) for words in (before, after))
    gone, come = set(old - new), set(new - old)
    return any(_other(word) & come for word in gone) or any(_other(word) & gone for word in come)


def _other(word: str) -> set[str]:
    """Return the words that negate this one."""
    found = {prefix + word for prefix in _PREFIXES}
    for suffix, opposite in (_SUFFIXES, _SUFFIXES[::-1]):
        if word.endswith(suffix):
            found.add(word.removesuffix(suffix) + opposite)
    return found
