"""Seed 004: the confidence table and `decide()`, row by row and over every combination of reports."""

from dataclasses import dataclass
from itertools import product

import pytest

from foureyes.core import protocols
from foureyes.core.events import FindingsMatched, ReviewCleared, RulingRequested
from foureyes.core.judgement import Move
from foureyes.core.values import ClearedBy, Evidence, Outcome
from tests.cast import Play
from tests.seeds.panel_play import FAILS, PASSES, SHARED, both, decision, drafts, hand_in, judged, panel

KINDS = (*PASSES, *FAILS)
BOTH_ON = {"auto_approve": True, "auto_reject": True}


@pytest.mark.parametrize(
    ("spec", "quality", "confidence", "scenario", "becomes"),
    [
        (("clean", "clean"), ("clean", "clean"), 100, "clean", "AUTO_APPROVE"),
        (("clean", "clean"), ("clean", "minor"), 85, "minor only", "AUTO_APPROVE"),
        (("minor", "clean"), ("clean", "clean"), 85, "minor only", "AUTO_APPROVE"),
        (("minor", "minor"), ("minor", "minor"), 85, "minor only", "AUTO_APPROVE"),
        (("agreed critical", "agreed critical"), None, 90, "agreed critical", "AUTO_REJECT_TO_IMPLEMENTER"),
        (("clean", "clean"), ("agreed critical",) * 2, 90, "agreed critical", "AUTO_REJECT_TO_IMPLEMENTER"),
        (("clean", "own important"), None, 40, "split", "PRESENT_TO_HUMAN"),
        (("own important", "minor"), None, 40, "split", "PRESENT_TO_HUMAN"),
        (("own critical", "clean"), None, 40, "split", "PRESENT_TO_HUMAN"),
        (("clean", "clean"), ("clean", "own important"), 40, "split", "PRESENT_TO_HUMAN"),
        (("own important", "own important"), None, 60, "different issues", "PRESENT_TO_HUMAN"),
        (("own critical", "own critical"), None, 60, "different issues", "PRESENT_TO_HUMAN"),
        (("clean", "own critical"), None, 70, "B-only critical", "PRESENT_TO_HUMAN"),
        (("own important", "own critical"), None, 70, "B-only critical", "PRESENT_TO_HUMAN"),
        (("own critical", "own important"), None, 50, "unclear", "PRESENT_TO_HUMAN"),
        (("agreed important", "agreed important"), None, 50, "unclear", "PRESENT_TO_HUMAN"),
    ],
)
def test_the_confidence_table(
    spec: tuple[str, str], quality: tuple[str, str] | None, confidence: int, scenario: str, becomes: str
) -> None:
    """004-20, 004-21, 004-22, 004-23, 004-24, 004-25, P4, P5: with both switches on, each row's value and action."""
    play = panel(**BOTH_ON)
    both(play, "spec", *spec)
    if quality:
        both(play, "quality", *quality)
    found = judged(play)
    assert (found.confidence, found.scenario, decision(play)) == (confidence, scenario, becomes)


@dataclass(frozen=True)
class Merged:
    """Two reports merged by the seed's pseudo code: fails if either fails, agrees if both are equal."""

    a: str
    b: str

    @property
    def fails(self) -> bool:
        return self.a in FAILS or self.b in FAILS

    @property
    def agreed_critical(self) -> bool:
        """Findings one severity apart are still one issue, and the graver severity counts."""
        return {self.a, self.b} <= {"agreed critical", "agreed important"} and "agreed critical" in {self.a, self.b}


def seeds_decide(spec: Merged, quality: Merged, *, auto_approve: bool, auto_reject: bool) -> str:
    """Seed 004's `decide()`, line by line."""
    if spec.fails:
        if spec.agreed_critical and auto_reject:
            return "AUTO_REJECT_TO_IMPLEMENTER"
        return "PRESENT_TO_HUMAN"
    if not quality.fails:
        return "AUTO_APPROVE" if auto_approve else "PRESENT_TO_HUMAN"
    if quality.agreed_critical and auto_reject:
        return "AUTO_REJECT_TO_IMPLEMENTER"
    return "PRESENT_TO_HUMAN"


SPEC_FAILS = [(spec, ("clean", "clean")) for spec in product(KINDS, KINDS) if Merged(*spec).fails]
SPEC_PASSES = [(spec, quality) for spec in product(PASSES, PASSES) for quality in product(KINDS, KINDS)]


@pytest.mark.parametrize(("auto_approve", "auto_reject"), list(product([False, True], repeat=2)))
def test_every_combination_of_reports_is_decided_as_the_seed_does(auto_approve: bool, auto_reject: bool) -> None:
    """004-26, 004-27, P6: spec first, then quality; the four reports in every combination, under every switch."""
    for spec, quality in (*SPEC_FAILS, *SPEC_PASSES):
        play = panel(auto_approve=auto_approve, auto_reject=auto_reject)
        both(play, "spec", *spec)
        if not Merged(*spec).fails:
            both(play, "quality", *quality)
        expected = seeds_decide(Merged(*spec), Merged(*quality), auto_approve=auto_approve, auto_reject=auto_reject)
        assert decision(play) == expected, (spec, quality)


def test_the_switches_are_off_by_default() -> None:
    """P1, 004-27: two clean passes and an agreed critical both go to a human."""
    clean = panel()
    both(clean, "spec", "clean", "clean")
    both(clean, "quality", "clean", "clean")
    bad = panel()
    both(bad, "spec", "agreed critical", "agreed critical")
    assert (decision(clean), decision(bad)) == ("PRESENT_TO_HUMAN", "PRESENT_TO_HUMAN")
    assert protocols.panel() == protocols.panel(auto_approve=False, auto_reject=False, speculative_quality=True)


