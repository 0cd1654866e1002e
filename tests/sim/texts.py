"""The simulated shell's search for text that other reviews have an objection to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from foureyes.core.inherited import Inheritable
from foureyes.core.model import Finding, Review
from foureyes.core.objections import stands_on_text
from foureyes.core.rules import Rules
from foureyes.core.stack import stages_of
from tests.sim.works import Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The bytes and reviews that are searched; bytes of one family have all their text in common."""

    works: Mapping[str, Bytes]
    reviews: Mapping[str, Review]
    rules: Mapping[str, Rules]

    def inheritable(self, streams: list[str], own: str, work: Bytes | None) -> list[Inheritable]:
        """The open findings of these reviews on text of these bytes, the gravest first."""
        if work is None:
            return []
        found = [
            Inheritable(review=review.id, finding=one, place=one.place, veto=one.veto or self._veto(review, one))
            for stream in streams
            if stream != own and (review := self.reviews.get(stream)) is not None
            for one in review.findings.values()
            if self._is_in(review, one, work) and self._stands(review, one)
        ]
        return sorted(found, key=lambda one: (-one.finding.severity, one.review, one.finding.id))

    def kept(self, review: Review | None, work: Bytes | None) -> list[str]:
        """The findings of a review whose text is also in the new bytes."""
        if review is None or work is None:
            return []
        return [one.id for one in review.findings.values() if self._is_in(review, one, work)]

    def lifted(self, review: Review | None) -> dict[str, str]:
        """The inherited findings that are no longer open where they were raised."""
        found = {}
        for one in (review.findings[name] for name in review.inherited) if review else ():
            source = self.reviews[f"review/{one.review}"]
            if not self._stands(source, source.findings[one.source]):
                found[one.id] = "settled where it was raised"
        return found

    def _is_in(self, review: Review, finding: Finding, work: Bytes) -> bool:
        raised = self.works[review.revisions[finding.revision - 1].digest]
        return finding.place is not None and raised.family == work.family and finding.place.path in work.paths

    def _stands(self, review: Review, finding: Finding) -> bool:
        return stands_on_text(
            review, stages_of(self.rules[review.rules], review, self.rules.get(review.stricter)), finding
        )

    @staticmethod
    def _veto(review: Review, finding: Finding) -> bool:
        seat = review.seats.get(finding.seat)
        return seat is not None and seat.veto
