"""The wrong commands that can be tried: one act per refusal, each yielding what would be sent where it makes sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from foureyes.core import commands as c
from foureyes.core.gates import Standards
from foureyes.core.model import ReportRequest, Review
from foureyes.core.policies import ActivatePolicy
from foureyes.core.rules import Stage
from foureyes.core.values import CLOCK, Evidence, Outcome, Place, Severity, Standing, Who, WhoKind
from tests.sim.agents import OPENS, Agents
from tests.sim.people import HUMANS
from tests.sim.script import Command


@dataclass(slots=True)
class Liar:
    """A party that knows what the others would send."""

    agents: Agents

    def other(self, review: Review) -> Who:
        return self.agents.volunteer(review)

    def human(self, *names: str) -> Who:
        return self.agents.world.people[self.agents.rng.choice(names or HUMANS)].who

    def reports(self, review: Review, fits: Callable[[Stage], bool]) -> Iterator[tuple[Who, Stage, c.SubmitReport]]:
        """Reports that holders of seats which owe one might send, in stages that fit."""
        for name, request in review.requests.items():
            if isinstance(request, ReportRequest):
                stage = self.agents.stage(review, (seat := review.seats[name]).stage)
                if stage is not None and seat.reviewer is not None and seat.part == "judge" and fits(stage):
                    yield seat.reviewer, stage, self.agents.report(review, stage, seat.id, seat.reviewer)


def _any(_: Stage) -> bool:
    return True


def _asks(stage: Stage) -> bool:
    return stage.options.answers


def _has_standards(stage: Stage) -> bool:
    return any(isinstance(one, Standards) for one in stage.gates)


def _wants_evidence(stage: Stage) -> bool:
    return stage.options.evidence


def _wants_grounds(stage: Stage) -> bool:
    return stage.options.style in ("panel", "solo", "peer")


def _has_votes(stage: Stage) -> bool:
    return stage.options.votes


def _has_no_votes(stage: Stage) -> bool:
    return not stage.options.votes


Acts = Iterator[tuple[Who, Command]]


def already_asked(_: Liar, review: Review) -> Acts:
    for name, number in review.asked:
        holders = [one.reviewer for one in review.seats.values() if one.reviewer and one.reviewer.name == name]
        who = review.author if review.author.name == name else next(iter(holders), None)
        if number == review.revision and review.ruling() is None and who is not None:
            yield who, c.RequestRuling(reason="and once more")


def open_again(m: Liar, review: Review) -> Acts:
    yield (
        review.author,
        c.OpenReview(review=review.id, kind=review.kind, title=m.agents.words("again"), digest=review.digest),
    )


def answers_mismatch(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _asks):
        yield who, replace(report, answers=(*report.answers, "one too many"))


def author_reviews(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        yield review.author, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve", confidence=99)


def bad_number(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _any):
        yield who, replace(report, confidence=m.agents.rng.choice((True, 101, -1)))


def checklist(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _has_standards):
        yield who, replace(report, verdict="approve", checklist=(), confidence=95, findings=(), grounds=())


def unsure(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _has_standards):
        yield who, replace(report, verdict="approve", confidence=50, findings=(), grounds=())


def digest_mismatch(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        yield (
            m.human(),
            c.OverrideStage(stage=seat.stage, revision=review.revision, digest="other bytes", reason="I looked"),
        )


def said_twice(m: Liar, review: Review) -> Acts:
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


def empty_group(m: Liar, review: Review) -> Acts:
    yield from _opening(m, review, "empty", HUMANS)


def not_in_group(m: Liar, review: Review) -> Acts:
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


def no_evidence(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _wants_evidence):
        yield who, replace(report, findings=(), evidence=(), settled=())


def thoughtless(m: Liar, review: Review) -> Acts:
    """An approval whose evidence is empty or only dots."""
    for who, _, report in m.reports(review, _has_votes):
        said = m.agents.rng.choice(((), (Evidence(what="." * 40, why="." * 40),)))
        yield who, replace(report, verdict="approve", summary="", findings=(), evidence=said, confidence=95)


def invented(m: Liar, review: Review) -> Acts:
    """A finding or evidence in a file that is not in the work."""
    place = Place(path="invented.py", start=1)
    seen = Evidence(what="the whole work", why="read every line", place=place)
    for who, _, report in m.reports(review, _any):
        draft = c.Draft(severity="critical", text=m.agents.words("invented"), place=place, evidence="made up")
        yield who, replace(report, **m.agents.rng.choice(({"findings": (draft,)}, {"evidence": (seen,)})))


def no_ground(m: Liar, review: Review) -> Acts:
    for who, stage, report in m.reports(review, _wants_grounds):
        verdict = "reject" if stage.options.style == "peer" else "concerns"
        yield who, replace(report, verdict=verdict, findings=(), grounds=(), checklist=(), confidence=95)


def plays_human(m: Liar, review: Review) -> Acts:
    ruling = review.ruling()
    if ruling is not None:
        yield m.agents.volunteer(review), c.GiveRuling(request=ruling.id, option="as_is", reason="I say so")
    for seat in review.seats.values():
        yield (seat.reviewer or review.author), _override(review, seat.stage)


def at_a_terminal(_: Liar, review: Review) -> Acts:
    """A person at a terminal is not verified, so they may not waive critical findings."""
    for finding in review.findings.values():
        if finding.severity is Severity.CRITICAL and not finding.is_settled:
            yield Who(name="tess", kind=WhoKind.PERSON), c.WaiveFinding(finding=finding.id, reason="not so")


def renews_nothing(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None and seat.lease is None:
            yield seat.reviewer, c.RenewSeat(seat=seat.id)


def early(_: Liar, review: Review) -> Acts:
    for name in review.requests:
        yield CLOCK, c.PassDeadline(request=name)


def no_role(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is None and seat.candidates:
            yield m.agents.world.people["scanner"].who, c.TakeSeat(seat=seat.id)
    for seat in review.seats.values():
        if seat.part == "verify" and seat.reviewer is not None:
            yield seat.reviewer, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve")


def not_ended(m: Liar, _: Review) -> Acts:
    yield m.human(), c.ReopenReview(reason="let us see", undoes=m.agents.rng.choice(list(Outcome)))


def reopens_open(_: Liar, review: Review) -> Acts:
    for one in review.findings.values():
        holder = review.seats[one.seat].reviewer if one.seat in review.seats else None
        if one.standing is Standing.OPEN and holder is not None:
            yield holder, c.SettleFinding(finding=one.id, revision=review.revision, resolved=False)


def plays_author(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.WithdrawReview(reason="I do not like it")


def plays_clock(_: Liar, review: Review) -> Acts:
    for name in review.requests:
        yield review.author, c.PassDeadline(request=name)


def plays_holder(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None:
            other = m.other(review)
            if other.name != seat.reviewer.name:
                yield other, c.RenewSeat(seat=seat.id)


def no_seat(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        if stage is not None and stage.seats_max == 0:
            yield m.agents.world.people["scanner"].who, c.TakeSeat(stage=seat.stage)


def votes(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _has_no_votes):
        yield who, replace(report, verdict="approve")


def keeps_nothing(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None and not seat.reported:
            yield seat.reviewer, c.KeepReport(seat=seat.id, revision=review.revision)


def own_finding(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _has_votes):
        worst = c.Draft(severity="critical", text=m.agents.words("it burns"), evidence="seen it myself")
        yield who, replace(report, verdict="approve", findings=(worst,), coverage=100)


def no_reason(_: Liar, review: Review) -> Acts:
    yield review.author, c.WithdrawReview(reason="  ")


def ended(m: Liar, review: Review) -> Acts:
    if review.outcome is not None:
        for seat in review.seats.values():
            yield m.other(review), c.TakeSeat(seat=seat.id)


def missing(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.AddNote(text="is anybody there")


def alone(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        if stage is not None and stage.options.ruling_needs > 1:
            yield m.human("hana", "hugo"), _override(review, stage.name)


def while_ruling(_: Liar, review: Review) -> Acts:
    if review.ruling() is not None:
        yield review.author, c.RequestRuling(reason="hurry up")
        yield review.author, c.SubmitRevision(digest=f"{review.digest}-2")


def same_bytes(_: Liar, review: Review) -> Acts:
    if review.ruling() is None and not any(digest == review.digest for _, digest in review.vetoes):
        yield review.author, c.SubmitRevision(digest=review.digest)


def taken(m: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.lease is not None and seat.reviewer is not None:
            yield m.other(review), c.TakeSeat(seat=seat.id)


def settled(m: Liar, review: Review) -> Acts:
    for one in review.findings.values():
        if one.is_settled:
            yield m.human(), c.WaiveFinding(finding=one.id, reason="not real")


def stale(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _any):
        yield who, replace(report, revision=m.agents.rng.choice((review.revision - 1, review.revision + 1)))


def long(_: Liar, review: Review) -> Acts:
    yield review.author, c.OpenReview(review=f"{review.id}-long", kind="story", title="t" * 301, digest=review.digest)


def many(_: Liar, review: Review) -> Acts:
    yield review.author, c.SubmitRevision(digest="many", answers=(c.Answer(finding="none", text="x"),) * 51)


def no_such_finding(_: Liar, review: Review) -> Acts:
    yield review.author, c.AnswerFinding(finding="resolve.9-F99", text="fixed")


def no_such_option(m: Liar, review: Review) -> Acts:
    ruling = review.ruling()
    if ruling is not None:
        yield m.human(), c.GiveRuling(request=ruling.id, option="toss a coin", reason="why not")


def no_such_request(m: Liar, _: Review) -> Acts:
    yield m.human(), c.GiveRuling(request="ruling-99", option="as_is", reason="why not")


def no_such_seat(m: Liar, review: Review) -> Acts:
    yield m.other(review), c.TakeSeat(seat="nowhere.1")


def no_such_stage(m: Liar, review: Review) -> Acts:
    yield m.human(), _override(review, "nowhere")


def no_such_word(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.reviewer is not None:
            yield seat.reviewer, c.LeaveSeat(seat=seat.id, reason="bored")


def no_verdict(m: Liar, review: Review) -> Acts:
    for who, _, report in m.reports(review, _has_votes):
        yield who, replace(report, verdict=None)


def shops(m: Liar, review: Review) -> Acts:
    """Bytes that were vetoed in one review come back in another, under another name."""
    for digest, streams in m.agents.world.books.vetoes.items():
        if any(streams.values()):
            name = f"{review.id}-{m.agents.rng.randrange(1 << 20)}"
            yield m.other(review), c.OpenReview(review=name, kind="story", title="something else", digest=digest)


def shops_objections(m: Liar, review: Review) -> Acts:
    """Bytes with an objection in another review come back: by their author or another, as work of other kinds."""
    world, rng = m.agents.world, m.agents.rng
    digest = review.revisions[rng.randrange(review.revision)].digest
    if world.objected("", digest) and not any(world.books.vetoes.get(digest, {}).values()):
        name, kind = f"{review.id}-{rng.randrange(1 << 20)}", rng.choice(("story", "task", "milestone", "create_core"))
        who = rng.choice((review.author, m.other(review)))
        yield who, c.OpenReview(review=name, kind=kind, title="something else", digest=digest)


def against_own_veto(_: Liar, review: Review) -> Acts:
    for seat in review.seats.values():
        if seat.veto and seat.reviewer is not None and (seat.stage, review.digest) in review.vetoes:
            yield seat.reviewer, c.SubmitReport(revision=review.revision, seat=seat.id, verdict="approve")


def too_often(_: Liar, review: Review) -> Acts:
    """The author writes notes until the limit is reached."""
    yield review.author, c.AddNote(text="and another thing")


def not_involved(m: Liar, review: Review) -> Acts:
    sitting = {one.reviewer.name for one in review.seats.values() if one.reviewer is not None}
    for who in (one.who for one in m.agents.world.people.values()):
        if who.name not in sitting and not review.is_contributor(who.name) and not who.is_human:
            yield who, c.RequestRuling(reason="I am curious")
