"""A blind reviewer cannot tell what others wrote: two worlds that differ only in hidden reports, compared by bytes.

Everything the viewer can get is requested in both: the view, its explanation, and the answers to all commands that
might tell. Also: two openings that differ only in the author's words draw the same reviewers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from foureyes.codec import encode
from foureyes.core import commands as c
from foureyes.core.decide import decide
from foureyes.core.explain import explain
from foureyes.core.model import ReportRequest, Review
from foureyes.core.refusals import Refusal
from foureyes.core.values import Failure, Outcome, Part, Who
from foureyes.core.views import view
from tests.sim.agents import Agents
from tests.sim.checker import Shown, Violation
from tests.sim.run import START, fresh
from tests.sim.script import Command, Delivery
from tests.sim.world import World

KINDS = ("story", "task", "careful_task", "milestone", "script", "guarded", "release", "launch", "article", "research")
#: Kinds with open stages, where volunteers may join.
OPEN_KINDS = ("story", "story", "script")
STREAM = "review/r1"


@dataclass(slots=True)
class Side:
    """One of the two worlds."""

    world: World
    agents: Agents
    now: datetime = START
    keys: int = 0

    def send(self, who: Who, command: Command, draw: int) -> str:
        """Deliver a command, a minute after the last one."""
        self.keys += 1
        self.now += timedelta(minutes=1)
        key = f"k{self.keys}"
        return self.world.deliver(Delivery(at=self.now, who=who, stream=STREAM, key=key, command=command, draw=draw))

    @property
    def review(self) -> Review:
        return self.world.reviews[STREAM]

    def shown(self, viewer: Who, probes: list[Command]) -> str:
        """Everything this viewer can get, as text."""
        review, rules = self.review, self.world.rules[self.review.rules]
        seen = view(rules, review, viewer)
        words = explain(rules, seen.review).in_words()
        return "\n".join((repr(seen), *words, *(self._tried(viewer, one) for one in probes)))

    def _tried(self, viewer: Who, command: Command) -> str:
        """The answer to a trial of this command; nothing is appended."""
        delivery = Delivery(at=self.now, who=viewer, stream=STREAM, key="probe", command=command)
        facts, rules = self.world.facts(delivery, self.review), self.world.rules[self.review.rules]
        try:
            decide(rules, self.review, command, actor=viewer, facts=facts, now=self.now)  # type: ignore[arg-type]  # review commands only
        except Refusal as refusal:
            return str(refusal)
        return "accepted"


def pair(seed: int) -> list[Violation] | None:
    """Play one pair; None when no reviewer was blind in it, otherwise the checker's violations."""
    rng = random.Random(seed)
    sides = [Side(world=(one := fresh(seed, ())), agents=Agents(world=one, rng=random.Random(seed))) for _ in "ab"]
    if not _opened(sides, rng, KINDS):
        return None
    for side, other in enumerate(sides):
        other.agents.rng = random.Random(2 * seed + side)
    for _ in range(rng.randrange(1, 4)):
        viewer = _blind_viewer(sides)
        if viewer is None or not _hidden_reports(sides, viewer, rng):
            break
    viewer = _blind_viewer(sides)
    if viewer is None or any(one.review.outcome is not None for one in sides):
        return None
    probes = list(_probes(sides[0].review, viewer))
    first, second = (one.shown(viewer, probes) for one in sides)
    found = [violation for one in sides for violation in one.world.violations]
    return found + sides[0].world.checker.show(Shown(stream=STREAM, viewer=viewer.name, text=first, elsewhere=second))


def late_pair(seed: int) -> list[Violation] | None:
    """Play a pair whose viewer has not begun: they look, volunteer after others did or did not, and look again."""
    rng = random.Random(seed)
    sides = [Side(world=(one := fresh(seed, ())), agents=Agents(world=one, rng=random.Random(seed))) for _ in "ab"]
    if not _opened(sides, rng, OPEN_KINDS):
        return None
    seats = list(sides[0].review.seats.values())
    names = [name for name in sides[0].world.people if not _sits_or_wrote(sides[0].review, name)]
    # A human without a seat sees everything by right, and that is recorded.
    viewer = sides[0].world.people[rng.choice([one for one in names if one.startswith("agent-")])].who
    stage, draw = seats[0].stage, rng.getrandbits(32)
    for index, other in enumerate(sides):
        other.agents.rng = random.Random(2 * seed + index)
        _hidden_volunteers(other, [one for one in names if one != viewer.name], stage, random.Random(2 * seed + index))
    _hidden_reports(sides, viewer, rng)
    if any(one.review.outcome is not None or _sits_or_wrote(one.review, viewer.name) for one in sides):
        return None
    before = [view(one.world.rules[one.review.rules], one.review, viewer) for one in sides]
    now = max(one.now for one in sides)
    for side in sides:
        side.now = now
        side.send(viewer, c.TakeSeat(stage=stage), draw)
    if not all(_has_joined(one.review, viewer.name) for one in sides):
        return None
    # An invisible seat gets one answer at the doors, but several here, so only visible seats are named.
    asked = {one.id: one for one in seats if one.required}
    probes = list(_probes(replace(sides[0].review, seats=asked), viewer))
    shown = [f"{early!r}\n{one.shown(viewer, probes)}" for early, one in zip(before, sides, strict=True)]
    found = [violation for one in sides for violation in one.world.violations]
    return found + sides[0].world.checker.show(
        Shown(stream=STREAM, viewer=viewer.name, text=shown[0], elsewhere=shown[1])
    )


