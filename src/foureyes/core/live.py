"""Go-live decision: whether exactly these bytes may go live on this target now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.events import BaseAttested, LiveRefused, WentLive
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import ON_TARGET, BaseSource, KnownBase, RiskLevel, Who, WhoKind, WorkPart

#: Who may attest what is on a target: kinds that can have publishing tokens, and humans.
PUBLISHERS = frozenset({WhoKind.PROGRAM, WhoKind.SERVICE, WhoKind.HUMAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLive:
    """A publisher says that it puts these bytes on a target."""

    target: str
    review: str
    digest: str
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttestBase:
    """A publisher says which files are on a target now; work for that target is compared with them."""

    target: str
    digest: str
    parts: tuple[WorkPart, ...]
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """What a review let through: these bytes, at this level of independence, perhaps once or for a while only."""

    digest: str
    level: int = 0
    single_use: bool = False
    expires: datetime | None = None
    #: The version of its event in the review's stream.
    version: int = 0
    #: True if a human passed a stage; a human is not of the author's party, so this counts as level 1.
    by_human: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFacts:
    """What is known about the bytes and the target.

    `clearance` is None unless the review's outcome is cleared now. `veto` says in words which veto stands on the
    digest in any review. `lives` are the uses of this very clearance on any target: a clearance given again after a
    human reopened the review starts anew. `against` is what judging anew found against it.
    """

    clearance: Clearance | None
    veto: str = ""
    against: str = ""
    level_min: int = 0
    lives: tuple[WentLive, ...] = ()


def decide_live(command: RecordLive, actor: Who, facts: LiveFacts, now: datetime) -> tuple[WentLive | LiveRefused]:
    """Record that the bytes went live, or that they were refused, since refused attempts are recorded too."""
    reason = why_not(command, facts, now)
    if reason:
        return (LiveRefused(target=command.target, digest=command.digest, actor=actor.name, reason=reason),)
    live = WentLive(
        target=command.target,
        review=command.review,
        digest=command.digest,
        commit=command.commit,
        clearance=facts.clearance.version if facts.clearance else 0,
    )
    return (live,)


def decide_base(command: AttestBase, actor: Who) -> tuple[BaseAttested]:
    """Record what is on a target; only a publisher may say so, never an agent at work."""
    if actor.kind not in PUBLISHERS:
        raise Refusal(
            Code.NOT_ELIGIBLE,
            f"{actor.name} is no publisher: only a program, a service or a human says what is on a target.",
            "Have the program that publishes call it, with a token for publish.",
        )
    attested = BaseAttested(
        target=command.target, digest=command.digest, parts=command.parts, by=actor.name, commit=command.commit
    )
    return (attested,)


def why_not(command: RecordLive, facts: LiveFacts, now: datetime) -> str:
    """Why the bytes may not go live, with the next step; empty if they may."""
    if facts.veto or facts.against:
        return (
            facts.against
            or f"A veto stands on this version: {facts.veto} A human must override it, or the author revises."
        )
    clearance = facts.clearance
    if clearance is None:
        return f"Review {command.review} is not cleared. Wait for its clearance."
    if not command.digest or clearance.digest != command.digest:
        return (
            f"Review {command.review} cleared {clearance.digest}, not {command.digest}. Submit these bytes for review."
        )
    if clearance.expires is not None and now >= clearance.expires:
        return f"The clearance expired at {clearance.expires.isoformat()}. Ask for a new review."
    reached = max(clearance.level, 1) if clearance.by_human else clearance.level
    if reached < facts.level_min:
        name = f"Target {command.target}" if command.target else "A target that is not named"
        return (
            f"{name} demands level {facts.level_min} of independence, the clearance has "
            f"{clearance.level}. Ask for more independent reviewers."
        )
    return _why_not_again(command, clearance, facts.lives)


def why_elsewhere(base: KnownBase, risk: str, target: str, *, is_local: bool) -> str:
    """Why a clearance does not count here: the work was compared with the base of another place.

    Work of high risk met every requirement despite its base, so its clearance counts for every target.
    """
    if base.source is BaseSource.LOCAL and (target or not is_local):
        return (
            "This version was compared with a base that only its author's machine knows. Its clearance counts there. "
            "Open a review of these bytes at the server."
        )
    on_target = base.source in ON_TARGET
    if on_target and target != base.name and risk != RiskLevel.HIGH.name.lower():
        return (
            f"This version was judged by what it changes on {base.name}, so its clearance is for that target. "
            f"Name that target, or open a review of these bytes without it."
        )
    return ""


def _why_not_again(command: RecordLive, clearance: Clearance, lives: tuple[WentLive, ...]) -> str:
    uses = [live for live in lives if (live.review, live.digest) == (command.review, command.digest)]
    if uses and clearance.single_use:
        return f"The clearance was for one use and was used on {uses[0].target}. Ask for a new review."
    if any(live.target == command.target for live in uses):
        return f"This version of review {command.review} is live on {command.target} already. Nothing is left to do."
    return ""
