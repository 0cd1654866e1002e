"""Members of one party never judge the party's own work, and the seat of a bound program passes to no other account."""

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.events import ReportRequested, ReviewCleared, RulingRequested
from foureyes.core.facts import Facts, Mates, PolicyInForce, Principal
from foureyes.core.parties import ONE_OPERATOR
from foureyes.core.refusals import Code
from foureyes.core.rules import Rules
from foureyes.core.values import Outcome, Who, WhoKind
from foureyes.policy.binding import Binding, bind
from tests.cast import (
    ANN,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    HARDIN,
    HUGO,
    POOL,
    RULES,
    SELDON,
    Play,
    agent,
    finding,
    holds,
    rules_with,
)

SECURITY = Who(name="security", kind=WhoKind.PROGRAM, operator="foureyes")
HOSTED = Principal(who=SECURITY, roles=frozenset({"security", "hardin"}), hosted=True)
HOSTED_CODEX = Principal(who=CODEX, roles=frozenset({"hardin"}), hosted=True)
SELDONS = holds(SELDON, "seldon")
BOUND = bind(RULES, (Binding(role="hardin", programs=("security",)),))
REACTOR = Who(name="reactor", kind=WhoKind.SERVICE, operator="plant")
ALLOWED = replace(RULES, services=frozenset({"reactor"}))


def bot(name: str, family: str = "") -> Who:
    """An agent that the service vouches for, as earlier releases wrote it down where a family is given."""
    return agent(name, operator="plant", family=family, session=f"t1-{name}")


def vouched(*people: Who) -> tuple[Principal, ...]:
    return tuple(Principal(who=one, vouched_by="reactor") for one in people)


BOT_A, BOT_B, BOT_C = bot("bot-a", "claude"), bot("bot-b", "gpt"), bot("bot-c", "gemini")
BOTS = (Principal(who=REACTOR), *vouched(BOT_A, BOT_B, BOT_C))


def chain(*pool: Principal, rules: Rules = BOUND, draw: int = 0) -> Play:
    """A security step whose format layer has passed."""
    play = Play(rules, Facts(pool=(SELDONS, *pool), draw=draw))
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    return play


def asked(play: Play) -> dict[str, str]:
    """The reviewer asked on each seat of the security layer."""
    pending = [seat for seat in play.review.seats.values() if play.review.report_request(seat.id)]
    return {one.id: one.reviewer.name if one.reviewer else "" for one in pending if one.stage == "security.security"}


@pytest.mark.parametrize("draw", range(12))
def test_the_bound_program_sits_whatever_the_draw_and_an_account_sits_beside_it(draw: int) -> None:
    """U-07."""
    play = chain(HOSTED, holds(HARDIN, "hardin"), draw=draw)
    assert asked(play) == {"security.security.1": "security", "security.security.2": "hardin"}
    play.report(HARDIN, verdict="approve")
    assert play.review.outcome is None
    assert list(asked(play)) == ["security.security.1"]
    play.report(SECURITY, verdict="reject", findings=(finding("rm -rf /", "critical"),))
    assert play.review.is_vetoed("security.security")


def test_a_veto_of_the_account_beside_the_program_counts_too() -> None:
    """U-07: the graver decision counts."""
    play = chain(HOSTED, holds(HARDIN, "hardin"))
    play.report(SECURITY, verdict="approve")
    assert play.review.outcome is None
    play.report(HARDIN, verdict="reject", findings=(finding("a back door", "critical"),))
    assert play.review.is_vetoed("security.security")


def test_a_veto_of_the_program_tells_the_account_beside_it_nothing() -> None:
    """U-07, I18: it is blind until it has reported, and its report is taken as if nobody had spoken."""
    play = chain(HOSTED, holds(HARDIN, "hardin"))
    play.report(SECURITY, verdict="reject", findings=(finding("rm -rf /", "critical"),))
    play.report(HARDIN, verdict="approve")
    assert play.review.is_vetoed("security.security")
    assert play.refused(SECURITY, play.a_report(verdict="approve")) is Code.VETO_STANDS


def test_without_an_account_the_program_alone_decides() -> None:
    """U-07: nobody is missed on the seat beside it."""
    play = chain(HOSTED)
    assert asked(play) == {"security.security.1": "security"}
    play.report(SECURITY, verdict="approve")
    assert play.review.outcome is Outcome.CLEARED