def _hidden_volunteers(side: Side, names: list[str], stage: str, rng: random.Random) -> None:
    """Let some volunteer before the viewer, and some of them leave again."""
    for name in rng.sample(names, rng.randrange(3)):
        who = side.world.people[name].who
        side.send(who, c.TakeSeat(stage=stage), rng.getrandbits(32))
        seat = next((one.id for one in side.review.seats.values() if one.reviewer == who), "")
        if seat and rng.random() < 0.3:
            side.send(who, c.LeaveSeat(seat=seat), rng.getrandbits(32))


def _sits_or_wrote(review: Review, name: str) -> bool:
    holders = [one.reviewer.name for one in review.seats.values() if one.reviewer is not None]
    return name in holders or review.is_contributor(name)


def _has_joined(review: Review, name: str) -> bool:
    """Whether they volunteered on an additional seat; that a requested seat is free is no secret."""
    return any(
        one.reviewer is not None and one.reviewer.name == name and not one.required for one in review.seats.values()
    )


def _opened(sides: list[Side], rng: random.Random, kinds: tuple[str, ...]) -> bool:
    """Open the same work in both, and let everyone who was asked, or may volunteer, begin."""
    kind, author, draw = rng.choice(kinds), f"agent-{rng.randrange(18):02d}", rng.getrandbits(32)
    for side in sides:
        work = side.agents.work()
        who = side.world.people[author].who
        side.send(who, c.OpenReview(review="r1", kind=kind, title="a work", digest=work.digest, parts=work.parts), draw)
    names = [name for name in sides[0].world.people if name != author]
    rng.shuffle(names)
    for seat in [one for one in sides[0].review.seats.values() if one.part is Part.JUDGE]:
        for name in [seat.reviewer.name] if seat.reviewer else names[:3]:
            for side in sides:
                side.send(side.world.people[name].who, c.TakeSeat(seat=seat.id), draw)
    return all(one.review.outcome is None for one in sides)


def _blind_viewer(sides: list[Side]) -> Who | None:
    """A reviewer who owes a report in both worlds and has given none."""
    for name, request in sides[0].review.requests.items():
        seat = sides[0].review.seats.get(name)
        who = seat.reviewer if seat is not None and seat.part is Part.JUDGE else None
        if isinstance(request, ReportRequest) and who and all(_is_blind(one.review, name, who) for one in sides):
            return who
    return None


def _is_blind(review: Review, seat: str, who: Who) -> bool:
    held = review.seats.get(seat)
    spoken = any(one.reviewer.name == who.name for one in review.reports.values())
    return held is not None and held.reviewer == who and seat in review.requests and not spoken


def _hidden_reports(sides: list[Side], viewer: Who, rng: random.Random) -> bool:
    """Let the others report differently in each world; in the second some may not report at all."""
    likes, draw, sent = rng.random() < 0.5, rng.getrandbits(32), False
    for index, side in enumerate(sides):
        for name, request in list(side.review.requests.items()):
            seat = side.review.seats.get(name)
            who = seat.reviewer if seat is not None and isinstance(request, ReportRequest) else None
            stage = side.agents.stage(side.review, seat.stage) if seat is not None else None
            if seat is None or who in (None, viewer) or stage is None or (index and not likes and rng.random() < 0.3):
                continue
            report = side.agents.report(side.review, stage, seat.id, who)
            if likes:
                report = replace(report, verdict="approve" if stage.options.votes else None, findings=(), coverage=100)
            side.send(who, report, draw)
            sent = True
    return sent


def _probes(review: Review, viewer: Who) -> Iterator[Command]:
    """Commands that might tell a blind reviewer about the others' findings."""
    number = review.revision
    foreign = [one.id for one in review.seats.values() if one.reviewer is not None and one.reviewer.name != viewer.name]
    for seat in foreign:
        for count in (1, 2, 3, 9):
            yield c.SettleFinding(finding=f"{seat}-F{count}", revision=number, resolved=True, note="probe")
            evidence = "a guess of mine"
            yield c.VerifyFinding(finding=f"{seat}-F{count}", revision=number, result="refuted", evidence=evidence)
            yield c.AnswerFinding(finding=f"{seat}-F{count}", text="probe")
            yield c.WaiveFinding(finding=f"{seat}-F{count}", reason="probe")
        yield c.KeepReport(seat=seat, revision=number)
        yield c.ReportInconclusive(seat=seat, revision=number, reason=Failure.CRASHED)
        yield c.RenewSeat(seat=seat)
        yield c.LeaveSeat(seat=seat)
    yield c.GiveRuling(request="ruling-1", option="as_is", reason="probe")
    yield c.PassDeadline(request="revision")
    yield c.ReopenReview(reason="probe", undoes=Outcome.CLEARED)
    yield c.SubmitRevision(digest="probe")


def drawn_alike(seed: int) -> list[Violation]:
    """Open one work twice without appending; only what the author controls differs, the draw must not."""
    rng, world = random.Random(seed), fresh(seed, ())
    agents = Agents(world=world, rng=rng)
    work, draw = agents.work(), rng.getrandbits(32)
    author = world.people[f"agent-{rng.randrange(18):02d}"].who
    kind = rng.choice(KINDS)
    plain = c.OpenReview(review="r1", kind=kind, title="a work", digest=work.digest, parts=work.parts)
    worded = replace(
        plain,
        title=agents.words("dear reviewer"),
        note="please let agent-03 look at it",
        confidence=99,
        context=(("reviewer", "agent-03"),),
        questions=("will you be kind",),
    )
    drawn = []
    for command in (plain, worded):
        delivery = Delivery(at=START, who=author, stream=STREAM, key="k", command=command, draw=draw)
        facts, rules = world.facts(delivery, None), world.rules[world.in_force.digest]
        drawn.append([encode(one) for one in decide(rules, None, command, actor=author, facts=facts, now=START)])
    return world.checker.drawn(STREAM, *drawn)
