"""Decisions about the model: who is asked, what lapses, what counts, and what a human may do."""

from dataclasses import replace

import pytest

from foureyes.core.assess import assess
from foureyes.core.commands import (
    Answer,
    AnswerFinding,
    GiveRuling,
    OverrideStage,
    ReportInconclusive,
    RequestRuling,
    SettleFinding,
    Settlement,
    WaiveFinding,
)
from foureyes.core.events import (
    FindingRaised,
    FindingReopened,
    ReportRequested,
    ReportSubmitted,
    RequestLapsed,
    ReviewCleared,
    RevisionRequested,
    RulingRequested,
    SeatLeft,
    StagesSkipped,
)
from foureyes.core.gates import Quorum
from foureyes.core.model import ReportRequest
from foureyes.core.refusals import Code
from foureyes.core.rules import KindRule, SeatRule, SkipRule
from foureyes.core.sessions import Session, Status, status
from foureyes.core.values import Changed, Failure, LeftBecause, Outcome, Place, Risk, RiskLevel
from tests.cast import (
    ANN,
    AUDITOR,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    FULL,
    GEMINI,
    HARDIN,
    HUGO,
    LINTER,
    RULES,
    SELDON,
    TRIVIAL,
    Play,
    finding,
    holds,
    proven,
    rules_with,
)
from tests.seeds.shaped import protocol, shaped, stage

FIRST = "resolve.1-F1"


def said(play: Play) -> str:
    speaking = assess(play.rules, play.review).speaking
    assert speaking is not None
    return speaking.judgement.reason


def end(play: Play) -> Outcome | None:
    return play.review.outcome


def concerned() -> Play:
    """The peer style: the auditor asks for changes because of one finding."""
    play = Play()
    play.open("create_core")
    play.report(AUDITOR, verdict="concerns", confidence=90, checklist=FULL, findings=(finding("no tests"),))
    return play


def reviewed(*drafts: object, play: Play | None = None) -> Play:
    """The resolve style: Ann found something, Bob nothing."""
    play = play or Play()
    play.open()
    play.report(ANN, findings=drafts or (finding("no cause"),))
    play.report(BOB, evidence=CHECKED)
    return play


def at(line: int, path: str = "ch1.md") -> Place:
    return Place(path=path, start=line, end=line)


def revised(play: Play, digest: str = "d2", *, changed: tuple[int, int] = (1, 5), **fields: object) -> None:
    """New bytes that touch only these lines of the first chapter."""
    play.know(changed=(Changed(path="ch1.md", start=changed[0], end=changed[1]),))
    play.revise(digest, **fields)


def test_whoever_is_waited_for_has_been_asked_with_a_due_time() -> None:
    """Y1: a report from a seat, an answer from the author, a confirmation from the raiser, a ruling from a human."""
    play = Play()
    play.open()
    assert {type(one) for one in play.review.requests.values()} == {ReportRequest}
    play.report(ANN, findings=(finding("no cause"),))
    play.report(BOB, evidence=CHECKED)
    owed = play.review.revision_request()
    assert owed is not None
    assert (owed.findings, owed.answers, owed.due > play.now) == ((FIRST,), True, True)
    play.do(DEV, AnswerFinding(finding=FIRST, text="rewritten"))
    confirm = play.review.report_request("resolve.1")
    assert confirm is not None
    assert (list(play.review.requests), confirm.about, confirm.due > play.now) == (["resolve.1"], (FIRST,), True)
    play.do(ANN, RequestRuling(reason="we do not agree"))
    ruling = play.review.ruling()
    assert ruling is not None
    assert ruling.due > play.now


def test_a_seat_nobody_can_hold_and_a_gate_nobody_can_move_go_to_a_human() -> None:
    """Y1: never an open review in which nobody owes anything."""
    alone = Play()
    alone.know(pool=(holds(DEV, "core_developer"),))
    alone.open("create_core")
    assert alone.last(RulingRequested).reason == "nobody_can_hold"
    stuck = shaped(protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),))))
    stuck.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    asked = stuck.last(RulingRequested)
    assert (asked.reason, asked.due > stuck.now) == ("nobody_can_act", True)


