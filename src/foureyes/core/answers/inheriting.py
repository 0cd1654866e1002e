"""Inherited findings: take over those of other reviews, settle them by their raisers, and lift them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.core.commands import CheckInherited
from foureyes.core.contexts import is_same_text
from foureyes.core.events import FindingInherited, FindingLifted, FindingRaised, ReviewEvent
from foureyes.core.inherited import INHERITED_MAX, Inheritable
from foureyes.core.matching import fingerprint
from foureyes.core.model import Finding, Review
from foureyes.core.objections import is_text_in
from foureyes.core.refusals import Code, NextCall, Refusal, refuse
from foureyes.core.scene import Scene
from foureyes.core.values import Who, WhoKind

TEXT_CHANGED = "the text it is about is not in this version"
NAMED_MAX = 5


def after_revision(scene: Scene) -> Iterator[ReviewEvent]:
    """Add the findings that a new revision inherits, and lift those whose text is gone from it."""
    review = scene.review
    for one in _open(review):
        if not is_text_in(review, one, review.revision):
            yield FindingLifted(finding=one.id, revision=review.revision, reason=TEXT_CHANGED)
    found = [one for one in _new(scene) if not one.hidden]
    if len(found) + len(_open(review)) > INHERITED_MAX:
        raise _too_many(found)
    yield from _named(review, found)


def before_clearance(scene: Scene) -> tuple[list[FindingInherited], bool]:
    """New findings from other reviews since this revision was submitted, and True if all must stay hidden here."""
    found = list(_new(scene))
    shown = [one for one in found if not one.hidden][:INHERITED_MAX]
    return list(_named(scene.review, shown)), len(found) > len(shown) == 0


def lifted(scene: Scene) -> Iterator[FindingLifted]:
    """Lift inherited findings that were settled in the review that raised them, on any revision."""
    for one in _open(scene.review):
        if one.id in scene.facts.lifted:
            yield FindingLifted(finding=one.id, revision=one.revision, reason=scene.facts.lifted[one.id])


def restated(review: Review, actor: Who, events: Iterable[ReviewEvent]) -> Iterator[FindingLifted]:
    """Lift inherited findings that their raiser has raised here again on the same text."""
    raised = [one for one in events if isinstance(one, FindingRaised) and one.place and one.place.context_hash]
    for one in review.inherited_from(actor.name):
        again = next((new.finding for new in raised if _is_about(one, new)), "")
        if again:
            yield FindingLifted(finding=one.id, revision=review.revision, reason=f"raised here as {again}")


def _is_about(known: Finding, raised: FindingRaised) -> bool:
    """True if both are about the same text, whatever its path."""
    one, two = known.place, raised.place
    if one is None or two is None:
        return False
    return one.context_hash == two.context_hash or is_same_text(one, two)


def is_own(review: Review, finding: str, actor: Who) -> bool:
    """True if this is an inherited finding that the actor raised; those of others are not disclosed."""
    found = review.findings.get(finding)
    return found is not None and bool(found.source) and found.raiser == actor.name


def check_inherited(scene: Scene, _command: CheckInherited, actor: Who) -> Iterator[ReviewEvent]:
    """Lift inherited findings after a change in their source review; every other command checks for that too."""
    if actor.kind is not WhoKind.CLOCK:
        raise refuse(Code.NOT_THE_CLOCK)
    found = tuple(lifted(scene))
    if not found:
        raise Refusal(Code.NOT_DUE, "Everything that this review inherited still stands.", "Nothing is left to do.")
    yield from found


def _open(review: Review) -> list[Finding]:
    return [found for one in review.inherited if not (found := review.findings[one]).is_settled]


def _new(scene: Scene) -> Iterator[Inheritable]:
    """Yield each inheritable finding once, without those that are already here or were settled here by an answer.

    The same statement of one reviewer about the same text counts as one finding, however many reviews have a copy.
    """
    review = scene.review
    here = [found for name in review.inherited if not (found := review.findings[name]).lifted]
    known = {_origin(one) for one in here}
    said = {_said(one, one.place.context_hash if one.place else "") for one in here}
    for one in scene.facts.inheritable:
        words = _said(one.finding, one.text)
        if one.origin not in known and words not in said and one.origin[0] != review.id:
            known.add(one.origin)
            said.add(words)
            yield one


def _named(review: Review, found: Iterable[Inheritable]) -> Iterator[FindingInherited]:
    """Reuse the name a finding had here before, if its text came back; otherwise take the next one."""
    names = {_origin(review.findings[one]): one for one in review.inherited}
    for one in found:
        name = names.setdefault(one.origin, f"inherited-F{len(names) + 1}")
        yield one.event(name, review.revision)


def _origin(finding: Finding) -> tuple[str, str]:
    return finding.review, finding.source


def _said(finding: Finding, text: str) -> tuple[str, str, str]:
    """The raiser, the statement and the text it is about, independent of the file name."""
    return finding.raiser, fingerprint("", finding.category, finding.text, finding.rule), text


def _too_many(found: list[Inheritable]) -> Refusal:
    names = [f"{one.origin[1]} of {one.origin[0]}" for one in found[:NAMED_MAX]]
    return Refusal(
        Code.OBJECTED,
        f"Earlier reviews have more than {INHERITED_MAX} open findings on text that is in this work, "
        f"among them {', '.join(names)}.",
        "Change that text, or have the findings settled or waived where they were raised.",
        next_call=NextCall(call="read_review", arguments={"review": found[0].origin[0]}) if found else None,
    )
