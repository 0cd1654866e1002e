"""The checker's model of everything beside the single review: policies, vetoes, trust, keys."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tests.sim.checker.model import Review
from tests.sim.checker.shapes import Json, Policy, ProtocolPolicy, StagePolicy, Work

#: How long a negative report shuts the author's fast lane, by the policies of the simulated worlds.
DOUBTED_FOR = timedelta(hours=3)


@dataclass(slots=True)
class Activated:
    """An activated policy."""

    digest: str
    at: str
    applies_in_flight: bool


@dataclass(slots=True)
class Lane:
    """A fast lane of one author for one kind of work."""

    by: str
    by_kind: str
    expires: str
    spoiled: str = ""
    #: When a reviewer last objected to such work.
    doubted: str = ""

    def is_doubted(self, at: str) -> bool:
        """Whether a reviewer objected to such work recently."""
        since = datetime.fromisoformat(at) - datetime.fromisoformat(self.doubted) if self.doubted else None
        return since is not None and since <= DOUBTED_FOR


@dataclass(slots=True)
class World:
    """The checker's whole state."""

    reviews: dict[str, Review] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    activated: list[Activated] = field(default_factory=list)
    works: dict[str, Work] = field(default_factory=dict)
    vetoes: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    #: The reviews that had these bytes, by digest.
    holders: dict[str, set[str]] = field(default_factory=dict)
    lanes: dict[tuple[str, str], Lane] = field(default_factory=dict)
    lessons: dict[str, Json] = field(default_factory=dict)
    suppressors: dict[str, Json] = field(default_factory=dict)
    replies: dict[tuple[str, str], tuple[object, str]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    prints: dict[str, bytes] = field(default_factory=dict)
    hostile: frozenset[str] = frozenset()
    #: Reviewers that the program itself hosts.
    hosted: frozenset[str] = frozenset()
    #: The service that vouches for each agent, and the members of each session, as the simulator knows them.
    services: dict[str, str] = field(default_factory=dict)
    mates: dict[str, frozenset[str]] = field(default_factory=dict)
    live: dict[tuple[str, str], int] = field(default_factory=dict)
    active: dict[str, int] = field(default_factory=dict)

    def policies_of(self, review: Review) -> list[Policy]:
        """The pinned policy, and the one a human applied in flight."""
        found = [self.policies[review.policy]] if review.policy in self.policies else []
        if review.policies and review.policies[-1] in self.policies:
            found.append(self.policies[review.policies[-1]])
        return found

    def protocols_of(self, review: Review, policy: Policy) -> list[ProtocolPolicy]:
        """The protocols this review must pass under a policy; one applied in flight includes those of the first."""
        names = review.protocols
        if policy.digest != review.policy:
            names = [*names, *sorted(policy.required(review.kind, self.works.get(review.digest)) - set(names))]
        return [policy.protocols[name] for name in names if name in policy.protocols]

    def stages_of(self, review: Review, policy: Policy) -> list[StagePolicy]:
        """The stages a policy demands, under the names they have in this review."""
        demanded = [stage for protocol in self.protocols_of(review, policy) for stage in protocol.stages]
        if policy.digest == review.policy:
            return demanded
        own = {one.name: one for one in self.stages_of(review, self.policies[review.policy])}
        return [
            replace(one, name=f"{one.name}+") if one.name in own and own[one.name].seats != one.seats else one
            for one in demanded
        ]

    def all_stages(self, review: Review) -> dict[str, tuple[ProtocolPolicy, StagePolicy]]:
        """Every stage of a review by name, as the pinned policy describes it if both do."""
        key = (review.policy, review.policies[-1] if review.policies else "", review.kind, review.digest)
        if review.known_for == (key, len(review.revisions)):
            return review.stages
        found: dict[str, tuple[ProtocolPolicy, StagePolicy]] = {}
        for policy in self.policies_of(review):
            protocols = {one.name: one for one in self.protocols_of(review, policy)}
            for stage in self.stages_of(review, policy):
                found.setdefault(stage.name, (protocols[stage.protocol], stage))
        review.known_for, review.stages = (key, len(review.revisions)), found
        return found

    def stage(self, review: Review, name: str) -> StagePolicy | None:
        """The description of a stage, from the pinned policy or the one applied in flight."""
        found = self.all_stages(review).get(name)
        return found[1] if found else None

    def protocol_of(self, review: Review, stage: str) -> ProtocolPolicy | None:
        """The protocol a stage belongs to."""
        found = self.all_stages(review).get(stage)
        return found[0] if found else None

    def revisions_max(self, review: Review) -> int:
        """How often the author may try again: the lowest of all protocols."""
        found = [
            protocol.revisions_max
            for policy in self.policies_of(review)
            for protocol in self.protocols_of(review, policy)
        ]
        return min(found, default=0)

    def apply(  # noqa: C901 - one case per kind of event is the whole function
        self, stream: str, kind: str, body: Json, actor: Json, at: str
    ) -> None:
        """Apply the effects of events beyond their own review."""
        match kind:
            case "RevisionSubmitted":
                self.holders.setdefault(body["digest"], set()).add(stream)
            case "ReportSubmitted":
                self._veto(stream, body)
            case "StageOverridden":
                self._unveto(stream, body)
            case "PolicyActivated":
                self.activated.append(Activated(body["digest"], at, body["applies_in_flight"]))
            case "SkipEnabled" | "SkipDisabled":
                self._lane(kind, body, actor)
            case "EscapeReported":
                self._spoil(stream, "an escape was reported")
            case "LessonRecorded" | "LessonRetired" | "FindingWaived":
                self._taught(stream, kind, body, actor)
            case "WentLive":
                self._published(body)
            case "ReviewClosed":
                self._doubted(stream, at)
            case "ReviewCleared":
                self._doubted(stream, at)
                # A second clearance, after a human reopened the review, is another one: its use is counted again.
                self.live.pop((stream, body["digest"]), None)

    def _taught(self, stream: str, kind: str, body: Json, actor: Json) -> None:
        """Record a lesson or a waiver that may suppress findings later, with its actor."""
        if kind == "LessonRecorded":
            self.lessons[body["lesson"]] = body
        elif kind == "LessonRetired":
            self.lessons.pop(body["lesson"], None)
        else:
            self.suppressors[f"{stream}:{body['finding']}"] = {**body, "actor": actor}

    def _lane(self, kind: str, body: Json, actor: Json) -> None:
        if kind == "SkipEnabled":
            self.lanes[body["kind"], body["author"]] = Lane(actor["name"], actor["kind"], body["expires"])
        else:
            self.lanes.pop((body["kind"], body["author"]), None)

    def _published(self, body: Json) -> None:
        key = (f"review/{body['review']}", body["digest"])
        self.live[key] = self.live.get(key, 0) + 1

    def _veto(self, stream: str, body: Json) -> None:
        seat = self.reviews[stream].seats[body["seat"]]
        if seat.veto and body["verdict"] == "reject":
            self.vetoes.setdefault(body["digest"], set()).add((stream, seat.stage))

    def _doubted(self, stream: str, at: str) -> None:
        """Every negative report is a failed attempt; they are counted when the review ends."""
        review = self.reviews[stream]
        lane = self.lanes.get((review.kind, review.author["name"]))
        for (seat, number), one in review.counted.items():
            counts = one.verdict in ("concerns", "reject") and review.seats[seat].part != "counsel"
            if lane is not None and counts and (not review.reopened or number == review.number):
                lane.doubted = at

    def _unveto(self, stream: str, body: Json) -> None:
        standing = self.vetoes.get(body["digest"], set())
        standing.discard((stream, body["stage"]))
        if not standing:
            self.vetoes.pop(body["digest"], None)

    def _spoil(self, stream: str, why: str) -> None:
        review = self.reviews.get(stream)
        lane = self.lanes.get((review.kind, review.author["name"])) if review else None
        if lane is not None:
            lane.spoiled = why

    def weigh(self, review: Review) -> None:
        """Recompute each reviewer's load from this review."""
        for name, many in review.load.items():
            self.active[name] -= many
        review.load = {}
        for request in review.requests.values():
            seat = review.seats.get(request.seat)
            if seat is not None and seat.holder is not None and not request.queued:
                name = seat.holder["name"]
                review.load[name] = review.load.get(name, 0) + 1
        for name, many in review.load.items():
            self.active[name] = self.active.get(name, 0) + many

    def in_force(self) -> Activated:
        return self.activated[-1]
