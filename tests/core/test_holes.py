"""Ways around the gate found by an audit, each closed: the attack and its result now."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.events import FindingRaised, PolicyNoted, ReportRequested, ReviewCleared, RulingRequested
from foureyes.core.facts import Facts, PolicyInForce
from foureyes.core.gates import Quorum
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Exhausted, Humans, KindRule, PathRule, Rules, SeatRule
from foureyes.core.stack import stages_of
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Origin, Outcome, Standing, WorkPart
from foureyes.core.views import view
from tests.cast import (
    ANN,
    AUDITOR,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    EVE,
    FULL,
    FULL_DEFAULT,
    GEMINI,
    HARDIN,
    HUGO,
    LINTER,
    POOL,
    RULES,
    SELDON,
    START,
    Play,
    agent,
    finding,
    holds,
    rules_with,
)

TWIN = agent("dev2", operator="acme", family="claude", session="s-dev2")
TRUSTED = TrustRecord(
    kind="create_core",
    author="dev",
    attempts=20,
    successes=20,
    confidence_sum=1900,
    history=tuple((START - timedelta(days=1), True) for _ in range(5)),
    trust=100,
    last_review_at=START - timedelta(days=1),
    enabled_by="hugo",
    enabled_at=START,
    expires=START + timedelta(days=20),
)


def in_flight(play: Play, rules: Rules) -> None:
    """A human has put another policy into force, for open reviews too."""
    play.know(policy=PolicyInForce(digest=rules.digest, applies_in_flight=True, rules=rules), stricter=rules)


def test_nobody_volunteers_past_the_reviewers_a_lone_developer_asked() -> None:
    play = Play()
    play.open("thing")
    assert play.refused(TWIN, play.a_report(verdict="approve")) is Code.NO_FREE_SEAT
    play.report(LINTER, verdict="approve")
    play.report(CODEX, verdict="reject", grounds=("fundamental_flaw",), summary="wrong from the start")
    assert play.review.outcome is None
    assert play.review.revision_request() is not None


@pytest.mark.parametrize("demands", [(), ("take it out",)])
def test_a_new_version_is_no_second_draw_of_the_audit(demands: tuple[str, ...]) -> None:
    """B29, Y6: after a report, a finding or a ruling, no later version is skipped."""
    play = Play(facts=Facts(pool=POOL, trust=TRUSTED, draw=5))
    play.open("create_core")
    if demands:
        play.do(AUDITOR, c.RequestRuling(reason="strange"))
        play.do(HUGO, c.GiveRuling(request="ruling-1", option="compromise", reason="no", demands=demands))
    else:
        play.report(AUDITOR, verdict="concerns", confidence=95, findings=(finding("backdoor", "critical"),))
    play.know(draw=50)
    play.revise("d2")
    assert play.review.outcome is None
    unseen = Play(facts=Facts(pool=POOL, trust=TRUSTED, draw=5))
    unseen.open("create_core")
    unseen.know(draw=50)
    unseen.revise("d2")
    assert unseen.review.outcome is None


def test_an_author_excludes_no_reviewer_by_naming_them_a_target() -> None:
    """O7, I17: whose work it is, only the session's service or a human says."""
    play = Play()
    command = c.OpenReview(
        review="r1", kind="create_core", title="Work", digest="d1", origin=Origin(targets=("auditor",))
    )
    assert play.refused(DEV, command) is Code.HUMAN_ONLY


def test_what_one_seat_takes_back_another_may_still_raise() -> None:
    """Y5: a second identity cannot silence an honest reviewer's finding in advance."""
    play = Play()
    play.open()
    play.report(EVE, findings=(finding("The timeline is impossible", category="timeline"),))
    mistake = c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="own mistake")
    play.do(EVE, mistake)
    play.report(ANN, findings=(finding("The timeline is impossible", category="timeline"),))
    assert play.last(FindingRaised).finding == "resolve.2-F1"
    assert play.review.outcome is None


@pytest.mark.parametrize(
    "report",
    [
        {"findings": tuple(finding(f"small thing {word}", "minor") for word in ("alpha", "beta", "gamma"))},
        {"findings": (finding("nit", "minor"),), "grounds": ("fundamental_flaw",)},
    ],
)
def test_a_concern_with_only_minor_issues_still_holds_the_work(report: dict[str, object]) -> None:
    """O4, Y7: the concern itself is a finding; the session goes on, the work waits for it."""
    play = Play()
    play.open("milestone")
    play.report(CODEX, verdict="concerns", summary="I am worried", **report)
    play.report(GEMINI, verdict="approve")
    assert play.review.outcome is None
    concern = next(one for one in play.review.findings.values() if one.category == "concern")
    assert (concern.text, concern.standing) == ("I am worried", Standing.OPEN)


