"""Decides the commands that are not about a review: targets, policy, trust, lessons, sessions and accounts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never, cast

from foureyes.app import accounts
from foureyes.app.asks import Ask
from foureyes.app.facts import digest_lock, stored_bytes
from foureyes.app.live import Judge, live_row
from foureyes.app.policies import POLICY_STREAM, Policies
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import LIVES, START, Known, TrustRow
from foureyes.app.session_mates import note_signal
from foureyes.app.shelf import Held, read_events
from foureyes.app.targets import TARGET
from foureyes.app.trusting import decided, load, stream_of, to_row
from foureyes.app.work import check_blob, check_work
from foureyes.codec import CodecError
from foureyes.codec.commands import SideCommand
from foureyes.codec.shapes import shape
from foureyes.core import sessions
from foureyes.core.enrolments import EnrolTogether
from foureyes.core.events import SideEvent, WentLive
from foureyes.core.lessons import Lessons, PurgeLessons, RecordLesson, RetireLesson, decide_lesson, evolve_lessons
from foureyes.core.live import AttestBase, LiveFacts, RecordLive, decide_base, decide_live
from foureyes.core.policies import ActivatePolicy, decide_policy
from foureyes.core.principals import EnrolPrincipal, IssueToken, PrincipalCommand, RemovePrincipal, RevokeToken
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.trust import DisableSkip, EnableSkip, decide_trust
from foureyes.policy.policy import read_policy

_read_time = shape(datetime)[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What follows on a stream beside the reviews, with the record and the bytes that go with it."""

    stream: str
    events: tuple[SideEvent, ...]
    trust: tuple[TrustRow, ...] = ()
    blobs: tuple[str, ...] = ()
    #: Other streams that are appended to in the same transaction, with their events.
    more: tuple[tuple[str, tuple[SideEvent, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Answers commands on the streams beside the reviews."""

    policies: Policies
    load: Callable[[Reading, str], Held | None]
    session_facts: Callable[[Reading, str, timedelta], sessions.SessionFacts]

    def answer(self, tx: Writing, ask: Ask, now: datetime) -> Decided:
        """Decide the command inside the transaction."""
        command = cast("SideCommand", ask.command)
        match command:
            case RecordLive() | AttestBase():
                return self._on_target(tx, ask, command, now)
            case ActivatePolicy():
                return self._policy(tx, ask, command)
            case EnableSkip() | DisableSkip():
                return self._trust(tx, ask, command, now)
            case RecordLesson() | RetireLesson() | PurgeLessons():
                return self._lesson(tx, ask, command, now)
            case (
                sessions.ReceiveSignal()
                | sessions.PauseSession()
                | sessions.ResumeSession()
                | sessions.EndSession()
                | sessions.DetectSilence()
            ):
                return self._session(tx, ask, command, now)
            case EnrolPrincipal() | EnrolTogether() | RemovePrincipal() | IssueToken() | RevokeToken():
                return self._principal(tx, ask, command, now)
            case _:
                assert_never(command)

    def _on_target(self, tx: Writing, ask: Ask, command: RecordLive | AttestBase, now: datetime) -> Decided:
        if isinstance(command, RecordLive):
            return self._live(tx, ask, command, now)
        return self._base(tx, ask, command)

    def _live(self, tx: Writing, ask: Ask, command: RecordLive, now: datetime) -> Decided:
        """Decide a go-live with locks that keep out vetoes and other uses of the clearance until the commit."""
        stream = _target(ask, command.target)
        tx.lock(f"review/{command.review}")
        tx.lock(digest_lock(command.digest))
        judge = Judge(reading=tx, policies=self.policies, load=self.load, now=now)
        found = judge.judge(command.digest, command.target, command.review)
        reason = found.reason
        if not reason and found.digest != command.digest:
            reason = f"{command.digest} is another name of {found.digest}. Name the digest itself."
        facts = replace(found.facts or LiveFacts(clearance=None), against=reason)
        events = decide_live(command, ask.actor, facts, now)
        rows = dict(live_row(one) for one in events if isinstance(one, WentLive))
        if rows:
            tx.follow(LIVES, rows, START)
        return Decided(stream=stream, events=events)

    @staticmethod
    def _base(tx: Writing, ask: Ask, command: AttestBase) -> Decided:
        """Decide an attestation; all its files must be stored or sent along, because others are compared with them."""
        stream = _target(ask, command.target)
        check_work(command.digest, command.parts)
        for part in command.parts:
            check_blob(part, ask.blobs[part.digest] if part.digest in ask.blobs else stored_bytes(tx, part))
        digests = tuple(dict.fromkeys(one.digest for one in command.parts))
        return Decided(stream=stream, events=decide_base(command, ask.actor), blobs=digests)

    def _policy(self, tx: Writing, ask: Ask, command: ActivatePolicy) -> Decided:
        """Decide an activation; the policy's text must be stored or sent along and must parse."""
        text = ask.blobs.get(command.digest)
        if text is None:
            blob = tx.blob(command.digest)
            text = blob.content if blob else None
        if text is None:
            raise refuse(Code.UNKNOWN_DIGEST, what="the policy", digest=command.digest)
        try:
            policy = read_policy(text)
        except CodecError as error:
            raise Refusal(Code.UNKNOWN_WORD, f"This is no policy: {error}.", "Load it from its file.") from None
        if policy.digest != command.digest:
            raise refuse(Code.DIGEST_MISMATCH, named=command.digest, digest=policy.digest)
        current = self.policies.current(tx).activated
        events = decide_policy(current, command, ask.actor)
        return Decided(stream=POLICY_STREAM, events=events, blobs=(command.digest,))

    def _trust(self, tx: Writing, ask: Ask, command: EnableSkip | DisableSkip, now: datetime) -> Decided:
        kind, author = _two(ask.stream, "trust")
        tx.lock(stream_of(kind, author))
        record = load(tx, kind, author)
        learning = self.policies.current(tx).policy.rules.learning
        events = decide_trust(record, command, ask.actor, now, learning)
        return Decided(stream=stream_of(kind, author), events=events, trust=(to_row(decided(record, events, now)),))

    def _lesson(
        self, tx: Writing, ask: Ask, command: RecordLesson | RetireLesson | PurgeLessons, now: datetime
    ) -> Decided:
        scope = _one(ask.stream, "lessons")
        lessons: Lessons = ()
        for event, at in self._past(tx, ask.stream):
            lessons = evolve_lessons(lessons, event, at)
        events = decide_lesson(lessons, command, ask.actor, now, scope=scope)
        return Decided(stream=ask.stream, events=events)

    def _session(self, tx: Writing, ask: Ask, command: sessions.SessionCommand, now: datetime) -> Decided:
        name = _one(ask.stream, "session")
        session = sessions.fold(name, self._past(tx, ask.stream))
        facts = self.session_facts(tx, name, self.policies.current(tx).policy.session_silence)
        events = sessions.decide_session(session, command, ask.actor, now, facts)
        if isinstance(command, sessions.ReceiveSignal) and not ask.actor.is_human:
            note_signal(tx, name, ask.actor.name, now)
        return Decided(stream=ask.stream, events=events)

    @staticmethod
    def _principal(tx: Writing, ask: Ask, command: PrincipalCommand | EnrolTogether, now: datetime) -> Decided:
        """Decide about one or several accounts; the stream of several is that of the first."""
        _one(ask.stream, "principal")
        if not isinstance(command, EnrolTogether):
            return Decided(stream=ask.stream, events=accounts.decide(tx, ask.stream, command, ask.actor, now))
        first, *more = accounts.decide_many(tx, command, ask.actor, now)
        if ask.stream != first[0]:
            raise refuse(Code.UNKNOWN_WORD, what="The stream", word=ask.stream, allowed=first[0])
        return Decided(stream=first[0], events=first[1], more=tuple(more))

    @staticmethod
    def _past(tx: Writing, stream: str) -> list[tuple[SideEvent, datetime]]:
        known: Known = tx.known(stream, "", "")
        past = read_events(tx, stream, known)
        return [(cast("SideEvent", event), _read_time(at)) for event, at in past]


def _target(ask: Ask, name: str) -> str:
    stream = TARGET + _named(name, "target")
    if ask.stream != stream:
        raise refuse(Code.UNKNOWN_WORD, what="The stream", word=ask.stream, allowed=stream)
    return stream


def _one(stream: str, kind: str) -> str:
    found, _, rest = stream.partition("/")
    if found != kind:
        raise refuse(Code.UNKNOWN_WORD, what="The stream", word=stream, allowed=f"{kind}/<name>")
    return _named(rest, kind)


def _two(stream: str, kind: str) -> tuple[str, str]:
    first, _, second = _one(stream, kind).partition("/")
    return first, _named(second, kind)


def _named(name: str, what: str) -> str:
    if not name.strip() or len(name) > NAME_CHARS_MAX or not name.isprintable():
        raise refuse(Code.UNKNOWN_WORD, what=f"The name of the {what}", word=name[:80], allowed=NAMES)
    return name


NAME_CHARS_MAX = 300
NAMES = f"1 to {NAME_CHARS_MAX} printable characters"
