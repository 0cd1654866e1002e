"""Seed 001: the fast lane, from ten good reviews to its enabling, a skip, a bug, and the way back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands
from foureyes.core.events import EscapeReported, LessonKind, LessonRecorded, ReviewCleared, SkipDisabled, StagesSkipped
from foureyes.core.lessons import RecordLesson, decide_lesson
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Learning, PathRule
from foureyes.core.trust import (
    DisableSkip,
    EnableSkip,
    TrustRecord,
    decide_trust,
    eligible,
    evolve_trust,
    record_escape,
    record_failure,
    record_review,
    shut_by,
    suggestion,
)
from foureyes.core.values import ClearedBy, Outcome, Risk, RiskLevel, Severity, WorkPart
from tests.cast import ANN, AUDITOR, DEV, HUGO, RULES, START, Play, rules_with
from tests.seeds.peer_play import DRAWN, enabled, fast_lane, opened, outcome, reviewer, track_record

LEARNING = RULES.learning


def succeeded(record: TrustRecord, times: int, confidence: int = 95) -> TrustRecord:
    for _ in range(times):
        record = record_review(record, approved=True, confidence=confidence, at=START, learning=LEARNING)
    return record


def test_a_pattern_a_human_enabled_skips_the_review_and_says_so() -> None:
    """001-15, 001-58, B8: the seed's own test; pattern, reason and the human's name are on the record."""
    play = opened(facts=fast_lane())
    skip = play.last(StagesSkipped)
    assert skip.reason == "Auto-skip: 10 successful reviews, 95% avg confidence"
    assert (skip.rule, skip.pattern, skip.enabled_by) == ("learned", "create_core/dev", "hugo")
    assert (play.last(ReviewCleared).by, play.last(ReviewCleared).level) == (ClearedBy.TRUST, 0)


@pytest.mark.parametrize(
    "record",
    [
        track_record(10),
        replace(enabled(track_record(10)), successes=9, confidence_sum=855),
        replace(enabled(track_record(10)), confidence_sum=890),
        succeeded(enabled(track_record(10, 90)), 10, 80),
    ],
    ids=["not enabled", "9 successes", "mean 0.89", "mean sank to 0.85"],
)
def test_a_learned_skip_needs_pattern_confidence_and_successes_each_time(record: TrustRecord) -> None:
    """001-15: all three are asked when the skip is used, not only when it was enabled."""
    assert reviewer(opened(facts=fast_lane(record))) == "auditor"


@pytest.mark.parametrize(
    "record",
    [
        replace(enabled(track_record()), author="ann"),
        replace(enabled(track_record()), kind="create_app"),
    ],
    ids=["another author's", "another kind's"],
)
def test_a_track_record_counts_for_its_own_kind_and_author_only(record: TrustRecord) -> None:
    """001-10: ten good reviews of one author, or of one kind of work, say nothing about another."""
    assert record.pattern in {"create_core/ann", "create_app/dev"}
    assert reviewer(opened(facts=fast_lane(record))) == "auditor"


def test_the_skip_is_off_until_a_human_who_is_not_the_author_enables_it() -> None:
    """001-56, B8: an agent is refused, the human's name and time are kept, and without that nothing is skipped."""
    record = track_record()
    assert eligible(record, START, LEARNING)
    assert reviewer(opened(facts=fast_lane(record))) == "auditor"
    for actor, code in ((AUDITOR, Code.HUMAN_ONLY), (DEV, Code.HUMAN_ONLY)):
        with pytest.raises(Refusal) as caught:
            decide_trust(record, EnableSkip(), actor, START, LEARNING)
        assert caught.value.code is code
    on = enabled(record)
    assert (on.enabled_by, on.enabled_at) == ("hugo", START)
    assert opened(facts=fast_lane(on)).last(ReviewCleared).by is ClearedBy.TRUST


