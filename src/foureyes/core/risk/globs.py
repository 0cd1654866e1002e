"""Match paths against patterns with the rules of CODEOWNERS files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

Wanted = TypeVar("Wanted")
Given = TypeVar("Given")

#: One piece of a pattern: any run, any one character, or a literal character.
Token = tuple[str, str]
_RUN: Token = ("run", "")
_ANY: Token = ("any", "")
#: Any number of folders.
_DEEP: tuple[Token, ...] = (("deep", ""),)
_ONE: tuple[Token, ...] = (_RUN,)

PATTERNS_CACHED_MAX = 1_024
PATHS_CACHED_MAX = 4_096
#: Characters that some file systems ignore in a name, as listed by git.
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


def matches(pattern: str, path: str) -> bool:
    """True if the pattern names the path or a folder above it.

    `*` and `?` stay within a folder, `**` crosses folders, a slash in front or within binds to the root, a slash at
    the end means what lies beneath. Brackets are literal; a backslash makes the next character literal.
    """
    segments = _compiled(pattern)
    return bool(segments) and _wild(segments, _DEEP, normal_path(path).split("/"), _segment_fits)


def guards(pattern: str, path: str) -> bool:
    """Like `matches`, for rules that demand more: other case or Unicode forms of the name do not avoid them."""
    folded = folded_path(pattern), folded_path(path)
    return matches(pattern, path) or (folded != (pattern, path) and matches(*folded))


@lru_cache(maxsize=PATHS_CACHED_MAX)
def folded_path(path: str) -> str:
    """Normalise all names that a file system without case or Unicode distinction treats as one.

    Some file systems also ignore invisible characters, and dots and spaces at the end of a name.
    """
    shown = unicodedata.normalize("NFD", _UNSEEN.sub("", path)).casefold()
    names = unicodedata.normalize("NFC", shown).split("/")
    return "/".join(name.rstrip(" .") or name for name in names)


@lru_cache(maxsize=PATHS_CACHED_MAX)
def normal_path(path: str) -> str:
    """Normalise a path, so that `a/../auth/x` and `./auth//x` cannot bypass a rule for `auth/`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


@lru_cache(maxsize=PATTERNS_CACHED_MAX)
def _compiled(pattern: str) -> tuple[tuple[Token, ...], ...]:
    names = [name for name in pattern.split("/") if name]
    if not names:
        return ()
    beneath = pattern.endswith("/") or names[-1] == "**"
    anchored = "/" in pattern.rstrip("/")
    if names[-1] == "**":
        del names[-1]
    segments = [_DEEP if name == "**" else _tokens(name) for name in names]
    if not anchored:
        segments.insert(0, _DEEP)
    if beneath:
        return (*segments, _ONE, _DEEP)
    # A lone star at the end of a rooted pattern matches the files of that folder only.
    return tuple(segments) if anchored and names[-1] == "*" else (*segments, _DEEP)


def _tokens(name: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    characters = iter(name)
    for character in characters:
        match character:
            case "\\":
                tokens.append(("plain", next(characters, "\\")))
            case "*":
                tokens.append(_RUN)
            case "?":
                tokens.append(_ANY)
            case _:
                tokens.append(("plain", character))
    return tuple(tokens)


def _segment_fits(tokens: tuple[Token, ...], name: str) -> bool:
    return _wild(tokens, _RUN, name, _character_fits)


def _character_fits(token: Token, character: str) -> bool:
    return token in {_ANY, ("plain", character)}


def _wild(
    pattern: Sequence[Wanted], star: Wanted, items: Sequence[Given], fits: Callable[[Wanted, Given], bool]
) -> bool:
    """Match with one remembered star: quadratic at worst, unlike regular expressions, which can backtrack for ever."""
    at, item, last_star, resume = 0, 0, -1, 0
    while item < len(items):
        if at < len(pattern) and pattern[at] == star:
            last_star, resume, at = at, item, at + 1
        elif at < len(pattern) and fits(pattern[at], items[item]):
            at, item = at + 1, item + 1
        elif last_star >= 0:
            resume += 1
            at, item = last_star + 1, resume
        else:
            return False
    return all(one == star for one in pattern[at:])
