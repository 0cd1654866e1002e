"""The fast lane is enabled by a human on a clean record, and disabled at the first doubt."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.events import SessionEnded, SkipDisabled, SkipEnabled, SkipSuggested
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import NEVER_SKIPPED, Learning
from foureyes.core.trust import (
    HISTORY_MAX,
    REASON_CHARS_MAX,
    DisableSkip,
    EnableSkip,
    NoSkip,
    Skip,
    TrustRecord,
    average,
    decide_trust,
    eligible,
    enabled_notice,
    evolve_trust,
    may_skip,
    record_escape,
    record_failure,
    record_review,
    shut_by,
    suggestion,
)
from foureyes.core.values import Who, WhoKind

T0 = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
L = Learning()
HAL = Who(name="hal", kind=WhoKind.HUMAN)
FRESH = TrustRecord(kind="create_core", author="core-developer")
NOT_DRAWN = 99


def reviewed(
    record: TrustRecord, at: datetime = T0, confidence: int | None = 95, *, approved: bool = True
) -> TrustRecord:
    return record_review(record, approved=approved, confidence=confidence, at=at, learning=L)


def after(successes: int, confidence: int = 95, kind: str = "create_core") -> TrustRecord:
    record = replace(FRESH, kind=kind)
    for _ in range(successes):
        record = record_review(
            record, approved=True, confidence=confidence, at=T0, learning=L, took=timedelta(minutes=22, seconds=30)
        )
    return record


def enabled(at: datetime = T0) -> TrustRecord:
    record = after(10)
    (event,) = decide_trust(record, EnableSkip(), HAL, at, L)
    return evolve_trust(record, event, at)


def refused(record: TrustRecord, command: EnableSkip | DisableSkip, actor: Who = HAL, now: datetime = T0) -> Refusal:
    with pytest.raises(Refusal) as caught:
        decide_trust(record, command, actor, now, L)
    return caught.value


def why_not(record: TrustRecord | None, now: datetime = T0, draw: int = NOT_DRAWN, learning: Learning = L) -> str:
    answer = may_skip(record, now, learning, audit_draw=draw)
    assert isinstance(answer, NoSkip)
    return answer.reason


@pytest.mark.parametrize(
    ("approved", "confidence", "successes"), [(True, 80, 1), (True, 79, 0), (False, 100, 0), (True, None, 0)]
)
def test_a_success_is_an_approval_by_a_reviewer_sure_enough(
    approved: bool, confidence: int | None, successes: int
) -> None:
    """001-53: approved and at least 80 sure; every attempt is counted."""
    record = reviewed(FRESH, confidence=confidence, approved=approved)
    assert (record.attempts, record.successes) == (1, successes)


def test_a_first_failure_has_no_average_and_breaks_nothing() -> None:
    """S7: the mean of nothing is nothing, not an error and not 1.0."""
    record = record_failure(FRESH, at=T0, learning=L)
    assert average(record) is None
    assert not eligible(record, T0, L)
    assert suggestion(record, T0 + 90 * DAY, L) is None


def test_the_average_is_an_exact_fraction_of_one() -> None:
    """B4, B6, S7: confidence counts 0 to 100, its mean 0 to 1, and both are apart from trust."""
    record = reviewed(reviewed(reviewed(FRESH, confidence=90), confidence=90), confidence=91)
    assert average(record) == Fraction(271, 300)
    assert record.trust == 65


@pytest.mark.parametrize(("successes", "is_eligible"), [(8, False), (9, False), (10, True)])
def test_ten_successes_make_a_record_eligible(successes: int, is_eligible: bool) -> None:
    """001-54, B3: ten, and the 8 of 8 in the sample is an error."""
    assert eligible(after(successes), T0, L) is is_eligible


@pytest.mark.parametrize(("confidence", "is_eligible"), [(89, False), (90, True)])
def test_the_mean_confidence_must_be_ninety_percent(confidence: int, is_eligible: bool) -> None:
    """001-54, B4: 0.9 of 1, so 89 of 100 is too little."""
    assert eligible(after(12, confidence), T0, L) is is_eligible


def test_one_failure_in_the_window_takes_eligibility_away_until_it_is_old() -> None:
    """001-54, B5, S7: all attempts of the last 30 days succeeded, not merely most of them."""
    record = reviewed(after(20), T0 + DAY, approved=False)
    recovered = reviewed(record, T0 + 20 * DAY)
    assert not eligible(recovered, T0 + 20 * DAY, L)
    assert not eligible(recovered, T0 + 31 * DAY, L)
    assert eligible(recovered, T0 + 31 * DAY + timedelta(microseconds=1), L)


def test_a_record_nobody_tested_lately_is_not_eligible() -> None:
    """B5: none of none is no track record."""
    assert eligible(after(10), T0 + 30 * DAY, L)
    assert not eligible(after(10), T0 + 30 * DAY + timedelta(seconds=1), L)


@pytest.mark.parametrize("kind", sorted(NEVER_SKIPPED))
def test_some_kinds_are_never_skipped(kind: str) -> None:
    """B8, 001-14: no record opens the fast lane for them, nor is it suggested or used."""
    record = after(30, kind=kind)
    assert not eligible(record, T0, L)
    assert suggestion(record, T0 + 8 * DAY, L) is None
    assert refused(record, EnableSkip()).code is Code.NOT_ELIGIBLE
    forced = replace(record, enabled_by="hal", expires=T0 + DAY)
    assert "always reviewed" in why_not(forced)


def test_a_suggestion_comes_once_seven_days_after_the_record_became_eligible() -> None:
    """001-55, B7: with reviews, average and the minutes a review takes."""
    record = reviewed(after(10), T0 + 3 * DAY)
    assert suggestion(record, T0 + 7 * DAY - timedelta(seconds=1), L) is None
    event = suggestion(record, T0 + 7 * DAY, L)
    assert event == SkipSuggested(
        kind="create_core", author="core-developer", successes=11, confidence_percent=95, minutes_saved=20
    )
    assert suggestion(evolve_trust(record, event, T0 + 7 * DAY), T0 + 9 * DAY, L) is None
    assert suggestion(after(10), T0, replace(L, suggest_after=timedelta(0))) is not None


def test_no_suggestion_for_what_is_on_or_no_longer_eligible() -> None:
    """001-55, B5."""
    assert suggestion(enabled(), T0 + 8 * DAY, L) is None
    failed = reviewed(after(10), T0 + DAY, approved=False)
    assert failed.eligible_since is None
    assert suggestion(failed, T0 + 8 * DAY, L) is None
    assert suggestion(after(10), T0 + 31 * DAY, L) is None


def test_only_a_human_enables_the_fast_lane() -> None:
    """001-56, B8, T17: with name, time, end, and the notice."""
    record = after(10)
    assert refused(record, EnableSkip(), Who(name="bob")).code is Code.HUMAN_ONLY
    assert refused(record, DisableSkip(reason="x"), Who(name="bob")).code is Code.HUMAN_ONLY
    (event,) = decide_trust(record, EnableSkip(), HAL, T0, L)
    assert event == SkipEnabled(kind="create_core", author="core-developer", by="hal", expires=T0 + 30 * DAY)
    on = evolve_trust(record, event, T0)
    assert (on.enabled_by, on.enabled_at, on.expires) == ("hal", T0, T0 + 30 * DAY)
    assert isinstance(event, SkipEnabled)
    assert enabled_notice(event) == ("Auto-skip enabled", "core-developer create_core will skip peer review")


def test_nobody_enables_it_for_their_own_work() -> None:
    """B8, D-04: a human author is an author."""
    record = replace(after(10), author="Hal ")
    assert refused(record, EnableSkip()).code is Code.AUTHOR_MAY_NOT


def test_a_record_that_is_not_good_enough_cannot_be_enabled() -> None:
    """001-54, 001-56: the refusal says what is missing."""
    assert refused(after(9), EnableSkip()).sentence == "9 of 10 successes are there."
    assert refused(after(10, 85), EnableSkip()).sentence == "The mean confidence is 85%, below 90%."
    assert refused(after(10), EnableSkip(), now=T0 + 60 * DAY).code is Code.NOT_ELIGIBLE
    assert refused(FRESH, EnableSkip()).code is Code.NOT_ELIGIBLE


def test_it_is_renewed_only_after_it_has_expired() -> None:
    """T17: 30 days, then a human looks again."""
    on = enabled()
    assert refused(on, EnableSkip(), now=T0 + 30 * DAY - timedelta(seconds=1)).code is Code.DUPLICATE
    assert decide_trust(on, EnableSkip(), HAL, T0 + 30 * DAY, L)
    assert "expired" in why_not(reviewed(on, T0 + 29 * DAY), T0 + 30 * DAY)
    assert "expired" in why_not(replace(on, expires=None))


def test_a_human_disables_it_with_a_reason() -> None:
    """001-56: who and why are kept."""
    on = enabled()
    (event,) = decide_trust(on, DisableSkip(reason="new model"), HAL, T0, L)
    assert event == SkipDisabled(kind="create_core", author="core-developer", by="hal", reason="new model")
    off = evolve_trust(on, event, T0)
    assert (off.enabled_by, off.enabled_at, off.expires, off.disabled_because) == ("", None, None, "new model")
    assert refused(on, DisableSkip(reason=" ")).code is Code.REASON_MISSING
    assert refused(on, DisableSkip(reason="x" * (REASON_CHARS_MAX + 1))).code is Code.TOO_LONG
    assert refused(off, DisableSkip(reason="again")).code is Code.NOT_OPEN
    assert evolve_trust(on, SessionEnded(session="s", by="hal", reason="done"), T0) == on


def test_a_skip_says_which_record_and_which_human_stand_behind_it() -> None:
    """001-58, X8, I11: the seed's sentence, the pattern and who enabled it."""
    assert may_skip(enabled(), T0, L, audit_draw=NOT_DRAWN) == Skip(
        reason="Auto-skip: 10 successful reviews, 95% avg confidence",
        pattern="create_core/core-developer",
        enabled_by="hal",
    )


