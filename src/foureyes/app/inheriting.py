"""Inherited findings: finds open findings of other reviews on text that is in the new bytes, by a rebuildable index."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from foureyes.app.contexts import SAMPLE
from foureyes.app.known_texts import KnownTexts, Texts, WorkText
from foureyes.app.objections import from_log, load_once
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import INHERITABLE
from foureyes.core.contexts import read_context
from foureyes.core.independence import normal
from foureyes.core.inherited import Inheritable
from foureyes.core.model import Finding, Review
from foureyes.core.objections import stands_on_text
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rejections import is_taken_back, rejections
from foureyes.core.rules import Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import CLOCK, Origin, Place, Who

#: Names looked up per query, and most rows and findings examined; with more the review is refused.
NAMES_AT_ONCE, ROWS_MAX, FINDINGS_MAX = 2_000, 1_000 * SAMPLE, 1_000
#: Most reviews updated when something changes where their findings come from.
HEIRS_MAX = 100
#: Size of the cache of party names.
PARTIES_KEPT_MAX = 1_024
#: Up to this many rows, one query tells whether all of them are of one review.
GLANCE_MAX = 4 * SAMPLE
HEIR = "heir"
SETTLED_THERE = "it was settled, waived or passed in review {review}, where it was raised"


def parties(makers: Iterable[Who], origin: Origin) -> tuple[str, ...]:
    """Return hashed names that identify one party: its authors, operators, the session and the task."""
    return _parties(tuple(makers), origin)


@lru_cache(PARTIES_KEPT_MAX)
def _parties(makers: tuple[Who, ...], origin: Origin) -> tuple[str, ...]:
    found = [(kind, name) for one in makers if one != CLOCK for kind, name in _named(one)]
    found += [("session", origin.session), ("task", origin.task)]
    told = dict.fromkeys(f"{kind}:{name}" for kind, name in found if name)
    return tuple(hashlib.sha256(one.encode("utf-8", "surrogatepass")).hexdigest()[:16] for one in told)


def _named(who: Who) -> Iterator[tuple[str, str]]:
    yield from (("author", normal(who.name)), ("operator", normal(who.operator)), ("session", who.session))


def rows_of(reading: Reading, policies: Policies, review: Review) -> dict[str, str]:
    """Return the index rows of a review: what stands on which text, what was settled here, and what it inherited."""
    if not (review.findings or review.reports):
        return {}
    stages, rows = _stages(reading, policies, review), dict[str, str]()
    known_texts = KnownTexts(reading=reading)
    own = parties(review.contributors, review.origin)
    origins = {one: _parties_of(reading, one) for one in {review.findings[name].review for name in review.inherited}}
    for one in objections_in(review, stages).values():
        stands = _stands_in(review, stages, one)
        if stands and one.source:
            rows[f"{HEIR}/{one.review}/{review.id}"] = ""
        if not stands and (not one.source or one.lifted):
            continue
        # What stands is found through the review that raised it; an heir adds only the parties that are its own.
        known = origins[one.review] if one.source and stands else ()
        body = json.dumps({"severity": int(one.severity), "stands": stands})
        names = known_texts.names(review, one)
        rows.update(
            (f"{party}/{name}/{review.id}/{one.id}", body) for party in own if party not in known for name in names
        )
    return rows


def _parties_of(reading: Reading, review: str) -> tuple[str, ...]:
    """Return the parties of another review; empty if its log is gone, so that its heir is found instead."""
    try:
        held = load_once(reading, f"review/{review}")
    except Damaged:
        return ()
    return parties(held.review.contributors, held.review.origin) if held else ()


def objections_in(review: Review, stages: Sequence[Stage]) -> dict[str, Finding]:
    """Return the findings of a review, and its rejections without a finding as findings about the whole work."""
    return {**review.findings, **rejections(review, stages)}


def _stands_in(review: Review, stages: Sequence[Stage], finding: Finding) -> bool:
    if finding.id in review.findings:
        return stands_on_text(review, stages, finding)
    keeping = [one.number for one in review.revisions if finding.id in one.keeps]
    return not is_taken_back(review, finding, keeping)


def noted_by(reading: Reading, stream: str) -> dict[str, str]:
    """Return the rows that the log of a review makes; empty if there is no such review."""
    held = load_once(reading, stream)
    return rows_of(reading, from_log(reading).policies, held.review) if held else {}


def review_of(key: str) -> str:
    """Return the review that owns this row."""
    steps = key.split("/")
    return steps[-1] if steps[0] == HEIR else steps[-2]


def changed_rows(before: Mapping[str, str], after: Mapping[str, str]) -> dict[tuple[str, str], str | None]:
    """Return the writes that turn the old rows of a review into the new ones."""
    new = {(INHERITABLE, key): text for key, text in after.items() if before.get(key) != text}
    return {**new, **{(INHERITABLE, key): None for key in before if key not in after}}


def heirs(reading: Reading, review: str, changed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the reviews with an open finding from this one, if any of its rows changed."""
    if not any(name == INHERITABLE for name, _ in changed):
        return ()
    return tuple(review_of(key) for key, _ in reading.rows(INHERITABLE, f"{HEIR}/{review}/", limit=HEIRS_MAX))


