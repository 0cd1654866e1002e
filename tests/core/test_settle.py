"""Edge cases of settling: lapsed requests, queues, disputes, gates that raise errors."""

from dataclasses import dataclass

import pytest

from foureyes.core import commands as c
from foureyes.core.drafts import LEASE_ENDED
from foureyes.core.events import (
    FindingRaised,
    NoteAdded,
    ReportFailed,
    RequestLapsed,
    ReviewCleared,
    RulingRequested,
    SeatLeft,
)
from foureyes.core.evolve import fold
from foureyes.core.explain import Status, explain
from foureyes.core.facts import Load, PolicyInForce
from foureyes.core.gates import Quorum, Resolved, Unanimous
from foureyes.core.judgement import Judgement
from foureyes.core.model import Review
from foureyes.core.refusals import Code
from foureyes.core.rules import Limits, SeatRule, Stage
from foureyes.core.scene import Scene
from foureyes.core.settle import settle
from foureyes.core.values import CLOCK, Failure, LeftBecause, Outcome, Part, Standing
from tests.cast import (
    ANN,
    AUDITOR,
    CODEX,
    DEV,
    FULL,
    HANNA,
    HUGO,
    RULES,
    TESTER,
    Play,
    finding,
)
from tests.seeds.shaped import NAME, is_cleared, protocol, shaped, shaped_rules, stage

AGENT_SEAT = (SeatRule(roles=("agent",)),)
VERIFY_SEAT = SeatRule(roles=("auditor",), part=Part.VERIFY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A gate that cannot be evaluated."""

    def judge(self, _review: Review, _stage: Stage) -> Judgement:
        """Fail."""
        message = "no such file"
        raise OSError(message)


def test_a_gate_that_breaks_is_a_humans_matter_and_never_a_pass() -> None:
    """D-03: fail closed, with the reason."""
    play = shaped(protocol(stage(Broken(), Quorum(reviewers=1), seats=AGENT_SEAT)))
    assert play.last(RulingRequested).text == "Broken could not be evaluated: OSError: no such file"
    assert explain(play.rules, play.review).requirements[0].status is Status.ERROR
    assert play.review.outcome is None


def test_a_review_that_would_not_come_to_rest_is_loud() -> None:
    """Nothing is written then; a bug in the rules does not become a log without end."""
    play = Play()
    play.open("story")
    opened = fold(play.log[:2])
    scene = Scene(rules=RULES, review=opened, facts=play.facts, now=play.now)
    assert settle(scene) == (tuple(play.log[2:]), play.review)
    with pytest.raises(RuntimeError, match="review r1 does not come to rest"):
        settle(scene, rounds_max=0)


def test_a_request_lapses_when_the_stage_that_asked_passes_and_the_next_one_speaks() -> None:
    """Y2: the reviewer changes the verdict on the same version."""
    first = stage(Unanimous(), name="first", seats=AGENT_SEAT)
    play = shaped(protocol(first, stage(Unanimous(), name="second", seats=(SeatRule(roles=("tester",)),))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    assert play.review.revision_request() is not None
    taken_back = c.Settlement(finding="first.1-F1", resolved=True, note="my mistake")
    play.report(CODEX, verdict="approve", settled=(taken_back,))
    assert play.count(RequestLapsed) == 1
    assert list(play.review.requests) == ["second.1"]
    play.report(TESTER, verdict="approve")
    assert is_cleared(play)


def test_a_rejection_of_what_its_author_already_disputed_goes_to_a_human() -> None:
    """001-32: the author has asked for one on this very version."""
    play = Play()
    play.open("create_core")
    play.do(DEV, c.RequestRuling(reason="the reviewer does not like me"))
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="retry", reason="let us see"))
    play.report(AUDITOR, verdict="reject", grounds=("fundamental_flaw",), checklist=FULL, confidence=90)
    assert play.review.outcome is None
    assert play.last(RulingRequested).reason == "creator_disagrees"


def test_a_seat_that_waits_for_somebody_to_be_free_is_not_asked_twice() -> None:
    """B17: it is assigned as soon as a reviewer is free."""
    play = Play()
    busy = Load(active=3, queued=5)
    play.know(load={"auditor": busy, "tester": busy})
    play.open("create_core")
    assert play.review.seats["peer.1"].reviewer is None
    assert play.do(ANN, c.AddNote(text="hello")) == (NoteAdded(by="ann", text="hello"),)
    play.know(load={"auditor": busy})
    play.do(ANN, c.AddNote(text="hello again"))
    assert play.review.seats["peer.1"].reviewer == TESTER


def late() -> Play:
    """A play in which Ann's lease has ended, but the deadline has not passed yet."""
    play = Play()
    play.open("story")
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.wait(minutes=61)
    return play


def test_what_somebody_found_too_late_is_kept_as_advice_and_the_seat_falls_free() -> None:
    """F12: never as a report."""
    play = late()
    play.report(ANN, seat="resolve.1", findings=(finding("a gap", "critical"),), summary="I was slow")
    assert play.last(FindingRaised).advisory == LEASE_ENDED
    assert play.last(SeatLeft).reason is LeftBecause.TIMED_OUT
    assert play.review.seats["resolve.1"].reviewer is None
    assert not play.review.reports


def test_who_was_replaced_and_names_no_seat_has_no_vote_and_what_they_found_is_kept() -> None:
    """F12: by whichever door it comes; where there is another seat for them, they speak from that one."""
    play = Play()
    play.open("create_core")
    play.do(AUDITOR, c.TakeSeat(seat="peer.1"))
    play.wait(minutes=61)
    play.do(CLOCK, c.PassDeadline(request="peer.1"))
    assert play.review.seats["peer.1"].reviewer == TESTER
    play.report(AUDITOR, verdict="reject", findings=(finding("a gap", "critical"),), summary="I was slow")
    assert (play.last(FindingRaised).advisory, play.last(FindingRaised).raiser) == (LEASE_ENDED, AUDITOR.name)
    assert not play.review.reports
    nothing = play.a_report(verdict="reject", summary="I was slow")
    assert play.refused(AUDITOR, nothing) is Code.LEASE_ENDED
    other = late()
    other.do(ANN, c.LeaveSeat(seat="resolve.1", reason="overloaded"))
    other.do(ANN, other.a_report(findings=(finding("a gap", "critical"),)))
    assert len(other.review.reports) == 1


def verified() -> Play:
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(*AGENT_SEAT, VERIFY_SEAT))))
    issues = (finding("it leaks"), finding("too long", "minor"))
    play.report(CODEX, verdict="concerns", findings=issues)
    return play


