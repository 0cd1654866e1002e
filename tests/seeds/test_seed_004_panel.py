"""Seed 004: the panel's rounds, its fix loop with caps, and what it remembers."""

from datetime import timedelta

import pytest

from foureyes.core import commands, lessons, protocols
from foureyes.core.events import (
    FindingRaised,
    FindingsMatched,
    FindingWaived,
    LessonKind,
    ReviewCleared,
    RevisionRequested,
)
from foureyes.core.facts import Suppression
from foureyes.core.refusals import Code
from foureyes.core.values import Outcome, Place, Severity
from tests.cast import DEV, HAIKU, HUGO, START, Play, finding
from tests.seeds.chain_play import asked, ruling, wanted
from tests.seeds.panel_play import both, decision, drafts, hand_in, judged, panel

BOTH_ON = {"auto_approve": True, "auto_reject": True}
FAILED = ("agreed critical", "agreed critical")
CLEAN = ("clean", "clean")


def asked_seats(play: Play) -> list[str]:
    return sorted(play.review.requests)


def test_the_first_round_asks_all_four_at_once() -> None:
    """004-15: spec A, spec B, quality A and quality B start together; the order they answer in does not matter."""
    play = panel(**BOTH_ON)
    assert asked_seats(play) == ["quality.1", "quality.2", "spec.1", "spec.2"]
    assert asked(play) == ["haiku", "sonnet"] * 2
    both(play, "quality", *CLEAN)
    assert (decision(play), asked_seats(play)) == ("waiting", ["spec.1", "spec.2"])
    both(play, "spec", *CLEAN)
    assert play.review.outcome is Outcome.CLEARED


def test_without_speculation_quality_waits_for_spec() -> None:
    """004-15, 004-27: speculative_quality is a switch of its own, on by default."""
    play = panel(speculative_quality=False, **BOTH_ON)
    assert asked_seats(play) == ["spec.1", "spec.2"]
    both(play, "spec", *CLEAN)
    assert asked_seats(play) == ["quality.1", "quality.2"]
    assert protocols.panel().stages[1].early
    assert not protocols.panel(speculative_quality=False).stages[1].early


@pytest.mark.parametrize("quality", [CLEAN, FAILED])
def test_what_quality_said_is_discarded_when_spec_fails(quality: tuple[str, str]) -> None:
    """004-16: good or bad, it neither clears the work nor is it sent to the author; spec alone speaks."""
    play = panel(**BOTH_ON)
    both(play, "quality", *quality)
    both(play, "spec", *FAILED)
    assert decision(play) == "AUTO_REJECT_TO_IMPLEMENTER"
    assert {play.review.findings[one].stage for one in wanted(play).findings} == {"spec"}
    play.revise("d2")
    both(play, "spec", *CLEAN)
    assert (play.review.outcome, asked_seats(play)) == (None, ["quality.1", "quality.2"])


def test_a_split_spec_is_a_humans_matter_whatever_quality_said() -> None:
    """004-16: two clean quality reports do not help."""
    play = panel(**BOTH_ON)
    both(play, "quality", *CLEAN)
    both(play, "spec", "clean", "own important")
    assert (decision(play), ruling(play).stage) == ("PRESENT_TO_HUMAN", "spec")


def test_later_rounds_ask_spec_first_and_quality_after_it_passed() -> None:
    """004-17: never speculative on a fix."""
    play = panel(**BOTH_ON)
    both(play, "spec", *FAILED)
    play.revise("d2")
    assert asked_seats(play) == ["spec.1", "spec.2"]
    hand_in(play, "spec", "A", "clean")
    assert asked_seats(play) == ["spec.2"]
    hand_in(play, "spec", "B", "clean")
    assert asked_seats(play) == ["quality.1", "quality.2"]
    both(play, "quality", *CLEAN)
    assert play.last(ReviewCleared).digest == "d2"


