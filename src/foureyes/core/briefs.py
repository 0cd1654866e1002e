"""Briefs for reviewers: the criteria and their checks, the role, the reasons for choosing it, and a draft.

They are built from what one viewer may see: the stages of the policy, and the seats that are in the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foureyes.core.assign import same_role
from foureyes.core.gates.standards import Criteria, Standards
from foureyes.core.grounds import REJECT_GROUNDS
from foureyes.core.model import Review, Seat
from foureyes.core.profiles import PROFILES, Profile
from foureyes.core.rules import MatrixRow, Stage
from foureyes.core.values import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionAsked:
    """One criterion of a checklist: what it means, and what exactly to look at."""

    name: str
    meaning: str
    checks: tuple[str, ...] = ()
    #: True if an approval needs it passed.
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What whoever holds a seat needs to know to judge; without a seat, what a stage asks of anybody."""

    stage: str
    seat: str = ""
    #: The role the seat is for, and what that role looks at.
    role: str = ""
    profile: Profile | None = None
    #: The scope the seat may judge; empty means everything.
    scope: str = ""
    criteria: tuple[CriterionAsked, ...] = ()
    #: Minimum confidence of an approval in percent; 0 if not required.
    confidence_min: int = 0
    #: A rejection names one of these grounds; empty if none is required.
    grounds: tuple[str, ...] = ()
    #: Why the policy asks this role about this author's work.
    reasons: tuple[str, ...] = ()
    #: Conditions under which the reviewer should request a human.
    escalate_when: tuple[str, ...] = ()
    #: The author's confidence in percent.
    author_confidence: int | None = None
    #: The draft of an earlier holder who left the seat.
    draft: str = ""


def briefs_of(review: Review, stages: Iterable[Stage]) -> tuple[Brief, ...]:
    """The briefs of all stages for the visible seats; stages without specific demands are left out."""
    found = (one for stage in stages for one in _briefs(review, stage))
    return tuple(one for one in found if _says_anything(one))


def _briefs(review: Review, stage: Stage) -> Iterator[Brief]:
    seats = [*review.seats_of(stage.name), *review.seats_of(stage.name, Part.TIE_BREAK)]
    seats += review.seats_of(stage.name, Part.COUNSEL)
    for seat in seats:
        yield _brief(review, stage, seat)
    if not seats:
        yield _brief(review, stage, None)


def _brief(review: Review, stage: Stage, seat: Seat | None) -> Brief:
    standards = next((one for one in stage.gates if isinstance(one, Standards)), None)
    row = _row(stage, seat) if seat else None
    role = _role(seat) if seat else ""
    return Brief(
        stage=stage.name,
        seat=seat.id if seat else "",
        role=role,
        profile=PROFILES.get(same_role(role)),
        scope=seat.scope if seat else "",
        criteria=tuple(_asked(standards.for_kinds(review.kinds))) if standards else (),
        confidence_min=standards.confidence_min if standards else stage.options.confidence_min,
        grounds=REJECT_GROUNDS if stage.options.names_reject_grounds else (),
        reasons=row.reasons if row else (),
        escalate_when=row.escalate_when if row else (),
        author_confidence=review.current.confidence,
        draft=seat.draft if seat and seat.left else "",
    )


def _asked(criteria: tuple[Criteria, ...]) -> Iterator[CriterionAsked]:
    """Each criterion once; it is required if any kind of the work requires it."""
    required = {name for one in criteria for name, _ in one.required}
    seen: set[str] = set()
    for one in criteria:
        checks = dict(one.checks)
        for name, meaning in (*one.required, *one.optional):
            if name not in seen:
                seen.add(name)
                yield CriterionAsked(name=name, meaning=meaning, checks=checks.get(name, ()), required=name in required)


def _role(seat: Seat) -> str:
    """The holder's role: their own name if it is among the seat's roles, else the role the seat has reached."""
    holder = same_role(seat.reviewer.name) if seat.reviewer else ""
    named = next((one for one in seat.candidates if same_role(one) == holder), "")
    if named or not seat.candidates:
        return named
    return seat.candidates[min(len(seat.left), len(seat.candidates) - 1)]


def _row(stage: Stage, seat: Seat) -> MatrixRow | None:
    """The matrix row that fills this seat."""
    wanted = tuple(map(same_role, seat.candidates))
    rows = stage.options.matrix
    if seat.part is Part.JUDGE:
        return next((one for one in rows if (same_role(one.primary), same_role(one.backup)) == wanted), None)
    return next((one for one in rows if wanted and same_role(one.escalate) == wanted[0]), None)


def _says_anything(brief: Brief) -> bool:
    told = brief.criteria, brief.profile, brief.reasons, brief.grounds, brief.scope, brief.draft
    return any(told) or brief.author_confidence is not None or bool(brief.confidence_min)
