"""Facts about text for one decision: the context hash of each place named, and inherited findings on that text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypedDict, TypeVar

from foureyes.app.contexts import Budget, files_of, places_of, with_context
from foureyes.app.facts import Bytes, bytes_at_hand
from foureyes.app.former_contexts import former_hashes
from foureyes.app.inheriting import Inheriting
from foureyes.app.known_texts import KnownTexts, Texts
from foureyes.app.lazily import LazyMapping, LazySequence
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading
from foureyes.app.reviewers import File
from foureyes.app.texts import readings
from foureyes.core import commands as c
from foureyes.core.contexts import read_context
from foureyes.core.inherited import Inheritable
from foureyes.core.model import Review
from foureyes.core.values import Origin, Place, Who, WorkPart
from foureyes.core.views import view

C = TypeVar("C", bound=c.ReviewCommand)


class InheritedFacts(TypedDict):
    """Facts about inherited findings, as the core takes them; each is looked up when it is first used."""

    inheritable: Sequence[Inheritable]
    lifted: Mapping[str, str]
    kept: Sequence[str]


def located(reading: Reading, review: Review | None, command: C) -> tuple[C, dict[str, tuple[str, ...]]]:
    """Return the command with freshly hashed places, and the hashes that earlier releases made of each.

    A hash in the command is not used: a client who could choose it could choose what a dismissal silences.
    """
    if review is None or not isinstance(command, c.SubmitReport | c.ReportInconclusive):
        return command, {}
    wanted = places_of(command.findings)
    parts = tuple(one for one in review.current.parts if one.name in wanted)
    files = {one.path: one for one in files_of(parts, bytes_at_hand(reading, parts))} if parts else {}
    drafts = _with_contexts(command.findings, files)
    places = dict.fromkeys(one.place for one in drafts if one.place is not None and one.place.path in files)
    before = {one.context_hash: _former(files[one.path], one, review.origin.task) for one in places}
    return (command if drafts == command.findings else replace(command, findings=drafts)), before


def _former(file: File, place: Place, task: str) -> tuple[str, ...]:
    """Return the hashes that earlier releases made of a place; none if it is too long to be compared."""
    known = read_context(place.context_hash)
    is_long = any(one.is_cut for one in readings(file)) or (place.start > 0 and not (known and known.lines))
    return () if is_long and file.text is not None else former_hashes(file, place, task)


def _with_contexts(drafts: Sequence[c.Draft], files: Mapping[str, File]) -> tuple[c.Draft, ...]:
    """Return the findings with the text around their places, file by file, so that no file is read twice."""
    budget, found = Budget(), dict[int, c.Draft]()
    for number in sorted(range(len(drafts)), key=lambda one: _path_of(drafts[one])):
        found[number] = with_context(drafts[number], files, budget)
    return tuple(found[number] for number in range(len(drafts)))


def _path_of(draft: c.Draft) -> str:
    return draft.place.path if draft.place else ""


def inherited_facts(
    reading: Reading,
    policies: Policies,
    command: c.ReviewCommand,
    makers: Sequence[Who],
    *,
    review: Review | None,
    work: Bytes | None,
) -> InheritedFacts:
    """Return what a review of these makers inherits with the bytes at hand, new or as they are stored."""
    parts: tuple[WorkPart, ...] = getattr(command, "parts", ()) if work else review.current.parts if review else ()
    origin = command.origin if isinstance(command, c.OpenReview) else review.origin if review else Origin()
    found = Inheriting(
        reading=reading,
        policies=policies,
        hides=lambda one: _hides(reading, policies, one, makers[0]),
        texts=KnownTexts(reading=reading),
    )

    def texts() -> Texts:
        return Texts(parts=parts, blobs=work.blobs if work else bytes_at_hand(reading, parts))

    def inheritable() -> list[Inheritable]:
        return found.inheritable(review.id if review else "", makers, origin, texts())

    has_words = review is not None and bool(review.findings or review.reports)
    return InheritedFacts(
        inheritable=LazySequence(inheritable),
        lifted=LazyMapping(lambda: found.lifted(review) if review else {}),
        kept=LazySequence(lambda: found.kept(review, texts()) if review and work and has_words else []),
    )


def _hides(reading: Reading, policies: Policies, review: Review, viewer: Who) -> bool:
    """True if an open review hides something from the viewer; one whose rules are gone hides everything."""
    try:
        rules, stricter = policies.rules(reading, review.rules), policies.stricter(reading, review.stricter)
    except Damaged:
        return True
    return view(rules, review, viewer, stricter).hides