def test_a_single_strategy_has_two_seats_asked_together() -> None:
    """004-18: one spec and one quality; quality is still discarded when spec fails."""
    play = panel(models=("sonnet",), auto_approve_single=True, **BOTH_ON)
    assert asked_seats(play) == ["quality.1", "spec.1"]
    hand_in(play, "quality", "B", "clean")
    hand_in(play, "spec", "B", "clean")
    assert play.review.outcome is Outcome.CLEARED
    failing = panel(models=("sonnet",), auto_approve_single=True, **BOTH_ON)
    hand_in(failing, "quality", "B", "clean")
    hand_in(failing, "spec", "B", "own critical")
    assert decision(failing) == "AUTO_REJECT_TO_IMPLEMENTER"
    failing.revise("d2")
    assert asked_seats(failing) == ["spec.1"]


@pytest.mark.parametrize(("allowed", "becomes"), [(False, "PRESENT_TO_HUMAN"), (True, "AUTO_APPROVE")])
def test_one_model_alone_does_not_approve_by_itself(allowed: bool, becomes: str) -> None:
    """P10: auto_approve is for agreement; one model has nobody to agree with unless policy says it may."""
    play = panel(models=("sonnet",), auto_approve_single=allowed, **BOTH_ON)
    hand_in(play, "spec", "B", "clean")
    hand_in(play, "quality", "B", "clean")
    assert decision(play) == becomes
    unclear = panel(models=("sonnet",), auto_approve_single=allowed, **BOTH_ON)
    hand_in(unclear, "spec", "B", "own important")
    assert (judged(unclear).confidence, decision(unclear)) == (50, "PRESENT_TO_HUMAN")


def test_findings_fall_into_agreed_a_only_b_only_and_contradictions() -> None:
    """004-19, P7, P8: with the reason of each match."""
    play = panel()
    apart = Place(path="cart.py", start=3, end=3)
    hand_in(
        play,
        "spec",
        "A",
        "own critical",
        findings=(
            *drafts("spec", "A", "agreed critical"),
            *drafts("spec", "A", "own important"),
            finding("Add the null check on user", place=apart),
        ),
    )
    near = finding("MD5 is used to hash the password", "critical", place=Place(path="auth.py", start=15, end=15))
    opposite = finding("Remove the null check on user", place=apart)
    hand_in(play, "spec", "B", "own critical", findings=(near, opposite, *drafts("spec", "B", "own important")))
    found = play.last(FindingsMatched)
    assert [one.findings for one in found.groups] == [("spec.1-F1", "spec.2-F1")]
    assert "same lines" in found.groups[0].why
    assert [one.findings for one in found.contradictions] == [("spec.1-F3", "spec.2-F2")]
    assert "opposite fixes" in found.contradictions[0].why
    named = {name for group in (*found.groups, *found.contradictions) for name in group.findings}
    assert set(play.review.findings) - named == {"spec.1-F2", "spec.2-F3"}


@pytest.mark.parametrize(
    ("path", "line", "text", "category", "agreed"),
    [
        ("auth.py", 15, "MD5 hashes the password", "other", True),
        ("auth.py", 16, "MD5 hashes the password", "other", False),
        ("auth.py", 11, "Deadlock when two threads close it", "security", True),
        ("auth.py", 11, "Deadlock when two threads close it", "concurrency", False),
        ("user.py", 11, "MD5 hashes the password", "security", False),
    ],
)
def test_two_findings_are_one_issue_by_place_and_category_or_words(
    path: str, line: int, text: str, category: str, agreed: bool
) -> None:
    """P7: same file, at most 3 lines apart, and the same category or like words; else each stays single."""
    play = panel(**BOTH_ON)
    hand_in(play, "spec", "A", "agreed critical")
    other = finding(text, "critical", category=category, place=Place(path=path, start=line, end=line))
    hand_in(play, "spec", "B", "own critical", findings=(other,))
    assert bool(play.last(FindingsMatched).groups) is agreed
    assert (decision(play) == "AUTO_REJECT_TO_IMPLEMENTER") is agreed


