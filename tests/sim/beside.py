"""The simulated streams beside the reviews: trust, sessions, policy, lessons, targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.core.events import PolicyActivated, SideEvent, WentLive
from foureyes.core.lessons import (
    Lessons,
    PurgeLessons,
    RecordLesson,
    RetireLesson,
    decide_lesson,
    evolve_lessons,
    suppressions_for,
)
from foureyes.core.live import Clearance, LiveFacts, RecordLive, decide_live
from foureyes.core.model import Review
from foureyes.core.policies import ActivatePolicy, decide_policy
from foureyes.core.refusals import Code, refuse
from foureyes.core.sessions import Session, SessionFacts, decide_session, evolve_session
from foureyes.core.trust import DisableSkip, EnableSkip, TrustRecord, decide_trust, evolve_trust, suggestion
from foureyes.core.values import Outcome
from tests.sim.books import Books
from tests.sim.script import Delivery, LookAtTrust

SideEvents = tuple[SideEvent, ...]


@dataclass(slots=True)
class Beside:
    """The state of every stream that is not a review."""

    books: Books
    sessions: dict[str, Session] = field(default_factory=dict)
    lessons: dict[str, Lessons] = field(default_factory=dict)
    policy: PolicyActivated | None = None

    def decide(self, delivery: Delivery, reviews: Mapping[str, Review], *, against: str = "") -> SideEvents:
        """Answer a command on one of these streams and apply its events."""
        command = delivery.command
        if isinstance(command, EnableSkip | DisableSkip | LookAtTrust):
            return self._trust(delivery, command)
        if isinstance(command, RecordLesson | RetireLesson | PurgeLessons):
            return self._lesson(delivery, command)
        if isinstance(command, RecordLive):
            return self._live(delivery, command, reviews, against)
        if isinstance(command, ActivatePolicy):
            events = decide_policy(self.policy, command, delivery.who)
            self.policy = self.activated(events) or self.policy
            return events
        return self._session(delivery, reviews)

    @staticmethod
    def activated(events: SideEvents) -> PolicyActivated | None:
        return next((one for one in events if isinstance(one, PolicyActivated)), None)

    def _trust(self, delivery: Delivery, command: EnableSkip | DisableSkip | LookAtTrust) -> SideEvents:
        _, kind, author = delivery.stream.split("/")
        record = self.books.record(kind, author)
        if isinstance(command, LookAtTrust):
            events = self._reaction(record, delivery.at)
        else:
            events = decide_trust(record, command, delivery.who, delivery.at, self.books.learning)
        for event in events:
            record = evolve_trust(record, event, delivery.at)
        self.books.trust[kind, author] = record
        return events

    def _reaction(self, record: TrustRecord, now: datetime) -> SideEvents:
        """The events that the program writes by itself about a track record."""
        shut = self.books.shut.pop((record.kind, record.author), None)
        found = shut if shut and not record.enabled_by else suggestion(record, now, self.books.learning)
        if found is None:
            raise refuse(Code.NOT_DUE, request=record.pattern, due="another time")
        return (found,)

    def _lesson(self, delivery: Delivery, command: RecordLesson | RetireLesson | PurgeLessons) -> SideEvents:
        scope = delivery.stream.partition("/")[2]
        lessons = self.lessons.get(scope, ())
        events = decide_lesson(lessons, command, delivery.who, delivery.at, scope=scope)
        for event in events:
            lessons = evolve_lessons(lessons, event, delivery.at)
        self.lessons[scope] = lessons
        self._suppress(delivery.at)
        return events

    def _suppress(self, now: datetime) -> None:
        """Compute the suppressions of the false positives in force; waived findings stay as they are."""
        waived = [one for one in self.books.suppressions if not one.source.startswith("lesson-")]
        self.books.suppressions.clear()
        self.books.suppressions.extend(waived)
        for lessons in self.lessons.values():
            self.books.suppressions.extend(suppressions_for(lessons, now))

    def _live(self, delivery: Delivery, command: RecordLive, reviews: Mapping[str, Review], against: str) -> SideEvents:
        stream = f"review/{command.review}"
        review, cleared = reviews.get(stream), self.books.clearances.get(stream)
        clearance = None
        if review is not None and cleared is not None and review.outcome is Outcome.CLEARED:
            clearance = Clearance(
                digest=cleared.digest, level=cleared.level, single_use=cleared.single_use, expires=cleared.expires
            )
        lives = self.books.lives.setdefault(stream, [])
        veto = self.books.vetoed_elsewhere("", (command.digest,)).get(command.digest, "")
        facts = LiveFacts(clearance=clearance, veto=veto, against=against, lives=tuple(lives))
        events = decide_live(command, delivery.who, facts, delivery.at)
        lives += [one for one in events if isinstance(one, WentLive)]
        return events

    def _session(self, delivery: Delivery, reviews: Mapping[str, Review]) -> SideEvents:
        name = delivery.stream.partition("/")[2]
        session = self.sessions.get(name, Session(id=name))
        waiting = any(
            one.origin.session == name and one.outcome is None and one.ruling() is not None for one in reviews.values()
        )
        facts = SessionFacts(reviews_waiting=waiting)
        events = decide_session(session, delivery.command, delivery.who, delivery.at, facts)  # type: ignore[arg-type]  # only session commands are left
        for event in events:
            session = evolve_session(session, event, delivery.at)
        self.sessions[name] = session
        return events
