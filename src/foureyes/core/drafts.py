"""Sort the findings of a report: raised, reopened, listed as a repeat, or kept as advisory.

Convergence is implemented here: late findings, findings below the round's floor, outside the seat's scope, or waived
by a human before never stop the work; a settled one is not raised again while its place is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foureyes.core.categories import COMMON_CATEGORIES, OTHER, common_category
from foureyes.core.chains import SCOPES
from foureyes.core.checks import check_filled, severity_of
from foureyes.core.citations import missing_path
from foureyes.core.commands import Draft
from foureyes.core.contexts import is_same_text, read_context
from foureyes.core.events import FindingRaised, FindingReopened, ReviewEvent
from foureyes.core.lessons import applies, place_of
from foureyes.core.matching import fingerprint
from foureyes.core.model import Finding, Review, Seat
from foureyes.core.refusals import Code, refuse, unknown_word
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Part, Place, Severity, Standing, Verification, Who, WhoKind

LATE = "late: this part has not changed since you last reported"
BELOW_FLOOR = "below what counts from the second round on"
OUT_OF_SCOPE = "outside the scope of this seat"
COUNSEL = "counsel for the human who decides; it counts in no gate"
LEASE_ENDED = "handed in after the time on the seat had run out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The findings of a report, sorted into what they become."""

    events: tuple[ReviewEvent, ...]
    repeats: tuple[str, ...]
    contradicts: tuple[str, ...]


def sort_drafts(scene: Scene, stage: Stage, seat: Seat, actor: Who, drafts: Iterable[Draft]) -> Sorted:
    """Compare each draft with the known findings, in order; a duplicate within the report counts once."""
    review = scene.review
    events: list[ReviewEvent] = []
    repeats: list[str] = []
    contradicts: list[str] = []
    used: set[str] = set()
    number = seat.findings
    for draft, mark in _once_each(drafts):
        known = _known(scene, seat, draft, mark, used)
        used |= {known.id} if known else set()
        if known and known.seat == seat.id and known.standing is Standing.ANSWERED:
            events.append(FindingReopened(finding=known.id, revision=review.revision, by=actor.name, note=draft.text))
        elif known and _is_repeat(scene, stage, seat, draft, actor=actor, known=known):
            repeats.append(known.id)
            if known.seat == seat.id and known.standing is Standing.RESOLVED:
                contradicts.append(known.id)
        else:
            number += 1
            events.append(raise_draft(scene, stage, seat, actor, draft, number=number, mark=mark))
    listed = tuple(dict.fromkeys(repeats))
    return Sorted(events=tuple(events), repeats=listed, contradicts=tuple(dict.fromkeys(contradicts)))


def _once_each(drafts: Iterable[Draft]) -> list[tuple[Draft, str]]:
    """Each draft with its fingerprint; of equal text at the same place only the gravest, at two places both."""
    first: dict[tuple[str, str, Place | None], tuple[Draft, str]] = {}
    for one in drafts:
        mark = mark_of(one)
        key = (mark, one.text.strip(), one.place)
        if key not in first or severity_of(one.severity) > severity_of(first[key][0].severity):
            first[key] = (one, mark)
    return list(first.values())


def raise_draft(
    scene: Scene, stage: Stage, seat: Seat, actor: Who, draft: Draft, *, number: int, mark: str = "", advisory: str = ""
) -> FindingRaised:
    """Build the event of a new finding, with the reason if it is only advisory."""
    severity = severity_of(draft.severity)
    check_filled("The finding", draft.text)
    _check_flood(scene, seat, actor, advisory)
    _check_category(scene, stage, actor, draft)
    _check_scope(scene, draft)
    why = advisory or _advice(scene, stage, seat, actor, draft)
    if (
        stage.options.blocking_evidence
        and severity >= stage.options.blocking
        and not why
        and not draft.evidence.strip()
    ):
        raise refuse(Code.EVIDENCE_MISSING, what="A finding that stops the work")
    return FindingRaised(
        finding=f"{seat.id}-F{number}",
        seat=seat.id,
        raiser=actor.name,
        revision=scene.review.revision,
        severity=severity,
        severity_word=draft.severity,
        category=draft.category,
        text=draft.text,
        fingerprint=mark or mark_of(draft),
        scope=draft.scope or seat.scope,
        place=draft.place,
        evidence=draft.evidence,
        suggestion=draft.suggestion,
        rule=draft.rule,
        advisory=why,
        suppressed_by=_suppressed_by(scene, seat, draft),
    )