def verify(name: str) -> c.VerifyFinding:
    return c.VerifyFinding(finding=name, revision=1, result="confirmed", evidence="I ran it")


def test_a_finding_is_verified_once_and_only_while_it_is_open() -> None:
    """D-11."""
    play = verified()
    play.do(AUDITOR, verify("shaped.1-F1"))
    assert play.refused(AUDITOR, verify("shaped.1-F1")) is Code.DUPLICATE
    play.do(CODEX, c.SettleFinding(finding="shaped.1-F2", revision=1, resolved=True, note="never mind"))
    assert play.refused(AUDITOR, verify("shaped.1-F2")) is Code.SETTLED


def test_a_verifier_may_look_at_more_than_was_asked_and_still_owes_the_rest() -> None:
    """D-11: and reports nothing, it verifies."""
    play = verified()
    play.do(AUDITOR, verify("shaped.1-F2"))
    request = play.review.report_request("shaped.2")
    assert request is not None
    assert request.about == ("shaped.1-F1",)
    assert play.refused(AUDITOR, play.a_report(seat="shaped.2", verdict="approve")) is Code.NOT_ELIGIBLE
    new = (finding("one more"),)
    failed = c.ReportInconclusive(seat="shaped.2", revision=1, reason=Failure.CRASHED, findings=new)
    assert play.refused(AUDITOR, failed) is Code.NOT_ELIGIBLE


