"""Check that a report states what was checked and names something in the work."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from foureyes.core.commands import SubmitReport
from foureyes.core.refusals import Code, Refusal
from foureyes.core.scene import Scene
from foureyes.core.values import Evidence

#: The phrase by which a reviewer names all of a work.
WHOLE_WORK = "the whole work"
#: Minimum number of different words in a statement of what was checked.
WORDS_MIN = 3
#: Maximum number of paths listed in a refusal.
PATHS_TOLD_MAX = 20
RULE = (
    f"Name in `what` a file of this version, a section of it or {WHOLE_WORK!r}, and say in `why` in at least "
    f"{WORDS_MIN} different words what you checked there"
)
#: Phrases in `what` that mean the whole work, optionally followed by details.
_WHOLE = re.compile(
    r"(?:the (?:whole|entire|complete) work|all of the (?:work|files)|all (?:the )?files|every file)"
    r"(?:\s*[:,;.(\u2013\u2014-].*)?",
    re.IGNORECASE | re.DOTALL,
)
#: Scripts that are written without spaces: each of their letters counts as a word.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x2E80, 0xA4CF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
#: A shorter single word of letters does not count as a name.
NAME_LETTERS_MIN = 5
#: Words common in every text or program, which name nothing in it.
_FUNCTION_WORDS = frozenset(
    (
        *("about", "after", "again", "before", "being", "below", "between", "because", "should", "through", "would"),
        *("a", "all", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "do", "for", "from", "has"),
        *("have", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "so", "some", "that", "the"),
        *("their", "then", "there", "these", "this", "those", "to", "was", "were", "which", "with", "without", "you"),
        *("class", "const", "def", "else", "false", "function", "import", "public", "private", "return", "static"),
        *("string", "true", "none", "null", "while"),
    )
)
#: The placeholder that a refusal asks the reviewer to fill in.
_PLACEHOLDER = re.compile(r"<[^<>]*>")
_ASCII_WORD = re.compile("[a-z]+")
BETWEEN = re.compile(r"[\s,;()\[\]{}\"'`]+")


def check_evidence(scene: Scene, command: SubmitReport, what: str) -> None:
    """Refuse a report that vouches for work without evidence of what was checked in it."""
    paths = [one.name for one in scene.review.current.parts]
    if any(is_evidence(one, paths, scene.facts.quoted) for one in statements(command)):
        return
    told = ", ".join(paths[:PATHS_TOLD_MAX])
    more = f" and {len(paths) - PATHS_TOLD_MAX} more" if len(paths) > PATHS_TOLD_MAX else ""
    files = f" Its files: {told}{more}." if paths else ""
    raise Refusal(
        Code.EVIDENCE_MISSING,
        f"{what} needs evidence of what was checked.",
        f"{RULE}.{files}",
        fields={
            "field": "evidence",
            "paths": [*paths[:PATHS_TOLD_MAX], WHOLE_WORK],
            "add": {"evidence": [{"what": WHOLE_WORK, "why": "<what you checked and why it holds>"}]},
        },
    )


def statements(command: SubmitReport) -> Iterator[Evidence]:
    """The statements of what was checked: the evidence, and the summary, which counts if it names something."""
    yield from command.evidence
    yield Evidence(what="", why=command.summary)


def is_evidence(said: Evidence, paths: Collection[str], quoted: Collection[str] = ()) -> bool:
    """True if this states what was checked and names something in a work with these files.

    `quoted` are texts that occur in the work, such as section names. With only one file, anything named is in it.
    """
    only = len(paths) <= 1
    named = said.place is not None or (is_name(said.what) and (said.what in quoted or only))
    named = named or is_whole_work(said.what) or said.what in paths or names_any(f"{said.what} {said.why}", paths)
    return named and has_words(said.why)


def is_name(text: str) -> bool:
    """True if a text can name something: several words, or one that is long or in unusual case."""
    words = [one for one in words_of(text) if one not in _FUNCTION_WORDS]
    plain = text.strip()
    if len(words) != 1 or not plain.isalpha() or _is_unspaced(plain[0]) or len(plain) >= NAME_LETTERS_MIN:
        return bool(words)
    return not (plain.islower() or plain.isupper() or plain.istitle())


def has_words(text: str) -> bool:
    """True if a text has enough different words, not only single letters."""
    found = words_of(_PLACEHOLDER.sub(" ", text))
    telling = [one for one in found if len(one) > 1 or _is_unspaced(one)]
    return len(found) >= WORDS_MIN and len(telling) > 1


def words_of(text: str) -> set[str]:
    """The different words of a text, in any script; one letter repeated is not a word."""
    if text.isascii():
        words = set(_ASCII_WORD.findall(text.casefold()))
        return {word for word in words if len(word) == 1 or len(set(word)) > 1}
    found, word = set[str](), ""
    for char in f"{text} ":
        sort = unicodedata.category(char)[0]
        is_unspaced = _is_unspaced(char)
        if sort in "LM" and not is_unspaced:
            word += char.casefold()
            continue
        if sort == "L":
            found.add(char)
        if len(word) == 1 or len(set(word)) > 1:
            found.add(word)
        word = ""
    return found


def names_any(text: str, paths: Collection[str]) -> bool:
    """True if a text names one of these files."""
    files = {*paths, *(one.rpartition("/")[2] for one in paths)}
    tokens = [one.strip(".:!?") for one in BETWEEN.split(text)]
    heads = (part for one in tokens for part in (one, one.partition(":")[0], one.partition("#")[0]))
    return any(one in files for one in heads if one)


def is_whole_work(text: str) -> bool:
    """True if `what` names the whole work; "all" or "fully" among other words does not count."""
    return _WHOLE.fullmatch(" ".join(text.split())) is not None


def _is_unspaced(char: str) -> bool:
    code = ord(char)
    return code >= _UNSPACED[0][0] and any(first <= code <= last for first, last in _UNSPACED)