def test_a_rejection_under_a_stricter_chain_is_heard_under_its_own_name() -> None:
    """Y20: the same chain with another critic stands beside the old one, and its majority is its own."""
    layer = SeatRule(roles=("hardin",), scope="format")
    other = protocols.chain("default", (layer,), unanimous=False, retries_max=3, exhausted=Exhausted.RETURN_ERROR)
    play = Play()
    play.open("default_step")
    in_flight(play, rules_with(other, digest="rules-2"))
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="wrong")
    assert play.review.outcome is None


def test_a_stricter_panel_judges_its_own_stages() -> None:
    """Y20: where the models differ both panels stand, and the last stage of each looks at its own findings."""
    other = protocols.panel(models=("agent", "reviewer"), auto_approve=True)
    play = Play(rules_with(protocols.panel(auto_approve=True)))
    play.open("task")
    in_flight(play, rules_with(other, digest="rules-2"))
    play.do(DEV, c.AddNote(text="a word, so that the policy is noted"))
    stages = {one.name for one in stages_of(play.rules, play.review, play.facts.stricter)}
    assert stages == {"spec", "quality", "spec+", "quality+"}


def test_a_stricter_policy_that_needs_two_people_is_not_passed_by_one() -> None:
    """Y20, D-24: options that differ make a stage of their own."""
    peer = protocols.peer()
    options = replace(peer.stages[0].options, ruling_needs=2, ruling_group="security")
    strict = rules_with(
        replace(peer, stages=(replace(peer.stages[0], options=options),)),
        digest="rules-2",
        groups=(Humans(name="security", members=frozenset({"hanna", "zoe"})),),
    )
    play = Play()
    play.open("create_core")
    in_flight(play, strict)
    play.do(HUGO, c.OverrideStage(stage="peer", revision=1, digest="d1", reason="fine"))
    assert play.review.outcome is None
    alone = c.OverrideStage(stage="peer+", revision=1, digest="d1", reason="fine")
    assert play.refused(HUGO, alone) is Code.NOT_IN_GROUP


@pytest.mark.parametrize(("kind", "checklist"), [("security_change", FULL_DEFAULT), ("create_core", FULL)])
def test_a_harmless_label_does_not_switch_off_what_the_paths_demand(kind: str, checklist: tuple[object, ...]) -> None:
    """Y19, 001-23: an unsure reviewer of auth/ is a human's matter, whatever the author calls it."""
    play = Play(rules_with(paths=(PathRule(pattern="auth/**", kind="security-change"),)))
    play.open(kind, parts=(WorkPart(name="auth/login.py", digest="p1"),))
    seat = play.last(ReportRequested).seat
    assert seat.reviewer is not None
    play.report(seat.reviewer, verdict="approve", confidence=82, checklist=checklist)
    assert play.last(RulingRequested).reason == "Certainty"


def test_a_kind_of_single_use_is_that_however_it_is_spelled() -> None:
    """Y25."""
    play = Play(rules_with(single_use_kinds=frozenset({"run-command"})))
    play.open("run_command")
    play.report(LINTER, verdict="approve")
    play.report(CODEX, verdict="approve")
    assert play.last(ReviewCleared).single_use


def test_a_program_does_not_confirm_what_a_human_demanded() -> None:
    """Y10: a green run says nothing of it; a seat with a mind does."""
    play = Play()
    play.open("thing")
    play.do(DEV, c.RequestRuling(reason="what now?"))
    demand = c.GiveRuling(request="ruling-1", option="compromise", reason="no", demands=("remove the backdoor",))
    play.do(HUGO, demand)
    assert play.last(FindingRaised).seat == "solo.2"
    play.revise("d2")
    play.report(LINTER, verdict="approve")
    assert play.refused(CODEX, play.a_report(verdict="approve")) is Code.OWN_FINDING_BLOCKS
    assert play.review.outcome is None


def test_nobody_stands_by_bytes_they_were_not_served_or_after_their_time() -> None:
    """I16, F17: keeping a report and settling the last finding vouch as a report does."""
    play = Play()
    play.open()
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, findings=(finding("a gap"),))
    play.revise("d2", answers=(c.Answer(finding="resolve.2-F1", text="filled"),))
    play.know(served="d1")
    assert play.refused(ANN, c.KeepReport(seat="resolve.1", revision=2)) is Code.STALE
    settles = c.SettleFinding(finding="resolve.2-F1", revision=2, resolved=True, note="ok")
    assert play.refused(BOB, settles) is Code.STALE
    with pytest.raises(Refusal, match="The last version you were given is d1, the current one is d2"):
        play.report(BOB, evidence=CHECKED)
    play.know(served="d2")
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.wait(minutes=61)
    assert play.refused(ANN, c.KeepReport(seat="resolve.1", revision=2)) is Code.LEASE_ENDED


