"""What lies outside the review and is needed to decide? Gathered by the shell, copied into the events that use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from foureyes.core.rules import Rules
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Changed, ChangeKind, Effect, Risk, Who


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who may be asked to review."""

    who: Who
    roles: frozenset[str] = frozenset()
    available: bool = True
    #: This installation runs them, so what they say a run cost is what it pays; of anybody else it is hearsay.
    hosted: bool = False
    #: Each of their runs costs this installation money.
    paid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How much a reviewer has on the table."""

    active: int = 0
    queued: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A human's standing word that a finding is not real while its context stays the same."""

    fingerprint: str
    context_hash: str
    source: str
    by: str
    expires: datetime | None = None
    #: A signed-in human said so; the word of somebody at a terminal counts only where such a person may waive.
    proven: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRuling:
    """What a human decided in an earlier case."""

    kind: str
    reason: str
    effect: Effect
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyInForce:
    """The policy new reviews get; with the flag, open reviews must meet it too."""

    digest: str
    applies_in_flight: bool = False
    rules: Rules | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything outside the review that a decision may use; the shell may look up the longer ones when asked for."""

    pool: tuple[Principal, ...] = ()
    load: Mapping[str, Load] = field(default_factory=dict)
    recent_pairings: Mapping[str, int] = field(default_factory=dict)
    trust: TrustRecord | None = None
    #: Digests with a veto that stands in *another* review, and which one; this review knows its own.
    vetoes: Mapping[str, str] = field(default_factory=dict)
    #: Digests that another open review has or had, of which the actor does not see everything yet, and which one.
    unseen: Mapping[str, str] = field(default_factory=dict)
    suppressions: Sequence[Suppression] = ()
    policy: PolicyInForce | None = None
    stricter: Rules | None = None
    past_rulings: Sequence[PastRuling] = ()
    change: ChangeKind = ChangeKind.CONTENT
    changed: tuple[Changed, ...] = ()
    unchanged_seats: frozenset[str] = frozenset()
    risk: Risk = Risk()
    #: Other names of the bytes, as the shell computed or looked them up; never the author's word.
    aliases: tuple[str, ...] = ()
    draw: int = 0
    served: str = ""
    #: What all reviews cost today, in millionths of a dollar; one number, or none where nobody counts.
    spent_today: Sequence[int] = ()
    #: The human who acts proved moments ago who they are.
    signed_in_anew: bool = False

    def principal(self, name: str) -> Principal | None:
        """Who of the pool bears this name."""
        return next((one for one in self.pool if one.who.name == name), None)

    def roles(self, name: str) -> frozenset[str]:
        """The roles of somebody; none when unknown."""
        found = self.principal(name)
        return found.roles if found else frozenset()

    def hosts(self, name: str) -> bool:
        """Whether this installation runs somebody; an unknown name is somebody else's."""
        found = self.principal(name)
        return found is not None and found.hosted

    def pays(self, name: str) -> bool:
        """Whether a run of somebody costs this installation money."""
        found = self.principal(name)
        return found is not None and found.paid

    def unpaid(self) -> Facts:
        """The same, but nobody can be asked who costs something."""
        return replace(self, pool=tuple(replace(one, available=False) if one.paid else one for one in self.pool))
