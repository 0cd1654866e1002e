"""Planted bugs that let an author escape an objection by submitting the same bytes elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.commands import OpenReview, SubmitRevision
from foureyes.core.facts import Facts
from foureyes.core.inherited import Inheritable
from foureyes.core.live import LiveFacts, RecordLive
from foureyes.core.model import Finding, Review
from foureyes.core.scene import Scene
from foureyes.core.values import Standing
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.answers.author:_check_objections", source="T40", found_by="U03")
def the_same_bytes_get_another_review(_original: Function, _command: OpenReview | SubmitRevision, _: Facts) -> None:
    """Bytes with an objection are opened again, under another name, kind or chain."""


@bug("foureyes.core.live:why_not", source="T40", found_by="U03", seed=3)
def one_clearance_is_enough(original: Function, command: RecordLive, facts: LiveFacts, *given: object) -> str:
    """Bytes go live by the review that cleared them, despite an objection of another one."""
    found: str = original(command, replace(facts, against=""), *given)
    return found


@bug("foureyes.core.objections:_is_resolved", source="T40", found_by="U03")
def a_fix_elsewhere_lifts_it_here(_original: Function, _review: Review, finding: Finding, _number: int) -> bool:
    """A finding fixed in a later version no longer blocks the version that has the defect."""
    return finding.standing is Standing.RESOLVED


@bug("foureyes.core.answers.inheriting:_new", source="T40", found_by="U03", seed=4)
def one_changed_byte_sheds_it(_original: Function, _scene: Scene) -> Iterator[Inheritable]:
    """Work with a byte, a path or a part changed inherits no findings."""
    return iter(())