def test_a_bound_program_that_is_not_hosted_leaves_its_seat_empty_and_a_human_is_told() -> None:
    """U-07: the seat never passes to another account, not even to an enrolled program of the same name."""
    impostor = Principal(who=replace(SECURITY, operator="mallory"), roles=frozenset({"hardin"}))
    play = chain(impostor, holds(HARDIN, "hardin"))
    assert (asked(play), play.count(ReportRequested)) == ({}, 1)
    ruling = play.last(RulingRequested)
    assert ruling.reason == "nobody_can_hold"
    assert ruling.text.endswith("the policy binds it to the program security, which this server does not run")


def test_nobody_takes_the_seat_of_the_bound_program() -> None:
    """U-07: nor reports on it, nor takes it when the program's time there is over."""
    play = chain(HOSTED, holds(HARDIN, "hardin"))
    seat = "security.security.1"
    play.do(SECURITY, c.TakeSeat(seat=seat))
    play.wait(days=3)
    assert play.refused(HARDIN, c.TakeSeat(seat=seat)) is Code.NOT_ELIGIBLE
    assert play.refused(HARDIN, play.a_report(seat=seat, verdict="approve")) is Code.NOT_ELIGIBLE


def test_a_program_and_an_agent_that_the_policy_binds_both_sit() -> None:
    """U-07: a list binds all of them; the agent is asked where it is at hand."""
    rules = bind(RULES, (Binding(role="hardin", programs=("security",), minds=True),))
    both = chain(HOSTED, HOSTED_CODEX, holds(HARDIN, "hardin"), rules=rules)
    assert list(asked(both).values()) == ["security", "codex", "hardin"]
    alone = chain(HOSTED, rules=rules)
    assert list(asked(alone).values()) == ["security"]


def test_where_only_an_agent_is_bound_an_account_sits_beside_it() -> None:
    """U-07: without the agent nobody takes its seat."""
    rules = bind(RULES, (Binding(role="hardin", minds=True),))
    assert list(asked(chain(HOSTED_CODEX, holds(HARDIN, "hardin"), rules=rules)).values()) == ["codex", "hardin"]
    nobody = chain(holds(HARDIN, "hardin"), rules=rules)
    assert nobody.last(RulingRequested).text == (
        "Nobody can hold the seat security.security.1. Enrol agents with the role hardin, or write `reviewers: "
        "{hardin: {command: claude}}` in the policy and start the server with `--yes-send claude`"
    )


def test_on_a_new_version_both_are_asked_again() -> None:
    """U-07: once it was asked, the seat beside is waited for on every version."""
    play = chain(HOSTED, holds(HARDIN, "hardin"))
    play.report(HARDIN, verdict="concerns", findings=(finding("a back door"),), summary="a back door")
    play.report(SECURITY, verdict="approve")
    play.revise("d2")
    play.report(SELDON, verdict="approve")
    assert asked(play) == {"security.security.1": "security", "security.security.2": "hardin"}


def test_a_report_that_an_agent_gave_on_the_seat_before_it_was_bound_does_not_count() -> None:
    """U-07: a review from before is asked of the program too."""
    before = chain(holds(HARDIN, "hardin"), rules=RULES)
    before.report(HARDIN, verdict="approve")
    assert before.review.outcome is Outcome.CLEARED
    play = Play(BOUND, Facts(pool=(SELDONS, HOSTED, holds(HARDIN, "hardin"))))
    play.log = before.log[:-1]
    play.do(DEV, c.AddNote(text="where does it stand?"))
    assert asked(play)["security.security.1"] == "security"


def resolve_by(author: Who, rules: Rules = RULES, *pool: Principal) -> Play:
    play = Play(rules, Facts(pool=pool or (*POOL, *BOTS)), author=author)
    play.open("story")
    return play


def test_one_service_never_judges_its_own_work_without_the_line() -> None:
    """U-08: neither among its agents, nor where the service itself is the author."""
    for author in (BOT_A, REACTOR):
        play = resolve_by(author)
        command = play.a_report(evidence=CHECKED)
        assert play.refused(BOT_B, command) is Code.ONE_PARTY
        with pytest.raises(Exception, match="agents_review_each_other"):
            play.do(BOT_B, command)