def test_the_average_is_rounded_half_up() -> None:
    """001-58: 94.5 reads 95."""
    record = replace(enabled(), successes=20, confidence_sum=1890)
    answer = may_skip(record, T0, L, audit_draw=NOT_DRAWN)
    assert answer.reason == "Auto-skip: 20 successful reviews, 95% avg confidence"


def test_without_a_human_nothing_is_skipped() -> None:
    """001-15, B8, I11: neither an unknown record nor the best one."""
    assert "No human" in why_not(None)
    assert "No human" in why_not(after(50))


def test_after_a_gap_of_seven_days_it_is_reviewed_anyway() -> None:
    """001-57: more than seven days, and also when the clock jumped back."""
    on = enabled()
    assert isinstance(may_skip(on, T0 + 7 * DAY, L, audit_draw=NOT_DRAWN), Skip)
    assert why_not(on, T0 + 7 * DAY + timedelta(seconds=1)) == "Pattern check: reviewing after 7 day gap"
    assert why_not(on, T0 - timedelta(seconds=1)) == "Pattern check: reviewing after 7 day gap"
    assert why_not(replace(on, last_review_at=None)) == "Pattern check: reviewing after 7 day gap"


def test_any_failure_in_the_window_suspends_it() -> None:
    """I11, T17: even while enough trust is left."""
    on = replace(enabled(), history=((T0, False),))
    assert on.trust >= 80
    assert why_not(on) == "There was a failure in the last 30 days"


