"""How findings of other reviews are taken over, settled by their raisers, and lifted."""

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
    """What a new version inherits, and what it sheds because the text it is about is gone."""
    review = scene.review
    for one in _open(review):
        if not is_text_in(review, one, review.revision):
            yield FindingLifted(finding=one.id, revision=review.revision, reason=TEXT_CHANGED)
    found = [one for one in _new(scene) if not one.hidden]
    if len(found) + len(_open(review)) > INHERITED_MAX:
        raise _too_many(found)
    yield from _named(review, found)


def before_clearance(scene: Scene) -> tuple[list[FindingInherited], bool]:
    """What came up elsewhere since this version was handed in, and whether there is more that must not be told here."""
    found = list(_new(scene))
    shown = [one for one in found if not one.hidden][:INHERITED_MAX]
    return list(_named(scene.review, shown)), len(found) > len(shown) == 0


def lifted(scene: Scene) -> Iterator[FindingLifted]:
    """What was settled where it was raised stands here no more, on any version."""
    for one in _open(scene.review):
        if one.id in scene.facts.lifted:
            yield FindingLifted(finding=one.id, revision=one.revision, reason=scene.facts.lifted[one.id])


def restated(review: Review, actor: Who, events: Iterable[ReviewEvent]) -> Iterator[FindingLifted]:
    """What its raiser raises here anew on the same text is that finding from now on."""
    raised = [one for one in events if isinstance(one, FindingRaised) and one.place and one.place.context_hash]
    for one in review.inherited_from(actor.name):
        again = next((new.finding for new in raised if _is_about(one, new)), "")
        if again:
            yield FindingLifted(finding=one.id, revision=review.revision, reason=f"raised here as {again}")


def _is_about(known: Finding, raised: FindingRaised) -> bool:
    """Whether both are about the same text, at whatever path."""
    one, two = known.place, raised.place
    if one is None or two is None:
        return False
    return one.context_hash == two.context_hash or is_same_text(one, two)


def is_own(review: Review, finding: str, actor: Who) -> bool:
    """Whether this is an inherited finding that the actor raised; of others nothing is told."""
    found = review.findings.get(finding)
    return found is not None and bool(found.source) and found.raiser == actor.name


def check_inherited(scene: Scene, _command: CheckInherited, actor: Who) -> Iterator[ReviewEvent]:
    """Something changed where an inherited finding comes from; every other command looks for that too."""
    if actor.kind is not WhoKind.CLOCK:
        raise refuse(Code.NOT_THE_CLOCK)
    found = tuple(lifted(scene))
    if not found:
        raise Refusal(Code.NOT_DUE, "Everything that this review inherited still stands.", "Nothing is left to do.")
    yield from found


def _open(review: Review) -> list[Finding]:
    return [found for one in review.inherited if not (found := review.findings[one]).is_settled]


def _new(scene: Scene) -> Iterator[Inheritable]:
    """Each once, without those that stand here already or were settled here by a word.

    What one reviewer said of the same text in several reviews is one finding, however many copies stand.
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
    """Under the name it had here before, if its text came back; else under the next."""
    names = {_origin(review.findings[one]): one for one in review.inherited}
    for one in found:
        name = names.setdefault(one.origin, f"inherited-F{len(names) + 1}")
        yield one.event(name, review.revision)


def _origin(finding: Finding) -> tuple[str, str]:
    return finding.review, finding.source


def _said(finding: Finding, text: str) -> tuple[str, str, str]:
    """Who said what of which text, in a file of whatever name."""
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