def test_the_switches_are_separate() -> None:
    """004-27: approving by itself does not switch on rejecting by itself, nor the other way round."""
    approving = panel(auto_approve=True)
    both(approving, "spec", "agreed critical", "agreed critical")
    rejecting = panel(auto_reject=True)
    both(rejecting, "spec", "clean", "clean")
    both(rejecting, "quality", "clean", "clean")
    assert (decision(approving), decision(rejecting)) == ("PRESENT_TO_HUMAN", "PRESENT_TO_HUMAN")


def test_a_human_is_told_which_scenario_it_is() -> None:
    """004-23, 004-24, 004-25, P4: the reason of the request says why nobody decided by itself."""
    for spec, text in (
        (("clean", "own important"), "One model passes, one fails"),
        (("own important", "own important"), "Both models fail, on different issues"),
        (("clean", "own critical"), "Only the stronger model found something critical"),
        (("agreed important",) * 2, "The models fail, but not on a critical issue they agree on"),
    ):
        play = panel(**BOTH_ON)
        both(play, "spec", *spec)
        assert play.last(RulingRequested).text == text


def test_both_passing_clears_the_task() -> None:
    """004-03, 004-20: exactly the bytes both models looked at, without a note."""
    play = panel(**BOTH_ON)
    both(play, "spec", "clean", "clean")
    assert play.review.outcome is None
    both(play, "quality", "clean", "clean")
    cleared = play.last(ReviewCleared)
    assert (cleared.digest, cleared.flags, cleared.by) == ("d1", (), ClearedBy.GATES)


def test_minor_findings_are_noted_and_do_not_block() -> None:
    """004-04, 004-21: cleared with notes, and the finding is still there to read."""
    play = panel(**BOTH_ON)
    both(play, "spec", "clean", "clean")
    both(play, "quality", "minor", "clean")
    assert (play.review.outcome, play.last(ReviewCleared).flags) == (Outcome.CLEARED, ("minor findings",))
    assert [one.text for one in play.review.findings.values()] == ["Unbounded cache grows until memory ends"]


def second_round() -> Play:
    """A panel whose first round failed on an agreed critical finding, with the fix submitted."""
    play = panel(**BOTH_ON)
    both(play, "spec", "agreed critical", "agreed critical")
    play.revise("d2")
    return play


def test_a_minor_finding_of_a_later_round_is_a_note_too() -> None:
    """P5, 004-21: from round 2 on it is advice, and still 0.85 with a note, not 1.0."""
    play = second_round()
    both(play, "spec", "minor", "clean")
    both(play, "quality", "clean", "clean")
    assert play.last(ReviewCleared).flags == ("minor findings",)
    assert judged(play).confidence == 85


@pytest.mark.parametrize(("a", "b"), list(product(KINDS, KINDS)))
def test_a_merged_stage_passes_only_if_both_models_pass(a: str, b: str) -> None:
    """P6: one failing model is enough to keep the quality stage from being judged."""
    play = panel(speculative_quality=False, **BOTH_ON)
    both(play, "spec", a, b)
    passes = a in PASSES and b in PASSES
    assert ("quality.1" in play.review.requests) is passes
    assert (judged(play).move is Move.WAIT) is passes


def test_a_critical_of_the_stronger_model_alone_may_go_to_the_fix_loop() -> None:
    """P3, 004-25: a human by default, the author where policy says so; never for the weaker model's alone."""
    asking = panel(**BOTH_ON)
    both(asking, "spec", "clean", "own critical")
    assert decision(asking) == "PRESENT_TO_HUMAN"
    fixing = panel(b_only_critical_fixes=True)
    both(fixing, "spec", "clean", "own critical")
    assert decision(fixing) == "AUTO_REJECT_TO_IMPLEMENTER"
    weaker = panel(b_only_critical_fixes=True)
    both(weaker, "spec", "own critical", "clean")
    assert decision(weaker) == "PRESENT_TO_HUMAN"


def test_the_second_model_of_the_list_is_the_stronger_one() -> None:
    """P14: turn the list round, and the same reports mean something else."""
    play = panel(models=("haiku", "sonnet"))
    both(play, "spec", "clean", "own critical")
    assert judged(play).scenario == "B-only critical"
    turned = panel(models=("sonnet", "haiku"))
    both(turned, "spec", "clean", "own critical")
    assert judged(turned).scenario == "split"
    assert [seat.roles for seat in protocols.panel(models=("x", "y")).stages[0].seats] == [("x",), ("y",)]


def test_a_contradicted_critical_is_no_agreement_and_no_stronger_word() -> None:
    """P4, P8, P3: what B calls critical and A checked and found to hold is unclear, so a human decides."""
    play = panel(auto_reject=True, b_only_critical_fixes=True)
    holds = Evidence(what="password hashing", why="argon2 is used here", place=SHARED)
    hand_in(play, "spec", "A", "own important", evidence=(holds,))
    hand_in(play, "spec", "B", "agreed critical")
    assert play.last(FindingsMatched).contradictions
    assert (judged(play).confidence, decision(play)) == (50, "PRESENT_TO_HUMAN")


def test_models_that_pass_but_contradict_each_other_ask_a_human() -> None:
    """P4, P8: a minor finding where the other model says it holds is 0.5, not an automatic approval."""
    play = panel(**BOTH_ON)
    both(play, "spec", "clean", "clean")
    small = drafts("quality", "A", "agreed minor")
    hand_in(play, "quality", "A", "minor", findings=small)
    holds = Evidence(what="password hashing", why="argon2 is used here", place=SHARED)
    hand_in(play, "quality", "B", "clean", evidence=(holds,))
    assert (judged(play).confidence, decision(play)) == (50, "PRESENT_TO_HUMAN")
