"""Hashes of the text around a place: how they are looked up and whether they identify the text."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.values import Place

#: Prefixes of the hash of lines and of a whole file; the number goes up when the computation changes.
LINES, WHOLE = "t2", "f2"
#: Prefixes of earlier releases; texts under these are hashed again from the bytes.
FORMER = ("t1:", "f1:")
#: Strength: the lines identify a text alone (STRONG), with the lines nearby (CLOSE), or not even then (WEAK).
STRONG, CLOSE, WEAK = "o", "s", "w"
_COMMENT = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The text around a place, taken apart: by what it is looked up, its own lines, and those before and behind."""

    #: The lookup key: the hash of the first line; for a whole file the hash of its text.
    anchor: str
    lines: int = 0
    digest: str = ""
    before: str = ""
    behind: str = ""
    #: The hash of the block up to the next empty lines; a dismissal applies to the whole block.
    block: str = ""
    strength: str = STRONG
    #: True if all lines are comments; otherwise comments are left out of the hash.
    is_comment: bool = False

    @property
    def is_weak(self) -> bool:
        """True if the text is too common to be recognised elsewhere."""
        return self.strength == WEAK

    @property
    def text(self) -> str:
        """The form in which it is stored with a place."""
        if not self.lines:
            return f"{WHOLE}:{self.anchor}"
        kind = self.strength + (_COMMENT if self.is_comment else "")
        return ":".join((LINES, self.anchor, str(self.lines), kind, self.digest, self.before, self.behind, self.block))

    def is_like(self, other: Context) -> bool:
        """True if another text is the same: equal lines, and equal nearby lines on at least one side.

        Lines that are not strong need equal nearby lines on both sides. If no lines are nearby, the lines are the text.
        """
        sides = (self.before == other.before, self.behind == other.behind)
        return self.stands_as(other) and (any(sides) or not (self.before or self.behind))

    def stands_as(self, other: Context) -> bool:
        """True if a statement about this text holds for another one: equal lines, whatever was inserted next to them.

        Lines that are not strong need equal nearby lines on both sides.
        """
        if (self.anchor, self.lines, self.digest) != (other.anchor, other.lines, other.digest):
            return False
        return self.strength == STRONG or (self.before, self.behind) == (other.before, other.behind)


def read_context(text: str) -> Context | None:
    """Parse a stored hash; None for one made by an earlier release or a client."""
    match text.split(":"):
        case [kind, anchor] if kind == WHOLE:
            return Context(anchor=anchor)
        case [kind, anchor, lines, sort, digest, before, behind, block] if kind == LINES and lines.isdigit():
            return Context(
                anchor=anchor,
                lines=int(lines),
                digest=digest,
                before=before,
                behind=behind,
                block=block,
                strength=sort.removesuffix(_COMMENT),
                is_comment=sort.endswith(_COMMENT),
            )
    return None


def dismissal_key(text: str) -> str:
    """The part of a stored hash that a dismissal applies to: the lines in their block, wherever that is."""
    known = read_context(text)
    return f"{known.digest}:{known.block}" if known is not None and known.lines else text


def is_same_text(first: Place | None, second: Place | None) -> bool:
    """True if two places have the same text; in differently named files only if the text is not weak."""
    if first is None or second is None:
        return False
    one, two = read_context(first.context_hash), read_context(second.context_hash)
    return one is not None and two is not None and one.is_like(two) and (first.path == second.path or not one.is_weak)
