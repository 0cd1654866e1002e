"""The text around a place as one hash: by what it is looked up, and whether it says enough to be known again."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.values import Place

#: How the hash of lines and that of a whole file begin; the number goes up when they are computed another way.
LINES, WHOLE = "t2", "f2"
#: How earlier releases began them: what is found under these is hashed anew from the bytes.
FORMER = ("t1:", "f1:")
#: The own lines say enough alone; only with the lines close by; not even with those.
STRONG, CLOSE, WEAK = "o", "s", "w"
_COMMENT = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The text around a place, taken apart: by what it is looked up, its own lines, and those before and behind."""

    #: The hash of its first line, which every line of a text has; of a whole file that of its text.
    anchor: str
    lines: int = 0
    digest: str = ""
    before: str = ""
    behind: str = ""
    #: The hash of the lines with those close by as far as no empty line parts them: for these a dismissal holds.
    block: str = ""
    strength: str = STRONG
    #: All of its lines are comments; else comments among them are left out.
    is_comment: bool = False

    @property
    def is_weak(self) -> bool:
        """It says too little to be known again elsewhere."""
        return self.strength == WEAK

    @property
    def text(self) -> str:
        """As it is kept with a place."""
        if not self.lines:
            return f"{WHOLE}:{self.anchor}"
        kind = self.strength + (_COMMENT if self.is_comment else "")
        return ":".join((LINES, self.anchor, str(self.lines), kind, self.digest, self.before, self.behind, self.block))

    def is_like(self, other: Context) -> bool:
        """Whether another text is this one: the same lines, and of what stands close by at least one side.

        Lines that say little alone are the same only where both sides are; where nothing stood close by, the lines are
        all of the text.
        """
        sides = (self.before == other.before, self.behind == other.behind)
        return self.stands_as(other) and (any(sides) or not (self.before or self.behind))

    def stands_as(self, other: Context) -> bool:
        """Whether what was said of this text holds for another: the same lines, whatever was put beside them.

        Lines that say little alone need what stands close by on both sides.
        """
        if (self.anchor, self.lines, self.digest) != (other.anchor, other.lines, other.digest):
            return False
        return self.strength == STRONG or (self.before, self.behind) == (other.before, other.behind)


def read_context(text: str) -> Context | None:
    """Take a kept hash apart; None for one that an earlier release or a client made."""
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
    """What of a kept hash a dismissal holds for: the lines in their block, wherever that stands."""
    known = read_context(text)
    return f"{known.digest}:{known.block}" if known is not None and known.lines else text


def is_same_text(first: Place | None, second: Place | None) -> bool:
    """Whether two places have the same text; in files of two names only text that says enough is the same."""
    if first is None or second is None:
        return False
    one, two = read_context(first.context_hash), read_context(second.context_hash)
    return one is not None and two is not None and one.is_like(two) and (first.path == second.path or not one.is_weak)