def test_a_tenth_of_the_skips_is_audited_and_never_none() -> None:
    """B29, T17: by the draw; an audit rate of 0 is raised to 1 while a skip is on."""
    on = enabled()
    drawn = [draw for draw in range(100) if isinstance(may_skip(on, T0, L, audit_draw=draw), NoSkip)]
    assert drawn == list(range(10))
    assert why_not(on, draw=203) == "Audit: drawn for review although auto-skip is on"
    assert why_not(on, draw=0, learning=replace(L, audit_percent=0)).startswith("Audit")


def test_trust_moves_by_five_up_and_fifteen_down_within_its_bounds() -> None:
    """001-59, 001-26."""
    assert reviewed(replace(FRESH, trust=50)).trust == 55
    assert reviewed(replace(FRESH, trust=98)).trust == 100
    assert record_failure(replace(FRESH, trust=90), at=T0, learning=L).trust == 75
    assert record_failure(replace(FRESH, trust=10), at=T0, learning=L).trust == 0


def test_the_first_failure_from_eighty_two_shuts_it_and_tells_a_human() -> None:
    """001-60, B10: 0.82 - 0.15 is below 0.8."""
    before = replace(enabled(), trust=82)
    off = record_failure(before, at=T0, learning=L)
    assert (off.trust, off.enabled_by, off.expires) == (67, "", None)
    assert shut_by(before, off) == SkipDisabled(
        kind="create_core", author="core-developer", by="trust", reason="Trust fell to 67%, below 80%"
    )
    assert shut_by(off, record_failure(off, at=T0, learning=L)) is None