def test_a_revision_request_lapses_when_a_rebuttal_is_accepted() -> None:
    """Y2: the reviewer settles the finding, the request to the author is taken back, the seat is asked again."""
    play = concerned()
    assert list(play.review.requests) == ["revision"]
    play.do(DEV, AnswerFinding(finding="peer.1-F1", text="they are in tests/", rebuttal=True))
    assert list(play.review.requests) == ["revision"]
    play.do(AUDITOR, SettleFinding(finding="peer.1-F1", revision=1, resolved=True, note="so they are"))
    assert play.last(RequestLapsed).request == "revision"
    assert list(play.review.requests) == ["peer.1"]


def test_a_revision_request_lapses_when_a_human_waives_or_overrides() -> None:
    """Y2: with the cause gone the author owes nothing any more."""
    waived = concerned()
    waived.do(HUGO, WaiveFinding(finding="peer.1-F1", reason="tests come later"))
    assert list(waived.review.requests) == ["peer.1"]
    passed = concerned()
    passed.do(HUGO, OverrideStage(stage="peer", revision=1, digest="d1", reason="good enough"))
    assert end(passed) is Outcome.CLEARED


def ordered() -> Play:
    """A human sent the work back with a demand."""
    play = reviewed()
    play.do(DEV, RequestRuling(reason="I do not agree"))
    ruling = GiveRuling(request="ruling-1", option="compromise", reason="cut it", demands=("cut chapter 2",))
    play.do(HUGO, ruling)
    return play


def test_what_a_human_ordered_lapses_only_by_a_human_or_a_new_revision() -> None:
    """Y2: reviewers who settle everything, the demand included, do not clear the old bytes."""
    play = ordered()
    for name in (FIRST, "resolve.1-F2"):
        play.do(ANN, SettleFinding(finding=name, revision=1, resolved=True, note="never mind"))
    assert end(play) is None
    assert list(play.review.requests) == ["revision"]
    play.revise("d2")
    assert "revision" not in play.review.requests
    waived = ordered()
    waived.do(ANN, SettleFinding(finding=FIRST, revision=1, resolved=True, note="never mind"))
    waived.do(HUGO, WaiveFinding(finding="resolve.1-F2", reason="I changed my mind"))
    assert waived.last(RequestLapsed).request == "revision"
    assert end(waived) is Outcome.CLEARED


def fail(play: Play, reason: Failure = Failure.CRASHED) -> None:
    holder = play.review.seats["peer.1"].reviewer
    assert holder is not None
    play.do(holder, ReportInconclusive(seat="peer.1", revision=1, reason=reason, text="exit 1"))


def test_a_failed_reviewer_is_asked_twice_more_then_the_next_then_a_human() -> None:
    """Y3: three runs of the primary, three of the backup, then a ruling; no try of the author's is used up."""
    play = Play()
    play.open("create_core")
    holders = []
    for _ in range(6):
        holder = play.review.seats["peer.1"].reviewer
        assert holder is not None
        holders.append(holder.name)
        assert play.count(RulingRequested) == 0
        fail(play)
    assert holders == ["auditor"] * 3 + ["tester"] * 3
    assert play.last(SeatLeft).reason is LeftBecause.CRASHED
    assert play.last(RulingRequested).reason == "reviewers_failed"
    assert (play.review.resubmissions, end(play)) == (0, None)


@pytest.mark.parametrize("report", [{"verdict": "LGTM!"}, {"verdict": ""}])
def test_garbage_is_refused_and_never_passes(report: dict[str, str]) -> None:
    """Y3, U-05: an unknown verdict is no report; the seat is still asked and the gate stays shut."""
    play = Play()
    play.open("create_core")
    sent = play.a_report(**report, confidence=95, checklist=FULL)
    assert play.refused(AUDITOR, sent) is Code.UNKNOWN_WORD
    assert play.last(ReportRequested).request == "peer.1"
    assert said(play) == "Waiting for peer"


def test_out_of_budget_is_a_humans_matter_at_once() -> None:
    """Y3: nobody is asked again until a human says so."""
    play = Play()
    play.open("create_core")
    fail(play, Failure.OUT_OF_BUDGET)
    assert play.last(RulingRequested).reason == "out_of_budget"
    assert list(play.review.requests) == ["ruling-1"]


