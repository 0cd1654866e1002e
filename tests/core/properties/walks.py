"""Random walks: numbers become commands that mostly fit the state, so that examples shrink well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hypothesis import strategies as st

from foureyes.core import commands as c
from foureyes.core.decide import decide
from foureyes.core.events import ReviewEvent
from foureyes.core.explain import explain
from foureyes.core.facts import Facts
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.model import Review
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA
from foureyes.core.refusals import Refusal
from foureyes.core.rules import SeatRule
from foureyes.core.values import (
    CLOCK,
    Changed,
    Cost,
    Criterion,
    Failure,
    Outcome,
    Part,
    Place,
    Standing,
    Who,
)
from tests.cast import ANN, AUDITOR, BOB, CHECKED, DEV, EVE, HANNA, HUGO, POOL, Play, proven
from tests.seeds.shaped import protocol, shaped_rules, stage

T = TypeVar("T")

VERIFIED = protocol(
    stage(
        Quorum(reviewers=1),
        Resolved(),
        seats=(SeatRule(roles=("agent",)), SeatRule(roles=("auditor",), part=Part.VERIFY)),
    ),
    name="verified",
)
RULES = shaped_rules(VERIFIED)
KINDS = (
    "story",
    "create_core",
    "security_change",
    "default_step",
    "security_step",
    "content_step",
    "milestone",
    "task",
    "fix_typo",
    "something else",
)
PEOPLE = (DEV, ANN, BOB, EVE, AUDITOR, HUGO, HANNA, *(one.who for one in POOL), CLOCK)
TEXTS = ("it leaks", "the dates are wrong", "no test", "a name is missing")
VERDICTS = ("approve", "approve", "concerns", "reject", "perhaps")

Numbers = tuple[int, int, int, int]
STEPS = st.lists(st.tuples(*(st.integers(0, 23) for _ in range(4))), min_size=6, max_size=24)
WALKS = st.tuples(st.sampled_from(KINDS), st.booleans(), STEPS)


@dataclass(frozen=True, slots=True)
class Asked:
    """One command of a walk, the state before it and its events, which are empty when it was refused."""

    play: Play
    before: Review
    actor: Who
    command: c.ReviewCommand
    events: tuple[ReviewEvent, ...]
    refused: bool


def walked(walk: tuple[str, bool, Sequence[Numbers]]) -> Iterator[Asked]:
    """Play a walk; every command goes through `decide`."""
    kind, trivial, steps = walk
    play = Play(RULES, Facts(pool=POOL, **(proven() if trivial else {})))  # type: ignore[arg-type]
    play.open(kind, confidence=90 if trivial else None)
    for number, step in enumerate(steps):
        actor, command = _next(play, number, step)
        before = play.review
        try:
            events = decide(RULES, before, command, actor=actor, facts=play.facts_at(before), now=play.now)
        except Refusal:
            yield Asked(play, before, actor, command, (), refused=True)
            continue
        play.log.extend(events)
        yield Asked(play, before, actor, command, events, refused=False)


def _one(many: Sequence[T], number: int) -> T:
    return many[number % len(many)]


def _next(play: Play, number: int, step: Numbers) -> tuple[Who, c.ReviewCommand]:
    verb, a, b, d = step
    review = play.review
    if verb < 9 and review.outcome is None:
        return _owed(play, number, (a, b, d))
    if verb in (9, 10):
        play.wait(minutes=10 * a)
        return CLOCK, c.PassDeadline(request=_one([*review.requests, "nothing"], b))
    others = (_of_author, _of_reviewer, _of_human, _anything)
    return _one(others, verb)(play, number, (a, b, d))


def _owed(play: Play, number: int, step: tuple[int, int, int]) -> tuple[Who, c.ReviewCommand]:
    """An actor who has the turn does what is asked, well or badly."""
    a, b, d = step
    review = play.review
    request = _one(list(review.requests.values()), a)
    turn = next(one for one in explain(RULES, review).turns if one.request == request.id)
    if request.id.startswith("ruling"):
        option = _one([*(one.id for one in review.requests[request.id].options), "x"], b)  # type: ignore[union-attr]
        return _one((HUGO, HANNA), d), c.GiveRuling(request=request.id, option=option, reason="so", demands=("x",))
    if request.id == "revision":
        return _of_author(play, number, step)
    seat = review.seats[request.id]
    who = next((one for one in PEOPLE if one.name == turn.who[0]), _one((ANN, BOB, EVE), b))
    if seat.part is Part.VERIFY:
        result = _one(("confirmed", "refuted", "plausible"), b)
        about = _one([*getattr(request, "about", ()), "none-F1"], d)
        return who, c.VerifyFinding(finding=about, revision=review.revision, result=result, evidence="tried it out")
    return who, _report(review, seat.id, step)


def _report(review: Review, seat: str, step: tuple[int, int, int]) -> c.SubmitReport:
    a, b, d = step
    stage_of = next(one for one in explain(RULES, review).requirements if one.stage)
    votes = not review.seats[seat].stage.startswith("resolve")
    own = [one for one in review.findings.values() if one.seat == seat and not one.is_settled]
    count = (0, 0, 1, 2)[b % 4]
    return c.SubmitReport(
        seat=seat,
        revision=review.revision,
        verdict=_one(VERDICTS, a + b) if votes else None,
        grounds=("fundamental_flaw",) if a % 7 == 3 else (),
        summary=f"{stage_of.stage} {_one(TEXTS, d)}",
        evidence=CHECKED,
        checklist=tuple(Criterion(name=name, passed=a % 5 != 4) for name in _criteria(review)),
        findings=tuple(_draft(a + b + number, d) for number in range(count)),
        settled=tuple(c.Settlement(finding=one.id, resolved=d % 3 != 0, note="seen") for one in own if b % 2),
        confidence=_one((95, 85, 70, 50), d),
        coverage=100 if d % 11 else 60,
        cost=Cost(usd_micro=1000 * a),
    )


def _criteria(review: Review) -> list[str]:
    found = next((one for one in CRITERIA if one.kind == review.kind), DEFAULT_CRITERIA)
    return [name for name, _ in found.required]


def _draft(number: int, d: int) -> c.Draft:
    place = Place(path=_one(("a.py", "b.py"), d), start=1 + number, end=3 + number) if d % 3 else None
    severity = _one(("critical", "important", "minor"), number)
    return c.Draft(severity=severity, text=_one(TEXTS, number), place=place, evidence="seen in the code")


def _of_author(play: Play, number: int, step: tuple[int, int, int]) -> tuple[Who, c.ReviewCommand]:
    a, b, d = step
    review = play.review
    unanswered = [one.id for one in review.findings.values() if one.standing is Standing.OPEN]
    answers = tuple(c.Answer(finding=one, text="done", rebuttal=bool(b % 2)) for one in unanswered)
    play.know(changed=(Changed(path="a.py"),) if d % 2 else ())
    choices: list[c.ReviewCommand] = [
        c.SubmitRevision(digest=f"d{number + 2}", answers=answers, note="see below"),
        c.SubmitRevision(digest=review.digest, note="to be clear"),
        c.AnswerFinding(finding=_one([*unanswered, "none"], b), text="done", rebuttal=bool(d % 2)),
        c.SubmitRevision(digest=f"d{number + 2}", turns=d),
        c.RequestRuling(reason="I do not agree"),
        c.WithdrawReview(reason="not needed") if b == d else c.AddNote(text="hello"),
    ]
    return DEV, _one(choices, a)


def _of_reviewer(play: Play, _number: int, step: tuple[int, int, int]) -> tuple[Who, c.ReviewCommand]:
    a, b, d = step
    review = play.review
    seat = _one(list(review.seats.values()), b) if review.seats else None
    who = seat.reviewer if seat and seat.reviewer else _one((ANN, BOB, EVE), b)
    name, now = (seat.id if seat else "none"), review.revision
    mine = [one.id for one in review.findings.values() if one.seat == name]
    choices: list[c.ReviewCommand] = [
        c.TakeSeat(seat=name),
        c.TakeSeat(stage="resolve"),
        c.RenewSeat(seat=name, draft="so far"),
        c.LeaveSeat(seat=name, draft="so far"),
        c.ReportInconclusive(seat=name, revision=now, reason=_one(list(Failure), d)),
        c.KeepReport(seat=name, revision=now),
        c.SettleFinding(finding=_one([*mine, "none"], d), revision=now, resolved=bool(a % 2), note="seen"),
        c.RequestRuling(reason="I want a human"),
    ]
    return who, _one(choices, a + d)


def _of_human(play: Play, _number: int, step: tuple[int, int, int]) -> tuple[Who, c.ReviewCommand]:
    a, b, d = step
    review = play.review
    stages = [one.stage for one in explain(RULES, review).requirements] or ["none"]
    choices: list[c.ReviewCommand] = [
        c.OverrideStage(stage=_one(stages, b), revision=review.revision, digest=review.digest, reason="so"),
        c.WaiveFinding(finding=_one([*review.findings, "none"], b), reason="so", false_positive=bool(d % 2)),
        c.ReopenReview(reason="so", undoes=review.outcome or Outcome.CLEARED),
    ]
    return _one((HUGO, HANNA), d), _one(choices, a)


def _anything(play: Play, number: int, step: tuple[int, int, int]) -> tuple[Who, c.ReviewCommand]:
    """An actor does what is another actor's task."""
    a, b, d = step
    _, command = _one((_of_author, _of_reviewer, _of_human), a)(play, number, (b, d, a))
    return _one(PEOPLE, b), command
