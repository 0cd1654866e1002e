"""The texts of an answer that could hold a secret, and the reviews that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from foureyes.codec import Json

#: A shorter text cannot hold a secret that is distinguishable from a word.
SECRET_CHARS_MIN = 8
#: Fields that hold values we generate, never text of others.
OURS = frozenset({"digest", "mark", "cursor", "next", "opened", "at", "due", "lease", "revision", "version", "etag"})
#: Fields that name one review.
REVIEW_FIELDS = ("review", "review_id", "reviewId", "content_id", "feedback_item_id", "id")
#: Fields that name several reviews.
_LISTS = ("waits_for",)
_NAMING = (*REVIEW_FIELDS, *_LISTS)
_ONE_REVIEW = frozenset(REVIEW_FIELDS)
#: Fields with words of people; of a review that was not searched yet none of them is served.
WORDS = frozenset(
    {"title", "origin", "files", "turn", "text", "summary", "reason", "message", "sentence", "note", "paused_because"}
)
_IS_ID = re.compile(r"[a-z0-9]{12}").fullmatch


def scanned(told: Json) -> tuple[dict[str, None], list[tuple[str, str]]]:
    """Return the reviews an answer names, in order, and its texts that may be cut or withheld, each with its path."""
    names: dict[str, None] = {}
    texts: list[tuple[str, str]] = []
    left: list[tuple[Any, str]] = [([told], "")]
    while left:
        value, path = left.pop()
        inside: list[tuple[Any, str]] = []
        if type(value) is dict:
            here = value.get("path")
            path = here if type(here) is str else path
            for name, one in value.items():
                kind = type(one)
                if kind is str:
                    if name in _ONE_REVIEW and _IS_ID(named := one.partition(":")[0]):
                        names[named] = None
                    is_text = len(one) >= SECRET_CHARS_MIN or (one and name in WORDS)
                    if is_text and name not in OURS and not _is_id(name, one):
                        texts.append((one, path))
                elif one and (kind is dict or kind is list):
                    if name in _LISTS and kind is list:
                        names.update((each, None) for each in one if type(each) is str and _IS_ID(each))
                    if name not in OURS:
                        inside.append((one, path))
        else:
            texts += [(one, path) for one in value if type(one) is str and len(one) >= SECRET_CHARS_MIN]
            inside = [(one, path) for one in value if type(one) is dict or type(one) is list]
        left += reversed(inside)
    return names, texts


def _is_id(name: str, value: Any) -> bool:
    """True for a review id in the one field that never holds a caller's own id."""
    return name == "review" and type(value) is str and _IS_ID(value) is not None


def names_of(value: dict[str, Any]) -> Iterator[str]:
    """Yield the reviews that an object names itself: one by its field, or several in a list."""
    for name in [one for one in _NAMING if one in value]:
        named = value[name]
        if type(named) is list and name in _LISTS:
            yield from (one for one in named if type(one) is str)
        elif type(named) is str and name not in _LISTS:
            yield named.partition(":")[0]