def test_severities_two_levels_apart_contradict() -> None:
    """P8: what is critical to one and minor to the other is no agreement."""
    play = panel(**BOTH_ON)
    hand_in(play, "spec", "A", "minor", findings=drafts("spec", "A", "agreed minor"))
    hand_in(play, "spec", "B", "agreed critical")
    found = play.last(FindingsMatched)
    assert (found.groups, len(found.contradictions)) == ((), 1)
    assert decision(play) == "PRESENT_TO_HUMAN"


def fail_rounds(play: Play, attempts: int) -> None:
    """Let every round fail on an agreed critical finding, each followed by a fix."""
    for number in range(attempts):
        both(play, "spec", *FAILED)
        assert wanted(play).remaining == attempts - number
        play.revise(f"fix-{number + 1}")


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_each_fix_is_reviewed_and_the_last_failing_one_goes_to_a_human(cap: int) -> None:
    """P2, 004-01: so many attempts, so many and one reviews, then a human."""
    play = panel(max_fix_iterations=cap, **BOTH_ON)
    fail_rounds(play, cap)
    assert asked_seats(play) == ["spec.1", "spec.2"]
    both(play, "spec", *FAILED)
    fixes = [one for one in play.log if isinstance(one, RevisionRequested) and not one.answers]
    assert (ruling(play).reason, len(fixes), play.review.revision) == ("attempts_used_up", cap, cap + 1)
    assert len(ruling(play).findings) == 2
    assert play.refused(DEV, commands.SubmitRevision(digest="again")) is Code.RULING_PENDING


def test_a_last_fix_that_works_clears() -> None:
    """P2: the review after the last attempt counts."""
    play = panel(**BOTH_ON)
    fail_rounds(play, 2)
    both(play, "spec", *CLEAN)
    both(play, "quality", *CLEAN)
    assert play.last(ReviewCleared).digest == "fix-2"


def test_the_fix_request_names_every_issue_that_stops_the_work() -> None:
    """004-22, 004-26: not only the agreed critical, so that one fix can be enough."""
    play = panel(**BOTH_ON)
    for model in "AB":
        issues = (*drafts("spec", model, "agreed critical"), *drafts("spec", model, "own important"))
        hand_in(play, "spec", model, "own critical", findings=issues)
    assert decision(play) == "AUTO_REJECT_TO_IMPLEMENTER"
    assert set(wanted(play).findings) == set(play.review.findings)


def test_a_failed_quality_goes_to_the_fix_loop_and_comes_back_through_spec() -> None:
    """004-26, 004-17: the second stage rejects by itself too."""
    play = panel(**BOTH_ON)
    both(play, "spec", *CLEAN)
    both(play, "quality", *FAILED)
    assert (decision(play), wanted(play).stage) == ("AUTO_REJECT_TO_IMPLEMENTER", "quality")
    play.revise("d2")
    assert asked_seats(play) == ["spec.1", "spec.2"]


def test_the_caps_have_their_defaults_and_ranges() -> None:
    """004-01, 004-02: 2 fixes within 1-5, 10 turns within 5-30, and the seed's own sentences."""
    shipped = protocols.panel()
    assert (shipped.revisions_max, shipped.stages[0].options.turns_max) == (2, 10)
    for fixes in (1, 5):
        assert protocols.panel(max_fix_iterations=fixes).revisions_max == fixes
    for turns in (5, 30):
        assert protocols.panel(fix_timeout_turns=turns).stages[0].options.turns_max == turns
    for fixes in (0, 6, -1, True):
        with pytest.raises(ValueError, match=r"^max_fix_iterations must be 1-5$"):
            protocols.panel(max_fix_iterations=fixes)
    for turns in (4, 31, 0, True):
        with pytest.raises(ValueError, match=r"^fix_timeout_turns must be 5-30$"):
            protocols.panel(fix_timeout_turns=turns)


