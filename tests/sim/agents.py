"""What does somebody do who is asked? Each party's answers, bent by their temper."""

from __future__ import annotations

import random
from dataclasses import dataclass

from foureyes.core import commands as c
from foureyes.core.assess import stages_of
from foureyes.core.gates import Standards
from foureyes.core.model import ReportRequest, Review, RevisionRequest, RulingRequest, Seat
from foureyes.core.rules import Stage
from foureyes.core.values import Criterion, Effect, Evidence, Failure, Part, Place, Standing, Who
from tests.sim.people import HUMANS, Temper
from tests.sim.script import Command
from tests.sim.works import LINES, Bytes, make
from tests.sim.world import World

Said = tuple[Who, Command]
OPENS = frozenset({Effect.PASS_STAGE, Effect.WAIVE})


@dataclass(slots=True)
class Agents:
    """Everybody's minds; all chance comes from one seeded source."""

    world: World
    rng: random.Random
    made: int = 0
    said: int = 0

    def answer(self, review: Review, request_id: str) -> Said | None:
        """What the addressee of a pending request does about it; nothing when they stay silent."""
        request = review.requests[request_id]
        if isinstance(request, ReportRequest):
            return self._review(review, request)
        if isinstance(request, RevisionRequest):
            return self._revise(review, request)
        return self._rule(review, request)

    def work(self, *, after: Bytes | None = None) -> Bytes:
        """New bytes, known to the world."""
        self.made += 1
        found = make(self.rng, self.made, after=after)
        self.world.make_known(found)
        return found

    def stage(self, review: Review, name: str) -> Stage | None:
        rules, force = self.world.rules[review.rules], self.world.in_force
        stricter = force.rules if review.stricter else None
        return next((one for one in stages_of(rules, review, stricter) if one.name == name), None)

    def temper(self, who: Who) -> Temper:
        person = self.world.people.get(who.name)
        return person.temper if person else Temper.HONEST

    def words(self, what: str) -> str:
        """A text nobody else ever says, so that it is recognised wherever it turns up."""
        self.said += 1
        return f"{what} number {self.said:06d}"

    def _review(self, review: Review, request: ReportRequest) -> Said | None:
        seat = review.seats[request.seat]
        stage = self.stage(review, seat.stage)
        who = seat.reviewer or self._volunteer(review)
        temper = self.temper(who)
        if stage is None or temper is Temper.SILENT or (temper is Temper.CRASHES and seat.lease is not None):
            return None
        if temper is Temper.CRASHES:
            return who, c.TakeSeat(seat=seat.id)
        return who, self._signs_of_life(review, seat) or self._judged(review, request, stage, seat, who)

    def _signs_of_life(self, review: Review, seat: Seat) -> Command | None:
        """Now and then a reviewer begins, gives up, fails or only says that they are alive."""
        chance = self.rng.random()
        if chance < 0.12:
            return c.TakeSeat(seat=seat.id)
        if chance < 0.16:
            return c.LeaveSeat(seat=seat.id, reason=self.rng.choice(("declined", "overloaded")))
        if chance < 0.20:
            reason = self.rng.choice(list(Failure))
            return c.ReportInconclusive(seat=seat.id, revision=review.revision, reason=reason)
        return c.RenewSeat(seat=seat.id, draft=self.words("draft")) if chance < 0.22 else None

    def _judged(self, review: Review, request: ReportRequest, stage: Stage, seat: Seat, who: Who) -> Command:
        chance, number = self.rng.random(), review.revision
        if seat.part is Part.VERIFY and request.about:
            result = self.rng.choice(("confirmed", "plausible", "refuted"))
            evidence = self.words("checked it by hand")
            return c.VerifyFinding(finding=request.about[0], revision=number, result=result, evidence=evidence)
        if request.about and chance < 0.4:
            note = self.words("note")
            return c.SettleFinding(finding=request.about[0], revision=number, resolved=self._satisfied(who), note=note)
        if seat.reported and seat.reported < number and chance < 0.2:
            return c.KeepReport(seat=seat.id, revision=number)
        return self.report(review, stage, seat.id, who)

    def _volunteer(self, review: Review) -> Who:
        names = [name for name in self.world.people if name not in HUMANS and not review.is_contributor(name)]
        return self.world.people[self.rng.choice(names)].who

    def _satisfied(self, who: Who) -> bool:
        temper = self.temper(who)
        if temper is Temper.REOPENS:
            return False
        return temper is Temper.APPROVES or self.rng.random() < 0.8

    def report(self, review: Review, stage: Stage, seat: str, who: Who) -> c.SubmitReport:
        """A report as this reviewer would write it: the honest see bad bytes, others see what they want."""
        work, temper = self.world.works[review.digest], self.temper(who)
        likes = {Temper.NITPICKS: False, Temper.APPROVES: True, Temper.COLLUDES: True}.get(temper, not work.bad)
        if temper is Temper.HONEST and not work.bad and self.rng.random() < 0.1:
            likes = False
        own = [one for one in review.findings.values() if one.seat == seat and not one.is_settled]
        settled = tuple(
            c.Settlement(finding=one.id, resolved=likes or one.standing is not Standing.OPEN, note=self.words("note"))
            for one in own
            if likes or one.standing is Standing.ANSWERED
        )
        findings = () if likes else tuple(self.draft(review, temper) for _ in range(self.rng.choice((1, 2, 3, 4))))
        verdict = None
        if stage.options.votes:
            verdict = "approve" if likes else self.rng.choice(("concerns", "concerns", "reject"))
        return c.SubmitReport(
            revision=review.revision,
            seat=seat,
            verdict=verdict,
            summary=self.words("summary"),
            evidence=(Evidence(what=self.words("read all of it"), why=self.words("it holds up")),),
            checklist=self._checklist(review, stage, passed=likes),
            answers=tuple(self.words("answer") for _ in review.questions),
            findings=findings,
            settled=settled,
            confidence=self.rng.choice((95, 92, 85)) if likes else self.rng.choice((90, 70, 40)),
        )

    def draft(self, review: Review, temper: Temper) -> c.Draft:
        path = self.rng.choice(self.world.works[review.digest].paths)
        start = self.rng.randrange(1, LINES)
        severity = (
            "nit" if temper is Temper.NITPICKS else self.rng.choice(("critical", "important", "moderate", "minor"))
        )
        return c.Draft(
            severity=severity,
            text=self.words("this does not work"),
            place=self.rng.choice((None, Place(path=path, start=start, end=start + 3, context_hash=f"{path}:{start}"))),
            evidence=self.words("seen with my own eyes"),
        )

    def _checklist(self, review: Review, stage: Stage, *, passed: bool) -> tuple[Criterion, ...]:
        gate = next((one for one in stage.gates if isinstance(one, Standards)), None)
        required = gate.for_kind(review.kind).required if gate else ()
        return tuple(Criterion(name=name, passed=passed) for name, _ in required)

    def _revise(self, review: Review, request: RevisionRequest) -> Said | None:
        author, chance = review.author, self.rng.random()
        if self.temper(author) is Temper.SILENT:
            return None
        opened = [one for one in review.findings.values() if one.standing is Standing.OPEN]
        if request.clarify and chance < 0.9:
            return author, c.SubmitRevision(digest=review.digest, note=self.words("what I meant"))
        if chance < 0.03:
            return author, c.WithdrawReview(reason=self.words("changed my mind"))
        if request.answers and opened and chance < 0.7:
            finding = self.rng.choice(opened)
            rebuttal = self.rng.random() < 0.3
            return author, c.AnswerFinding(finding=finding.id, text=self.words("fixed it"), rebuttal=rebuttal)
        work = self.work(after=self.world.works[review.digest])
        answers = tuple(c.Answer(finding=one.id, text=self.words("fixed")) for one in opened)
        return author, c.SubmitRevision(
            digest=work.digest, parts=work.parts, note=self.words("new version"), answers=answers, confidence=90
        )

    def _rule(self, review: Review, request: RulingRequest) -> Said | None:
        who = self.world.people[self.rng.choice(HUMANS)].who
        bad, chance = self.world.works[review.digest].bad, self.rng.random()
        if chance < 0.1 and request.stage:
            return who, c.OverrideStage(
                stage=request.stage, revision=review.revision, digest=review.digest, reason=self.words("I looked")
            )
        options = [one for one in request.options if not bad or one.effect not in OPENS] or list(request.options)
        option = self.rng.choice(options)
        demands = (self.words("do this"),) if option.effect is Effect.REVISE and chance < 0.5 else ()
        return who, c.GiveRuling(request=request.id, option=option.id, reason=self.words("decided"), demands=demands)
