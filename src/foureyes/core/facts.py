"""Facts: data outside the review that a decision needs, gathered by the shell and copied into events that use it."""

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
    #: True if this installation runs the reviewer and pays the cost it reports; the cost of others is unproven.
    hosted: bool = False
    #: True if each run costs this installation money.
    paid: bool = False
    #: The service that vouches for this agent; all agents of one service are one party.
    vouched_by: str = ""
    #: True if the account was removed: it is listed so that its seats are freed, and gets no requests.
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
    #: The local repository it applies to; empty if it applies wherever the text is.
    where: str = ""
    #: True if a signed-in human waived it; a waiver from a terminal counts only where the policy allows those.
    proven: bool = True
    #: True if it applies to critical findings and vetoes too.
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
    #: Mates whose session a contributor only named, or joined after them. That is the contributor's act, and must not
    #: influence who reviews.
    by_maker: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything outside the review that a decision may use; the shell may look up the longer ones when asked for."""

    pool: tuple[Principal, ...] = ()
    load: Mapping[str, Load] = field(default_factory=dict)
    recent_pairings: Mapping[str, int] = field(default_factory=dict)
    trust: TrustRecord | None = None
    #: Digests with a veto in *another* review, and which one; this review knows its own.
    vetoes: Mapping[str, str] = field(default_factory=dict)
    #: Digests with an objection in another review, and which one; this review knows its own.
    objections: Mapping[str, Objection] = field(default_factory=dict)
    #: Digests of other open reviews that the actor may not fully see yet, with the review.
    unseen: Mapping[str, str] = field(default_factory=dict)
    suppressions: Sequence[Suppression] = ()
    policy: PolicyInForce | None = None
    stricter: Rules | None = None
    past_rulings: Sequence[PastRuling] = ()
    change: ChangeKind = ChangeKind.CONTENT
    changed: tuple[Changed, ...] = ()
    unchanged_seats: frozenset[str] = frozenset()
    #: Computed against `base`; if the base is unknown, the whole work counts as new.
    risk: Risk = Risk()
    base: KnownBase = KnownBase()
    #: The files before the change: of the known base, else as stated by the author, which is enough to show a diff.
    before: tuple[WorkPart, ...] = ()
    proof: Proof = Proof()
    #: Other names of the bytes, computed or looked up by the shell; never taken from the author.
    aliases: tuple[str, ...] = ()
    draw: int = 0
    #: The digest of the bytes last served to the actor as a whole, by a door or by the run that loaded them.
    served: str = ""
    #: A file of that version withheld from the actor: it may contain secrets, or cannot be searched for them.
    withheld: str = ""
    #: Line counts of the files whose lines the command names, if the actor comes through a door.
    lines: Mapping[str, int] = field(default_factory=dict)
    #: Paths that the current version removes.
    deleted: frozenset[str] = frozenset()
    #: Texts named as checked by the command that occur in the work, such as the name of a section.
    quoted: frozenset[str] = frozenset()
    #: The cost of all reviews today in millionths of a dollar; one number, or empty if it is not counted.
    spent_today: Sequence[int] = ()
    mates: Mates = Mates()
    #: True if the acting human signed in within the last minutes.
    signed_in_anew: bool = False
    #: Findings of the party's other reviews on text that is in these bytes, the gravest first.
    inheritable: Sequence[Inheritable] = ()
    #: Inherited findings of this review that were settled where they were raised, and why.
    lifted: Mapping[str, str] = field(default_factory=dict)
    #: Findings of this review whose text is in the new bytes.
    kept: Sequence[str] = ()
    #: For a context hash, the hashes that earlier releases computed for the same text.
    contexts_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Findings of this review whose text moved to another file, which the command names.
    moved: frozenset[str] = frozenset()
    #: Pairs of a finding and a context hash in the command, if that text was in the version the finding was settled on.
    settled_texts: frozenset[tuple[str, str]] = frozenset()

    def principal(self, name: str) -> Principal | None:
        """The principal of the pool with this name, if any."""
        for one in self.pool:
            if one.who.name == name:
                return one
        return None

    def roles(self, name: str) -> frozenset[str]:
        """The roles of an account; empty if it is unknown."""
        found = self.principal(name)
        return found.roles if found else frozenset()

    def hosts(self, name: str) -> bool:
        """True if this installation runs the reviewer; an unknown name is not run here."""
        found = self.principal(name)
        return found is not None and found.hosted

    def pays(self, name: str) -> bool:
        """True if a run of this reviewer costs this installation money."""
        found = self.principal(name)
        return found is not None and found.paid

    def proof_of(self, digest: str) -> str:
        """Why a program proved this digest harmless against the known base; empty without such a proof."""
        proof, base = self.proof, self.base
        is_for_these = base.is_known and bool(base.digest) and (proof.base, proof.digest) == (base.digest, digest)
        return proof.why if is_for_these else ""

    def without_mates(self) -> Facts:
        """These facts without any session mates of the contributors."""
        if not (self.mates.names or self.mates.by_maker):
            return self
        return replace(self, mates=Mates())

    def unpaid(self) -> Facts:
        """These facts with all paid reviewers unavailable."""
        return replace(self, pool=tuple(replace(one, available=False) if one.paid else one for one in self.pool))