def _check_flood(scene: Scene, seat: Seat, actor: Who, advisory: str) -> None:
    """Limit the findings per reviewer and seat; late ones have a small limit of their own, to leave room for others."""
    limits = scene.rules.limits
    late = advisory == LEASE_ENDED
    most = limits.late_findings_max if late else limits.findings_per_seat_max
    same = [
        one
        for one in scene.review.findings.values()
        if one.seat == seat.id and one.raiser == actor.name and (one.advisory == LEASE_ENDED) == late
    ]
    if len(same) >= most:
        raise refuse(Code.TOO_MANY, what=f"findings of {actor.name} on seat {seat.id}", size=len(same) + 1, most=most)


def is_run_here(scene: Scene, actor: Who) -> bool:
    """True for programs and reviewers run by this installation; from them unrequested extra fields are dropped."""
    return actor.kind is WhoKind.PROGRAM or scene.facts.hosts(actor.name)


def _check_category(scene: Scene, stage: Stage, actor: Who, draft: Draft) -> None:
    """Refuse a category outside the style's own list, or without such a list outside the common ones and the scopes."""
    named, word = stage.options.categories, draft.category
    if named:
        if word not in named:
            raise unknown_word("The category", word, named, "category")
        return
    meant = {word, common_category(word)}
    if not word or not meant.isdisjoint(COMMON_CATEGORIES) or is_run_here(scene, actor):
        return
    scopes = _scopes(scene)
    if meant.isdisjoint(scopes):
        known = (OTHER, *sorted((COMMON_CATEGORIES | scopes) - {OTHER}))
        raise unknown_word("The category", word, known, "category")


def _check_scope(scene: Scene, draft: Draft) -> None:
    """Refuse a scope that no seat of the policy and no shipped critic has."""
    if draft.scope and draft.scope not in _scopes(scene):
        raise unknown_word("The scope", draft.scope, tuple(sorted(_scopes(scene))), "scope")


def _scopes(scene: Scene) -> frozenset[str]:
    stages = (stage for protocol in scene.rules.protocols for stage in protocol.stages)
    return SCOPES.union(one.scope for stage in stages for one in stage.seats if one.scope)


def mark_of(draft: Draft) -> str:
    """The fingerprint that makes two findings equal, wherever their lines have moved to."""
    return fingerprint(draft.place.path if draft.place else "", draft.category, draft.text, draft.rule)


def _advice(scene: Scene, stage: Stage, seat: Seat, actor: Who, draft: Draft) -> str:
    review, severity = scene.review, severity_of(draft.severity)
    if seat.part is Part.COUNSEL:
        return COUNSEL
    if seat.scope and draft.scope and draft.scope != seat.scope:
        return OUT_OF_SCOPE
    if seat.veto or severity is Severity.CRITICAL or actor.kind is WhoKind.PROGRAM:
        return ""
    if stage.options.late_is_advisory and is_late(review, seat, actor, draft.place):
        return LATE
    return BELOW_FLOOR if review.revision > 1 and severity < stage.options.floor else ""


def is_late(review: Review, seat: Seat, actor: Who, place: Place | None) -> bool:
    """True if the place is unchanged since this reviewer's last report on the seat; a successor has no last report."""
    last = seat.reported if seat.reported < review.revision else seat.reported_before
    report = review.reports.get((seat.id, last))
    theirs = report is not None and report.reviewer.name == actor.name
    return place is not None and theirs and not _changed_since(review, place, last)


