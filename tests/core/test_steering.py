"""U-08: a session that a maker named or joined bars its members, and the selected reviewer does not get the seat."""

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.events import FindingReopened, ReportRequested, RulingRequested
from foureyes.core.facts import Facts, Mates, Principal
from foureyes.core.refusals import Code
from foureyes.core.rules import Rules
from foureyes.core.values import Outcome, Who, WhoKind
from foureyes.policy.binding import Binding, bind
from tests.cast import ANN, BOB, CHECKED, DEV, HARDIN, HUGO, POOL, RULES, SELDON, Play, agent, finding, holds

SECURITY = Who(name="security", kind=WhoKind.PROGRAM, operator="foureyes")
SECURITY_HERE = Principal(who=SECURITY, roles=frozenset({"hardin"}), hosted=True)
SELDONS = holds(SELDON, "seldon")
BOUND = bind(RULES, (Binding(role="hardin", programs=("security",)),))


def by_maker(*names: str) -> Mates:
    """Reviewers whose session a maker named or came to."""
    return Mates(names=frozenset(names), by_maker=frozenset(names))


def reviewer(name: str, *roles: str, vouched_by: str = "") -> Principal:
    who = agent(name, operator=f"{name}-co", family=f"{name}-family", session=f"s-{name}")
    return Principal(who=who, roles=frozenset(roles), vouched_by=vouched_by)


def drawn(play: Play) -> list[str]:
    requests = [one for one in play.log if isinstance(one, ReportRequested)]
    return [one.seat.reviewer.name for one in requests if one.seat.reviewer]


@pytest.mark.parametrize("draw", range(6))
def test_the_seat_of_somebody_whom_a_maker_barred_goes_to_a_human(draw: int) -> None:
    """U-08: never to another of the role, nor to the backup."""
    people = [reviewer(one, "auditor") for one in ("h0", "h1", "colluder")]
    play = Play(
        facts=Facts(pool=(*POOL[:1], *people, reviewer("backup", "architect")), mates=by_maker("h0"), draw=draw)
    )
    play.open("create_core")
    assert drawn(play) == []
    ruling = play.last(RulingRequested)
    assert ruling.reason == "nobody_can_hold"
    assert "only a human may have this seat" in ruling.text


def test_whoever_came_to_the_makers_session_is_passed_over_without_a_human() -> None:
    """U-08: that was their own act."""
    people = [reviewer(one, "auditor") for one in ("mate", "other")]
    play = Play(facts=Facts(pool=(*POOL[:1], *people), mates=Mates(names=frozenset({"mate"}))))
    play.open("create_core")
    assert drawn(play) == ["other"]


def test_a_maker_who_bars_nobody_that_could_sit_changes_nothing() -> None:
    """U-08: an agent without the role, or a human who signals in the session."""
    people = (reviewer("h0", "haiku"), reviewer("other", "auditor"))
    play = Play(facts=Facts(pool=(*POOL[:1], *people), mates=by_maker("h0", "hugo")))
    play.open("create_core")
    assert drawn(play) == ["other"]


def test_an_open_seat_is_for_humans_once_a_maker_has_barred_somebody_from_it() -> None:
    """U-08: nobody need come late: a human is asked at once, and no agent volunteers."""
    play = Play(facts=Facts(pool=POOL, mates=by_maker("ann")))
    play.open("story")
    assert play.last(RulingRequested).reason == "nobody_can_hold"
    assert play.count(ReportRequested) == 0


def resolve() -> Play:
    play = Play(facts=Facts(pool=POOL))
    play.open("story")
    return play


def test_no_other_agent_comes_to_an_open_seat_and_a_human_does() -> None:
    """U-08: on a named seat and on any, and on a volunteer's."""
    play = resolve()
    play.know(mates=by_maker("ann"))
    for seat in ("", "resolve.1"):
        assert play.refused(ANN, play.a_report(seat=seat, evidence=CHECKED)) is Code.ONE_PARTY
        assert play.refused(BOB, play.a_report(seat=seat, evidence=CHECKED)) is Code.HUMAN_ONLY
        assert play.refused(BOB, c.TakeSeat(seat=seat)) is Code.HUMAN_ONLY
    play.report(HUGO, evidence=CHECKED)


