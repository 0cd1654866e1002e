"""Planted bugs that lift a veto, lose it, or bypass the seat that has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.assess import Assessment
from foureyes.core.commands import OpenReview, SubmitRevision
from foureyes.core.events import ReviewEvent, StageOverridden
from foureyes.core.facts import Facts
from foureyes.core.model import Review
from foureyes.core.rules import Rules
from foureyes.core.scene import Scene
from foureyes.core.values import ChangeKind, Risk, SeatSpec, Who
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.model:Review.is_vetoed", source="S17", found_by="I6")
def a_veto_is_a_rejection_like_others(_original: Function, _review: Review, _stage: str) -> bool:
    """A human who overrides a veto is not told that it is one."""
    return False


@bug("foureyes.core.answers.human:_override", source="own mutation", found_by="I6")
def an_override_names_other_bytes(original: Function, scene: Scene, *given: object) -> StageOverridden:
    """A human overrides for bytes they did not look at."""
    found: StageOverridden = original(scene, *given)
    return replace(found, digest=scene.review.revisions[0].digest)


@bug("foureyes.core.answers.author:open_review", source="S16", found_by="I4")
def veto_shopping(original: Function, rules: Rules, command: OpenReview, actor: Who, facts: Facts) -> object:
    """Vetoed bytes are accepted as a new task."""
    return original(rules, command, actor, replace(facts, vetoes={}, objections={}))


@bug("foureyes.core.settle:_clear", source="S16", found_by="I4", seed=3)
def a_veto_elsewhere_is_not_asked_for(original: Function, scene: Scene, now: Assessment) -> Iterator[ReviewEvent]:
    """Bytes that another review vetoed meanwhile are cleared."""
    facts = replace(scene.facts, vetoes={})
    yield from original(replace(scene, facts=facts, review=replace(scene.review, vetoes=frozenset())), now)


@bug("foureyes.core.answers.author:_change_of", source="S17", found_by="I4")
def resubmission_lifts_a_veto(original: Function, scene: Scene, command: SubmitRevision) -> ChangeKind:
    """The vetoed bytes come back as a new version of the same review."""
    if any(digest == command.digest for _, digest in scene.review.vetoes):
        return ChangeKind.CONTENT
    found: ChangeKind = original(scene, command)
    return found


@bug("foureyes.core.evolve.rulings:asked_anew", source="S17", found_by="I4", seed=2)
def asking_anew_forgets_the_veto(original: Function, review: Review, stage: str) -> Review:
    """A veto is lost once a review is reopened or its reviewers are asked again."""
    found: Review = original(replace(review, vetoes=frozenset()), stage)
    return found


@bug("foureyes.core.asks:_spec", source="S16", found_by="I5")
def seats_lose_their_veto(original: Function, *given: object) -> SeatSpec:
    """A seat is asked without the veto its rule gives it."""
    found: SeatSpec = original(*given)
    return replace(found, veto=False)


@bug("foureyes.core.risk:protocols_for", source="S16", found_by="I5")
def the_caller_names_the_chain(original: Function, rules: Rules, kind: str, *given: object) -> tuple[str, ...]:
    """A requested protocol replaces the required ones."""
    found: tuple[str, ...] = original(rules, kind, *given)
    asked = given[-1] if len(given) > 2 else ()
    return tuple(asked) if isinstance(asked, tuple) and asked else found


@bug("foureyes.core.risk:protocols_for", source="S8", found_by="I5")
def the_label_decides(original: Function, rules: Rules, kind: str, *given: object) -> tuple[str, ...]:
    """The label of the work decides how it is reviewed, not the paths of its bytes."""
    found: tuple[str, ...] = original(rules, kind, (), Risk(), *given[2:])
    return found


@bug("foureyes.core.answers.author:submit_revision", source="own mutation", found_by="I5")
def a_new_version_drops_protocols(original: Function, scene: Scene, *given: object) -> Iterator[ReviewEvent]:
    """A version that no longer touches a guarded path drops the critic."""
    for one in original(scene, *given):
        kept = getattr(one, "protocols", ())
        yield replace(one, protocols=kept[:1]) if kept else one
