"""Lessons have a source and an age, and suppress little."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.events import LessonKind, LessonRecorded, SessionEnded, SideEvent
from foureyes.core.facts import Suppression
from foureyes.core.lessons import (
    LESSONS_MAX,
    SUPPRESSED_FOR,
    SUPPRESSED_FOR_MAX,
    TEXT_CHARS_MAX,
    LessonCommand,
    Lessons,
    PurgeLessons,
    RecordLesson,
    RetireLesson,
    applies,
    archived,
    common_issues,
    decide_lesson,
    evolve_lessons,
    in_force,
    suppressions_for,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Severity, Who, WhoKind

T0 = datetime(2026, 2, 14, tzinfo=UTC)
DAY = timedelta(days=1)
HAL = Who(name="hal", kind=WhoKind.HUMAN)
BOB = Who(name="bob")
PATTERN = RecordLesson(lesson="l1", kind=LessonKind.PATTERN, text="Missing subscribeOn", source="r1", fingerprint="f1")
FALSE_POSITIVE = RecordLesson(
    lesson="l2",
    kind=LessonKind.FALSE_POSITIVE,
    text="toBlocking() in fromCallable is fine",
    source="r1",
    fingerprint="f2",
    context_hash="c2",
    severity=Severity.IMPORTANT,
)


def ask(lessons: Lessons, command: LessonCommand, actor: Who = HAL, now: datetime = T0) -> tuple[SideEvent, ...]:
    return decide_lesson(lessons, command, actor, now, scope="toraka-core")


def done(lessons: Lessons, command: LessonCommand, actor: Who = HAL, now: datetime = T0) -> Lessons:
    for event in ask(lessons, command, actor, now):
        lessons = evolve_lessons(lessons, event, now)
    return lessons


def refused(lessons: Lessons, command: LessonCommand, actor: Who = HAL) -> Code:
    with pytest.raises(Refusal) as caught:
        ask(lessons, command, actor)
    return caught.value.code


def test_a_new_pattern_is_a_row_with_its_source() -> None:
    """004-09, 004-13, T16: pattern, frequency, last seen, severity, and who said so from where."""
    (lesson,) = done((), replace(PATTERN, severity=Severity.CRITICAL), BOB)
    assert (lesson.text, lesson.frequency, lesson.last_seen, lesson.severity) == (
        "Missing subscribeOn",
        1,
        T0,
        Severity.CRITICAL,
    )
    assert (lesson.by, lesson.source, lesson.scope) == (BOB, "r1", "toraka-core")


def test_a_known_pattern_is_counted_not_doubled() -> None:
    """004-13: frequency + 1, last seen; the graver severity stays."""
    once = done((), replace(PATTERN, severity=Severity.IMPORTANT), BOB)
    (twice,) = done(once, replace(PATTERN, lesson="l9"), BOB, T0 + DAY)
    assert (twice.id, twice.frequency, twice.last_seen, twice.severity) == ("l1", 2, T0 + DAY, Severity.IMPORTANT)
    (late,) = done((twice,), replace(PATTERN, lesson="l8"), BOB, T0)
    assert (late.frequency, late.last_seen) == (3, T0 + DAY)


def test_patterns_without_a_fingerprint_and_retired_ones_are_not_counted_up() -> None:
    """004-13: only the same pattern is the same."""
    nameless = replace(PATTERN, fingerprint="")
    assert len(done(done((), nameless), replace(nameless, lesson="l9"))) == 2
    retired = done(done((), PATTERN), RetireLesson(lesson="l1", reason="fixed"))
    assert [one.frequency for one in done(retired, replace(PATTERN, lesson="l9"))] == [1, 1]


def test_a_common_issue_not_seen_for_thirty_days_is_archived() -> None:
    """004-14, P11: at 30 days, by the clock alone; seen again it is back."""
    lessons = done((), PATTERN)
    assert not archived(lessons[0], T0 + 30 * DAY - timedelta(microseconds=1))
    assert archived(lessons[0], T0 + 30 * DAY)
    assert in_force(lessons, T0 + 30 * DAY) == ()
    seen = done(lessons, replace(PATTERN, lesson="l9"), BOB, T0 + 40 * DAY)
    assert in_force(seen, T0 + 40 * DAY) == seen


def test_false_positives_and_rules_are_not_archived() -> None:
    """P11: common issues only."""
    rule = replace(PATTERN, lesson="l3", kind=LessonKind.RULE)
    lessons = done(done((), FALSE_POSITIVE), rule)
    assert in_force(lessons, T0 + 100 * DAY) == lessons


def test_known_issues_come_most_frequent_first() -> None:
    """004-12: what to look for first; then the gravest, then the newest."""
    lessons: Lessons = ()
    for lesson, fingerprint, severity, day in (
        ("a", "fa", Severity.MINOR, 0),
        ("b", "fb", Severity.MINOR, 1),
        ("c", "fc", Severity.CRITICAL, 0),
        ("d", "fd", Severity.MINOR, 0),
        ("e", "fd", Severity.MINOR, 0),
    ):
        command = replace(PATTERN, lesson=lesson, fingerprint=fingerprint, severity=severity)
        lessons = done(lessons, command, BOB, T0 + day * DAY)
    lessons = done(lessons, FALSE_POSITIVE)
    assert [one.id for one in common_issues(lessons, T0 + DAY)] == ["d", "c", "b", "a"]


@pytest.mark.parametrize("kind", [LessonKind.FALSE_POSITIVE, LessonKind.RULE])
def test_what_steers_reviewers_comes_from_humans_only(kind: LessonKind) -> None:
    """S22, T16, 004-11: an agent cannot teach others to look away."""
    command = replace(FALSE_POSITIVE, kind=kind)
    assert refused((), command, BOB) is Code.HUMAN_ONLY
    assert done((), command, HAL)


@pytest.mark.parametrize("kind", [LessonKind.PATTERN, LessonKind.REJECTED_APPROACH, LessonKind.MISSED])
def test_agents_report_what_they_saw(kind: LessonKind) -> None:
    """001-32, 001-75, 004-13: rejected approaches, missed defects and patterns are recorded by anyone."""
    assert done((), replace(PATTERN, kind=kind), BOB)


def test_a_false_positive_names_its_finding_and_its_end() -> None:
    """D-10, S22: typed and expiring; half a year unless the human says otherwise, a year at most."""
    (lesson,) = done((), FALSE_POSITIVE)
    assert lesson.expires == T0 + SUPPRESSED_FOR
    longest = T0 + SUPPRESSED_FOR_MAX
    assert done((), replace(FALSE_POSITIVE, expires=longest))[0].expires == longest
    assert refused((), replace(FALSE_POSITIVE, expires=longest + timedelta(seconds=1))) is Code.TOO_LONG
    assert refused((), replace(FALSE_POSITIVE, expires=T0)) is Code.STALE
    assert refused((), replace(FALSE_POSITIVE, fingerprint="")) is Code.EVIDENCE_MISSING
    assert refused((), replace(FALSE_POSITIVE, context_hash="")) is Code.EVIDENCE_MISSING
    assert done((), PATTERN)[0].expires is None


def test_a_lesson_needs_words_a_source_and_an_id_of_its_own() -> None:
    """T16: provenance on each entry, and a size cap."""
    assert refused((), replace(PATTERN, text=" ")) is Code.REASON_MISSING
    assert refused((), replace(PATTERN, text="x" * (TEXT_CHARS_MAX + 1))) is Code.TOO_LONG
    assert refused((), replace(PATTERN, source=" ")) is Code.EVIDENCE_MISSING
    assert refused((), replace(PATTERN, lesson=" ")) is Code.DUPLICATE
    assert refused(done((), PATTERN), PATTERN) is Code.DUPLICATE


def test_a_scope_holds_only_so_many_lessons() -> None:
    """T16, I28: a flood is refused, a known pattern is still counted."""
    full = done((), PATTERN) * LESSONS_MAX
    assert refused(full, replace(PATTERN, lesson="new", fingerprint="new")) is Code.TOO_MANY
    assert ask(full, replace(PATTERN, lesson="new"))
    assert done(full[1:], replace(PATTERN, lesson="new", fingerprint="new"))


def test_a_lesson_is_retired_by_its_author_or_a_human() -> None:
    """T16: nobody else's, once, with a reason."""
    lessons = done((), PATTERN, BOB)
    retire = RetireLesson(lesson="l1", reason="fixed for good")
    assert refused(lessons, retire, Who(name="carl")) is Code.NOT_ELIGIBLE
    assert refused(lessons, replace(retire, reason=" "), HAL) is Code.REASON_MISSING
    assert refused(lessons, replace(retire, lesson="l7"), HAL) is Code.NOT_OPEN
    assert done(lessons, retire, HAL)[0].retired == "fixed for good"
    gone = done((*lessons, *done((), FALSE_POSITIVE)), retire, Who(name="Bob "))
    assert [one.retired for one in gone] == ["fixed for good", ""]
    assert in_force(gone, T0) == gone[1:]
    assert refused(gone, retire, HAL) is Code.NOT_OPEN


