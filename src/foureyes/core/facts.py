"""What lies outside the review and is needed to decide? Gathered by the shell, copied into the events that use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from foureyes.core.inherited import Inheritable
from foureyes.core.objections import Objection
from foureyes.core.rules import Rules
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Changed, ChangeKind, Effect, KnownBase, Proof, Risk, Who, WorkPart


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
    #: The service that vouches for this agent; all whom one service vouches for are one party.
    vouched_by: str = ""
    #: The account was removed: it is listed so that its seats are freed, and nobody asks it.
    removed: bool = False


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
    #: The repository on somebody's machine that it holds in; empty where it holds wherever the text stands.
    where: str = ""
    #: A signed-in human said so; the word of somebody at a terminal counts only where such a person may waive.
    proven: bool = True
    #: It holds for critical findings and vetoes too.
    grave: bool = False


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
class Mates:
    """Who works in a session of those who made the work: they are given no seat on it."""

    names: frozenset[str] = frozenset()
    #: Those among them whose session a maker only named, or came to later than they did. That is the maker's act, and
    #: must not choose who is left.
    by_maker: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything outside the review that a decision may use; the shell may look up the longer ones when asked for."""

    pool: tuple[Principal, ...] = ()
    load: Mapping[str, Load] = field(default_factory=dict)
    recent_pairings: Mapping[str, int] = field(default_factory=dict)
    trust: TrustRecord | None = None
    #: Digests with a veto that stands in *another* review, and which one; this review knows its own.
    vetoes: Mapping[str, str] = field(default_factory=dict)
    #: Digests that another review has something against, and what; this review knows its own.
    objections: Mapping[str, Objection] = field(default_factory=dict)
    #: Digests that another open review has or had, of which the actor does not see everything yet, and which one.
    unseen: Mapping[str, str] = field(default_factory=dict)
    suppressions: Sequence[Suppression] = ()
    policy: PolicyInForce | None = None
    stricter: Rules | None = None
    past_rulings: Sequence[PastRuling] = ()
    change: ChangeKind = ChangeKind.CONTENT
    changed: tuple[Changed, ...] = ()
    unchanged_seats: frozenset[str] = frozenset()
    #: Computed against `base`; with a base that is not known, the whole work counts as new.
    risk: Risk = Risk()
    base: KnownBase = KnownBase()
    #: The files as they were: of the known base, else as the author states them, which is good for showing a diff.
    before: tuple[WorkPart, ...] = ()
    proof: Proof = Proof()
    #: Other names of the bytes, as the shell computed or looked them up; never the author's word.
    aliases: tuple[str, ...] = ()
    draw: int = 0
    #: The digest of the bytes that whoever acts was given last, whole: by a door, or by the run that loaded them.
    served: str = ""
    #: A file of that version that they were not given: it may hold secrets, or cannot be searched for them.
    withheld: str = ""
    #: How many lines the files have that the command names lines of, where whoever acts comes through a door.
    lines: Mapping[str, int] = field(default_factory=dict)
    #: Paths that the current version removes.
    deleted: frozenset[str] = frozenset()
    #: Texts the command names as checked that stand in the work, such as the name of a section.
    quoted: frozenset[str] = frozenset()
    #: What all reviews cost today, in millionths of a dollar; one number, or none where nobody counts.
    spent_today: Sequence[int] = ()
    mates: Mates = Mates()
    #: The human who acts proved moments ago who they are.
    signed_in_anew: bool = False
    #: What stands in other reviews of the same party on text that is in the bytes at hand, the gravest first.
    inheritable: Sequence[Inheritable] = ()
    #: Inherited findings of this review that no longer stand where they were raised, and why.
    lifted: Mapping[str, str] = field(default_factory=dict)
    #: Findings of this review whose text is in the new bytes.
    kept: Sequence[str] = ()
    #: For the hash of the text around a place, the one that earlier releases made of it.
    contexts_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Findings of this review whose text the command names in another file, and which is not in their own any more.
    moved: frozenset[str] = frozenset()
    #: A finding and the hash of a text that the command names, where that text stood in the version it was settled on.
    settled_texts: frozenset[tuple[str, str]] = frozenset()

    def principal(self, name: str) -> Principal | None:
        """Who of the pool bears this name."""
        for one in self.pool:
            if one.who.name == name:
                return one
        return None

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

    def proof_of(self, digest: str) -> str:
        """Why the work of this digest is harmless, as a program proved it against the known base; empty without."""
        proof, base = self.proof, self.base
        is_for_these = base.is_known and bool(base.digest) and (proof.base, proof.digest) == (base.digest, digest)
        return proof.why if is_for_these else ""

    def without_mates(self) -> Facts:
        """The same, but nobody works in a session with those who made the work."""
        if not (self.mates.names or self.mates.by_maker):
            return self
        return replace(self, mates=Mates())

    def unpaid(self) -> Facts:
        """The same, but nobody can be asked who costs something."""
        return replace(self, pool=tuple(replace(one, available=False) if one.paid else one for one in self.pool))