def test_trust_of_eighty_is_enough_and_less_is_not() -> None:
    """001-60: below 0.8, exactly."""
    before = replace(enabled(), trust=95)
    kept = record_failure(before, at=T0, learning=L)
    assert (kept.trust, kept.enabled_by) == (80, "hal")
    assert shut_by(before, kept) is None
    assert "Trust is 79%" in why_not(replace(enabled(), trust=79))
    assert isinstance(may_skip(replace(enabled(), trust=80), T0, L, audit_draw=NOT_DRAWN), Skip)


def test_an_escaped_defect_shuts_it_at_once_and_asks_for_ten_new_successes() -> None:
    """001-75, B9, D-25: off, 30 down whatever the trust, and ten more before a human may enable it again."""
    before = enabled()
    off = record_escape(before, at=T0, learning=L)
    assert (off.trust, off.enabled_by, off.needs_successes) == (70, "", 10)
    assert shut_by(before, off) == SkipDisabled(
        kind="create_core", author="core-developer", by="trust", reason="A defect escaped on 2026-01-01"
    )
    for _ in range(9):
        off = reviewed(off)
    assert "1 more successes" in refused(off, EnableSkip()).sentence
    assert decide_trust(reviewed(off), EnableSkip(), HAL, T0, L)
    assert record_escape(replace(FRESH, trust=20), at=T0, learning=L).trust == 0


def test_the_history_is_bounded_and_forgets_no_failure_for_successes() -> None:
    """I28, B5: a flood of successes does not wash a recent failure away."""
    record = record_failure(FRESH, at=T0, learning=L)
    for _ in range(HISTORY_MAX + 50):
        record = reviewed(record, T0 + DAY)
    assert len(record.history) == HISTORY_MAX + 1
    assert not eligible(record, T0 + DAY, L)
    assert len(reviewed(record, T0 + 60 * DAY).history) == 1


def test_a_late_result_does_not_make_the_last_review_older() -> None:
    """001-57, F10: results may arrive out of order."""
    assert reviewed(reviewed(FRESH, T0 + DAY), T0).last_review_at == T0 + DAY


OUTCOMES = st.lists(st.tuples(st.booleans(), st.integers(0, 100), st.integers(0, 40)), max_size=40)


@given(outcomes=OUTCOMES)
def test_eligible_means_exactly_what_the_rule_says(outcomes: list[tuple[bool, int, int]]) -> None:
    """001-53, 001-54, B3, B4, B5, S7: against a count made afresh."""
    record, now = FRESH, T0
    seen: list[tuple[datetime, bool, int]] = []
    for approved, confidence, days in outcomes:
        now += days * DAY
        record = reviewed(record, now, confidence, approved=approved)
        seen.append((now, approved and confidence >= 80, confidence))
    good = [confidence for _, succeeded, confidence in seen if succeeded]
    recent = [succeeded for at, succeeded, _ in seen if at >= now - 30 * DAY]
    expected = len(good) >= 10 and sum(good) >= 90 * len(good) and bool(recent) and all(recent)
    assert eligible(record, now, L) == expected
    assert (record.attempts, record.successes) == (len(seen), len(good))
    assert 0 <= record.trust <= 100


@given(outcomes=OUTCOMES, draw=st.integers(0, 10**9))
def test_nothing_is_skipped_unless_every_condition_holds(outcomes: list[tuple[bool, int, int]], draw: int) -> None:
    """I11, T17: enabled by a human, unexpired, no failure in the window, trust, fresh, not drawn."""
    record, now = enabled(), T0
    failures: list[datetime] = []
    for approved, confidence, days in outcomes:
        now += days * DAY
        record = reviewed(record, now, confidence, approved=approved)
        if not approved or confidence < 80:
            failures.append(now)
    if isinstance(may_skip(record, now, L, audit_draw=draw), Skip):
        assert record.enabled_by == "hal"
        assert now < T0 + 30 * DAY
        assert not [at for at in failures if at >= now - 30 * DAY]
        assert record.trust >= 80
        assert draw % 100 >= 10