def test_a_seat_once_given_is_not_lost_by_a_session() -> None:
    """U-08: neither by the holder's own session nor because another was barred; an approval needs clean hands."""
    play = resolve()
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(BOB, c.TakeSeat(seat="resolve.2"))
    play.know(mates=by_maker("ann"))
    play.report(BOB, evidence=CHECKED)
    assert play.refused(ANN, play.a_report(evidence=CHECKED)) is Code.ONE_PARTY
    play.report(ANN, findings=(finding("it removes all", "critical"),), evidence=CHECKED)
    assert play.review.findings["resolve.1-F1"].raiser == "ann"


def test_an_objection_that_also_settles_something_is_no_mere_objection() -> None:
    """U-08: a mate lifts nothing by raising something else; it may stand by what it raised."""
    play = resolve()
    play.report(ANN, findings=(finding("a gap"),))
    play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="filled"))
    play.know(mates=by_maker("ann"))
    word = c.Settlement(finding="resolve.1-F1", resolved=True, note="fine")
    more = play.a_report(findings=(finding("another gap", "critical"),), settled=(word,))
    assert play.refused(ANN, more) is Code.ONE_PARTY
    assert play.refused(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True)) is Code.ONE_PARTY
    play.do(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=False, note="it is still there"))
    assert play.last(FindingReopened).by == "ann"


def test_a_verdict_against_the_work_is_taken_from_a_mate_who_sits() -> None:
    """U-08: an approval is not."""
    play = Play(facts=Facts(pool=(*POOL[:1], reviewer("h0", "auditor"))))
    play.open("create_core")
    who = next(one.who for one in play.facts.pool if one.who.name == "h0")
    play.know(mates=by_maker("h0"))
    assert play.refused(who, play.a_report(verdict="approve", confidence=95)) is Code.ONE_PARTY
    play.report(who, verdict="reject", grounds=("security_risk",), summary="it removes every file", confidence=95)
    assert [one.verdict for one in play.review.reports.values()] == ["reject"]


def chain(*pool: Principal, rules: Rules = BOUND, **facts: object) -> Play:
    play = Play(rules, Facts(pool=(SELDONS, *pool)))
    play.know(**facts)
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    return play


def test_an_account_beside_a_bound_program_is_not_left_out_by_a_makers_session() -> None:
    """U-08, U-07: the program alone would clear; a human is asked instead."""
    play = chain(SECURITY_HERE, holds(HARDIN, "hardin"), mates=by_maker("hardin"))
    assert play.review.outcome is None
    assert play.last(RulingRequested).reason == "nobody_can_hold"
    assert play.refused(HARDIN, play.a_report(verdict="approve")) is not None
    came = chain(SECURITY_HERE, holds(HARDIN, "hardin"), mates=Mates(names=frozenset({"hardin"})))
    came.report(SECURITY, verdict="approve")
    assert came.review.outcome is Outcome.CLEARED


def test_agents_of_a_makers_own_service_are_missed_by_nobody() -> None:
    """U-08: the service put them there, and it is the maker's party anyway."""
    own = reviewer("own", "auditor", vouched_by="reactor")
    author = Principal(who=DEV, roles=frozenset({"core_developer"}), vouched_by="reactor")
    play = Play(facts=Facts(pool=(author, own, reviewer("other", "auditor")), mates=by_maker("own")))
    play.open("create_core")
    assert drawn(play) == ["other"]


def test_a_holder_gets_no_second_seat_past_a_session() -> None:
    """U-08: what is said of the seat that was given holds for no other."""
    both = replace(SELDONS, roles=frozenset({"seldon", "hardin"}))
    play = Play(facts=Facts(pool=(both, holds(HARDIN, "hardin"))))
    play.open("security_step")
    play.know(pool=(SELDONS, holds(HARDIN, "hardin")))
    play.report(SELDON, verdict="approve")
    assert drawn(play)[-1] == "hardin"
    play.know(pool=(both, holds(HARDIN, "hardin")), mates=by_maker("seldon"))
    play.do(HARDIN, c.LeaveSeat(seat="security.security.1", reason="overloaded"))
    assert play.refused(SELDON, c.TakeSeat(seat="security.security.1")) is Code.ONE_PARTY
