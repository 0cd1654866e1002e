"""Decisions inside seeds 002, 003 and 004 that are about several of their parts at once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands, lessons, protocols
from foureyes.core.drafts import mark_of
from foureyes.core.events import FindingRaised, LessonKind, ReviewCleared, RulingGiven
from foureyes.core.facts import Suppression
from foureyes.core.lessons import Lessons, RecordLesson
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import KindRule
from foureyes.core.values import Effect, Failure, Outcome, Place, Severity
from tests.cast import CRITICS, HAIKU, HUGO, START, Play, finding, rules_with
from tests.seeds.chain_play import approve, asked, opened, reject, ruling, wanted

DAY = timedelta(days=1)
SEEN = RecordLesson(
    lesson="l1",
    kind=LessonKind.PATTERN,
    text="Missing subscribeOn for HTTP calls",
    source="r1/spec.2-F1",
    fingerprint="f1",
    severity=Severity.CRITICAL,
    example="SeriesMetadataPublisher.kt:95",
)


def learned(*times: tuple[RecordLesson, int]) -> Lessons:
    """The service's memory after these lessons, each on its day."""
    known: Lessons = ()
    for command, day in times:
        at = START + day * DAY
        for event in lessons.decide_lesson(known, command, HAIKU, at, scope="toraka-core"):
            known = lessons.evolve_lessons(known, event, at)
    return known


def test_a_pattern_is_a_row_with_an_example() -> None:
    """004-09: how often, when last, how grave, and where in the code."""
    (row,) = learned((SEEN, 0))
    assert (row.text, row.frequency, row.last_seen, row.severity, row.example) == (
        "Missing subscribeOn for HTTP calls",
        1,
        START,
        Severity.CRITICAL,
        "SeriesMetadataPublisher.kt:95",
    )
    with pytest.raises(Refusal) as caught:
        learned((replace(SEEN, example="x" * (lessons.TEXT_CHARS_MAX + 1)), 0))
    assert caught.value.code is Code.TOO_LONG


def test_a_pattern_seen_again_counts_up_and_a_new_one_is_a_row() -> None:
    """004-13, 004-09: the newest example is kept, an older one if there is no newer."""
    again = replace(SEEN, lesson="l2", example="HomepageService.kt:42")
    nameless = replace(SEEN, lesson="l3", example="")
    other = replace(SEEN, lesson="l4", fingerprint="f2", text="No error handling on Redis reads")
    first, second = learned((SEEN, 0), (again, 3), (nameless, 5), (other, 6))
    assert (first.frequency, first.last_seen, first.example) == (3, START + 5 * DAY, "HomepageService.kt:42")
    assert (second.frequency, second.text) == (1, "No error handling on Redis reads")


def test_patterns_are_archived_after_thirty_days_and_false_positives_are_not() -> None:
    """004-14, P11: not on day 29; what a human called unreal does not age that way."""
    known = learned((SEEN, 0))
    unreal = replace(SEEN, lesson="l2", kind=LessonKind.FALSE_POSITIVE, context_hash="c1")
    (event,) = lessons.decide_lesson(known, unreal, HUGO, START, scope="toraka-core")
    known = lessons.evolve_lessons(known, event, START)
    assert [one.id for one in lessons.in_force(known, START + 29 * DAY)] == ["l1", "l2"]
    assert [one.id for one in lessons.in_force(known, START + 30 * DAY)] == ["l2"]
    assert lessons.archived(known[0], START + 30 * DAY)


@pytest.mark.parametrize(("critic", "silenced"), [("seldon", True), ("hardin", False)])
def test_a_false_positive_never_mutes_a_veto_scope(critic: str, silenced: bool) -> None:
    """P12: the same finding with the same lesson is silenced at the format layer and heard at the security layer."""
    here = Place(path="run.sh", start=3, end=3, context_hash="c1")
    issue = finding("A key stands in line three", place=here)
    lesson = Suppression(fingerprint=mark_of(issue), context_hash="c1", source="l9", by="hugo")
    play = opened("security")
    play.know(suppressions=(lesson,))
    if critic == "hardin":
        approve(play, "seldon")
    doubt = play.a_report(verdict="reject", summary="a key", findings=(issue,))
    if silenced:
        assert play.refused(CRITICS[critic], doubt) is Code.GROUND_MISSING
        play.report(CRITICS[critic], verdict="approve", summary="fine", findings=(issue,))
        assert play.last(FindingRaised).suppressed_by == "l9"
    else:
        play.do(CRITICS[critic], doubt)
        assert play.last(FindingRaised).suppressed_by == ""
        assert play.review.is_vetoed("security.security")


def test_a_veto_is_not_lifted_by_the_default_that_ends_other_escalations() -> None:
    """C6: after the last retry nobody answers; a rejection without veto goes back by the clock, a veto stays."""
    plain, vetoed = opened("trading"), opened("trading")
    for digest in ("d2", ""):
        reject(plain, "seldon")
        approve(vetoed, "seldon")
        reject(vetoed, "hardin")
        if digest:
            plain.revise(digest)
            vetoed.revise(digest)
    for play in (plain, vetoed):
        play.wait_out(ruling(play).id)
    assert (plain.last(RulingGiven).by_clock, wanted(plain).by_clock) == (True, True)
    assert (vetoed.count(RulingGiven), ruling(vetoed).veto, vetoed.review.outcome) == (0, True, None)


def test_a_chain_behind_a_panel_keeps_its_veto() -> None:
    """C2, C6: automatic approval of the panel passes the panel only; hardin is asked afterwards and may veto."""
    rules = rules_with(
        protocols.panel(auto_approve=True), kinds=(KindRule(kind="task", protocols=("panel", "security")),)
    )
    play = Play(rules)
    play.open("task")
    for stage in ("spec", "quality"):
        for who in ("haiku", "sonnet"):
            principal = play.facts.principal(who)
            assert principal is not None
            play.report(principal.who, stage=stage, verdict="approve", summary="fine")
    assert (play.review.outcome, asked(play)) == (None, ["seldon"])
    approve(play, "seldon")
    reject(play, "hardin")
    assert play.review.is_vetoed("security.security")


def test_a_human_asked_about_a_veto_can_pass_send_back_reject_or_shelve_but_not_retry() -> None:
    """C6, C10: asking the critic again until it says yes is no option; after crashes it is."""
    play = opened("security")
    approve(play, "seldon")
    reject(play, "hardin")
    play.wait_out("revision")
    effects = {one.effect for one in ruling(play).options}
    assert effects == {Effect.PASS_STAGE, Effect.REVISE, Effect.REJECT, Effect.SHELVE}


def test_a_human_may_have_a_crashed_critic_asked_again() -> None:
    """C10: the retry is a human's ruling, so the crashed critic is asked again and can clear the work."""
    play = opened("default")
    seldon = CRITICS["seldon"]
    for _ in range(3):
        crashed = commands.ReportInconclusive(seat="default.format.1", revision=1, reason=Failure.CRASHED)
        play.do(seldon, crashed)
    assert ruling(play).reason == "nobody_can_hold"
    play.do(HUGO, commands.GiveRuling(request=ruling(play).id, option="retry", reason="It was the network"))
    assert asked(play) == ["seldon"]
    approve(play, "seldon")
    assert (play.review.outcome, play.last(ReviewCleared).digest) == (Outcome.CLEARED, "d1")