def test_one_command_purges_everything_from_a_poisoned_source() -> None:
    """T16: and what it silenced is heard again."""
    lessons = done(done((), FALSE_POSITIVE), replace(PATTERN, source="r2"))
    purge = PurgeLessons(source="r1", reason="injected text")
    assert suppressions_for(lessons, T0)
    assert refused(lessons, purge, BOB) is Code.HUMAN_ONLY
    assert refused(lessons, replace(purge, reason=" ")) is Code.REASON_MISSING
    assert refused(lessons, replace(purge, source="r9")) is Code.NOT_OPEN
    purged = done(lessons, purge)
    assert suppressions_for(purged, T0) == ()
    assert [one.id for one in in_force(purged, T0)] == ["l1"]
    assert refused(purged, purge) is Code.NOT_OPEN


def test_only_living_false_positives_of_humans_suppress() -> None:
    """D-10, S22, P12: not patterns, not the expired, not what an agent slipped into the log."""
    lessons = done(done((), FALSE_POSITIVE), PATTERN)
    assert suppressions_for(lessons, T0) == (
        Suppression(fingerprint="f2", context_hash="c2", source="l2", by="hal", expires=T0 + SUPPRESSED_FOR),
    )
    assert suppressions_for(lessons, T0 + SUPPRESSED_FOR) == ()
    (event,) = ask((), FALSE_POSITIVE)
    assert isinstance(event, LessonRecorded)
    assert suppressions_for(evolve_lessons((), replace(event, by=BOB), T0), T0) == ()