@pytest.mark.parametrize(("turns", "becomes"), [(10, "waiting"), (11, "PRESENT_TO_HUMAN")])
def test_a_fix_that_took_too_many_turns_goes_to_a_human(turns: int, becomes: str) -> None:
    """004-02, P13: 10 turns are allowed, the 11th is one too many."""
    play = panel(**BOTH_ON)
    both(play, "spec", *FAILED)
    play.revise("d2", turns=turns)
    assert decision(play) == becomes
    if becomes == "PRESENT_TO_HUMAN":
        assert ruling(play).reason == "turns_used_up"
        play.do(HUGO, commands.GiveRuling(request=ruling(play).id, option="retry", reason="let them look"))
        assert asked_seats(play) == ["spec.1", "spec.2"]


def test_without_turns_the_wall_clock_caps_a_fix() -> None:
    """P13: a day without a fix is a human's matter."""
    play = panel(**BOTH_ON)
    both(play, "spec", *FAILED)
    assert wanted(play).due == START + timedelta(hours=24)
    play.wait_out("revision")
    assert ruling(play).reason == "author_silent"


def dismissed() -> tuple[Play, Suppression]:
    """A finding that a human dismissed as not real, and the lesson it became."""
    play = panel(**BOTH_ON)
    here = Place(path="repo.py", start=9, end=9, context_hash="hash-of-repo")
    issue = finding("Missing @Transactional on the write", place=here)
    hand_in(play, "spec", "A", "own important", findings=(issue,))
    why = "R2DBC does not use Spring transactions"
    play.do(HUGO, commands.WaiveFinding(finding="spec.1-F1", reason=why, false_positive=True))
    waived, raised = play.last(FindingWaived), play.last(FindingRaised)
    record = lessons.RecordLesson(
        lesson="l1",
        kind=LessonKind.FALSE_POSITIVE,
        text=waived.reason,
        source="r1/spec.1-F1",
        fingerprint=raised.fingerprint,
        context_hash=waived.context_hash,
    )
    (event,) = lessons.decide_lesson((), record, HUGO, play.now, scope="toraka-core")
    learned = lessons.evolve_lessons((), event, play.now)
    assert (waived.false_positive, learned[0].text) == (True, why)
    (suppression,) = lessons.suppressions_for(learned, play.now)
    return play, suppression


def raised_again(severity: str, context_hash: str) -> FindingRaised:
    """Raise the finding in another review, after the lesson."""
    _, suppression = dismissed()
    play = panel(**BOTH_ON)
    play.know(suppressions=(suppression,))
    here = Place(path="repo.py", start=40, end=40, context_hash=context_hash)
    play.report(
        HAIKU,
        stage="spec",
        verdict="approve" if severity != "critical" and context_hash == "hash-of-repo" else "concerns",
        summary="seen",
        findings=(finding("Missing @Transactional on the write", severity, place=here),),
    )
    return play.last(FindingRaised)


def test_a_dismissed_finding_becomes_a_false_positive_that_is_not_raised_in_anger_again() -> None:
    """004-11, P12: its pattern and why; next time it is listed as suppressed and stops nothing."""
    found = raised_again("important", "hash-of-repo")
    assert (found.suppressed_by, found.severity) == ("l1", Severity.IMPORTANT)


@pytest.mark.parametrize(("severity", "context"), [("critical", "hash-of-repo"), ("important", "other-code")])
def test_a_false_positive_silences_nothing_critical_and_nothing_in_changed_code(severity: str, context: str) -> None:
    """P12, P11: a critical finding is always heard, and so is one whose code has changed."""
    assert raised_again(severity, context).suppressed_by == ""


def test_a_dismissal_takes_the_finding_out_of_the_models_way() -> None:
    """004-11: the waived finding no longer stops the model that raised it."""
    play, _ = dismissed()
    hand_in(play, "spec", "A", "clean")
    hand_in(play, "spec", "B", "clean")
    both(play, "quality", *CLEAN)
    assert play.review.outcome is Outcome.CLEARED
