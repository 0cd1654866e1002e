"""Splits a source text into lines of code and the comments above and beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from foureyes.proofs.edits import Edit

#: Where a comment begins and ends in the text.
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Lines of code without comments, and for each the comments above and beside it; one more entry for the end."""

    code: tuple[str, ...]
    #: The comments on lines of their own before each line of code, and before the end.
    above: tuple[tuple[str, ...], ...]
    #: The text at the same places as it is, with empty lines.
    between: tuple[str, ...]
    #: The comments that begin on each line of code.
    beside: tuple[tuple[str, ...], ...]

    @property
    def comments(self) -> tuple[str, ...]:
        """All comments."""
        return tuple(text for group in (*self.above, *self.beside) for text in group)


def take_apart(text: str, comments: Sequence[Span]) -> Layout:
    """Split a text whose comments are known."""
    code, above, between, beside = list[str](), list[tuple[str, ...]](), list[str](), list[tuple[str, ...]]()
    group, raw, waiting, at = list[str](), list[str](), list(reversed(comments)), 0
    inside = 0
    for line in text.split("\n"):
        end, kept, here, position = at + len(line), list[str](), list[str](), max(at, inside)
        while waiting and waiting[-1][0] < end:
            start, stop = waiting.pop()
            kept.append(text[position:start])
            here.append(text[start:stop])
            position = inside = stop
        kept.append(text[position:end])
        left = "".join(kept).rstrip()
        if left.strip():
            code.append(left)
            above.append(tuple(group))
            between.append("\n".join(raw))
            beside.append(tuple(here))
            group, raw = [], []
        else:
            group.extend(here)
            raw.append(line.rstrip())
        at = end + 1
    above.append(tuple(group))
    between.append("\n".join(raw))
    return Layout(code=tuple(code), above=tuple(above), between=tuple(between), beside=tuple(beside))


def comment_edits(
    before: Layout, after: Layout, is_plain: Callable[[str], bool], *, beside_too: bool
) -> list[Edit] | None:
    """Return the edits of all comments that differ; None if one of them has more than plain words.

    If the lines of code differ, no comment may have more than plain words: a directive might apply to another line.
    """
    if before.code != after.code:
        changed = [(before.comments, after.comments)]
    else:
        places = zip(before.above, after.above, before.between, after.between, strict=True)
        changed = [(old, new) for old, new, was, now in places if was != now]
        beside = [(old, new) for old, new in zip(before.beside, after.beside, strict=True) if old != new]
        if beside and not beside_too:
            return None
        changed += beside
    if not all(is_plain(text) for pair in changed for group in pair for text in group):
        return None
    return [Edit(before=_words(old), after=_words(new), in_document=False) for old, new in changed]


def _words(comments: tuple[str, ...]) -> str:
    """Return the lines of comments without their comment signs."""
    return "\n".join(text.lstrip("#/").strip() for text in comments)