def test_events_of_other_streams_teach_nothing() -> None:
    """I21: the fold looks at its own events only."""
    lessons = done((), PATTERN)
    assert evolve_lessons(lessons, SessionEnded(session="s", by="hal", reason="x"), T0) == lessons


@given(
    fingerprint=st.sampled_from(["", "f2", "f3"]),
    context=st.sampled_from(["", "c2", "c3"]),
    severity=st.sampled_from(list(Severity)),
    veto=st.booleans(),
    days=st.integers(-10, 10),
)
def test_a_suppression_applies_to_the_same_finding_in_the_same_context_only(
    *, fingerprint: str, context: str, severity: Severity, veto: bool, days: int
) -> None:
    """D-10, P12, S22, T16: never critical, never of a veto scope, never after its end or a changed context."""
    standing = Suppression(fingerprint="f2", context_hash="c2", source="l2", by="hal", expires=T0)
    heard = not applies(
        standing, fingerprint=fingerprint, context_hash=context, severity=severity, veto=veto, now=T0 + days * DAY
    )
    same = (fingerprint, context) == ("f2", "c2")
    assert heard == (not same or veto or severity is Severity.CRITICAL or days >= 0)


def test_an_unknown_context_is_never_the_same_context() -> None:
    """D-10: two missing hashes are not equal."""
    blank = Suppression(fingerprint="", context_hash="", source="l2", by="hal")
    for fingerprint, context in (("", ""), ("f2", ""), ("", "c2")):
        standing = replace(blank, fingerprint=fingerprint, context_hash=context)
        assert not applies(
            standing, fingerprint=fingerprint, context_hash=context, severity=Severity.MINOR, veto=False, now=T0
        )
