"""The answers of each simulated party to a request, according to their temper."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from foureyes.core import commands as c
from foureyes.core.gates import Standards
from foureyes.core.model import Finding, ReportRequest, Review, RevisionRequest, RulingRequest, Seat
from foureyes.core.rules import Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import Cost, Criterion, Effect, Evidence, Failure, Part, Place, Standing, Who
from tests.sim.people import HUMANS, PROGRAMS, Temper
from tests.sim.script import Command
from tests.sim.works import LINES, Bytes, make
from tests.sim.world import World

Said = tuple[Who, Command]
OPENS = frozenset({Effect.PASS_STAGE, Effect.WAIVE})
LIKES = {Temper.NITPICKS: False, Temper.REOPENS: False, Temper.APPROVES: True, Temper.COLLUDES: True}
#: Moods of a world: endless arguments, old grievances, doubts, or none.
MOODS = ("", "stubborn", "grudge", "unsure", "unsure", "grudge", "stubborn")
GROUNDS = ("fundamental_flaw", "would_break_system", "security_risk", "better_to_start_over")


@dataclass(slots=True)
class Agents:
    """The behaviour of all parties; all randomness comes from one seeded source."""

    world: World
    rng: random.Random
    mood: str = ""
    stages: dict[object, dict[str, Stage]] = field(default_factory=dict)
    made: int = 0
    said: int = 0

    def answer(self, review: Review, request_id: str) -> Said | None:
        """The addressee's answer to a pending request; None when they stay silent."""
        request = review.requests[request_id]
        if isinstance(request, ReportRequest):
            return self._review(review, request)
        if isinstance(request, RevisionRequest):
            return self._revise(review, request)
        return self._rule(review, request)

    def work(self, *, after: Bytes | None = None, good: bool = False, same_text: bool = False) -> Bytes:
        """Make new bytes that are known to the world."""
        self.made += 1
        found = make(self.rng, self.made, after=after, good=good, same_text=same_text)
        self.world.make_known(found)
        return found

    def stage(self, review: Review, name: str) -> Stage | None:
        """The stage of this name that the review must pass; cached, because it is looked up very often."""
        key = (review.rules, review.protocols, review.stricter, review.kind, review.digest, bool(review.inherited))
        if key not in self.stages:
            world = self.world
            found = stages_of(world.rules[review.rules], review, world.rules.get(review.stricter))
            self.stages[key] = {one.name: one for one in found}
        return self.stages[key].get(name)

    def temper(self, who: Who) -> Temper:
        person = self.world.people.get(who.name)
        return person.temper if person else Temper.HONEST

    def words(self, what: str) -> str:
        """A unique text, so that it is recognised wherever it occurs."""
        self.said += 1
        return f"{what} number {self.said:06d}"

    def _review(self, review: Review, request: ReportRequest) -> Said | None:
        seat = review.seats[request.seat]
        stage = self.stage(review, seat.stage)
        who = seat.reviewer or self.volunteer(review)
        temper = self.temper(who)
        if stage is None or temper is Temper.SILENT or (temper is Temper.CRASHES and seat.lease is not None):
            return None
        if temper is Temper.CRASHES:
            return who, c.TakeSeat(seat=seat.id)
        return who, self._signs_of_life(review, seat) or self._judged(review, request, stage, seat, who)

    def _signs_of_life(self, review: Review, seat: Seat) -> Command | None:
        """Now and then a reviewer begins, gives up, fails or only renews the lease."""
        chance = self.rng.random()
        if chance < 0.06 and seat.lease is None:
            return c.TakeSeat(seat=seat.id)
        if chance < 0.12 and seat.lease is not None:
            return c.RenewSeat(seat=seat.id, draft=self.words("draft"))
        if chance < 0.14 and seat.reviewer is not None:
            return c.LeaveSeat(seat=seat.id, reason=self.rng.choice(("declined", "overloaded")))
        if chance < 0.18 and seat.reviewer is not None:
            return c.ReportInconclusive(
                seat=seat.id,
                revision=review.revision,
                reason=self.rng.choice(list(Failure)),
                draft=self.words("half of it"),
            )
        return None

    def _judged(self, review: Review, request: ReportRequest, stage: Stage, seat: Seat, who: Who) -> Command:
        chance, number = self.rng.random(), review.revision
        if seat.part is Part.VERIFY and request.about:
            result = self.rng.choice(("confirmed", "confirmed", "plausible", "refuted"))
            evidence = self.words("checked it by hand")
            return c.VerifyFinding(finding=request.about[0], revision=number, result=result, evidence=evidence)
        mine = [one for one in request.about if not review.findings[one].is_settled]
        if mine and chance < (0.9 if (seat.id, number) in review.reports else 0.4):
            finding = review.findings[mine[0]]
            resolved = self._satisfied(who, finding) or finding.standing is Standing.OPEN
            note = self.words("note")
            return c.SettleFinding(finding=mine[0], revision=number, resolved=resolved, note=note)
        if 0 < seat.reported < number and chance < 0.7 and self._keepable(review, seat, who):
            return c.KeepReport(seat=seat.id, revision=number)
        return self.report(review, stage, seat.id, who)

    def _keepable(self, review: Review, seat: Seat, who: Who) -> bool:
        old = review.reports.get((seat.id, seat.reported))
        return not seat.veto and old is not None and old.verdict in (None, "approve") and old.reviewer.name == who.name

    def volunteer(self, review: Review) -> Who:
        """A volunteer without a part in the work, rarely a human."""
        # Programs count in no quorum here, so they are rare: a seat that one holds waits for a human in the end.
        seldom = "resolve" in review.protocols
        minds = tuple(one for one in self.world.people if not seldom or one not in PROGRAMS)
        names = PROGRAMS if self.rng.random() < (0.02 if seldom else 0.15) else minds
        tried = [self.rng.choice(names) for _ in range(4)]
        fitting = [one for one in tried if not review.is_contributor(one) and one not in HUMANS]
        return self.world.people[fitting[0] if fitting else tried[0]].who

    def _satisfied(self, who: Who, finding: Finding) -> bool:
        """Whether an answer is good enough; a raiser who was not satisfied once tends to stay so."""
        temper = self.temper(who)
        if temper is Temper.REOPENS:
            return False
        if self.mood == "stubborn":
            return self.rng.random() < 0.15
        return temper is Temper.APPROVES or self.rng.random() < (0.3 if finding.reopened else 0.7)

    def report(self, review: Review, stage: Stage, seat: str, who: Who) -> c.SubmitReport:
        """A report as this reviewer would write it: honest ones see bad bytes, others see what they want."""
        work, temper = self.world.works[review.digest], self.temper(who)
        likes = LIKES.get(temper, not work.bad)
        if temper is Temper.HONEST and self.rng.random() < 0.1:
            likes = not likes
        own = [one for one in review.findings.values() if one.seat == seat]
        if self._bears_a_grudge(review, stage, seat, own):
            likes = False
        gives_way = likes and (stage.options.votes or self.mood != "stubborn")
        settled = tuple(
            c.Settlement(finding=one.id, resolved=gives_way or self._satisfied(who, one), note=self.words("note"))
            for one in own
            if not one.is_settled and (likes or one.standing is Standing.ANSWERED)
        )
        report = c.SubmitReport(
            revision=review.revision,
            seat=seat,
            verdict=self._verdict(stage, likes=likes),
            grounds=(self.rng.choice(GROUNDS),) if not likes and stage.name == "peer" else (),
            summary=self.words("summary"),
            strengths=(self.words("what is good"),) if likes else (),
            evidence=(self._evidence(work),),
            checklist=self._checklist(review, stage, passed=likes or self.rng.random() < 0.3),
            answers=tuple(self.words("answer") for _ in review.questions),
            findings=() if likes else self._drafts(work, temper, own),
            settled=settled,
            confidence=self.rng.choice((95, 92, 85, 85)) if likes else self.rng.choice((90, 70, 40)),
            coverage=60 if not likes and self.rng.random() < 0.2 else 100,
            cost=Cost(usd_micro=self.rng.choice((0, 20_000, 60_000)), tokens=1_000),
        )
        unsure = 0.5 if self.mood == "unsure" else 0.1
        return self._unsure(review, stage, report) if stage.name == "peer" and self.rng.random() < unsure else report

    def _bears_a_grudge(self, review: Review, stage: Stage, seat: str, own: list[Finding]) -> bool:
        """Whether a reviewer raises a settled finding again, or repeats it when asked to clarify."""
        before = review.reports.get((seat, review.revision))
        if before is not None and before.contradicts:
            return self.rng.random() < 0.9
        settled = stage.name == "peer" and self.mood == "grudge" and any(one.is_settled for one in own)
        return settled and self.rng.random() < 0.85

    def _unsure(self, review: Review, stage: Stage, report: c.SubmitReport) -> c.SubmitReport:
        """The report without findings but with too little confidence."""
        checklist = self._checklist(review, stage, passed=True)
        return replace(report, verdict="concerns", grounds=(), checklist=checklist, findings=(), confidence=70)

    def _verdict(self, stage: Stage, *, likes: bool) -> str | None:
        if not stage.options.votes:
            return None
        if self.rng.random() < 0.01:
            return "looks fine to me"
        return "approve" if likes else self.rng.choice(("concerns", "concerns", "reject"))

    def _evidence(self, work: Bytes) -> Evidence:
        place = work.flaw if self.rng.random() < 0.2 else None
        return Evidence(what=self.words("the whole work: all of it"), why=self.words("it holds up"), place=place)

    def _drafts(self, work: Bytes, temper: Temper, own: list[Finding]) -> tuple[c.Draft, ...]:
        """The findings of a reviewer: the flaw itself, an earlier finding, or an invented one."""
        found = [self.draft(work, temper) for _ in range(self.rng.choice((1, 1, 1, 2)))]
        if work.bad and temper is Temper.HONEST:
            text = self.words("the lock is taken twice and never released")
            evidence = self.words("seen in the debugger")
            suggestion = self.rng.choice(("add the second lock", "remove the second lock", ""))
            severity = self.rng.choice(("critical", "critical", "important"))
            found.append(
                c.Draft(severity=severity, text=text, place=work.flaw, evidence=evidence, suggestion=suggestion)
            )
        settled = [one for one in own if one.is_settled]
        if settled and self.rng.random() < (0.95 if self.mood == "grudge" else 0.5):
            found = [self.again(settled[0])]
        return tuple(found)

    def again(self, old: Finding) -> c.Draft:
        """The finding raised once more."""
        word = "important" if old.severity_word == "critical" else old.severity_word
        return c.Draft(severity=word, text=old.text, category=old.category, place=old.place, evidence="seen it again")

    def draft(self, work: Bytes, temper: Temper) -> c.Draft:
        path = self.rng.choice(work.paths)
        start = self.rng.randrange(1, LINES)
        words = (
            ("critical", "critical", "important")
            if self.mood == "stubborn"
            else ("critical", "important", "major", "minor")
        )
        severity = "nit" if temper is Temper.NITPICKS else self.rng.choice(words)
        return c.Draft(
            severity=severity,
            text=self.words(self.rng.choice(("this does not work", "nobody will understand that", "too slow"))),
            scope=self.rng.choice(("", "", "", "security")),
            place=self.rng.choice((None, Place(path=path, start=start, end=start + 3, context_hash=f"{path}:{start}"))),
            evidence=self.words("seen with my own eyes"),
        )

    def _checklist(self, review: Review, stage: Stage, *, passed: bool) -> tuple[Criterion, ...]:
        gate = next((one for one in stage.gates if isinstance(one, Standards)), None)
        required = [one for criteria in gate.for_kinds(review.kinds) for one in criteria.required] if gate else []
        return tuple(Criterion(name=name, passed=passed) for name, _ in required)

    def _revise(self, review: Review, request: RevisionRequest) -> Said | None:
        author, chance = review.author, self.rng.random()
        if self.temper(author) is Temper.SILENT:
            return None
        opened = [one for one in review.findings.values() if one.standing is Standing.OPEN]
        if request.clarify and chance < 0.9:
            return author, c.SubmitRevision(digest=review.digest, note=self.words("what I meant"))
        if chance < 0.02:
            return author, c.WithdrawReview(reason=self.words("changed my mind"))
        if chance < 0.12 and not request.answers and request.findings:
            return self._relents(review, request.findings[0])
        if request.answers and opened and chance < 0.75:
            finding = self.rng.choice(opened)
            rebuttal = self.rng.random() < 0.3
            return author, c.AnswerFinding(finding=finding.id, text=self.words("fixed it"), rebuttal=rebuttal)
        return author, self.revision(review, opened)

    def _relents(self, review: Review, name: str) -> Said | None:
        """The reviewer withdraws a finding that the author was to fix."""
        finding, note = review.findings[name], self.words("I was wrong")
        seat, raiser = review.seats.get(finding.seat), self.world.people.get(finding.raiser)
        holder = seat.reviewer if seat else raiser.who if raiser else None
        settle = c.SettleFinding(finding=name, revision=review.revision, resolved=True, note=note)
        return None if holder is None else (holder, settle)

    def revision(self, review: Review, opened: list[Finding]) -> c.SubmitRevision:
        """New bytes with an answer to every open finding."""
        work = self.work(after=self.world.works[review.digest])
        return c.SubmitRevision(
            digest=work.digest,
            parts=work.parts,
            note=self.words("new version"),
            answers=tuple(c.Answer(finding=one.id, text=self.words("fixed")) for one in opened),
            confidence=self.rng.choice((None, 50, 90)),
            turns=self.rng.choice((None, None, 3, 12)),
        )

    def _rule(self, review: Review, request: RulingRequest) -> Said | None:
        names = ("hana", "hugo", "hedda") if request.group else HUMANS
        who = self.world.people[self.rng.choice(names)].who
        bad, chance = self.world.works[review.digest].bad, self.rng.random()
        if chance < 0.1 and request.stage and not request.group:
            return who, c.OverrideStage(
                stage=request.stage, revision=review.revision, digest=review.digest, reason=self.words("I looked")
            )
        options = [one for one in request.options if not bad or one.effect not in OPENS] or list(request.options)
        closing = [one for one in options if one.effect in (Effect.REJECT, Effect.SHELVE)]
        option = self.rng.choice(closing if self.rng.random() < 0.25 else options)
        if request.votes and not bad:
            option = next(one for one in request.options if one.id == request.votes[0].option)
        demands = (self.words("do this"),) if option.effect is Effect.REVISE and chance < 0.5 else ()
        return who, c.GiveRuling(request=request.id, option=option.id, reason=self.words("decided"), demands=demands)
