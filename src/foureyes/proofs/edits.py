"""Checks that an edit of prose is harmless: it names no place, addresses no agent and does not change the meaning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from foureyes.proofs.meaning import amounts, are_opposites, turning_words, words_of
from foureyes.proofs.names import addressed, named
from foureyes.proofs.spelling import is_respelled

__all__ = ["Edit", "is_harmless", "is_small"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The lines of a comment or of paragraphs before and after; one of them may be empty."""

    before: str
    after: str
    #: True for a document, which people follow; a comment only explains the code beside it.
    in_document: bool


def is_harmless(edit: Edit) -> bool:
    """True if both texts name the same things to run or open, address the same readers and demand the same."""
    if named(edit.before, in_document=edit.in_document) != named(edit.after, in_document=edit.in_document):
        return False
    if addressed(edit.before) != addressed(edit.after):
        return False
    return all(_means_the_same(*run, in_document=edit.in_document) for run in _runs(edit))


def is_small(edit: Edit) -> bool:
    """True if the words are the same except for corrections of their spelling."""
    return is_respelled(words_of(edit.before), words_of(edit.after))


def _means_the_same(before: str, after: str, *, in_document: bool) -> bool:
    if not before and not in_document:
        # A new comment explains; what it may say about code is not an instruction to a reader.
        return True
    if turning_words(before) != turning_words(after):
        return False
    if not before or not after:
        return True
    return amounts(before) == amounts(after) and not are_opposites(words_of(before), words_of(after))


def _runs(edit: Edit) -> Iterator[tuple[str, str]]:
    """Yield the runs of lines that differ, each with its replacement."""
    old, new = edit.before.split("\n"), edit.after.split("\n")
    for tag, i, j, k, m in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield "\n".join(old[i:j]), "\n".join(new[k:m])