def test_with_the_line_they_may_at_level_1_and_the_clearance_says_one_operator() -> None:
    """U-08: claimed families lift no level, also where an older log has them."""
    play = resolve_by(BOT_A, ALLOWED)
    play.report(BOT_B, evidence=CHECKED)
    play.report(BOT_C, evidence=CHECKED)
    cleared = play.last(ReviewCleared)
    assert (cleared.level, cleared.flags) == (1, (ONE_OPERATOR,))


def test_a_policy_put_into_force_meanwhile_must_allow_it_too() -> None:
    """U-08: both policies bind the review."""
    play = resolve_by(BOT_A, ALLOWED)
    stricter = replace(RULES, digest="rules-2")
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    assert play.refused(BOT_B, play.a_report(evidence=CHECKED)) is Code.ONE_PARTY


def test_two_agents_of_one_service_are_one_reviewer() -> None:
    """U-08: the quorum of two is not met by one token."""
    play = resolve_by(DEV)
    play.report(BOT_A, evidence=CHECKED)
    assert play.refused(BOT_B, play.a_report(evidence=CHECKED)) is Code.ONE_PARTY
    assert play.refused(BOT_B, play.a_report(seat="resolve.2", evidence=CHECKED)) is Code.ONE_PARTY
    play.report(ANN, evidence=CHECKED)
    cleared = play.last(ReviewCleared)
    assert (cleared.level, cleared.flags) == (1, ())


def test_an_author_who_was_removed_is_still_of_its_service() -> None:
    """U-08: removing the author's account makes its mates no strangers."""
    gone = Principal(who=BOT_A, vouched_by="reactor", removed=True, available=False)
    play = resolve_by(BOT_A, RULES, gone, *vouched(BOT_B))
    assert play.refused(BOT_B, play.a_report(evidence=CHECKED)) is Code.ONE_PARTY


@pytest.mark.parametrize("seat", ["", "resolve.1"])
def test_a_mate_of_the_session_never_holds_a_seat(seat: str) -> None:
    """U-08: nor keeps one on which it sat before; a human who speaks there is no worker."""
    play = resolve_by(DEV)
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.know(mates=Mates(names=frozenset({"ann", "hugo"})))
    assert play.refused(ANN, play.a_report(seat=seat, evidence=CHECKED)) is Code.ONE_PARTY
    play.report(BOB, evidence=CHECKED)
    play.report(HUGO, evidence=CHECKED)
    assert play.review.outcome is Outcome.CLEARED


def test_a_mate_settles_nothing_and_stands_by_nothing() -> None:
    """U-08: a reviewer who joined the author's session after the report cannot approve a new version."""
    play = resolve_by(DEV)
    play.report(ANN, findings=(finding("a gap"),))
    play.report(BOB, evidence=CHECKED)
    play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="filled"))
    play.know(mates=Mates(names=frozenset({"ann", "bob"})))
    settling = c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True)
    assert play.refused(ANN, settling) is Code.ONE_PARTY
    play.revise("d2")
    assert play.refused(BOB, c.KeepReport(seat="resolve.2", revision=2)) is Code.ONE_PARTY


def test_a_mate_is_not_drawn() -> None:
    """U-08: the next of the role is asked."""
    play = Play(facts=Facts(pool=POOL, mates=Mates(names=frozenset({"auditor"}))))
    play.open("create_core")
    assert play.last(ReportRequested).seat.reviewer == POOL[5].who


def test_an_account_of_the_authors_operator_makes_up_the_two_only_where_the_policy_says_so() -> None:
    """U-08: a human of that operator always may; what this installation runs is no account."""
    sister = agent("sister", operator="acme", family="gpt", session="s-sister")
    play = resolve_by(DEV)
    assert play.refused(sister, play.a_report(evidence=CHECKED)) is Code.ONE_PARTY
    play.report(HUGO, evidence=CHECKED)
    play.report(ANN, evidence=CHECKED)
    assert play.last(ReviewCleared).flags == ()
    hosted = Principal(who=sister, hosted=True)
    here = resolve_by(DEV, RULES, *POOL, hosted)
    here.report(sister, evidence=CHECKED)
    said = resolve_by(DEV, rules_with(protocols.resolve(own_operator=True)))
    said.report(sister, evidence=CHECKED)
    said.report(ANN, evidence=CHECKED)
    assert said.last(ReviewCleared).flags == (ONE_OPERATOR,)