def _changed_since(review: Review, place: Place, revision: int) -> bool:
    """True if the place changed: by line against the previous revision, by file across several, because lines move."""
    later = [one for one in review.revisions if one.number > revision]
    path = missing_path(place.path) or place.path
    touched = [change for one in later for change in one.changed if change.path == path]
    if len(later) > 1 or place.start <= 0:
        return bool(touched)
    return any(change.start <= max(place.start, place.end) and place.start <= change.end for change in touched)


def _known(scene: Scene, seat: Seat, draft: Draft, mark: str, used: set[str]) -> Finding | None:
    """The known finding equal to this draft and not used by another draft; same seat, place and text are preferred."""
    moved = scene.facts.moved
    equal = [
        one
        for one in scene.review.findings.values()
        if one.fingerprint == mark or (one.id in moved and says_the_same(one, draft))
    ]
    same = [one for one in reversed(equal) if one.is_settled or one.id not in used]

    def likeness(one: Finding) -> tuple[bool, bool, bool]:
        return one.seat == seat.id, one.place == draft.place, one.text == draft.text

    return max(same, key=likeness, default=None)


def says_the_same(known: Finding, draft: Draft) -> bool:
    """True if a finding states the same about the same text, whatever the file name; waived ones never count.

    A human who waived a finding judged the text in its own file.
    """
    if known.standing is Standing.WAIVED or not is_same_text(known.place, draft.place):
        return False
    said = fingerprint("", known.category, known.text, known.rule)
    return said == fingerprint("", draft.category, draft.text, draft.rule)


def _is_settled_text(scene: Scene, known: Finding, draft: Draft) -> bool:
    """True if the draft is about the text the finding was settled on, wherever that text is now.

    Always true without a place. If no text was hashed, the changed lines decide.
    """
    if draft.place is None:
        return True
    if read_context(draft.place.context_hash) is not None:
        return (known.id, draft.place.context_hash) in scene.facts.settled_texts
    return not _changed_since(scene.review, draft.place, settled_in(known))


def settled_in(known: Finding) -> int:
    """The revision in which a finding was settled, at the earliest the one in which it was raised."""
    return max(known.settled_in, known.revision)


def _is_repeat(scene: Scene, stage: Stage, seat: Seat, draft: Draft, *, actor: Who, known: Finding) -> bool:
    """True if raising the draft again adds nothing; another seat's finding silences it only if a human waived it."""
    own = known.seat == seat.id
    if known.standing is Standing.OPEN and not known.is_advisory:
        return own
    if known.standing is Standing.OPEN and known.verification is not Verification.REFUTED:
        return own and bool(_advice(scene, stage, seat, actor, draft) or _suppressed_by(scene, seat, draft))
    if known.standing is Standing.ANSWERED:
        return False
    if not _is_settled_text(scene, known, draft):
        return False
    if known.standing is Standing.WAIVED:
        return True
    return own and not seat.veto and severity_of(draft.severity) is not Severity.CRITICAL


def _suppressed_by(scene: Scene, seat: Seat, draft: Draft) -> str:
    if not scene.facts.suppressions:
        return ""
    severity = severity_of(draft.severity)
    text = draft.place.context_hash if draft.place else ""
    texts = (text, *scene.facts.contexts_before.get(text, ()))
    stage = scene.stage(seat.stage)
    anybody = stage is not None and stage.options.person_waives
    here = ("", place_of(scene.review))
    for one in scene.facts.suppressions:
        if (
            (one.proven or anybody)
            and one.where in here
            and any(
                applies(
                    one, fingerprint=mark_of(draft), context_hash=two, severity=severity, veto=seat.veto, now=scene.now
                )
                for two in texts
            )
        ):
            return one.source
    return ""


def from_summary(summary: str) -> Draft:
    """Make one finding of a concern that lists no issue, in the words of its summary."""
    return Draft(severity="important", text=summary, category="concern")
