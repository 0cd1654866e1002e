"""A recommendation is drawn from human decisions, and states how many there are."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.facts import PastRuling
from foureyes.core.recommend import CONFIDENCE_MIN, PAST_MAX, recommend
from foureyes.core.values import Effect, Option

T0 = datetime(2026, 1, 16, tzinfo=UTC)
OPTIONS = (
    Option(id="as_is", label="Approve as is", effect=Effect.PASS_STAGE),
    Option(id="reviewer", label="Enhanced security", effect=Effect.REVISE),
    Option(id="compromise", label="Compromise", effect=Effect.REVISE),
)


def ruling(
    effect: Effect, kind: str = "security_change", reason: str = "gap", by: str = "hal", day: int = 0
) -> PastRuling:
    return PastRuling(kind=kind, reason=reason, effect=effect, by=by, at=T0 + timedelta(days=day))


def test_the_option_people_usually_take_is_named_with_confidence_and_reasons() -> None:
    """001-49: option, confidence and why; 3 of 3 like cases, less the lasting doubt."""
    hint = recommend(OPTIONS, "gap", "security_change", [ruling(Effect.REVISE)] * 3)
    assert hint is not None
    assert (hint.option, hint.confidence) == ("reviewer", 85)
    assert hint.why == (
        "3 of 3 decisions on security_change with reason gap were revise.",
        "3 of 3 decisions on any work with reason gap were revise.",
        "3 of 3 decisions on security_change with any reason were revise.",
    )


def test_cases_of_the_same_kind_and_reason_weigh_more() -> None:
    """001-49: two like cases outweigh three that only share the reason."""
    past = [ruling(Effect.REVISE)] * 2 + [ruling(Effect.PASS_STAGE, kind="create_app")] * 3
    assert recommend(OPTIONS, "gap", "security_change", past) is not None
    assert recommend(OPTIONS, "gap", "create_app", past) is not None
    both = [recommend(OPTIONS, "gap", kind, past) for kind in ("security_change", "create_app")]
    assert [hint.option for hint in both if hint] == ["reviewer", "as_is"]


def test_too_little_or_divided_data_gives_no_recommendation() -> None:
    """001-49: fewer than three like cases, strangers only, or no clear habit."""
    assert recommend(OPTIONS, "gap", "security_change", [ruling(Effect.REVISE)] * 2) is None
    strangers = [ruling(Effect.REVISE, kind="story", reason="late")] * 50
    assert recommend(OPTIONS, "gap", "security_change", strangers) is None
    divided = [ruling(Effect.REVISE)] * 3 + [ruling(Effect.PASS_STAGE)] * 3
    assert recommend(OPTIONS, "gap", "security_change", divided) is None
    assert recommend((), "gap", "security_change", [ruling(Effect.REVISE)] * 9) is None


def test_decisions_not_on_offer_lower_the_confidence() -> None:
    """001-49: what people chose elsewhere counts against every option offered here."""
    past = [ruling(Effect.REVISE)] * 6 + [ruling(Effect.SHELVE)] * 2
    hint = recommend(OPTIONS, "gap", "security_change", past)
    assert hint is not None
    assert hint.confidence == 70


def test_what_the_clock_decided_is_nobodys_habit() -> None:
    """001-49, 001-63: a fallback is not a decision of a human."""
    assert recommend(OPTIONS, "gap", "security_change", [ruling(Effect.REVISE, by="clock")] * 9) is None


def test_only_the_newest_decisions_count() -> None:
    """001-49: people change their minds."""
    old = [ruling(Effect.PASS_STAGE, day=0)] * (2 * PAST_MAX)
    new = [ruling(Effect.REVISE, day=1)] * PAST_MAX
    hint = recommend(OPTIONS, "gap", "security_change", [*new, *old])
    assert hint is not None
    assert hint.option == "reviewer"


RULINGS = st.lists(
    st.builds(
        ruling,
        effect=st.sampled_from(list(Effect)),
        kind=st.sampled_from(["security_change", "story"]),
        reason=st.sampled_from(["gap", "late"]),
        by=st.sampled_from(["hal", "clock"]),
        day=st.integers(0, 3),
    ),
    max_size=12,
)


@given(past=RULINGS, data=st.data())
def test_a_hint_offers_an_option_never_certainty_and_no_order_changes_it(
    past: list[PastRuling], data: st.DataObject
) -> None:
    """001-49."""
    hint = recommend(OPTIONS, "gap", "security_change", past)
    assert recommend(OPTIONS, "gap", "security_change", data.draw(st.permutations(past))) == hint
    if hint is not None:
        assert hint.option in {"as_is", "reviewer"}
        assert CONFIDENCE_MIN <= hint.confidence < 100