@pytest.mark.parametrize("kind", ["security_change", "breaking_change", "database_migration"])
def test_some_kinds_are_never_skipped_whatever_the_record_says(kind: str) -> None:
    """B8: neither by a record, nor enabled, nor by the name the author gives to bytes on such a path."""
    record = replace(enabled(track_record()), kind=kind)
    assert reviewer(opened(kind, facts=fast_lane(record))) == "auditor"
    with pytest.raises(Refusal):
        decide_trust(track_record(kind=kind), EnableSkip(), HUGO, START, LEARNING)
    rules = rules_with(paths=(PathRule(pattern="guarded/**", kind=kind),))
    parts = (WorkPart(name="guarded/a.py", digest="p1"),)
    assert reviewer(opened(rules=rules, facts=fast_lane(), parts=parts)) == "auditor"


def test_a_stage_with_a_veto_is_never_skipped() -> None:
    """B8: a trusted author's work still meets the veto of a chain it must pass."""
    play = opened(facts=fast_lane(), protocols=("security",))
    skip = play.last(StagesSkipped)
    assert "security.security" not in skip.stages
    assert (outcome(play), reviewer(play, "security.security.1")) == (None, "hardin")


def test_bytes_of_high_risk_are_never_skipped_by_a_record() -> None:
    """B8: what the author earned with harmless work does not carry dangerous work."""
    assert reviewer(opened(facts=fast_lane(risk=Risk(level=RiskLevel.HIGH)))) == "auditor"


@pytest.mark.parametrize(("days", "is_skipped"), [(7, True), (7.01, False), (-1, False)])
def test_a_record_not_tested_for_seven_days_is_tested_again(days: float, is_skipped: bool) -> None:
    """001-57: more than seven days after the last review a reviewer is asked, also when the clock ran backwards."""
    play = Play(facts=fast_lane())
    play.wait(days=days)
    play.open("create_core")
    assert (outcome(play) is Outcome.CLEARED) is is_skipped


def test_a_tenth_of_the_skips_is_audited_and_never_none() -> None:
    """B29: by the committed draw; a rate of 0 is taken as the least there is while a skip is on."""
    drawn = [reviewer_of(draw, LEARNING) for draw in range(100)]
    assert drawn.count("auditor") == 10
    least = [reviewer_of(draw, replace(LEARNING, audit_percent=0)) for draw in range(100)]
    assert least.count("auditor") == 1
    assert reviewer_of(DRAWN, replace(LEARNING, audit_percent=0)) == "auditor"


def reviewer_of(draw: int, learning: Learning) -> str:
    play = opened(rules=rules_with(learning=learning), facts=fast_lane(draw=draw))
    return "" if outcome(play) is Outcome.CLEARED else reviewer(play)


def test_a_skip_is_decided_anew_for_every_revision() -> None:
    """001-15: the record fell meanwhile, so the next version is looked at."""
    play = opened(facts=fast_lane())
    play.know(trust=record_failure(enabled(track_record()), at=START, learning=LEARNING))
    play.revise("d2")
    assert (outcome(play), reviewer(play)) == (None, "auditor")


def test_a_bug_in_skipped_work_shuts_the_lane_costs_thirty_and_needs_ten_new_successes() -> None:
    """001-75, B9: reported by anyone; off at once, -0.30, a human is told, a lesson is kept, a long way back."""
    record = enabled(track_record())
    play = opened(facts=fast_lane(record))
    play.do(ANN, commands.ReportEscape(text="It loses the last row", severity="critical", found_in="production"))
    escape = play.last(EscapeReported)
    assert (escape.severity, escape.by) == (Severity.CRITICAL, "ann")

    fallen = record_escape(record, at=START, learning=LEARNING)
    assert (record.trust - fallen.trust, fallen.needs_successes, fallen.enabled_by) == (30, 10, "")
    told = shut_by(record, fallen)
    assert isinstance(told, SkipDisabled)
    assert told.reason.startswith("A defect escaped")
    order = RecordLesson(lesson="l1", kind=LessonKind.MISSED, text=escape.text, source=play.review.id)
    (lesson,) = decide_lesson((), order, ANN, START, scope="create_core")
    assert isinstance(lesson, LessonRecorded)
    assert lesson.text == "It loses the last row"

    play.know(trust=fallen)
    play.revise("d2")
    assert reviewer(play) == "auditor"
    assert not eligible(succeeded(fallen, 9), START, LEARNING)
    assert eligible(succeeded(fallen, 10), START, LEARNING)


