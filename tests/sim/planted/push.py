"""Acts beside the simulator's own behaviour that give every planted bug its chance; the core must withstand them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from foureyes.app.deciding import JUDGING
from foureyes.core import commands as c
from foureyes.core.live import RecordLive
from foureyes.core.model import Review
from foureyes.core.policies import ActivatePolicy
from foureyes.core.trust import EnableSkip, eligible
from foureyes.core.values import Effect, Outcome, Part, Standing, Who
from tests.sim.people import HUMANS, REACTOR
from tests.sim.run import Run
from tests.sim.script import Command, Delivery
from tests.sim.works import Bytes

#: Steps between two of these acts.
PUSHED_EVERY = 5
TRIES_MAX = 20
USUAL = "agent-12"
RECENT = 60
RARE = ("verified", "committee", "committee", "trade", "guarded", "deploy", "release")

Acts = Iterator[Delivery]


@dataclass(slots=True)
class Pusher:
    """Sends commands that the people of a world would not; its randomness comes from the same seed."""

    run: Run
    pushed: int = 0
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.run.seed)

    def push(self) -> None:
        """Try one act on the first review that it fits."""
        act, recent = self.rng.choice(ACTS), self.run.streams[-RECENT:]
        for stream in self.rng.sample(recent, min(TRIES_MAX, len(recent))):
            delivery = next(act(self, self.run.world.reviews[stream]), None)
            if delivery is not None:
                self.run._deliver(delivery)
                return

    def sent(self, who: Who, review: Review, command: Command) -> Delivery:
        self.pushed += 1
        return Delivery(
            at=self.run.now,
            who=who,
            stream=f"review/{review.id}",
            key=f"p{self.pushed:06d}",
            command=command,
            draw=self.rng.getrandbits(32),
            served=review.digest if isinstance(command, JUDGING) else "",
        )

    def opened(self, who: Who, kind: str, work: Bytes) -> Delivery:
        name = f"p{self.pushed:06d}"
        opens = c.OpenReview(review=name, kind=kind, title=self.words(), digest=work.digest, parts=work.parts)
        self.pushed += 1
        return Delivery(
            at=self.run.now,
            who=who,
            stream=f"review/{name}",
            key=f"p{self.pushed:06d}",
            command=opens,
            draw=self.rng.getrandbits(32),
        )

    def human(self) -> Who:
        return self.run.world.people[self.rng.choice(HUMANS)].who

    def words(self) -> str:
        return self.run.agents.words("pushed")

    def report(self, review: Review, seat: str, who: Who, *, likes: bool) -> c.SubmitReport | None:
        stage = self.run.agents.stage(review, review.seats[seat].stage)
        if stage is None:
            return None
        plain = self.run.agents.report(review, stage, seat, who)
        verdict = plain.verdict and ("approve" if likes else "reject")
        return replace(plain, verdict=verdict, findings=() if likes else plain.findings, coverage=100)


def _old_bytes(p: Pusher, review: Review) -> Acts:
    """The author submits earlier bytes again: vetoed, cleared or just older."""
    vetoed = {digest for _, digest in review.vetoes}
    older = [one for one in review.revisions[:-1] if one.digest != review.digest]
    wanted = [one for one in older if one.digest in vetoed | review.cleared_digests] or older
    if wanted and review.ruling() is None:
        old = p.rng.choice(wanted)
        yield p.sent(review.author, review, c.SubmitRevision(digest=old.digest, parts=old.parts, note=p.words()))


def _served_older(p: Pusher, review: Review) -> Acts:
    """A reviewer was served older bytes and names the current version."""
    for seat in review.seats.values():
        if seat.reviewer is not None and review.report_request(seat.id) and review.revision > 1:
            report = p.report(review, seat.id, seat.reviewer, likes=True)
            if report is not None:
                yield replace(p.sent(seat.reviewer, review, report), served=review.revisions[0].digest)


def _stranger_settles(p: Pusher, review: Review) -> Acts:
    for one in review.findings.values():
        if one.standing is Standing.ANSWERED:
            settle = c.SettleFinding(finding=one.id, revision=review.revision, resolved=True, note=p.words())
            yield p.sent(p.run.agents.volunteer(review), review, settle)


def _after_the_lease(p: Pusher, review: Review) -> Acts:
    """A worker reports after its lease has ended."""
    for seat in review.seats.values():
        if seat.reviewer is not None and seat.lease is not None:
            report = p.report(review, seat.id, seat.reviewer, likes=True)
            if report is not None:
                yield replace(p.sent(seat.reviewer, review, report), at=seat.lease + timedelta(minutes=1))


def _revises_while_a_human_decides(p: Pusher, review: Review) -> Acts:
    if review.ruling() is not None:
        yield p.sent(review.author, review, p.run.agents.revision(review, []))


def _votes_twice(p: Pusher, review: Review) -> Acts:
    ruling = review.ruling()
    for vote in ruling.votes if ruling else ():
        rule = c.GiveRuling(request=ruling.id if ruling else "", option=vote.option, reason=p.words())
        yield p.sent(p.run.world.people[vote.by].who, review, rule)


def _reports_again(p: Pusher, review: Review) -> Acts:
    for (seat, number), old in review.reports.items():
        if number == review.revision and review.outcome is None and old.count > 1:
            report = p.report(review, seat, old.reviewer, likes=p.rng.random() < 0.5)
            if report is not None:
                yield p.sent(old.reviewer, review, report)


def _speaks_again(p: Pusher, review: Review) -> Acts:
    for (seat, number), old in review.reports.items():
        if number == review.revision and review.outcome is None:
            report = p.report(review, seat, old.reviewer, likes=old.verdict != "approve")
            if report is not None:
                yield p.sent(old.reviewer, review, report)


def _asks_after_the_end(p: Pusher, review: Review) -> Acts:
    if review.outcome is not None:
        who = p.rng.choice((review.author, p.run.agents.volunteer(review)))
        yield p.sent(who, review, c.RequestRuling(reason=p.words()))


def _same_bytes_elsewhere(p: Pusher, review: Review) -> Acts:
    """Bytes that a veto seat reviews are opened in another review at the same time."""
    if review.outcome is None and any(one.veto for one in review.seats.values()):
        yield p.opened(p.run.agents.volunteer(review), "story", p.run.world.works[review.digest])


def _vetoes(p: Pusher, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.veto and seat.reviewer is not None and review.report_request(seat.id):
            report = p.report(review, seat.id, seat.reviewer, likes=False)
            if report is not None:
                yield p.sent(seat.reviewer, review, report)


def _keeps_for_another(p: Pusher, review: Review) -> Acts:
    """A successor keeps the report of the previous holder."""
    for seat in review.seats.values():
        old = review.reports.get((seat.id, seat.reported))
        if old and seat.reviewer and seat.reported < review.revision and old.reviewer.name != seat.reviewer.name:
            yield p.sent(seat.reviewer, review, c.KeepReport(seat=seat.id, revision=review.revision))


def _approves_without_settling(p: Pusher, review: Review) -> Acts:
    for one in review.findings.values():
        seat = review.seats.get(one.seat)
        if seat is None:
            continue
        if not one.is_settled and seat.reviewer is not None and review.report_request(seat.id):
            report = p.report(review, seat.id, seat.reviewer, likes=True)
            if report is not None:
                yield p.sent(seat.reviewer, review, replace(report, settled=()))


def _reopens_what_was_vetoed(p: Pusher, review: Review) -> Acts:
    if review.outcome is not None and any(digest == review.digest for _, digest in review.vetoes):
        yield p.sent(p.human(), review, c.ReopenReview(reason=p.words(), undoes=review.outcome))


def _approves_what_was_vetoed(p: Pusher, review: Review) -> Acts:
    for seat in review.seats.values():
        vetoed = review.digest in p.run.world.books.vetoes
        if vetoed and seat.reviewer is not None and review.report_request(seat.id):
            report = p.report(review, seat.id, seat.reviewer, likes=True)
            if report is not None:
                yield p.sent(seat.reviewer, review, report)


def _opens_with_one_voice(p: Pusher, review: Review) -> Acts:
    ruling = review.ruling()
    if ruling is not None and ruling.needs > 1:
        option = next((one.id for one in ruling.options if one.effect is Effect.PASS_STAGE), "")
        yield p.sent(p.human(), review, c.GiveRuling(request=ruling.id, option=option, reason=p.words()))


def _lifts_a_veto(p: Pusher, review: Review) -> Acts:
    for stage, digest in sorted(review.vetoes):
        if digest == review.digest and review.outcome is None:
            lift = c.OverrideStage(stage=stage, revision=review.revision, digest=digest, reason=p.words())
            yield p.sent(p.human(), review, lift)


def _opens_something_rare(p: Pusher, review: Review) -> Acts:
    """Kinds that are seldom opened; one agent always makes the same and earns a track record."""
    rare = p.rng.random() < 0.7
    who = p.run.agents.volunteer(review) if rare else p.run.world.people[USUAL].who
    yield p.opened(who, p.rng.choice(RARE) if rare else "create_core", p.run.agents.work())


def _dismisses_for_a_while(p: Pusher, review: Review) -> Acts:
    for one in review.findings.values():
        if one.place is not None and not one.is_settled and review.outcome is None:
            soon = p.run.now + timedelta(minutes=10)
            waive = c.WaiveFinding(finding=one.id, reason=p.words(), false_positive=True, expires=soon)
            yield p.sent(p.human(), review, waive)


def _asks_for_a_human(p: Pusher, review: Review) -> Acts:
    """A ruling is requested while reviewers still work."""
    if review.outcome is None and review.ruling() is None:
        yield p.sent(review.author, review, c.RequestRuling(reason=p.words()))


def _orders_new_bytes(p: Pusher, review: Review) -> Acts:
    ruling = review.ruling()
    option = next((one.id for one in ruling.options if one.effect is Effect.REVISE), "") if ruling else ""
    if ruling is not None and option:
        yield p.sent(p.human(), review, c.GiveRuling(request=ruling.id, option=option, reason=p.words()))


def _goes_live_again(p: Pusher, review: Review) -> Acts:
    if review.outcome is Outcome.CLEARED and (review.kind == "trade" or p.rng.random() < 0.05):
        target = p.rng.choice(("main", "staging", "canary"))
        digest = review.digest if p.rng.random() < 0.7 else review.revisions[0].digest
        command = RecordLive(target=target, review=review.id, digest=digest)
        yield replace(p.sent(REACTOR, review, command), stream=f"target/{target}")


def _raises_what_was_dismissed(p: Pusher, review: Review) -> Acts:
    """A finding dismissed as a false positive is raised again, perhaps as critical."""
    marks = {(one.fingerprint, one.context_hash) for one in p.run.world.books.suppressions}
    marks |= {(one.fingerprint, one.context_hash) for many in p.run.world.beside.lessons.values() for one in many}
    others = [one for one in p.run.streams[-RECENT:] if one != f"review/{review.id}"]
    known = [one for stream in others for one in p.run.world.reviews[stream].findings.values()]
    again = [one for one in known if one.place and (one.fingerprint, one.place.context_hash) in marks]
    for seat in review.seats.values():
        if again and seat.reviewer is not None and review.report_request(seat.id):
            report = p.report(review, seat.id, seat.reviewer, likes=False)
            old = p.run.agents.again(p.rng.choice(again))
            text = p.run.agents.words(old.text.partition(" number ")[0])
            draft = replace(old, text=text, severity=p.rng.choice(("critical", "important")))
            if report is not None:
                yield p.sent(seat.reviewer, review, replace(report, findings=(draft,)))


def _enables_a_fast_lane(p: Pusher, review: Review) -> Acts:
    books, now = p.run.world.books, p.run.now
    for one in books.trust.values():
        if not one.enabled_by and eligible(one, now, books.learning):
            yield replace(p.sent(p.human(), review, EnableSkip()), stream=f"trust/{one.kind}/{one.author}")


def _switches_the_policy(p: Pusher, review: Review) -> Acts:
    digest = p.rng.choice(("policy-1", "policy-2"))
    command = ActivatePolicy(digest=digest, name=p.words(), applies_in_flight=True)
    yield replace(p.sent(p.human(), review, command), stream="policy")


def _finds_it_plausible(p: Pusher, review: Review) -> Acts:
    for seat in review.seats.values():
        asked = review.report_request(seat.id)
        if seat.part is Part.VERIFY and seat.reviewer is not None and asked is not None and asked.about:
            verify = c.VerifyFinding(
                finding=asked.about[0], revision=review.revision, result="plausible", evidence=p.words()
            )
            yield p.sent(seat.reviewer, review, verify)


def _uses_the_fast_lane(p: Pusher, _review: Review) -> Acts:
    """An author uses their fast lane, also after its end, and the skipped work may turn out to be bad."""
    world = p.run.world
    lanes = [one for one in world.books.trust.values() if one.enabled_by and one.author in world.people]
    if not lanes:
        return
    lane, chance = p.rng.choice(lanes), p.rng.random()
    if chance < 0.3:
        for stream in reversed(p.run.streams):
            one = world.reviews[stream]
            if one.cleared and (one.kind, one.author.name) == (lane.kind, lane.author):
                yield p.sent(p.human(), one, c.ReportEscape(text=p.words(), severity="critical"))
    sent = p.opened(world.people[lane.author].who, lane.kind, p.run.agents.work())
    after = lane.expires + timedelta(hours=1) if lane.expires and chance > 0.85 else p.run.now
    yield replace(sent, at=max(after, p.run.now))


ACTS: tuple[Callable[[Pusher, Review], Acts], ...] = (
    _old_bytes,
    _served_older,
    _stranger_settles,
    _after_the_lease,
    _revises_while_a_human_decides,
    _votes_twice,
    _votes_twice,
    _reports_again,
    _speaks_again,
    _asks_after_the_end,
    _same_bytes_elsewhere,
    _vetoes,
    _keeps_for_another,
    _approves_without_settling,
    _approves_without_settling,
    _reopens_what_was_vetoed,
    _approves_what_was_vetoed,
    _opens_with_one_voice,
    _goes_live_again,
    _raises_what_was_dismissed,
    _lifts_a_veto,
    _asks_for_a_human,
    _orders_new_bytes,
    _opens_something_rare,
    _opens_something_rare,
    _dismisses_for_a_while,
    _uses_the_fast_lane,
    _uses_the_fast_lane,
    _enables_a_fast_lane,
    _switches_the_policy,
    _finds_it_plausible,
)
