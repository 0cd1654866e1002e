"""Which findings of a review a report names again: by the hash of their text, in whatever file and line it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TypedDict

from foureyes.app.contexts import count_text, files_of
from foureyes.app.facts import bytes_at_hand
from foureyes.app.ports import Reading
from foureyes.app.reviewers import File
from foureyes.core import commands as c
from foureyes.core.contexts import Context, read_context
from foureyes.core.drafts import mark_of, says_the_same, settled_in
from foureyes.core.model import Finding, Review

#: How often a text stands in a version, in the files of these names.
Count = Callable[[int, frozenset[str], Context], int]


class RepeatFacts(TypedDict):
    """Facts about findings that a report may repeat, as the core takes them."""

    moved: frozenset[str]
    settled_texts: frozenset[tuple[str, str]]


def repeat_facts(reading: Reading, review: Review | None, command: c.ReviewCommand) -> RepeatFacts:
    """Compare the text of each finding of a report with that of the findings it may repeat.

    The places of the command must have been hashed before. A file is read only where words and hash already agree.
    """
    if review is None or not isinstance(command, c.SubmitReport | c.ReportInconclusive):
        return RepeatFacts(moved=frozenset(), settled_texts=frozenset())
    count, drafts = _counter(reading, review), command.findings
    known = list(review.findings.values())
    moved = frozenset(one.id for one in known if any(_is_moved(one, draft, review, count) for draft in drafts))
    settled = (one for one in known if one.is_settled)
    texts = [pair for one in settled for draft in drafts for pair in _texts(one, draft, review, count, moved=moved)]
    return RepeatFacts(moved=moved, settled_texts=frozenset(texts))


def is_moved(known: Finding, draft: c.Draft, files: dict[str, File]) -> bool:
    """True if the text of a finding stands in these files under another path, and no more under its own."""
    place, text = known.place, _context(draft)
    if place is None or draft.place is None or text is None or not says_the_same(known, draft):
        return False
    old = files.get(place.path)
    return draft.place.path != place.path and (old is None or not count_text(old, text))


def _is_moved(known: Finding, draft: c.Draft, review: Review, count: Count) -> bool:
    place, text = known.place, _context(draft)
    if place is None or draft.place is None or text is None or not says_the_same(known, draft):
        return False
    return draft.place.path != place.path and not count(review.revision, frozenset({place.path}), text)


def _texts(
    known: Finding, draft: c.Draft, review: Review, count: Count, *, moved: frozenset[str]
) -> Iterable[tuple[str, str]]:
    """The text a draft names, where it stood in the version that the finding was settled on; a new copy did not."""
    text = _context(draft)
    if text is None or known.place is None or draft.place is None:
        return
    if known.fingerprint != mark_of(draft) and not (known.id in moved and says_the_same(known, draft)):
        return
    paths = frozenset({known.place.path, draft.place.path})
    if count(settled_in(known), paths, text) >= count(review.revision, paths, text):
        yield known.id, draft.place.context_hash


def _context(draft: c.Draft) -> Context | None:
    return read_context(draft.place.context_hash) if draft.place else None


def _counter(reading: Reading, review: Review) -> Count:
    """Reads each file of each version once."""

    @cache
    def files(number: int, path: str) -> tuple[File, ...]:
        parts = tuple(one for one in review.revisions[number - 1].parts if one.name == path)
        return tuple(files_of(parts, bytes_at_hand(reading, parts)))

    @cache
    def count(number: int, paths: frozenset[str], text: Context) -> int:
        return sum(count_text(one, text) for path in paths for one in files(number, path))

    return count
