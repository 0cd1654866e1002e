"""The diff of a version against its base, as text for people and agents, with a note on where that base comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from foureyes.app.differences import COMPARED_IN_ALL_MAX, spans, text_lines
from foureyes.core.model import Revision
from foureyes.core.values import BaseSource, KnownBase, WorkPart

#: Longer diffs are cut: a diff is for reading.
DIFF_CHARS_MAX = 200_000
CUT = "… the rest of the diff is not shown; the files are whole.\n"

_WORDS = {
    BaseSource.LIVE: "what is live on {name}",
    BaseSource.REPOSITORY: "what the server read in {name}",
    BaseSource.ATTESTED: "what a publisher says is on {name}",
    BaseSource.LOCAL: "what was read on the author's own machine; it counts there only",
}
STATED = "the author's statement, which nobody checked: nothing is decided by it, the whole work counts as new"
NOTHING = "nothing: the whole work counts as new"
NOT_AGREED = "; its protected refs agree on none of these files, so the whole work counts as new"


def compared_with(revision: Revision) -> str:
    """Say in words what a version was compared with."""
    base: KnownBase = revision.known_base
    words = _WORDS.get(base.source, STATED if revision.before else NOTHING)
    is_bare = base.source is BaseSource.REPOSITORY and not revision.before
    return words.format(name=base.name) + (NOT_AGREED if is_bare else "")


def diff_of(before: Iterable[WorkPart], after: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> str:
    """Return the removed and added lines, file by file and without context; cut if too long."""
    found, room = list[str](), DIFF_CHARS_MAX
    for line in _lines(before, after, blobs):
        room -= len(line) + 1
        if room < 0:
            found.append(CUT)
            break
        found.append(f"{line}\n")
    return "".join(found)


def _lines(before: Iterable[WorkPart], after: Iterable[WorkPart], blobs: Mapping[str, bytes]) -> Iterator[str]:
    old, new, budget = {one.name: one for one in before}, {one.name: one for one in after}, [COMPARED_IN_ALL_MAX]
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was and now and (was.digest, was.mode) == (now.digest, now.mode):
            continue
        one, other = text_lines(was, blobs), text_lines(now, blobs)
        yield f"--- {name if was else '/dev/null'}"
        yield f"+++ {name if now else '/dev/null'}"
        if one is None or other is None:
            yield "Binary files differ"
            continue
        for i, j, k, l in spans(one, other, budget):  # noqa: E741 - the letters difflib uses
            yield f"@@ -{i + 1},{j - i} +{k + 1},{l - k} @@"
            yield from (f"-{line}" for line in one[i:j])
            yield from (f"+{line}" for line in other[k:l])