def test_a_late_finding_is_advice() -> None:
    """Y4: on a place unchanged since this seat's own last report; on a changed one, it gates."""
    play = reviewed()
    revised(play, answers=(Answer(finding=FIRST, text="rewritten"),))
    late, fresh = finding("odd name", place=at(50)), finding("two suns", place=at(3))
    play.report(ANN, settled=(Settlement(finding=FIRST, resolved=True),), findings=(late, fresh))
    assert [bool(play.review.findings[f"resolve.1-F{n}"].advisory) for n in (2, 3)] == [True, False]


def test_critical_findings_and_those_without_a_place_are_never_late() -> None:
    """Y4: nor is anything in a seat's first report, whatever the round."""
    play = Play()
    play.open()
    play.report(ANN, findings=(finding("no cause"),))
    revised(play)
    spared = (finding("it kills the reader", "critical", place=at(50)), finding("no moral at all"))
    play.report(ANN, findings=spared)
    play.report(BOB, findings=(finding("odd name", place=at(50)),))
    raised = [one for one in play.log if isinstance(one, FindingRaised) and one.revision == 2]
    assert [one.advisory for one in raised] == ["", "", ""]


def test_veto_seats_and_programs_are_never_late() -> None:
    """Y4: what guards security, and what looks at everything each time, is always heard."""
    chain = next(one for one in RULES.protocols if one.name == "security")
    stages = tuple(replace(one, options=replace(one.options, late_is_advisory=True)) for one in chain.stages)
    play = Play(rules_with(replace(chain, stages=stages)))
    play.open("security_step")
    play.report(SELDON, verdict="approve", summary="well formed")
    play.report(HARDIN, verdict="reject", summary="a key", findings=(finding("a key", place=at(3)),))
    revised(play)
    play.report(SELDON, verdict="approve", findings=(finding("odd", "minor", place=at(50)),))
    play.report(HARDIN, verdict="reject", findings=(finding("another key", place=at(50)),))
    assert [bool(one.advisory) for one in play.review.findings.values()] == [False, True, False]
    solo = Play()
    solo.open("script")
    solo.report(LINTER, verdict="concerns", findings=(finding("unused import", place=at(3)),))
    solo.report(CODEX, verdict="approve")
    revised(solo)
    solo.report(LINTER, verdict="concerns", findings=(finding("shadowed name", place=at(50)),))
    assert solo.last(FindingRaised).advisory == ""


def test_the_floor_of_round_two_spares_older_findings() -> None:
    """Y4: a minor finding of round 1 still gates in round 2; one raised there does not."""
    play = reviewed(finding("no cause", "minor"))
    revised(play)
    play.report(ANN, findings=(finding("two suns", "minor", place=at(3)),))
    play.report(BOB, evidence=CHECKED)
    assert play.review.findings["resolve.1-F2"].advisory
    assert said(play) == "1 feedback items unresolved"


def settled_once() -> Play:
    """Ann's finding at line 50 was resolved; the next version leaves that line alone."""
    play = reviewed(finding("no cause", place=at(50)), finding("no time"))
    play.do(DEV, AnswerFinding(finding=FIRST, text="it is in line 49"))
    play.do(ANN, SettleFinding(finding=FIRST, revision=1, resolved=True, note="so it is"))
    return play


def test_a_settled_finding_is_listed_as_a_repeat_and_not_raised() -> None:
    """Y5: while its place is unchanged, by its raiser; what one seat settled never silences another."""
    play = settled_once()
    revised(play)
    play.report(ANN, findings=(finding("no cause", place=at(50)),))
    assert play.last(ReportSubmitted).repeats == (FIRST,)
    assert play.count(FindingRaised) == 2
    play.report(BOB, findings=(finding("no cause", place=at(50)),))
    assert play.last(ReportSubmitted).repeats == ()
    assert play.count(FindingRaised) == 3


def test_a_settled_finding_is_raised_again_where_its_place_changed() -> None:
    """Y5: new bytes there may be wrong again."""
    play = settled_once()
    revised(play, changed=(48, 52))
    play.report(ANN, findings=(finding("no cause", place=at(50)),))
    assert play.last(ReportSubmitted).repeats == ()
    assert play.last(FindingRaised).finding == "resolve.1-F3"


def test_a_finding_equal_to_an_own_answered_one_reopens_it() -> None:
    """Y5: it is the same issue, not a second one."""
    play = reviewed(finding("no cause", place=at(50)))
    play.do(DEV, AnswerFinding(finding=FIRST, text="it is in line 49"))
    play.report(ANN, findings=(finding("no cause", place=at(50)),))
    assert play.last(FindingReopened).finding == FIRST
    assert (play.count(FindingRaised), play.review.findings[FIRST].reopened) == (1, 1)


