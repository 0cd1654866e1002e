"""The simulated shell's knowledge beside each review, from which the facts are taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.core import events as e
from foureyes.core.facts import Load, PastRuling, Suppression
from foureyes.core.model import ReportRequest, Review
from foureyes.core.rules import Learning
from foureyes.core.trust import TrustRecord, record_escape, record_failure, record_review, shut_by
from foureyes.core.values import ClearedBy, Outcome, Part, Verdict

PAST_RULINGS_MAX = 20
SUPPRESSIONS_MAX = 40
PAIRINGS_MAX = 30
DOUBTS = (Verdict.CONCERNS, Verdict.REJECT)
Ended = e.ReviewCleared | e.ReviewClosed | e.EscapeReported


@dataclass(slots=True)
class Books:
    """Vetoes, load, trust, suppressions, past rulings and cost, kept up to date event by event."""

    learning: Learning
    vetoes: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    #: The reviews that had these bytes, by digest.
    holders: dict[str, list[str]] = field(default_factory=dict)
    load: dict[str, Load] = field(default_factory=dict)
    shares: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    trust: dict[tuple[str, str], TrustRecord] = field(default_factory=dict)
    suppressions: deque[Suppression] = field(default_factory=lambda: deque(maxlen=SUPPRESSIONS_MAX))
    rulings: deque[PastRuling] = field(default_factory=lambda: deque(maxlen=PAST_RULINGS_MAX))
    pairings: dict[str, deque[str]] = field(default_factory=dict)
    clearances: dict[str, e.ReviewCleared] = field(default_factory=dict)
    lives: dict[str, list[e.WentLive]] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    shut: dict[tuple[str, str], e.SkipDisabled] = field(default_factory=dict)

    def vetoed_elsewhere(self, stream: str, digests: tuple[str, ...]) -> Mapping[str, str]:
        """Standing vetoes of other reviews on these bytes."""
        found: dict[str, str] = {}
        for digest in digests:
            if digest not in self.vetoes:
                continue
            others = sorted(one for one, stages in self.vetoes.get(digest, {}).items() if stages and one != stream)
            if others:
                found[digest] = others[0].partition("/")[2]
        return found

    def record(self, kind: str, author: str) -> TrustRecord:
        return self.trust.setdefault((kind, author), TrustRecord(kind=kind, author=author))

    def paired(self, author: str) -> dict[str, int]:
        """How often each reviewer recently reviewed this author's work."""
        found: dict[str, int] = {}
        for name in self.pairings.get(author, ()):
            found[name] = found.get(name, 0) + 1
        return found

    def note(self, stream: str, review: Review, event: e.ReviewEvent, at: datetime) -> None:
        """Record one event of a review; the review is in the state after the event."""
        match event:
            case e.ReportSubmitted():
                self._reported(stream, review, event, at)
            case e.RevisionSubmitted(digest=digest):
                self.holders.setdefault(digest, []).append(stream)
            case e.StageOverridden(stage=stage, digest=digest):
                self.vetoes.get(digest, {}).get(stream, set()).discard(stage)
            case e.FindingWaived(false_positive=True):
                self._silenced(stream, review, event)
            case e.RulingRequested(request=request, reason=reason):
                self.reasons[stream, request] = reason
            case e.RulingGiven(final=True, by_clock=False):
                reason = self.reasons[stream, event.request]
                self.rulings.append(
                    PastRuling(kind=review.kind, reason=reason, effect=event.effect, by=event.by.name, at=at)
                )
            case e.ReviewCleared() | e.ReviewClosed() | e.EscapeReported():
                if isinstance(event, e.ReviewCleared):
                    self.clearances[stream], self.lives[stream] = event, []
                self._learn(review, event, at)
            case _:
                pass

    def _reported(self, stream: str, review: Review, event: e.ReportSubmitted, at: datetime) -> None:
        seat, day = review.seats[event.seat], at.date().isoformat()
        self.spent[day] = self.spent.get(day, 0) + (event.cost.usd_micro if event.counted else 0)
        self.pairings.setdefault(review.author.name, deque(maxlen=PAIRINGS_MAX)).append(event.reviewer.name)
        if seat.veto and event.verdict is Verdict.REJECT:
            self.vetoes.setdefault(event.digest, {}).setdefault(stream, set()).add(seat.stage)

    def _silenced(self, stream: str, review: Review, event: e.FindingWaived) -> None:
        finding = review.findings[event.finding]
        self.suppressions.append(
            Suppression(
                fingerprint=finding.fingerprint,
                context_hash=event.context_hash,
                source=f"{stream}:{finding.id}",
                by=event.by.name,
                expires=event.expires,
            )
        )

    def _learn(self, review: Review, event: Ended, at: datetime) -> None:
        key, record = (review.kind, review.author.name), self.record(review.kind, review.author.name)
        after = self._counted(record, review, event, at)
        told = shut_by(record, after)
        if told is not None:
            self.shut[key] = told
        self.trust[key] = after

    def _counted(
        self,
        record: TrustRecord,
        review: Review,
        event: Ended,
        at: datetime,
    ) -> TrustRecord:
        if isinstance(event, e.EscapeReported):
            return record_escape(record, at=at, learning=self.learning)
        doubts = [
            one
            for one in review.reports.values()
            if one.verdict in DOUBTS and review.seats[one.seat].part is not Part.COUNSEL
        ]
        doubts = [one for one in doubts if not review.reopenings or one.revision == review.revision]
        for _ in doubts:
            record = record_failure(record, at=at, learning=self.learning)
        match event:
            case e.ReviewCleared(by=ClearedBy.GATES):
                sure = [one.confidence for one in review.reports.values() if one.revision == review.revision]
                confidence = min((one for one in sure if one is not None), default=None)
                return record_review(record, approved=True, confidence=confidence, at=at, learning=self.learning)
            case e.ReviewClosed(outcome=outcome) if outcome is not Outcome.WITHDRAWN:
                known = bool(doubts) or (outcome is Outcome.RETURNED and review.is_unreviewed)
                return record if known else record_failure(record, at=at, learning=self.learning)
            case _:
                return record

    def weigh(self, stream: str, review: Review) -> None:
        """Recompute each reviewer's load from this review."""
        new: dict[str, tuple[int, int]] = {}
        for request in review.requests.values():
            holder = review.seats[request.seat].reviewer if isinstance(request, ReportRequest) else None
            if holder is not None and isinstance(request, ReportRequest):
                active, queued = new.get(holder.name, (0, 0))
                new[holder.name] = (active + (not request.queued), queued + request.queued)
        old = self.shares.get(stream, {})
        if new != old:
            for name in old.keys() | new.keys():
                before, after, total = old.get(name, (0, 0)), new.get(name, (0, 0)), self.load.get(name, Load())
                self.load[name] = Load(
                    active=total.active + after[0] - before[0], queued=total.queued + after[1] - before[1]
                )
            self.shares[stream] = new
