"""Find words and addresses that imitate others with letters that look alike."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby, islice

from foureyes.core.letters import LOOKALIKES
from foureyes.reviewers.critics.critic import Rule, State
from foureyes.reviewers.critics.injection import rules
from foureyes.reviewers.critics.injection.allowed import LINE_SIDE_MAX, Place, script
from foureyes.reviewers.critics.injection.characters import WHOLE, Seen
from foureyes.reviewers.critics.injection.lookalikes import (
    BETWEEN_LETTERS,
    FANCY,
    OTHER_SCRIPTS,
    SIGNS,
    plain,
    skeleton,
)
from foureyes.reviewers.critics.texts import shown

WORDS_MAX = 10_000
WORD_SIDE_MAX = 48
KNOWN_TEXT_MAX = 2_000_000
FANCY_IN_PROSE_MIN = 3
#: `\u0394t` is a formula; a Greek letter beside this many Latin ones makes a word.
FORMULA_LETTERS_MAX = 2

_LATIN = "A-Za-z\u00c0-\u024f"
_LETTERS_OF_OTHERS = re.compile(f"[{OTHER_SCRIPTS}]")
_BESIDE_LATIN = rf"[{_LATIN}][\d_]?[{OTHER_SCRIPTS}]|[{OTHER_SCRIPTS}][\d_]?[{_LATIN}]|[{FANCY}]"
_IN_PROSE = re.compile(_BESIDE_LATIN)
_PASSING = "".join(one for one in LOOKALIKES if _LETTERS_OF_OTHERS.match(one))
_ANYWHERE = "".join(one for one in SIGNS if one not in BETWEEN_LETTERS)
_WITHIN = rf"(?<=[A-Za-z_])[{BETWEEN_LETTERS}](?=[A-Za-z_])"
_IN_CODE = re.compile(rf"{_BESIDE_LATIN}|[{_ANYWHERE}]|{_WITHIN}|(?<!\w)[{_PASSING}_\d]{{1,48}}(?!\w)")
_HOST = re.compile(r"(?:://|@|\bwww\.)([^\s/:?#\"'<>()\[\]{}|\\^`,;]{1,253})")
_BARE_HOST = re.compile(rf"(?<![\w.])([{_PASSING}\d-]{{2,48}}\.[A-Za-z]{{2,10}})\b")
_PUNYCODE = re.compile(r"\bxn--[a-z0-9-]{1,59}", re.IGNORECASE)
_KNOWN_WORDS = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def lookalikes_in(text: str, *, prose: bool = False) -> Iterator[Seen]:
    """Yield words that mix alphabets, words made of look-alikes, and addresses of either sort."""
    yield from _punycode(text)
    if text.isascii():
        return
    yield from _addresses(text)
    words = _Words(text, prose=prose)
    end = -1
    found = (_IN_PROSE if prose else _IN_CODE).finditer(text)
    for match in islice(found, WORDS_MAX):
        if match.start() < end:
            continue
        start, end = _bounds(text, match.start(), match.end())
        seen = words.judge(text[start:end], start)
        if seen is not None:
            yield seen
    if next(found, None) is not None:
        said = f"There are more than {WORDS_MAX:,} words with foreign letters to judge; the rest was not looked at"
        yield Seen(rule=rules.LOOKALIKE, position=WHOLE, state=State.UNKNOWN, text=said, evidence=said)


def mixes(text: str) -> bool:
    """True if any word mixes alphabets or has letters that only look like others."""
    return _IN_PROSE.search(text) is not None


class _Words:
    """The words of one text, judged one at a time."""

    def __init__(self, text: str, *, prose: bool) -> None:
        self.text = text
        self.place = Place(text=text, prose=prose)

    @cached_property
    def known(self) -> frozenset[str]:
        """Return the ASCII words of the same text, and the keywords and built-in names of Python."""
        return frozenset(re.findall(r"[A-Za-z_]\w{0,63}", self.text[:KNOWN_TEXT_MAX], re.ASCII)) | _KNOWN_WORDS

    def judge(self, word: str, start: int) -> Seen | None:
        if len(word) == 1 and word in SIGNS:
            return self._sign(word, start)
        if any(plain(one) and not _LETTERS_OF_OTHERS.match(one) and not one.isascii() for one in word):
            return self._fancy(word, start)
        if any("a" <= one.lower() <= "z" or script(one) == "LATIN" for one in word):
            return self._mixed(word, start)
        return self._whole(word, start)

    def _sign(self, sign: str, start: int) -> Seen | None:
        looks, home = SIGNS[sign]
        at_home = home == "LATIN" and self.place.prose
        if at_home or (home and home != "LATIN" and any(script(one) == home for one in self.place.line(start))):
            return None
        said = f"U+{ord(sign):04X} looks like {looks!r} and is not"
        return Seen(rule=rules.LOOKALIKE, position=start, text=said, evidence=shown(_escaped(self.place.line(start))))

    def _fancy(self, word: str, start: int) -> Seen | None:
        passing = [one for one in word if not one.isascii() and plain(one)]
        letters = [one for one in passing if unicodedata.category(one) not in ("Lm", "No", "Nd")]
        line = self.place.line(start)
        if any(script(one) in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL") for one in line):
            return None
        if self.place.prose:
            if _is_turkish(passing) or _is_phonetic(word, line) or len(passing) < FANCY_IN_PROSE_MIN:
                return self._hidden_letter(word, start, letters)
            return _word(rules.LOOKALIKE, State.UNKNOWN, word, start)
        if _is_turkish(passing):
            at_home = any(one in "\u011f\u015f\u00e7\u00f6\u00fc\u0130\u0259" for one in line)
            return None if at_home else _word(rules.LOOKALIKE, State.UNKNOWN, word, start)
        alone = len(word) == 1 or not letters
        return _word(rules.LOOKALIKE, State.CLEAR if alone else self._unless_quoted(start), word, start)

    def _hidden_letter(self, word: str, start: int, letters: list[str]) -> Seen | None:
        """Judge a single phonetic letter among plain ones in prose; formulas and phonetic transcripts are accepted."""
        drawn_alike = [one for one in letters if script(one) == "LATIN" and one != "\u0131"]
        plain_letters = sum(one.isascii() and one.isalpha() for one in word)
        if not drawn_alike or plain_letters < FANCY_IN_PROSE_MIN or _is_phonetic(word, self.place.line(start)):
            return None
        return _word(rules.LOOKALIKE, State.UNKNOWN, word, start)

    def _mixed(self, word: str, start: int) -> Seen | None:
        pieces = re.split(r"[\d_]+", word)
        runs = [run for piece in pieces for run in _runs(piece)]
        others = [run for name, run in runs if name == "other"]
        latin = max((len(run) for name, run in runs if name == "latin"), default=0)
        if all(script(run[0]) == "GREEK" for run in others):
            passing = any(all(map(plain, run)) for run in others)
            if not passing or (
                latin < FORMULA_LETTERS_MAX and len(others) == 1
            ):  # `\u0394t`, `\u03b1x`: letters of a formula
                return None
            return _word(
                rules.MIXED,
                State.UNKNOWN if self.place.prose and latin < FANCY_IN_PROSE_MIN else State.BLOCK,
                word,
                start,
            )
        # People add endings of their own language to foreign names; a foreign letter inside a word is different.
        ending = [name for name, _ in runs] == ["latin", "other"] and len(runs[0][1]) > 1
        if ending and not all(map(plain, others[0])):
            return None if self.place.prose else _word(rules.MIXED, State.CLEAR, word, start)
        return _word(rules.MIXED, State.BLOCK, word, start)

    def _whole(self, word: str, start: int) -> Seen | None:
        """Judge a word of one foreign alphabet whose letters all look Latin, if it equals a known name."""
        if self.place.prose or not _LETTERS_OF_OTHERS.search(word):
            return None
        line = self.place.line(start)
        if any(_LETTERS_OF_OTHERS.match(one) and not plain(one) for one in line):
            return None
        if skeleton(word) not in self.known:
            return None
        if len(word) == 1 and script(word) == "GREEK":  # a letter of a formula
            return _word(rules.LOOKALIKE, State.CLEAR, word, start)
        return _word(rules.LOOKALIKE, self._unless_quoted(start), word, start)

    def _unless_quoted(self, start: int) -> State:
        """Return BLOCK for a name; in a string or comment UNKNOWN, because the program may be about such words."""
        before = self.text[
            max(self.text.rfind("\n", max(0, start - LINE_SIDE_MAX), start) + 1, start - LINE_SIDE_MAX, 0) : start
        ]
        return State.UNKNOWN if before.count('"') % 2 or before.count("'") % 2 or "#" in before else State.BLOCK


def _word(rule: Rule, state: State, word: str, start: int) -> Seen:
    said = f"The word reads like `{shown(skeleton(word), 60)}` and is another one"
    return Seen(rule=rule, position=start, state=state, text=said, evidence=shown(_escaped(word)))


def _escaped(word: str) -> str:
    return "".join(one if one.isascii() else f"\\u{{{ord(one):X}}}" for one in word)


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    first = start
    while first > 0 and start - first < WORD_SIDE_MAX and _in_word(text[first - 1]):
        first -= 1
    last = end
    while last < len(text) and last - end < WORD_SIDE_MAX and _in_word(text[last]):
        last += 1
    return (first, last) if _in_word(text[start]) else (start, end)


def _in_word(char: str) -> bool:
    return (char.isalnum() or char == "_" or (not char.isascii() and bool(plain(char)))) and char not in SIGNS


def _runs(piece: str) -> list[tuple[str, str]]:
    """Return the stretches of one alphabet within a piece of a word."""
    named = [("other" if _LETTERS_OF_OTHERS.match(one) else "latin", one) for one in piece if one.isalpha()]
    return [(name, "".join(one for _, one in run)) for name, run in groupby(named, key=lambda item: item[0])]


def _is_turkish(passing: list[str]) -> bool:
    return all(one == "\u0131" for one in passing)


def _is_phonetic(word: str, line: str) -> bool:
    """True if a word is a phonetic transcript."""
    return any("\u02b0" <= one <= "\u02ff" for one in line) or f"/{word}" in line or f"[{word}" in line


def _addresses(text: str) -> Iterator[Seen]:
    for match in _HOST.finditer(text):
        if not match[1].isascii() and _pretends(match[1]):
            yield _word(rules.DOMAIN, State.BLOCK, match[1], match.start(1))
    for match in _BARE_HOST.finditer(text):
        if not match[1].isascii() and _pretends(match[1]):
            yield _word(rules.DOMAIN, State.BLOCK, match[1], match.start(1))


def _punycode(text: str) -> Iterator[Seen]:
    if "xn--" not in text and "XN--" not in text:
        return
    for match in _PUNYCODE.finditer(text):
        try:
            label = match.group()[4:].lower().encode("ascii").decode("punycode")
        except UnicodeError:
            continue
        if _pretends(f"{label}.com"):
            yield _word(rules.DOMAIN, State.BLOCK, label, match.start())


def _pretends(host: str) -> bool:
    """True if a label mixes alphabets, or consists of Latin look-alikes under a Latin top-level domain."""
    labels = host.split(".")
    latin_end = labels[-1].isascii()
    for label in labels:
        if label.isascii():
            continue
        others = [one for one in label if _LETTERS_OF_OTHERS.match(one)]
        latin = any(one.isascii() and one.isalpha() for one in label)
        fancy = any(plain(one) and one not in others and not one.isascii() and one != "\u0131" for one in label)
        if fancy or (others and latin) or (others and latin_end and all(map(plain, others))):
            return True
    return False