def test_what_was_found_until_a_run_failed_stops_the_work_and_vouches_for_nothing() -> None:
    """D-09: the reason that is written down is the true one."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=AGENT_SEAT)))
    found = (finding("it leaks"),)
    play.do(CODEX, c.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.CRASHED, findings=found))
    assert play.last(ReportFailed).reason is Failure.CRASHED
    assert play.last(FindingRaised).text == "it leaks"
    assert not play.review.reports


def test_a_ruling_that_findings_are_not_real_leaves_settled_ones_as_they_are() -> None:
    """Y10."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(answers_max=1), seats=AGENT_SEAT)))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"), finding("no test")))
    for name in ("shaped.1-F1", "shaped.1-F2"):
        play.do(DEV, c.AnswerFinding(finding=name, text="it is not so"))
    both = tuple(c.Settlement(finding=name, resolved=False) for name in ("shaped.1-F1", "shaped.1-F2"))
    play.report(CODEX, verdict="concerns", settled=both, summary="I insist")
    ruling = play.review.ruling()
    assert ruling is not None
    assert ruling.findings == ("shaped.1-F1", "shaped.1-F2")
    play.do(CODEX, c.SettleFinding(finding="shaped.1-F1", revision=1, resolved=True, note="I see it now"))
    play.do(HANNA, c.GiveRuling(request=ruling.id, option="not_real", reason="there is a test"))
    standings = {one.id: one.standing for one in play.review.findings.values()}
    assert standings == {"shaped.1-F1": Standing.RESOLVED, "shaped.1-F2": Standing.WAIVED}


def test_a_human_overrides_only_stages_there_are() -> None:
    play = Play()
    play.open("story")
    command = c.OverrideStage(stage="quality", revision=1, digest="d1", reason="x")
    assert play.refused(HUGO, command) is Code.UNKNOWN_STAGE


def test_a_review_is_not_reopened_without_end() -> None:
    """Y8: by humans and by new versions together."""
    play = Play(shaped_rules(protocol(stage(Quorum(reviewers=1), seats=AGENT_SEAT)), limits=Limits(reopenings_max=2)))
    play.open("thing")
    for _ in range(2):
        play.report(CODEX, verdict="approve")
        play.do(HUGO, c.ReopenReview(reason="look again", undoes=Outcome.CLEARED))
    play.report(CODEX, verdict="approve")
    assert play.count(ReviewCleared) == 3
    assert play.refused(HUGO, c.ReopenReview(reason="again", undoes=Outcome.CLEARED)) is Code.LIMIT_REACHED
    assert play.refused(DEV, c.SubmitRevision(digest="d2")) is Code.LIMIT_REACHED


def test_a_finding_of_a_policy_that_cannot_be_read_any_more_may_still_be_waived() -> None:
    """Y20: the stage is unknown now and passes nothing, but a human's word on the finding holds."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=AGENT_SEAT)))
    extra = stage(Quorum(reviewers=1), Resolved(), name="extra", seats=(SeatRule(roles=("tester",)),))
    newer = shaped_rules(protocol(extra), digest="rules-2")
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=newer))
    play.report(CODEX, verdict="approve")
    play.report(TESTER, stage="extra", verdict="concerns", findings=(finding("it leaks"),))
    play.know(policy=PolicyInForce(digest=RULES.digest))
    play.do(HUGO, c.WaiveFinding(finding="extra.1-F1", reason="not real"))
    assert play.review.findings["extra.1-F1"].standing is Standing.WAIVED
    assert play.review.outcome is None
    assert NAME in {one.stage for one in explain(play.rules, play.review).requirements}


def test_what_a_new_version_did_not_mend_is_open_again_by_its_seats_word_and_the_author_owes_the_answer() -> None:
    """Where a new version is an answer the seat may say that it is none; else there is nothing to reopen yet."""
    for answers in (True, False):
        gates = (Quorum(reviewers=1), Resolved(revision_answers=answers))
        play = shaped(protocol(stage(*gates, seats=AGENT_SEAT)))
        play.report(CODEX, verdict="concerns", findings=(finding("a gap"),))
        (found,) = play.review.findings
        play.revise("d2")
        still = play.a_report(
            verdict="concerns", findings=(finding("a gap"),), settled=(c.Settlement(finding=found, resolved=False),)
        )
        if not answers:
            assert play.refused(CODEX, still) is Code.NOT_OPEN
            continue
        play.do(CODEX, still)
        one = play.review.findings[found]
        assert (one.standing, one.reopened_in) == (Standing.OPEN, 2)
        assert list(play.review.requests) == ["revision"], "nobody else owes anything"
