"""Search a text for secrets with all rules that need nothing but the text and its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from foureyes.reviewers.critics.secrets.assignments import assignments
from foureyes.reviewers.critics.secrets.borrowed import borrowed
from foureyes.reviewers.critics.secrets.encoded import encoded
from foureyes.reviewers.critics.secrets.found import TOLD, Found, Span, TooMany, apart
from foureyes.reviewers.critics.secrets.grouped import grouped
from foureyes.reviewers.critics.secrets.keyfiles import login_lines, private_keys
from foureyes.reviewers.critics.secrets.places import in_places
from foureyes.reviewers.critics.secrets.tokens import tokens

#: A longer text is data; it is not searched and reported as unread.
TEXT_MAX = 4_000_000
#: A version is searched under each of its paths and without a path, then again in what is said about it. The results
#: for shorter texts are cached: sentences of answers, and files that are searched within the server's own process.
SENTENCE_CHARS_MAX, SENTENCES_MAX = 512, 4_096
FILE_CHARS_MAX, FILES_MAX = 16 * 1024, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What was found in a text, and why it was not read to its end; `cut` is empty if it was."""

    found: tuple[Found, ...]
    cut: str = ""


def find(text: str, path: str = "") -> Search:
    """Return all finds above the reporting threshold, in order and without overlaps."""
    if len(text) <= SENTENCE_CHARS_MAX:
        return _of_sentence(text, path)
    if len(text) <= FILE_CHARS_MAX:
        return _of_file(text, path)
    if len(text) <= TEXT_MAX:
        return _combined(text, path, _without_path(text))
    return Search(found=(), cut=f"it has more than {TEXT_MAX // 1_000_000} million characters")


def spans(text: str, path: str = "") -> tuple[Span, ...]:
    """Return the positions of a text's secrets, for redaction."""
    return tuple(Span(start=one.start, end=one.end, rule=one.rule.id) for one in find(text, path).found)


@lru_cache(maxsize=SENTENCES_MAX)
def _of_sentence(text: str, path: str) -> Search:
    return _combined(text, path, _without_path(text))


@lru_cache(maxsize=FILES_MAX)
def _of_file(text: str, path: str) -> Search:
    return _combined(text, path, _of_file_without_path(text))


@lru_cache(maxsize=FILES_MAX)
def _of_file_without_path(text: str) -> tuple[Search, ...]:
    return _without_path(text)


def _without_path(text: str) -> tuple[Search, ...]:
    """Return the results of the rules that do not need the path."""
    return tuple(_read(rule(text)) for rule in (tokens, private_keys, in_places, grouped, borrowed, encoded))


def _combined(text: str, path: str, without_path: tuple[Search, ...]) -> Search:
    """Return the results of all rules."""
    token, key, place, group, other, code = without_path
    login, assigned = _read(login_lines(text, path)), _read(assignments(text, path))
    searches = (token, key, login, place, assigned, group, other, code)
    told = (found for search in searches for found in search.found if found.score >= TOLD)
    cut = next((search.cut for search in reversed(searches) if search.cut), "")
    return Search(found=apart(told), cut=cut)


def _read(looking: Iterator[Found]) -> Search:
    found: list[Found] = []
    try:
        found.extend(looking)
    except TooMany as met:
        return Search(found=tuple(found), cut=f"it has too many {met}")
    return Search(found=tuple(found))
