"""For any acts of others: everything a blind viewer can learn is the same until their own report is in."""

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from foureyes.core import commands as c
from foureyes.core.explain import explain
from foureyes.core.facts import Facts
from foureyes.core.refusals import Refusal
from foureyes.core.values import Cost, Failure, Place, Standing, Who
from foureyes.core.views import view
from tests.cast import ANN, BOB, CHECKED, CODEX, DEV, EVE, GEMINI, HAIKU, HUGO, LINTER, POOL, RULES, SONNET, Play

#: Each style: the reporting reviewer, stage, verdicts and the blind viewer; no report ends the review.
STYLES: list[tuple[str, Who, tuple[str, ...], tuple[str | None, ...], Who]] = [
    ("story", ANN, ("resolve",), (None,), BOB),
    ("milestone", CODEX, ("session",), ("approve", "concerns"), GEMINI),
    ("task", HAIKU, ("spec", "quality"), ("approve", "concerns", "reject"), SONNET),
    ("something else", LINTER, ("solo",), ("approve", "concerns", "reject"), CODEX),
]
TEXT = st.sampled_from(("it leaks", "the dates are wrong", "no test at all", "a name is missing"))
DRAFT = st.builds(
    c.Draft,
    severity=st.sampled_from(("critical", "important", "minor")),
    text=TEXT,
    evidence=st.just("seen in the code"),
    place=st.none() | st.builds(Place, path=st.just("a.py"), start=st.integers(1, 9)),
)
SAID = st.fixed_dictionaries(
    {
        "pick": st.integers(0, 11),
        "summary": TEXT,
        "findings": st.lists(DRAFT, max_size=3).map(tuple),
        "confidence": st.none() | st.integers(0, 100),
        "coverage": st.sampled_from((100, 100, 40)),
        "cost": st.builds(Cost, usd_micro=st.integers(0, 1000)),
    }
)
Said = dict[str, object]
WORLD = st.lists(SAID, max_size=4)


def told(style: int, said: Sequence[Said], *, begun: bool, second: Sequence[Said] | None) -> Play:
    """Play the other reviewer's acts and the author's answer, perhaps again on a second version."""
    kind, _, _, _, viewer = STYLES[style]
    play = Play(RULES, Facts(pool=POOL))
    play.open(kind)
    if begun:
        play.do(viewer, c.TakeSeat())
    for words in said:
        _say(play, style, words)
    if second is not None:
        assume(play.review.ruling() is None)
        answer = "x" * len(play.review.findings)
        play.do(DEV, c.SubmitRevision(digest="d2", note=f"I changed {answer}", turns=len(said)))
        for words in second:
            _say(play, style, words)
    return play


def _say(play: Play, style: int, words: Said) -> None:
    """Play a report, a failure, a settlement, or the author's answer; some may be refused."""
    _, other, stages, verdicts, _ = STYLES[style]
    pick = int(str(words["pick"]))
    stage = stages[pick % len(stages)]
    review = play.review
    seat = next((one.id for one in review.seats.values() if one.stage == stage and one.reviewer == other), "")
    mine = [one for one in review.findings.values() if one.seat == seat]
    fields = {key: value for key, value in words.items() if key != "pick"}
    commands: list[tuple[Who, c.ReviewCommand]] = [
        (other, play.a_report(stage=stage, verdict=verdicts[pick % len(verdicts)], evidence=CHECKED, **fields))
    ]
    if pick == 11:
        text = str(words["summary"])
        failed = c.ReportInconclusive(seat=seat, revision=review.revision, reason=Failure.CRASHED, text=text)
        commands = [(other, failed)]
    for one in mine if pick > 7 else []:
        if one.standing is Standing.OPEN:
            commands.append((DEV, c.AnswerFinding(finding=one.id, text=str(words["summary"]))))
        else:
            word = c.SettleFinding(finding=one.id, revision=review.revision, resolved=pick % 2 == 0, note="seen")
            commands.append((other, word))
    for actor, command in commands:
        with suppress(Refusal):
            play.do(actor, command)


def world_of(play: Play, viewer: Who) -> tuple[object, ...]:
    """Everything a viewer can learn: the view, its explanation, and the answers to guesses."""
    seen = view(play.rules, play.review, viewer)
    guesses = [f"{seat}-F{number}" for seat in ("resolve.1", "session.1", "spec.1", "solo.1") for number in (1, 2)]
    answers = []
    for guess in guesses:
        for command in (
            c.SettleFinding(finding=guess, revision=play.review.revision, resolved=True, note="x"),
            c.VerifyFinding(finding=guess, revision=play.review.revision, result="refuted", evidence="x" * 9),
            c.AnswerFinding(finding=guess, text="x"),
        ):
            with pytest.raises(Refusal) as caught:
                play.do(viewer, command)
            answers.append(str(caught.value))
    return seen, explain(play.rules, seen.review), explain(play.rules, seen.review).in_words(), answers


@given(st.sampled_from(range(len(STYLES))), WORLD, WORLD, st.booleans())
def test_a_blind_reviewer_learns_nothing_of_what_others_said(
    style: int, one: list[Said], other: list[Said], begun: bool
) -> None:
    """D-05, I18: seats, findings, verdicts, counts, costs, requests, refusals; also for viewers without a seat."""
    left, right = told(style, one, begun=begun, second=None), told(style, other, begun=begun, second=None)
    assume(left.review.outcome is None and right.review.outcome is None)
    for viewer in (STYLES[style][4], EVE):
        assert world_of(left, viewer) == world_of(right, viewer)


#: A reviewer who reports and then fails until they leave; on the next version a human is asked about the seat.
GIVES_UP: list[Said] = [
    {"pick": 0, "summary": "it leaks", "findings": (), "confidence": None, "coverage": coverage, "cost": Cost()}
    for coverage in (100, 40, 40, 40)
]


@example(1, [], GIVES_UP, [], [])
@given(st.sampled_from(range(len(STYLES))), WORLD, WORLD, WORLD, WORLD)
def test_nor_on_a_second_version(
    style: int, one: list[Said], other: list[Said], then: list[Said], instead: list[Said]
) -> None:
    """I18: what the author writes beside the new version may speak of others' findings, so it is hidden too."""
    left, right = told(style, one, begun=False, second=then), told(style, other, begun=False, second=instead)
    assume(left.review.outcome is None and right.review.outcome is None)
    for viewer in (STYLES[style][4], EVE):
        assert world_of(left, viewer) == world_of(right, viewer)


def test_the_same_worlds_look_different_to_those_who_may_know() -> None:
    """The property above is not true of everybody: the author, a human and the speaker see what was said."""
    loud = Play()
    loud.open("story")
    loud.report(ANN, findings=(c.Draft(severity="critical", text="it leaks"),))
    quiet = Play()
    quiet.open("story")
    quiet.report(ANN, evidence=CHECKED)
    for viewer in (DEV, HUGO, ANN):
        assert view(RULES, loud.review, viewer) != view(RULES, quiet.review, viewer)
    assert view(RULES, loud.review, BOB) == view(RULES, quiet.review, BOB)
    loud.report(BOB, evidence=CHECKED)
    quiet.do(BOB, c.TakeSeat(seat="resolve.2"))
    assert view(RULES, loud.review, BOB).review.findings
    assert not view(RULES, loud.review, BOB).hides
