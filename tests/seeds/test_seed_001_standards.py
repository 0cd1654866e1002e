"""Seed 001: the grounds that an approval, a request for changes and a rejection need."""

from dataclasses import replace

import pytest

from foureyes.core import protocols
from foureyes.core.events import ReportSubmitted, ReviewCleared, RevisionRequested
from foureyes.core.gates import Mode
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Protocol, SeatRule
from foureyes.core.values import Criterion, Outcome
from tests.cast import AUDITOR, FULL, RULES, TESTER, finding, rules_with
from tests.seeds.peer_play import approve, ask_changes, failed, opened, outcome, reject, reviewer, ruling

ADVISORY = rules_with(protocols.peer(mode=Mode.ADVISORY))
GROUNDS = ("fundamental_flaw", "would_break_system", "security_risk", "better_to_start_over")


def two_seats() -> Protocol:
    """The peer style with a seat for the primary and one for the backup."""
    shipped = protocols.peer()
    return replace(shipped, stages=(replace(shipped.stages[0], seats=(SeatRule(by_matrix=True),) * 2),))


def test_an_approval_with_everything_passed_and_eighty_percent_clears() -> None:
    """001-19: every required criterion, confidence of at least 80, no critical finding (the seed's own test)."""
    play = opened("create_core")
    approve(play, confidence=80)
    assert (outcome(play), play.review.reports["peer.1", 1].checklist) == (Outcome.CLEARED, FULL)


@pytest.mark.parametrize("confidence", [None, 0, 59, 60, 79])
def test_an_approval_below_eighty_is_refused(confidence: int | None) -> None:
    """001-19, B14: also between 60 and 79, where the reviewer must ask for changes or for a human."""
    play = opened("create_core")
    report = play.a_report(verdict="approve", checklist=FULL, confidence=confidence)
    assert play.refused(AUDITOR, report) is Code.CONFIDENCE_TOO_LOW


@pytest.mark.parametrize("checklist", [(), FULL[:-1], failed("size_appropriate")])
def test_an_approval_with_a_required_criterion_missing_is_refused_with_the_list(checklist: object) -> None:
    """001-19, B13: missing and failed are the same in strict mode, and the refusal names what is missing."""
    play = opened("create_core")
    report = play.a_report(verdict="approve", checklist=checklist, confidence=95)
    with pytest.raises(Refusal, match="size_appropriate") as caught:
        play.do(AUDITOR, report)
    assert caught.value.code is Code.CHECKLIST_INCOMPLETE
    assert play.count(ReportSubmitted) == 0


def test_in_advisory_mode_an_incomplete_checklist_is_recorded_and_passes() -> None:
    """B13: the seed's own tests approve without a checklist; advisory keeps what was filled in."""
    play = opened("create_core", rules=ADVISORY)
    approve(play, checklist=FULL[:2], confidence=90)
    assert outcome(play) is Outcome.CLEARED
    assert play.last(ReportSubmitted).checklist == FULL[:2]


def test_advisory_mode_still_refuses_an_unsure_approval() -> None:
    """B13, 001-19: only the checklist becomes advice."""
    play = opened("create_core", rules=ADVISORY)
    assert play.refused(AUDITOR, play.a_report(verdict="approve", confidence=79)) is Code.CONFIDENCE_TOO_LOW


def test_an_approval_beside_an_own_critical_finding_is_refused() -> None:
    """001-19: no critical concern may be open."""
    play = opened("create_core")
    report = play.a_report(
        verdict="approve", checklist=FULL, confidence=95, findings=(finding("Keys are logged", "critical"),)
    )
    assert play.refused(AUDITOR, report) is Code.OWN_FINDING_BLOCKS


def test_the_seeds_own_report_that_asks_for_changes_goes_back_to_the_author() -> None:
    """001-20: errors not handled, 60 sure; in strict and in advisory mode alike the author is asked."""
    for rules in (RULES, ADVISORY):
        play = opened("create_core", rules=rules)
        unmet = (Criterion(name="proper_error_handling", passed=False),)
        play.report(AUDITOR, verdict="CONCERNS", checklist=unmet, confidence=60)
        assert play.last(RevisionRequested).reasons == ("auditor: has concerns",)


@pytest.mark.parametrize(
    ("ground", "said"),
    [
        ({"findings": (finding("Keys are logged", "critical"),)}, "peer.1-F1"),
        ({"checklist": failed("proper_error_handling")}, "criterion proper_error_handling"),
        ({"confidence": 59}, "confidence 59"),
    ],
)
def test_each_ground_of_the_seed_is_enough_to_ask_for_changes(ground: dict[str, object], said: str) -> None:
    """001-20: a critical finding, a failed required criterion, or confidence below 60; the author gets the wish."""
    play = opened("create_core")
    play.report(AUDITOR, **{"verdict": "concerns", "checklist": FULL, "confidence": 85, "summary": "No", **ground})
    report = play.last(ReportSubmitted)
    assert said in (*report.blocking, *report.grounds)
    (reason,) = play.last(RevisionRequested).reasons
    assert reason in ("auditor: No", "auditor: No: Keys are logged")
    assert outcome(play) is None