def test_equal_words_about_two_places_are_two_findings() -> None:
    """Y5: in one report, none of them is lost; said twice of one place it is one."""
    same = finding("no cause", place=at(3))
    play = reviewed(
        same, same, finding("no cause", place=at(50)), finding("chapter 3 drags"), finding("chapter 4 drags")
    )
    assert [one.place for one in play.review.findings.values()] == [at(3), at(50), None, None]
    for name in (FIRST, "resolve.1-F2"):
        play.do(DEV, AnswerFinding(finding=name, text="fixed"))
    play.report(ANN, findings=(finding("no cause", place=at(4)), finding("no cause", place=at(51))))
    reopened = [one.finding for one in play.log if isinstance(one, FindingReopened)]
    assert sorted(reopened) == [FIRST, "resolve.1-F2"]


def test_a_skip_is_on_the_record_and_decided_anew_for_each_revision() -> None:
    """Y6: recorded, passed with a flag; the next version is riskier and is reviewed."""
    play = Play()
    play.know(**proven())
    play.open("fix_typo")
    skip = play.last(StagesSkipped)
    assert (skip.stages, skip.revision, skip.rule, skip.enabled_by) == (("peer",), 1, "trivial", "")
    assert play.last(ReviewCleared).flags == ("skipped: peer",)
    play.know(**proven("d2", Risk(level=RiskLevel.HIGH)))
    play.revise("d2")
    assert (play.count(StagesSkipped), end(play)) == (1, None)
    assert list(play.review.requests) == ["peer.1"]


@pytest.mark.parametrize(
    ("kind", "risk", "context"),
    [
        ("fix_typo", Risk(level=RiskLevel.LOW), ()),
        ("fix_typo", Risk(level=RiskLevel.HIGH), ()),
        ("create_app", Risk(), (("autonomy_level", "aggressive"),)),
        ("security_change", TRIVIAL, (("autonomy_level", "aggressive"),)),
        ("database_migration", TRIVIAL, (("autonomy_level", "aggressive"),)),
        ("security_step", TRIVIAL, (("autonomy_level", "aggressive"),)),
    ],
)
def test_a_label_skips_nothing_that_the_bytes_or_the_kind_forbid(
    kind: str, risk: Risk, context: tuple[tuple[str, str], ...]
) -> None:
    """Y6: a label needs harmless bytes, some kinds are never skipped, and a stage with a veto seat neither."""
    play = Play(replace(RULES, skips=(*RULES.skips, SkipRule(name="bold", autonomy="aggressive"))))
    play.know(**proven(risk=risk))
    play.open(kind, context=context)
    skipped = {stage for one in play.log if isinstance(one, StagesSkipped) for stage in one.stages}
    assert skipped <= {"security.format"}
    assert end(play) is None


def test_a_review_without_stages_never_clears() -> None:
    """Y6: no rule says how it is reviewed, so a human is asked, who cannot just pass it either."""
    play = Play(replace(RULES, kinds=(KindRule(kind="odd", protocols=()),), default=(), enabled=False))
    play.open("odd")
    asked = play.last(RulingRequested)
    assert (asked.reason, end(play)) == ("no_stages", None)
    assert "as_is" not in {one.id for one in asked.options}


def test_with_one_concern_the_session_runs_and_the_work_waits() -> None:
    """Y7: the concern becomes a finding in the words of its summary; resolved and approved, the work goes live."""
    play = Play()
    play.open("milestone")
    play.report(CODEX, verdict="concerns", summary="the plan has no rollback")
    play.report(GEMINI, verdict="approve")
    only = next(iter(play.review.findings.values()))
    assert (only.text, only.category) == ("the plan has no rollback", "concern")
    assert said(play) == "1 feedback items unresolved"
    waits = play.review.ruling() is not None or any(one.clarify for one in [play.last(RevisionRequested)])
    assert status(Session(id="s1"), reviews_waiting=waits) is Status.RUNNING
    play.do(DEV, AnswerFinding(finding=only.id, text="it has one now"))
    play.do(CODEX, SettleFinding(finding=only.id, revision=1, resolved=True, note="yes"))
    assert end(play) is None
    play.report(CODEX, verdict="approve")
    assert end(play) is Outcome.CLEARED
