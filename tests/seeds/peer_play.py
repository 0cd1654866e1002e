"""Play the peer style: the moves of an author, a colleague from the matrix, and a human."""

from __future__ import annotations

from datetime import timedelta

from foureyes.core import commands
from foureyes.core.events import ReportRequested, ReviewEvent, RulingRequested
from foureyes.core.facts import Facts
from foureyes.core.model import RulingRequest
from foureyes.core.rules import Rules
from foureyes.core.trust import EnableSkip, TrustRecord, decide_trust, evolve_trust, record_review
from foureyes.core.values import Criterion, Outcome, Who
from tests.cast import AUDITOR, DEV, FULL, HUGO, POOL, RULES, START, Play, holds

MINUTES_PER_REVIEW = 20
#: A draw that no audit selects, and one that every audit selects.
NOT_DRAWN, DRAWN = 99, 0


def opened(kind: str = "create_core", *, rules: Rules = RULES, facts: Facts | None = None, **fields: object) -> Play:
    """A review of this kind that has just been opened."""
    play = Play(rules=rules, facts=facts or Facts(pool=POOL, draw=NOT_DRAWN))
    play.open(**{"kind": kind, **fields})  # type: ignore[arg-type]
    return play


def opened_by(role: str, *holders: str, **fields: object) -> Play:
    """A review whose author has this role, in a pool where each role of `holders` has one agent of its name."""
    author = Who(name="author", model_family="claude", session="s-author")
    others = (holds(Who(name=one, model_family=f"of {one}", session=f"s-{one}"), one) for one in holders)
    play = Play(facts=Facts(pool=(holds(author, role), *others), draw=NOT_DRAWN), author=author)
    play.open(**{"kind": "create_core", **fields})  # type: ignore[arg-type]
    return play


def approve(play: Play, who: Who = AUDITOR, **fields: object) -> tuple[ReviewEvent, ...]:
    """Submit an approval that meets the standard, unless the arguments say otherwise."""
    return play.report(who, **{"verdict": "approve", "checklist": FULL, "confidence": 95, "summary": "Good", **fields})


def failed(*names: str) -> tuple[Criterion, ...]:
    """A full checklist in which these criteria did not pass."""
    return tuple(Criterion(name=one.name, passed=one.name not in names) for one in FULL)


def ask_changes(play: Play, who: Who = AUDITOR, **fields: object) -> tuple[ReviewEvent, ...]:
    """A report that asks for changes because errors are not handled."""
    said = {"checklist": failed("proper_error_handling"), "confidence": 85, "summary": "Errors are swallowed"}
    return play.report(who, **{"verdict": "concerns", **said, **fields})


def reject(play: Play, who: Who = AUDITOR, **fields: object) -> tuple[ReviewEvent, ...]:
    """A rejection on a named ground."""
    said = {"grounds": ("fundamental_flaw",), "confidence": 95, "summary": "Wrong approach entirely"}
    return play.report(who, **{"verdict": "reject", **said, **fields})


def exhausted(play: Play) -> Play:
    """Make three resubmissions, each answered with a request for changes."""
    ask_changes(play)
    for number in (2, 3, 4):
        play.revise(f"d{number}")
        ask_changes(play, summary=f"Still not handled in version {number}")
    return play


def ruling(play: Play) -> RulingRequest:
    """The decision a human owes now."""
    found = play.review.ruling()
    assert found is not None, list(play.review.requests)
    return found


def decided(play: Play, option: str, *, who: Who = HUGO, **fields: object) -> tuple[ReviewEvent, ...]:
    """A human chooses one of the options."""
    words: dict[str, object] = {"request": ruling(play).id, "option": option, "reason": "I looked at it", **fields}
    return play.do(who, commands.GiveRuling(**words))  # type: ignore[arg-type]


def reviewer(play: Play, seat: str = "peer.1") -> str:
    """The reviewer who holds or is asked for a seat; empty if there is none."""
    holder = play.review.seats[seat].reviewer
    return holder.name if holder else ""


def outcome(play: Play) -> Outcome | None:
    """How the review ended, if it did."""
    return play.review.outcome


def escalation(play: Play) -> RulingRequested:
    """The newest question to a human."""
    return play.last(RulingRequested)


def request(play: Play) -> ReportRequested:
    """The newest request for a report."""
    return play.last(ReportRequested)


def track_record(successes: int = 10, confidence: int = 95, kind: str = "create_core") -> TrustRecord:
    """That many reviews of dev's work that went well, all at the start of the play."""
    record = TrustRecord(kind=kind, author=DEV.name)
    for _ in range(successes):
        record = record_review(
            record,
            approved=True,
            confidence=confidence,
            at=START,
            learning=RULES.learning,
            took=timedelta(minutes=MINUTES_PER_REVIEW),
        )
    return record


def enabled(record: TrustRecord) -> TrustRecord:
    """The same record after a human enabled the fast lane."""
    (event,) = decide_trust(record, EnableSkip(), HUGO, START, RULES.learning)
    return evolve_trust(record, event, START)


def fast_lane(record: TrustRecord | None = None, **fields: object) -> Facts:
    """Facts with an enabled track record and a draw that no audit falls on."""
    known = enabled(track_record()) if record is None else record
    return Facts(**{"pool": POOL, "trust": known, "draw": NOT_DRAWN, **fields})  # type: ignore[arg-type]
