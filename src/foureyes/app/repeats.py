"""Finds which findings of a review a report names again, by the hash of their text in any file and line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

from foureyes.app.contexts import Budget, files_of
from foureyes.app.facts import bytes_at_hand
from foureyes.app.ports import Reading
from foureyes.app.reviewers import File
from foureyes.app.text_index import TextIndex
from foureyes.core import commands as c
from foureyes.core.contexts import Context, read_context
from foureyes.core.drafts import mark_of, says_the_same, settled_in
from foureyes.core.model import Finding, Review
from foureyes.core.values import Place

#: Counts a text in the named files of a version; None if that is too much to compare.
Count = Callable[[int, frozenset[str], Context], int | None]


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A finding of a report with the text of its place and its fingerprint."""

    draft: c.Draft
    place: Place
    text: Context
    mark: str


class RepeatFacts(TypedDict):
    """Facts about findings that a report may repeat, as the core takes them."""

    moved: frozenset[str]
    settled_texts: frozenset[tuple[str, str]]


def repeat_facts(reading: Reading, review: Review | None, command: c.ReviewCommand) -> RepeatFacts:
    """Compare the text of each finding of a report with that of the findings it may repeat.

    The places of the command must be hashed already. A file is read only if words and hash agree. A finding that is too
    costly to compare counts as new.
    """
    if review is None or not isinstance(command, c.SubmitReport | c.ReportInconclusive):
        return RepeatFacts(moved=frozenset(), settled_texts=frozenset())
    drafts = [_Drafted(draft, place, text, mark_of(draft)) for draft, place, text in _with_text(command.findings)]
    if not drafts:
        return RepeatFacts(moved=frozenset(), settled_texts=frozenset())
    count, known = _counter(reading, review), list(review.findings.values())
    same = defaultdict[tuple[str, str], list[_Drafted]](list)
    for one in drafts:
        same[one.text.anchor, one.text.digest].append(one)
    moved = frozenset(one.id for one in known if any(_is_moved(one, two, review, count) for two in _like(one, same)))
    marked = defaultdict[str, list[_Drafted]](list)
    for one in drafts:
        marked[one.mark].append(one)
    settled = (one for one in known if one.is_settled)
    texts = [
        (one.id, two.text.text)
        for one in settled
        for two in (*marked[one.fingerprint], *(_like(one, same) if one.id in moved else ()))
        if _is_settled_text(one, two, review, count)
    ]
    return RepeatFacts(moved=moved, settled_texts=frozenset(texts))


def is_moved(known: Finding, draft: c.Draft, files: dict[str, File]) -> bool:
    """True if the text of a finding stands in these files under another path, and no longer under its own.

    Also true if comparing is too costly: the finding is then treated as not gone.
    """
    place = known.place
    text = read_context(draft.place.context_hash) if draft.place else None
    if place is None or draft.place is None or text is None or draft.place.path == place.path:
        return False
    old = files.get(place.path)
    return says_the_same(known, draft) and (old is None or not TextIndex(files=(old,)).count(text))


def _with_text(drafts: Iterable[c.Draft]) -> Iterator[tuple[c.Draft, Place, Context]]:
    for draft in drafts:
        if draft.place is not None and (text := read_context(draft.place.context_hash)) is not None:
            yield draft, draft.place, text


def _like(known: Finding, drafts: Mapping[tuple[str, str], list[_Drafted]]) -> list[_Drafted]:
    """Return the findings of the report on the same lines as this one, which avoids comparing all pairs."""
    text = read_context(known.place.context_hash) if known.place else None
    return drafts.get((text.anchor, text.digest), []) if text else []


def _is_moved(known: Finding, drafted: _Drafted, review: Review, count: Count) -> bool:
    place = known.place
    if place is None or drafted.place.path == place.path or not says_the_same(known, drafted.draft):
        return False
    return count(review.revision, frozenset({place.path}), drafted.text) == 0


def _is_settled_text(known: Finding, drafted: _Drafted, review: Review, count: Count) -> bool:
    """True if the named text stood in the version that the finding was settled on; a new copy did not."""
    if known.place is None or (known.fingerprint != drafted.mark and not says_the_same(known, drafted.draft)):
        return False
    paths = frozenset({known.place.path, drafted.place.path})
    then, now = count(settled_in(known), paths, drafted.text), count(review.revision, paths, drafted.text)
    return then is not None and now is not None and then >= now


def _counter(reading: Reading, review: Review) -> Count:
    """Return a counter that reads each file of each version once, all of them within one budget."""
    budget = Budget()

    @cache
    def index(number: int, path: str) -> TextIndex:
        parts = tuple(one for one in review.revisions[number - 1].parts if one.name == path)
        return TextIndex(files=tuple(files_of(parts, bytes_at_hand(reading, parts))), budget=budget)

    @cache
    def count(number: int, paths: frozenset[str], text: Context) -> int | None:
        counts = [index(number, path).count(text) for path in sorted(paths)]
        return None if None in counts else sum(filter(None, counts))

    return count