@dataclass(frozen=True, slots=True, kw_only=True)
class Inheriting:
    """Finds what a party's works inherit, on one look at the store."""

    reading: Reading
    policies: Policies
    #: True if an open review hides something from those who would see the inherited finding.
    hides: Callable[[Review], bool]
    texts: KnownTexts
    _loaded: dict[str, Review | None] = field(default_factory=dict)

    def inheritable(self, own: str, makers: Sequence[Who], origin: Origin, texts: Texts) -> list[Inheritable]:
        """Return what stands in other reviews of these makers on text that is in these bytes, the gravest first.

        The index says where to look; the log decides whether it stands. Raises Refusal if there is too much to examine.
        """
        known = self._with_others(parties(makers, origin), own)
        if not known:
            return []
        found = {key: body for key, body in self._rows(known, texts) if review_of(key) != own}
        rows = {_finding_of(key): json.loads(body) for key, body in found.items()}
        stands = [name for name, body in rows.items() if body["stands"]]
        passed: dict[tuple[str, str], list[str]] = {}
        for raised, text in self._passed((name for name, body in rows.items() if not body["stands"]), texts):
            passed.setdefault(raised, []).append(text)
        stands.sort(key=lambda name: (-rows[name]["severity"], name))
        taken = [one for name in stands if (one := self._taken(name[0], name[1], texts)) is not None]
        left = [one for one in taken if not any(_is_passed(one, text) for text in passed.get(one.origin, ()))]
        return sorted(left, key=lambda one: one.hidden)  # visible findings are preferred over hidden copies

    def _with_others(self, names: Sequence[str], own: str) -> list[str]:
        """Return the parties with rows of other reviews than this one, or with too many rows to tell."""
        rows = self.reading.rows_under(INHERITABLE, names, limit=GLANCE_MAX + 1)
        if len(rows) > GLANCE_MAX:
            return [one for one in names if self._has_others(one, own)]
        others = {key.partition("/")[0] for key, _ in rows if review_of(key) != own}
        return [one for one in names if one in others]

    def _has_others(self, party: str, own: str) -> bool:
        rows = self.reading.rows(INHERITABLE, f"{party}/", limit=GLANCE_MAX + 1)
        return len(rows) > GLANCE_MAX or any(review_of(key) != own for key, _ in rows)

    def kept(self, review: Review, texts: Texts) -> list[str]:
        """Return the findings of a review whose text is in its new bytes."""
        found = objections_in(review, _stages(self.reading, self.policies, review)).values()
        return [one.id for one in found if self._find(review, one, texts)[0]]

    def lifted(self, review: Review) -> dict[str, str]:
        """Return the inherited findings that no longer stand where they were raised, and why."""
        found = {}
        for one in (review.findings[name] for name in review.inherited):
            source = self._review(one.review)
            if source is None or (raised := self._raised(source, one.source)) is None:
                continue
            if not self._stands(source, raised):
                found[one.id] = SETTLED_THERE.format(review=one.review)
        return found

    def _unread(self, known: list[str]) -> Iterator[tuple[str, str]]:
        """Yield all rows of these parties, for a work too large to be searched."""
        for party in known:
            rows = self.reading.rows(INHERITABLE, f"{party}/", limit=ROWS_MAX + 1)
            _check_rows(len(rows), len({_finding_of(key) for key, _ in rows}))
            yield from rows

    def _rows(self, known: list[str], texts: Texts) -> Iterator[tuple[str, str]]:
        findings = set[tuple[str, ...]]()
        every = texts.names()
        while names := list(islice(every, NAMES_AT_ONCE)):
            wanted = [f"{party}/{name}" for party in known for name in names]
            rows = self.reading.rows_under(INHERITABLE, wanted, limit=ROWS_MAX + 1)
            findings.update(_finding_of(key) for key, _ in rows)
            _check_rows(len(rows), len(findings))
            yield from rows
        if texts.index.unread:
            yield from self._unread(known)

    def _passed(self, names: Iterable[tuple[str, ...]], texts: Texts) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield what raisers settled or humans passed in reviews that had inherited it, each on this very text."""
        for review, name in names:
            found = self._review(review)
            one = found.findings.get(name) if found else None
            is_copy = one is not None and bool(one.source) and not one.lifted
            if found is None or one is None or not is_copy or self._stands(found, one):
                continue
            # If the text is a whole work, the decision holds for that work and not for a part of it.
            if self.texts.context(found, one) or texts.has_all(self.texts.work(found, one)):
                yield (one.review, one.source), self._text(found, one)

    def _taken(self, review: str, name: str, texts: Texts) -> Inheritable | None:
        found = self._review(review)
        one = self._raised(found, name) if found else None
        if found is None or one is None or not self._stands(found, one):
            return None
        is_there, place = self._find(found, one, texts)
        if not is_there:
            return None
        seat = found.seats.get(one.seat)
        veto = one.veto or (seat is not None and seat.veto)
        hidden = found.outcome is None and self.hides(found)
        text = place.context_hash if place else ""
        return Inheritable(review=review, finding=one, place=place, text=text, veto=veto, hidden=hidden)

    def _find(self, review: Review, finding: Finding, texts: Texts) -> tuple[bool, Place | None]:
        known = self.texts.context(review, finding)
        return texts.find(finding.place, known, WorkText() if known else self.texts.work(review, finding))

    def _text(self, review: Review, finding: Finding) -> str:
        known = self.texts.context(review, finding)
        return known.text if known else ""

    def _raised(self, review: Review, name: str) -> Finding | None:
        return objections_in(review, _stages(self.reading, self.policies, review)).get(name)

    def _stands(self, review: Review, finding: Finding) -> bool:
        return _stands_in(review, _stages(self.reading, self.policies, review), finding)

    def _review(self, name: str) -> Review | None:
        if name not in self._loaded:
            held = load_once(self.reading, f"review/{name}")
            self._loaded[name] = held.review if held else None
        return self._loaded[name]


def _is_passed(found: Inheritable, text: str) -> bool:
    """True if a decision on this text applies to the finding: the same lines, with at least one matching side."""
    known, here = read_context(text), read_context(found.text)
    return text == found.text or (known is not None and here is not None and known.is_like(here))


def _finding_of(key: str) -> tuple[str, ...]:
    """Return the review and the finding that a row is about."""
    return tuple(key.split("/")[-2:])


def _check_rows(rows: int, findings: int) -> None:
    if rows > ROWS_MAX or findings > FINDINGS_MAX:
        raise Refusal(
            Code.OBJECTED,
            "Too many open findings of earlier reviews stand on text that is in this work.",
            "Change that text, or have the findings settled or waived where they were raised.",
        )


def _stages(reading: Reading, policies: Policies, review: Review) -> tuple[Stage, ...]:
    """Return the stages by the review's own rules; none if these are gone, so that everything blocks."""
    try:
        rules, stricter = policies.rules(reading, review.rules), policies.stricter(reading, review.stricter)
    except Damaged:
        return ()
    return stages_of(rules, review, stricter)
