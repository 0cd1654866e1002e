"""The scene of a decision: the rules, the review, the facts outside it, and the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from foureyes.core.assess import Assessment, assess
from foureyes.core.events import ReportFailed, ReviewEvent
from foureyes.core.evolve import evolve
from foureyes.core.facts import Facts
from foureyes.core.model import Review
from foureyes.core.rules import Rules, Stage
from foureyes.core.stack import stages_of, stricter_protocols


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything a decision may use."""

    rules: Rules
    review: Review
    facts: Facts
    now: datetime
    #: The last failed run within this decision, which the text of a ruling request mentions.
    failed: ReportFailed | None = None
    #: Cache of folded steps by identity of review and event, because handlers fold the same events several times.
    steps: dict[tuple[int, int], tuple[Review, ReviewEvent, Review]] = field(default_factory=dict, compare=False)

    def after(self, events: Sequence[ReviewEvent]) -> Scene:
        """The scene after these events."""
        if not events:
            return self
        review, failed = self.review, self.failed
        for event in events:
            # The entry holds references to both values, so that their ids cannot be reused.
            key = (id(review), id(event))
            step = self.steps.get(key)
            if step is None:
                step = self.steps[key] = (review, event, evolve(review, event))
            review = step[2]
            if isinstance(event, ReportFailed):
                failed = event
        return Scene(rules=self.rules, review=review, facts=self.facts, now=self.now, failed=failed, steps=self.steps)

    def without_mates(self) -> Scene:
        """The scene without any session mates of the contributors."""
        facts = self.facts.without_mates()
        return self if facts is self.facts else replace(self, facts=facts)

    @property
    def stricter(self) -> Rules | None:
        """The stricter policy that also binds this review, if any and if known."""
        if not self.review.stricter:
            return None
        known = (self.facts.stricter, self.facts.policy.rules if self.facts.policy else None)
        return next((one for one in known if one and one.digest == self.review.stricter), None)

    def assess(self) -> Assessment:
        """The assessment of the review under its rules."""
        return assess(self.rules, self.review, self.stricter)

    def stages(self) -> tuple[Stage, ...]:
        """The stages this review must pass."""
        return stages_of(self.rules, self.review, self.stricter)

    def stage(self, name: str) -> Stage | None:
        """The stage with this name, or None."""
        return next((one for one in self.stages() if one.name == name), None)

    def group(self, name: str) -> frozenset[str]:
        """The members of a group by the review's own rules, or by the stricter policy if those do not define it."""
        known = any(one.name == name for one in self.rules.groups)
        other = self.stricter
        return self.rules.group(name) if known or other is None else other.group(name)

    def remaining(self) -> int:
        """The number of attempts the author has left; the lowest limit of all protocols counts."""
        caps = [found.revisions_max for one in self.review.protocols if (found := self.rules.protocol(one))]
        other = self.stricter
        if other:
            names = stricter_protocols(other, self.review)
            caps += [found.revisions_max for one in names if (found := other.protocol(one))]
        return max(0, min(caps, default=0) - self.review.retries)