def test_the_clock_brings_no_policy_along_that_would_clear() -> None:
    """I8: a lax activated policy is recorded with the next command of a party, not with a deadline."""
    strict = rules_with(digest="rules-2", kinds=(KindRule(kind="story", protocols=("resolve", "security")),))
    play = Play()
    play.open()
    in_flight(play, strict)
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, evidence=CHECKED)
    in_flight(play, replace(RULES, digest="rules-3"))
    play.know(stricter=strict)
    play.wait_out(next(iter(play.review.requests)))
    assert play.count(PolicyNoted) == 1
    assert play.review.outcome is None


def test_a_successor_of_the_authors_operator_settles_nothing_where_operators_count() -> None:
    """I31, Y17: a successor must have the fact the seat demands, and the predecessor's report lapses."""
    resolve = protocols.resolve(own_operator=True)
    gates = (Quorum(reviewers=2, distinct="operator"), *resolve.stages[0].gates[1:])
    play = Play(rules_with(replace(resolve, stages=(replace(resolve.stages[0], gates=gates),))))
    play.open()
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, findings=(finding("it is a lie"),))
    play.do(DEV, c.AnswerFinding(finding="resolve.2-F1", text="no it is not", rebuttal=True))
    play.wait_out("resolve.2")
    play.wait_out("resolve.2")
    assert play.refused(TWIN, c.TakeSeat(seat="resolve.2")) is Code.NOT_ELIGIBLE


def test_a_late_flood_does_not_mute_the_successor_on_a_veto_seat() -> None:
    """I28: what comes too late has a small measure of its own."""
    second = agent("hardin2", session="s-hardin2")
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    play.know(pool=(*POOL, holds(second, "hardin")))
    seat = "security.security.1"
    play.do(HARDIN, c.TakeSeat(seat=seat))
    play.wait(minutes=61)
    noise = tuple(finding("x" * number) for number in range(1, 200))
    assert play.refused(HARDIN, play.a_report(seat=seat, verdict="approve", findings=noise)) is Code.TOO_MANY
    play.report(HARDIN, seat=seat, verdict="approve", findings=noise[:50])
    play.report(second, seat=seat, verdict="reject", summary="it leaks a key")
    assert play.review.is_vetoed("security.security")


def test_after_a_human_reopened_the_author_may_dispute_again() -> None:
    """Y8, B15: the first human's rejection binds only until a human takes it back."""
    play = Play()
    play.open("create_core")
    play.do(DEV, c.RequestRuling(reason="decide"))
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="reject", reason="no"))
    assert play.refused(DEV, c.RequestRuling(reason="I disagree")) is Code.REVIEW_ENDED
    play.do(HUGO, c.ReopenReview(reason="I was wrong", undoes=Outcome.REJECTED))
    play.revise("d2")
    play.report(AUDITOR, verdict="reject", grounds=("fundamental_flaw",), confidence=90, summary="bad")
    play.do(DEV, c.RequestRuling(reason="I disagree"))
    assert play.review.ruling() is not None


def test_a_doubt_over_many_minor_findings_ends_with_them() -> None:
    """Y15: when its last ground is gone the seat is asked again, on the same version."""
    play = Play()
    play.open("create_core")
    minors = tuple(finding(f"small thing {word}", "minor") for word in ("alpha", "beta", "gamma"))
    play.report(AUDITOR, verdict="concerns", confidence=90, findings=minors)
    assert play.review.revision_request() is not None
    for name in list(play.review.findings):
        play.do(AUDITOR, c.SettleFinding(finding=name, revision=1, resolved=True, note="never mind"))
    assert list(play.review.requests) == ["peer.1"]


def test_a_second_blocker_goes_to_a_human_although_the_first_was_set_aside() -> None:
    """003-08: only the escalation a human answered stays silent."""
    play = Play()
    play.open("milestone")
    play.report(CODEX, verdict="reject", findings=(finding("boom", "critical"),))
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="not_real", reason="it is not"))
    play.report(GEMINI, verdict="reject", findings=(finding("another thing entirely", "critical"),))
    ruling = play.review.ruling()
    assert ruling is not None
    assert ruling.id == "ruling-2"


def test_the_authors_note_is_hidden_from_who_is_blind_in_any_stage() -> None:
    """X6, S15: a reviewer of one layer does not read in a note what another layer found."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="it leaks a key")
    play.revise("d2", note="the key hardin found is gone")
    seen = view(play.rules, play.review, SELDON)
    assert seen.hides
    assert [one.note for one in seen.review.revisions] == ["", ""]
    assert view(play.rules, play.review, HUGO).review.current.note == "the key hardin found is gone"