def test_an_ordinary_failure_costs_fifteen_and_does_not_ask_for_ten_new_successes() -> None:
    """B9, 001-59: the two prices are different; trust stays between 0 and 1."""
    record = enabled(track_record(20))
    failed = record_failure(record, at=START, learning=LEARNING)
    assert (record.trust, failed.trust, failed.needs_successes) == (100, 85, 0)
    low = replace(record, trust=10)
    assert record_failure(low, at=START, learning=LEARNING).trust == 0
    assert succeeded(replace(record, trust=98), 1).trust == 100


def test_the_seeds_failing_pattern_loses_its_skip_with_the_first_failure() -> None:
    """B10, 001-60: 0.82 falls to 0.67, the skip is off and a human is told; the second failure changes nothing more."""
    record = replace(enabled(track_record()), trust=82)
    once = record_failure(record, at=START, learning=LEARNING)
    assert (once.trust, once.enabled_by) == (67, "")
    told = shut_by(record, once)
    assert told is not None
    assert told.reason == "Trust fell to 67%, below 80%"
    twice = record_failure(once, at=START, learning=LEARNING)
    assert (twice.enabled_by, shut_by(once, twice)) == ("", None)
    assert reviewer(opened(facts=fast_lane(once))) == "auditor"


def test_the_seeds_pattern_is_detected_after_ten_successful_reviews() -> None:
    """001-53, 001-54, B3: successes 10 and eligible; 8 of 8 is not, and an unsure approval is an attempt only."""
    assert (track_record(10).successes, eligible(track_record(10), START, LEARNING)) == (10, True)
    assert not eligible(track_record(8), START, LEARNING)
    unsure = succeeded(track_record(9), 1, 79)
    assert (unsure.successes, unsure.attempts, eligible(unsure, START, LEARNING)) == (9, 10, False)


def test_a_skip_is_suggested_once_to_a_human_a_week_after_it_became_eligible() -> None:
    """001-55, B7: with reviews, average and minutes saved; 0 days suggest at once; a second time never."""
    record = track_record()
    week = timedelta(days=7)
    assert suggestion(record, START + week - timedelta(seconds=1), LEARNING) is None
    event = suggestion(record, START + week, LEARNING)
    assert event is not None
    assert (event.successes, event.confidence_percent, event.minutes_saved) == (10, 95, 20)
    assert suggestion(record, START, replace(LEARNING, suggest_after=timedelta(0))) == event
    assert suggestion(evolve_trust(record, event, START + week), START + week, LEARNING) is None


def test_confidence_is_a_whole_number_up_to_a_hundred_and_its_mean_a_share_of_one() -> None:
    """B4: 95 of 100 is 0.95, not 95 compared with 0.9; what is no such number is refused."""
    assert not eligible(track_record(10, 89), START, LEARNING)
    assert eligible(track_record(10, 90), START, LEARNING)
    play = opened()
    for wrong in (101, -1, True):
        assert play.refused(AUDITOR, play.a_report(verdict="approve", confidence=wrong)) is Code.BAD_NUMBER


def test_no_recent_failure_means_that_every_attempt_of_thirty_days_succeeded() -> None:
    """B5, 001-54: nine of ten is not all; a failure older than the window no longer counts."""
    record = record_failure(track_record(30), at=START, learning=LEARNING)
    fresh = record_review(record, approved=True, confidence=95, at=START + timedelta(days=29), learning=LEARNING)
    assert not eligible(fresh, START + timedelta(days=29), LEARNING)
    assert eligible(fresh, START + timedelta(days=31), LEARNING)


def test_a_human_may_shut_the_lane_and_must_say_why() -> None:
    """001-56, B8: who and why are kept; work after that is looked at."""
    record = enabled(track_record())
    with pytest.raises(Refusal):
        decide_trust(record, DisableSkip(reason=" "), HUGO, START, LEARNING)
    (event,) = decide_trust(record, DisableSkip(reason="New team"), HUGO, START, LEARNING)
    off = evolve_trust(record, event, START)
    assert (off.enabled_by, off.disabled_because) == ("", "New team")
    assert reviewer(opened(facts=fast_lane(off))) == "auditor"
