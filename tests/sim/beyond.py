"""Unrequested acts of the simulated people: volunteers, notes, escapes, disputes, publishing, lessons, policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.core import commands as c
from foureyes.core.events import LessonKind
from foureyes.core.lessons import PurgeLessons, RecordLesson, RetireLesson
from foureyes.core.live import RecordLive
from foureyes.core.model import Finding, Review
from foureyes.core.policies import ActivatePolicy
from foureyes.core.sessions import DetectSilence, EndSession, PauseSession, ReceiveSignal, ResumeSession
from foureyes.core.trust import DisableSkip, EnableSkip, eligible
from foureyes.core.values import CLOCK, Outcome, Standing, Who
from tests.sim.agents import Agents, Said
from tests.sim.people import HUMANS, REACTOR
from tests.sim.script import Command, LookAtTrust

Sent = tuple[Who, str, Command]
POLICIES = ("policy-1", "policy-1", "policy-1", "policy-1", "policy-2", "policy-2", "policy-3")
SCOPES = ("backend", "frontend")
SESSIONS_MAX = 4


@dataclass(slots=True)
class Beyond:
    """Acts without a request; each returns None where it would make no sense."""

    agents: Agents
    lessons: int = 0
    sessions: int = 0

    def of_open(self, review: Review) -> Said | None:
        """An act in an open review that answers no pending request."""
        act = self.agents.rng.choice(OF_OPEN)
        return act(self, review)

    def of_ended(self, review: Review) -> Sent | None:
        """An act about a review that has ended."""
        agents, chance, stream = self.agents, self.agents.rng.random(), f"review/{review.id}"
        outcome = review.outcome
        if outcome is Outcome.CLEARED and chance < 0.55:
            target = agents.rng.choice(("main", "staging"))
            digest = review.digest if chance < 0.5 else "other bytes"
            return REACTOR, f"target/{target}", RecordLive(target=target, review=review.id, digest=digest)
        if outcome is Outcome.CLEARED and chance < 0.65:
            severity = agents.rng.choice(("critical", "minor"))
            return agents.volunteer(review), stream, c.ReportEscape(text=agents.words("it broke"), severity=severity)
        if outcome is Outcome.REJECTED and chance < 0.4 and not review.bound:
            reason = agents.words("I disagree")
            ask: Command = c.RequestRuling(reason=reason) if chance < 0.3 else c.WithdrawReview(reason=reason)
            return review.author, stream, ask
        return self._afterwards(review, stream, chance)

    def _afterwards(self, review: Review, stream: str, chance: float) -> Sent | None:
        agents, outcome = self.agents, review.outcome
        if outcome is Outcome.WITHDRAWN and chance < 0.5:
            return self._of_withdrawn(review, stream, chance)
        if outcome in (Outcome.SHELVED, Outcome.RETURNED, Outcome.CLEARED) and chance < 0.8:
            opened = [one for one in review.findings.values() if one.standing is Standing.OPEN]
            return review.author, stream, agents.revision(review, opened)
        if outcome is not None and chance < 0.9 and review.reopenings < 4:
            return self.human(), stream, c.ReopenReview(reason=agents.words("once more"), undoes=outcome)
        return agents.volunteer(review), stream, c.AddNote(text=agents.words("for the record"))

    def _of_withdrawn(self, review: Review, stream: str, chance: float) -> Sent | None:
        """Lift an objection to withdrawn bytes: by its raiser, by a human, or after a ruling."""
        agents, opened = self.agents, self._opened(review)
        if chance < 0.2:
            return review.author, stream, c.RequestRuling(reason=agents.words("shall this stand"))
        if not opened:
            return None
        finding = agents.rng.choice(opened)
        raiser, seat = self.agents.world.people.get(finding.raiser), review.seats.get(finding.seat)
        holder = seat.reviewer if seat else raiser.who if raiser else None
        if chance < 0.4 and holder is not None:
            note = agents.words("I was wrong")
            settle = c.SettleFinding(finding=finding.id, revision=review.revision, resolved=True, note=note)
            return holder, stream, settle
        if agents.world.works[review.digest].bad:
            return None
        return self.human(), stream, c.WaiveFinding(finding=finding.id, reason=agents.words("not real"))

    def beside(self, now: datetime) -> Sent | None:
        """An act on a stream that is not a review."""
        act = self.agents.rng.choice(BESIDE)
        return act(self, now)

    def human(self) -> Who:
        return self.agents.world.people[self.agents.rng.choice(HUMANS)].who

    def agent(self) -> Who:
        return self.agents.world.people[f"agent-{self.agents.rng.randrange(18):02d}"].who

    def _note(self, review: Review) -> Said | None:
        return self.agents.volunteer(review), c.AddNote(text=self.agents.words("by the way"))

    def _volunteer(self, review: Review) -> Said | None:
        stages = [one.stage for one in review.seats.values()]
        stage = self.agents.rng.choice(stages) if stages else ""
        return (self.agents.volunteer(review), c.TakeSeat(stage=stage)) if stage else None

    def _revise(self, review: Review) -> Said | None:
        """An unrequested revision by the author."""
        if review.ruling():
            return None
        return review.author, self.agents.revision(review, self._opened(review))

    def _opened(self, review: Review) -> list[Finding]:
        return [one for one in review.findings.values() if one.standing is Standing.OPEN]

    def _waive(self, review: Review) -> Said | None:
        opened, agents = self._opened(review), self.agents
        if not opened or agents.world.works[review.digest].bad:
            return None
        waive = c.WaiveFinding(
            finding=agents.rng.choice(opened).id,
            reason=agents.words("not real"),
            false_positive=agents.rng.random() < 0.5,
        )
        return self.human(), waive

    def _override(self, review: Review) -> Said | None:
        if self.agents.world.works[review.digest].bad or not review.seats or self.agents.rng.random() < 0.5:
            return None
        stage = self.agents.rng.choice(list(review.seats.values())).stage
        reason = self.agents.words("I looked myself")
        return self.human(), c.OverrideStage(stage=stage, revision=review.revision, digest=review.digest, reason=reason)

    def _ask(self, review: Review) -> Said | None:
        if review.ruling():
            return None
        reviewers = [one.reviewer for one in review.seats.values() if one.reviewer]
        who = self.agents.rng.choice([review.author, *reviewers])
        reason, argument = self.agents.words("we disagree"), self.agents.words("because")
        return who, c.RequestRuling(reason=reason, argument=argument)

    def _withdraw(self, review: Review) -> Said | None:
        return review.author, c.WithdrawReview(reason=self.agents.words("never mind"))

    def _rebut(self, review: Review) -> Said | None:
        opened = self._opened(review)
        if not opened:
            return None
        return review.author, c.AnswerFinding(finding=opened[0].id, text=self.agents.words("no"), rebuttal=True)

    def _relent(self, review: Review) -> Said | None:
        """A reviewer settles an answered finding, or withdraws a mistaken one, without a request."""
        asked = review.revision_request()
        for one in [review.findings[name] for name in asked.findings] if asked else review.findings.values():
            holder = review.seats[one.seat].reviewer if one.seat in review.seats else None
            if not one.is_settled and not one.is_advisory and holder is not None:
                note = self.agents.words("never mind")
                return holder, c.SettleFinding(finding=one.id, revision=review.revision, resolved=True, note=note)
        return None

    def _activate(self, _now: datetime) -> Sent | None:
        digest = self.agents.rng.choice(POLICIES)
        if self.agents.mood == "unsure" and self.agents.rng.random() < 0.7:
            digest = "policy-2"
        force, in_flight = self.agents.world.in_force, digest != "policy-3" and self.agents.rng.random() < 0.3
        if digest == force.digest and self.agents.rng.random() < 0.8:
            return None
        name = self.agents.words("policy")
        return self.human(), "policy", ActivatePolicy(digest=digest, name=name, applies_in_flight=in_flight)

    def _back_to_normal(self, _now: datetime) -> Sent | None:
        if self.agents.world.in_force.digest != "policy-3":
            return None
        return self.human(), "policy", ActivatePolicy(digest="policy-1", name="back")

    def _trust(self, now: datetime) -> Sent | None:
        books, rng = self.agents.world.books, self.agents.rng
        good = [key for key, one in books.trust.items() if one.enabled_by or eligible(one, now, books.learning)]
        good += list(books.shut)
        if not good:
            return None
        kind, author = rng.choice(good)
        record = books.trust[kind, author]
        command: Command = EnableSkip()
        if (kind, author) in books.shut or (record.suggested_at is None and rng.random() < 0.6):
            return REACTOR, f"trust/{kind}/{author}", LookAtTrust()
        if record.enabled_by and rng.random() < 0.4:
            command = DisableSkip(reason=self.agents.words("enough"))
        return self.human(), f"trust/{kind}/{author}", command

    def _lesson(self, now: datetime) -> Sent | None:
        agents, rng, scope = self.agents, self.agents.rng, self.agents.rng.choice(SCOPES)
        known = [one for one in agents.world.beside.lessons.get(scope, ()) if not one.retired]
        stream = f"lessons/{scope}"
        if known and rng.random() < 0.4:
            return self.human(), stream, RetireLesson(lesson=rng.choice(known).id, reason=agents.words("old"))
        if known and rng.random() < 0.2:
            return self.human(), stream, PurgeLessons(source=rng.choice(known).source, reason=agents.words("wrong"))
        self.lessons += 1
        human = rng.random() < 0.6
        kind = rng.choice(list(LessonKind)) if human else LessonKind.PATTERN
        mark, where = self._something_found()
        lesson = RecordLesson(
            lesson=f"lesson-{self.lessons}",
            kind=kind,
            text=agents.words("remember"),
            source=rng.choice(("review one", "review two")),
            fingerprint=mark,
            context_hash=where,
            expires=rng.choice((None, now + timedelta(hours=rng.randrange(1, 60)))),
        )
        return self.human() if human else self.agent(), stream, lesson

    def _something_found(self) -> tuple[str, str]:
        for review in reversed(self.agents.world.reviews.values()):
            for one in review.findings.values():
                if one.place is not None:
                    return one.fingerprint, one.place.context_hash
        return "mark", "where"

    def _session(self, _now: datetime) -> Sent | None:
        agents, rng = self.agents, self.agents.rng
        name = f"session-{max(0, self.sessions - rng.randrange(SESSIONS_MAX))}"
        session = agents.world.beside.sessions.get(name)
        stream, chance = f"session/{name}", rng.random()
        if session is None or session.ended or chance < 0.3:
            if session is not None and session.ended:
                self.sessions += 1
                stream = f"session/session-{self.sessions}"
            kind = rng.choice(("milestone", "blocker", "request_review", "progress"))
            return self.agent(), stream, ReceiveSignal(type=kind, summary=agents.words("done so far"))
        if chance < 0.6:
            return CLOCK, stream, DetectSilence()
        if chance < 0.92:
            reason = agents.words("because")
            return (
                self.human(),
                stream,
                ResumeSession(reason=reason) if session.paused_by else PauseSession(reason=reason),
            )
        return self.human(), stream, EndSession(reason=agents.words("over"))


OF_OPEN: tuple[Callable[[Beyond, Review], Said | None], ...] = (
    Beyond._note,
    Beyond._volunteer,
    Beyond._revise,
    Beyond._waive,
    Beyond._waive,
    Beyond._waive,
    Beyond._override,
    Beyond._ask,
    Beyond._withdraw,
    Beyond._withdraw,
    Beyond._withdraw,
    Beyond._rebut,
    Beyond._relent,
    Beyond._relent,
    Beyond._relent,
    Beyond._relent,
    Beyond._relent,
    Beyond._relent,
)
BESIDE: tuple[Callable[[Beyond, datetime], Sent | None], ...] = (
    Beyond._activate,
    Beyond._back_to_normal,
    Beyond._back_to_normal,
    Beyond._trust,
    Beyond._trust,
    Beyond._trust,
    Beyond._lesson,
    Beyond._lesson,
    Beyond._session,
    Beyond._session,
    Beyond._session,
)
