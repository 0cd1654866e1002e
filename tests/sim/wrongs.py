"""Which wrong things can be tried? One act per refusal; each yields what would be sent where it makes sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from foureyes.core import commands as c
from foureyes.core.gates import Standards
from foureyes.core.model import ReportRequest, Review, Seat
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code
from foureyes.core.rules import Stage
from foureyes.core.values import CLOCK, Outcome, Standing, Who
from tests.sim.agents import OPENS, Agents
from tests.sim.people import HUMANS
from tests.sim.script import Command


@dataclass(slots=True)
class Liar:
    """Somebody who knows what the others would send."""

    agents: Agents

    def other(self, review: Review) -> Who:
        return self.agents.volunteer(review)

    def human(self, *names: str) -> Who:
        return self.agents.world.people[self.agents.rng.choice(names or HUMANS)].who

    def report(self, review: Review, seat: Seat) -> tuple[Who, Stage, c.SubmitReport] | None:
        """A report the holder of a seat that owes one might send."""
        request = review.requests.get(seat.id)
        stage = self.agents.stage(review, seat.stage)
        if not isinstance(request, ReportRequest) or stage is None or seat.reviewer is None or seat.part != "judge":
            return None
        return seat.reviewer, stage, self.agents.report(review, stage, seat.id, seat.reviewer)

    def reports(self, review: Review) -> Iterator[tuple[Who, Stage, c.SubmitReport]]:
        for seat in review.seats.values():
            found = self.report(review, seat)
            if found is not None:
                yield found


Acts = Iterator[tuple[Who, Command]]


def _already_asked(_: Liar, review: Review) -> Acts:
    for name, number in review.asked:
        holders = [one.reviewer for one in review.seats.values() if one.reviewer and one.reviewer.name == name]
        who = review.author if review.author.name == name else next(iter(holders), None)
        if number == review.revision and review.ruling() is None and who is not None:
            yield who, c.RequestRuling(reason="and once more")


def _open_again(m: Liar, review: Review) -> Acts:
    yield (
        review.author,
        c.OpenReview(review=review.id, kind=review.kind, title=m.agents.words("again"), digest=review.digest),
    )


def _answers_mismatch(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if stage.options.answers:
            yield who, replace(report, answers=(*report.answers, "one too many"))


def _author_reviews(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        yield review.author, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve", confidence=99)


def _bad_number(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review):
        yield who, replace(report, confidence=m.agents.rng.choice((True, 101, -1)))


def _checklist(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if any(isinstance(one, Standards) for one in stage.gates):
            yield who, replace(report, verdict="approve", checklist=(), confidence=95, findings=(), grounds=())


def _unsure(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if any(isinstance(one, Standards) for one in stage.gates):
            yield who, replace(report, verdict="approve", confidence=50, findings=(), grounds=())


def _digest_mismatch(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        yield (
            m.human(),
            c.OverrideStage(stage=seat.stage, revision=review.revision, digest="other bytes", reason="I looked"),
        )


def _said_twice(m: Liar, review: Review) -> Acts:
    for (seat, number), old in review.reports.items():
        if number == review.revision and old.count < 3:
            yield (
                old.reviewer,
                c.SubmitReport(
                    revision=number,
                    seat=seat,
                    verdict=old.verdict,
                    summary=old.summary,
                    evidence=old.evidence,
                    checklist=old.checklist,
                    answers=old.answers,
                    confidence=old.confidence,
                ),
            )
    force = m.agents.world.in_force
    yield m.human(), ActivatePolicy(digest=force.digest, name="again", applies_in_flight=force.applies_in_flight)


def _empty_group(m: Liar, review: Review) -> Acts:
    yield from _opening(m, review, "empty", HUMANS)


def _not_in_group(m: Liar, review: Review) -> Acts:
    yield from _opening(m, review, "board", ("horst",))


def _opening(m: Liar, review: Review, group: str, names: tuple[str, ...]) -> Acts:
    ruling = review.ruling()
    if ruling is not None and ruling.group == group:
        for one in ruling.options:
            if one.effect in OPENS:
                yield m.human(*names), c.GiveRuling(request=ruling.id, option=one.id, reason="open it")
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        if stage is not None and stage.options.ruling_group == group and review.outcome is None:
            yield m.human(*names), _override(review, stage.name)


def _override(review: Review, stage: str) -> c.OverrideStage:
    return c.OverrideStage(stage=stage, revision=review.revision, digest=review.digest, reason="I looked")


def _no_evidence(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if stage.options.evidence:
            yield who, replace(report, findings=(), evidence=(), settled=())


def _no_ground(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if stage.options.votes and stage.options.style in ("panel", "solo", "peer"):
            verdict = "reject" if stage.options.style == "peer" else "concerns"
            yield who, replace(report, verdict=verdict, findings=(), grounds=(), checklist=(), confidence=95)


def _plays_human(m: Liar, review: Review) -> Acts:
    ruling = review.ruling()
    if ruling is not None:
        yield m.agents.volunteer(review), c.GiveRuling(request=ruling.id, option="as_is", reason="I say so")
    for seat in review.seats.values():
        yield (seat.reviewer or review.author), _override(review, seat.stage)


def _renews_nothing(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None and seat.lease is None:
            yield seat.reviewer, c.RenewSeat(seat=seat.id)


def _early(_: Liar, review: Review) -> Acts:
    for name in review.requests:
        yield CLOCK, c.PassDeadline(request=name)


def _no_role(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is None and seat.candidates:
            yield m.agents.world.people["scanner"].who, c.TakeSeat(seat=seat.id)
    for seat in review.seats.values():
        if seat.part == "verify" and seat.reviewer is not None:
            yield seat.reviewer, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve")


def _not_ended(m: Liar, review: Review) -> Acts:
    yield m.human(), c.ReopenReview(reason="let us see", undoes=m.agents.rng.choice(list(Outcome)))


def _reopens_open(_: Liar, review: Review) -> Acts:
    for one in review.findings.values():
        holder = review.seats[one.seat].reviewer
        if one.standing is Standing.OPEN and holder is not None:
            yield holder, c.SettleFinding(finding=one.id, revision=review.revision, resolved=False)


def _plays_author(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.WithdrawReview(reason="I do not like it")


def _plays_clock(_: Liar, review: Review) -> Acts:
    for name in review.requests:
        yield review.author, c.PassDeadline(request=name)


def _plays_holder(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None:
            other = m.other(review)
            if other.name != seat.reviewer.name:
                yield other, c.RenewSeat(seat=seat.id)


def _no_seat(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        if stage is not None and stage.seats_max == 0:
            yield m.agents.world.people["scanner"].who, c.TakeSeat(stage=seat.stage)


def _votes(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if not stage.options.votes:
            yield who, replace(report, verdict="approve")


def _keeps_nothing(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None and not seat.reported:
            yield seat.reviewer, c.KeepReport(seat=seat.id, revision=review.revision)


def _own_finding(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if stage.options.votes:
            worst = c.Draft(severity="critical", text=m.agents.words("it burns"), evidence="seen it myself")
            yield who, replace(report, verdict="approve", findings=(worst,), coverage=100)


def _no_reason(_: Liar, review: Review) -> Acts:
    yield review.author, c.WithdrawReview(reason="  ")


def _ended(m: Liar, review: Review) -> Acts:
    if review.outcome is not None:
        for seat in review.seats.values():
            yield m.other(review), c.TakeSeat(seat=seat.id)


def _missing(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.AddNote(text="is anybody there")


def _alone(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        if stage is not None and stage.options.ruling_needs > 1:
            yield m.human("hana", "hugo"), _override(review, stage.name)


def _while_ruling(_: Liar, review: Review) -> Acts:
    if review.ruling() is not None:
        yield review.author, c.RequestRuling(reason="hurry up")
        yield review.author, c.SubmitRevision(digest=f"{review.digest}-2")


def _same_bytes(_: Liar, review: Review) -> Acts:
    if review.ruling() is None and not any(digest == review.digest for _, digest in review.vetoes):
        yield review.author, c.SubmitRevision(digest=review.digest)


def _taken(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.lease is not None and seat.reviewer is not None:
            yield m.other(review), c.TakeSeat(seat=seat.id)


def _settled(m: Liar, review: Review) -> Acts:
    for one in review.findings.values():
        if one.is_settled:
            yield m.human(), c.WaiveFinding(finding=one.id, reason="not real")


def _stale(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review):
        yield (
            who,
            replace(report, revision=review.revision + m.agents.rng.choice((-1, 1)) if review.revision > 1 else 2),
        )


def _long(m: Liar, review: Review) -> Acts:
    yield review.author, c.OpenReview(review=f"{review.id}-long", kind="story", title="t" * 301, digest=review.digest)


def _many(m: Liar, review: Review) -> Acts:
    yield review.author, c.SubmitRevision(digest="many", answers=(c.Answer(finding="none", text="x"),) * 51)


def _no_such_finding(_: Liar, review: Review) -> Acts:
    yield review.author, c.AnswerFinding(finding="resolve.9-F99", text="fixed")


def _no_such_option(m: Liar, review: Review) -> Acts:
    ruling = review.ruling()
    if ruling is not None:
        yield m.human(), c.GiveRuling(request=ruling.id, option="toss a coin", reason="why not")


def _no_such_request(m: Liar, review: Review) -> Acts:
    yield m.human(), c.GiveRuling(request="ruling-99", option="as_is", reason="why not")


def _no_such_seat(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.TakeSeat(seat="nowhere.1")


def _no_such_stage(m: Liar, review: Review) -> Acts:
    yield m.human(), _override(review, "nowhere")


def _no_such_word(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None:
            yield seat.reviewer, c.LeaveSeat(seat=seat.id, reason="bored")


def _no_verdict(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review):
        if stage.options.votes:
            yield who, replace(report, verdict=None)


def _shops(m: Liar, review: Review) -> Acts:
    """Bytes that were vetoed in one review come back in another, under another name."""
    for digest, streams in m.agents.world.books.vetoes.items():
        if any(streams.values()):
            name = f"{review.id}-{m.agents.rng.randrange(1 << 20)}"
            yield m.other(review), c.OpenReview(review=name, kind="story", title="something else", digest=digest)


def _against_own_veto(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.veto and seat.reviewer is not None and (seat.stage, review.digest) in review.vetoes:
            yield seat.reviewer, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve")


ACTS: dict[Code, Callable[[Liar, Review], Acts]] = {
    Code.ALREADY_ASKED: _already_asked,
    Code.ALREADY_OPEN: _open_again,
    Code.ANSWERS_MISMATCH: _answers_mismatch,
    Code.AUTHOR_MAY_NOT: _author_reviews,
    Code.BAD_NUMBER: _bad_number,
    Code.CHECKLIST_INCOMPLETE: _checklist,
    Code.CONFIDENCE_TOO_LOW: _unsure,
    Code.DIGEST_MISMATCH: _digest_mismatch,
    Code.DUPLICATE: _said_twice,
    Code.EMPTY_GROUP: _empty_group,
    Code.EVIDENCE_MISSING: _no_evidence,
    Code.GROUND_MISSING: _no_ground,
    Code.HUMAN_ONLY: _plays_human,
    Code.LEASE_ENDED: _renews_nothing,
    Code.NOT_DUE: _early,
    Code.NOT_ELIGIBLE: _no_role,
    Code.NOT_ENDED: _not_ended,
    Code.NOT_IN_GROUP: _not_in_group,
    Code.NOT_OPEN: _reopens_open,
    Code.NOT_THE_AUTHOR: _plays_author,
    Code.NOT_THE_CLOCK: _plays_clock,
    Code.NOT_THE_HOLDER: _plays_holder,
    Code.NO_FREE_SEAT: _no_seat,
    Code.NO_VERDICTS_HERE: _votes,
    Code.NOTHING_TO_KEEP: _keeps_nothing,
    Code.OWN_FINDING_BLOCKS: _own_finding,
    Code.REASON_MISSING: _no_reason,
    Code.REVIEW_ENDED: _ended,
    Code.REVIEW_MISSING: _missing,
    Code.RULING_NEEDED: _alone,
    Code.RULING_PENDING: _while_ruling,
    Code.SAME_DIGEST: _same_bytes,
    Code.SEAT_TAKEN: _taken,
    Code.SETTLED: _settled,
    Code.STALE: _stale,
    Code.TOO_LONG: _long,
    Code.TOO_MANY: _many,
    Code.UNKNOWN_FINDING: _no_such_finding,
    Code.UNKNOWN_OPTION: _no_such_option,
    Code.UNKNOWN_REQUEST: _no_such_request,
    Code.UNKNOWN_SEAT: _no_such_seat,
    Code.UNKNOWN_STAGE: _no_such_stage,
    Code.UNKNOWN_WORD: _no_such_word,
    Code.VERDICT_MISSING: _no_verdict,
    Code.VETOED: _shops,
    Code.VETO_STANDS: _against_own_veto,
}