def test_changes_are_not_asked_for_without_any_ground() -> None:
    """001-20: a report that has nothing against the work cannot send it back."""
    play = opened("create_core")
    report = play.a_report(verdict="concerns", checklist=FULL, confidence=85, summary="I would not have done it so")
    assert play.refused(AUDITOR, report) is Code.GROUND_MISSING


@pytest.mark.parametrize("ground", GROUNDS)
def test_each_named_ground_rejects_the_work(ground: str) -> None:
    """001-21: fundamental flaw, would break the system, security risk, better to start over."""
    play = opened("create_core")
    reject(play, grounds=(ground,))
    assert outcome(play) is Outcome.REJECTED
    assert play.last(ReportSubmitted).grounds == (ground,)


@pytest.mark.parametrize(
    "fields",
    [
        {"grounds": ()},
        {"grounds": (), "findings": (finding("Keys are logged", "critical"),)},
        {"grounds": (), "checklist": failed("proper_error_handling"), "confidence": 10},
        {"grounds": ("several_valid_options",)},
    ],
)
def test_a_rejection_without_a_named_ground_is_refused(fields: dict[str, object]) -> None:
    """001-21: what suffices to ask for changes does not suffice to reject."""
    play = opened("create_core")
    report = play.a_report(**{"verdict": "reject", "summary": "No", "confidence": 95, **fields})
    assert play.refused(AUDITOR, report) is Code.GROUND_MISSING


def test_a_ground_nobody_knows_is_refused() -> None:
    """001-21: the grounds are a closed list."""
    play = opened("create_core")
    report = play.a_report(verdict="reject", grounds=("bad_mood",), summary="No", confidence=95)
    assert play.refused(AUDITOR, report) is Code.UNKNOWN_WORD


def test_where_a_policy_seats_two_colleagues_both_must_meet_the_standard() -> None:
    """001-19, 001-20: the first one's approval does not pass over the second one's wish for changes."""
    play = opened("create_core", rules=rules_with(two_seats()))
    assert {reviewer(play, "peer.1"), reviewer(play, "peer.2")} == {"auditor", "tester"}
    first, second = (AUDITOR, TESTER) if reviewer(play, "peer.1") == "auditor" else (TESTER, AUDITOR)
    approve(play, first)
    assert outcome(play) is None
    ask_changes(play, second)
    assert (play.last(RevisionRequested).reasons, outcome(play)) == ((f"{second.name}: Errors are swallowed",), None)


def test_where_a_policy_seats_two_colleagues_either_may_reject() -> None:
    """001-21: the first one's approval does not pass over the second one's rejection."""
    play = opened("create_core", rules=rules_with(two_seats()))
    first, second = (AUDITOR, TESTER) if reviewer(play, "peer.1") == "auditor" else (TESTER, AUDITOR)
    approve(play, first)
    reject(play, second)
    assert outcome(play) is Outcome.REJECTED


def test_between_sixty_and_seventynine_policy_may_add_the_backup_whose_approval_passes() -> None:
    """B14: the unsure reviewer has nothing against the work; the backup is asked instead of the author."""
    play = opened("create_core", rules=rules_with(protocols.peer(second_opinion_from=60)))
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=60, summary="Not my field")
    assert (reviewer(play, "peer.tie"), play.count(RevisionRequested)) == ("tester", 0)
    approve(play, TESTER)
    cleared = play.last(ReviewCleared)
    assert (cleared.digest, cleared.flags) == ("d1", ("tie-break",))


def test_a_backup_who_is_not_convinced_sends_the_work_back() -> None:
    """B14: the second opinion is asked for once; then the author gets the first wish for changes."""
    play = opened("create_core", rules=rules_with(protocols.peer(second_opinion_from=60)))
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=79, summary="Not my field")
    ask_changes(play, TESTER)
    assert play.last(RevisionRequested).reasons == ("auditor: Not my field",)


@pytest.mark.parametrize(
    ("policy", "fields"),
    [
        (0, {"confidence": 70}),
        (60, {"confidence": 59}),
        (60, {"confidence": 70, "checklist": failed("size_appropriate")}),
        (60, {"confidence": 70, "findings": (finding("Errors are swallowed"),)}),
    ],
)
def test_the_backup_is_not_added_without_the_policy_or_where_something_is_wrong(
    policy: int, fields: dict[str, object]
) -> None:
    """B14: it is a choice of the policy, and only for doubt alone; the author gets the wish for changes."""
    play = opened("create_core", rules=rules_with(protocols.peer(second_opinion_from=policy)))
    play.report(AUDITOR, **{"verdict": "concerns", "checklist": FULL, "summary": "Hm", **fields})
    (reason,) = play.last(RevisionRequested).reasons
    assert reason in ("auditor: Hm", "auditor: Hm: Errors are swallowed")
    assert "peer.tie" not in play.review.seats


def test_where_the_backup_is_not_there_the_second_opinion_is_a_humans() -> None:
    """B14: nobody approves in the backup's place."""
    play = opened("create_core", rules=rules_with(protocols.peer(second_opinion_from=60)))
    play.know(pool=tuple(one for one in play.facts.pool if one.who.name != "tester"))
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=70, summary="Not my field")
    assert ruling(play).reason == "Standards"
