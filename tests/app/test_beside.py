"""Policy, trust, sessions and lessons go through the same gate, on their own streams."""

from __future__ import annotations

import json
from dataclasses import replace

from foureyes.app.work import blob_digest, work_of
from foureyes.core import commands as c
from foureyes.core.events import LessonKind
from foureyes.core.lessons import PurgeLessons, RecordLesson, RetireLesson
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code
from foureyes.core.rules import Learning
from foureyes.core.sessions import DetectSilence, EndSession, PauseSession, ReceiveSignal, ResumeSession
from foureyes.core.trust import DisableSkip, EnableSkip
from foureyes.core.values import CLOCK, Outcome, Severity
from foureyes.policy.policy import Policy, policy_text
from tests.app.house import FIRST, RULES, SECOND, House, played, policy, with_rules
from tests.cast import CODEX, DEV, HUGO


def activation(wanted: Policy, *, in_flight: bool = False) -> ActivatePolicy:
    return ActivatePolicy(digest=wanted.digest, name=wanted.name, applies_in_flight=in_flight)


@played
async def test_reviews_in_flight_keep_their_policy_and_new_ones_get_the_new() -> None:
    """Y20: the rules are frozen when the review opens; activation is an event by a human."""
    house = House()
    old = await house.open()
    other = with_rules(house, default=("resolve",))
    await house.do(HUGO, activation(other), "policy", blobs={other.digest: policy_text(other)})
    new = await house.open(SECOND)
    assert (await house.review(old)).rules == house.policy.digest
    assert (await house.review(new)).rules == other.digest
    await house.approve(old)
    assert (await house.review(old)).outcome is Outcome.CLEARED
    assert (await house.review(new)).protocols == ("resolve",)


@played
async def test_a_policy_that_applies_in_flight_binds_open_reviews_too() -> None:
    """Y20: with the flag both must pass."""
    house = House()
    stream = await house.open()
    other = with_rules(house, default=("resolve",))
    await house.do(HUGO, activation(other, in_flight=True), "policy", blobs={other.digest: policy_text(other)})
    await house.approve(stream)
    review = await house.review(stream)
    assert review.outcome is None
    assert review.stricter == other.digest


@played
async def test_a_policy_binds_what_was_open_though_the_clock_was_set_back() -> None:
    """Y20, I10: whatever the wall clock does, a review that was open then is no newer one."""
    house = House()
    stream = await house.open()
    house.wait(hours=-49)
    strict = with_rules(house, default=("solo", "resolve"))
    await house.do(HUGO, activation(strict, in_flight=True), "policy", blobs={strict.digest: policy_text(strict)})
    await house.approve(stream)
    review = await house.review(stream)
    assert (review.outcome, review.stricter) == (None, strict.digest)
    assert not (await house.gate.may_go_live(work_of(FIRST).digest)).allowed


@played
async def test_a_policy_does_not_bind_what_was_opened_after_the_next_though_the_clock_was_set_back() -> None:
    """Y20: what was opened under a later policy was not open before it."""
    house = House()
    strict, later = with_rules(house, default=("solo", "resolve")), with_rules(house, enabled=False)
    await house.do(HUGO, activation(strict, in_flight=True), "policy", blobs={strict.digest: policy_text(strict)})
    await house.do(HUGO, activation(later), "policy", blobs={later.digest: policy_text(later)})
    house.wait(hours=-49)
    stream = await house.open()
    assert (await house.review(stream)).outcome == "cleared"
    assert (await house.gate.may_go_live(work_of(FIRST).digest)).allowed


@played
async def test_a_later_policy_for_new_reviews_does_not_lift_one_that_binds_the_open_ones() -> None:
    """Y20, I10: what was put into force for open reviews stays so until another takes its place there."""
    house = House()
    await house.cleared()
    strict = with_rules(house, default=("solo", "resolve"))
    await house.do(HUGO, activation(strict, in_flight=True), "policy", blobs={strict.digest: policy_text(strict)})
    assert not (await house.gate.may_go_live(work_of(FIRST).digest)).allowed
    house.wait(hours=1)
    await house.do(HUGO, activation(house.policy), "policy", blobs={house.policy.digest: policy_text(house.policy)})
    assert not (await house.gate.may_go_live(work_of(FIRST).digest)).allowed
    house.wait(hours=1)
    await house.cleared(SECOND)
    assert (await house.gate.may_go_live(work_of(SECOND).digest)).allowed


@played
async def test_the_default_policy_is_kept_even_if_the_first_command_was_about_another_review() -> None:
    """A program that starts with another default must leave that one's text in the store too."""
    house = House()
    old = await house.open()
    house.policy = policy(replace(RULES, default=("resolve",)))
    gate = house.another_gate()
    await gate.handle(house.ask(DEV, c.AddNote(text="Hm"), old))
    work = work_of(SECOND)
    await gate.handle(house.ask(DEV, house.opening(work), blobs=work.blobs))
    assert await house.store.read(lambda reading: reading.blob(house.policy.digest))


@played
async def test_only_a_human_activates_a_policy_that_is_here_and_can_be_read() -> None:
    house = House()
    other = with_rules(house, default=("resolve",))
    text = policy_text(other)
    assert (await house.refused(HUGO, activation(other), "policy")).code is Code.UNKNOWN_DIGEST
    assert (await house.refused(DEV, activation(other), "policy", blobs={other.digest: text})).code is Code.HUMAN_ONLY
    junk = b'{"schema":1}'
    command = ActivatePolicy(digest=blob_digest(junk), name="junk")
    assert (await house.refused(HUGO, command, "policy", blobs={command.digest: junk})).code is Code.UNKNOWN_WORD
    lie = replace(activation(other), digest="0" * 64)
    assert (await house.refused(HUGO, lie, "policy", blobs={lie.digest: text})).code is Code.DIGEST_MISMATCH
    assert await house.log("policy") == []


@played
async def test_another_program_with_another_default_judges_by_the_rules_the_review_was_opened_under() -> None:
    house = House()
    stream = await house.open()
    house.policy = policy(replace(RULES, default=("resolve",)))
    gate = house.another_gate()
    report = c.SubmitReport(revision=1, verdict="approve")
    reply = await gate.handle(house.ask(CODEX, report, stream))
    assert reply.state == "cleared"
    assert (await gate.may_go_live(work_of(FIRST).digest)).allowed


@played
async def test_the_fast_lane_opens_by_a_human_and_shuts_when_a_defect_escapes() -> None:
    """001-04, I11: successes are counted where reviews end; a human enables; an escape disables at once."""
    learning = Learning(successes_min=7, audit_percent=1)
    house = House(policy=policy(replace(RULES, learning=learning)))
    stream = "trust/script/dev"
    assert (await house.refused(HUGO, EnableSkip(), stream)).code is Code.NOT_ELIGIBLE
    for number in range(7):
        done = await house.open({"a.py": b"%d\n" % number})
        await house.approve(done, confidence=95)
        house.wait(hours=1)
    assert (await house.refused(DEV, EnableSkip(), stream)).code is Code.HUMAN_ONLY
    assert (await house.do(HUGO, EnableSkip(), stream)).events == ("SkipEnabled",)
    skipped = await house.open({"a.py": b"quiet\n"})
    assert (await house.review(skipped)).outcome is Outcome.CLEARED
    assert (await house.review(skipped)).skipped
    await house.do(CODEX, c.ReportEscape(text="It crashed", severity="critical"), skipped)
    assert await house.log(stream) == ["SkipEnabled", "SkipDisabled"]
    again = await house.open({"a.py": b"after the escape\n"})
    assert (await house.review(again)).outcome is None


@played
async def test_a_human_shuts_the_fast_lane() -> None:
    house = House(policy=policy(replace(RULES, learning=Learning(successes_min=1))))
    await house.approve(await house.open(), confidence=95)
    await house.do(HUGO, EnableSkip(), "trust/script/dev")
    assert (await house.do(HUGO, DisableSkip(reason="Too many"), "trust/script/dev")).events == ("SkipDisabled",)


@played
async def test_a_damaged_record_counts_as_none_and_is_told_once() -> None:
    """001-81: auto-skip goes off while the learning data cannot be believed."""
    house = House(policy=policy(replace(RULES, learning=Learning(successes_min=1))))
    await house.approve(await house.open(), confidence=95)
    await house.do(HUGO, EnableSkip(), "trust/script/dev")
    row = await house.store.read(lambda reading: reading.trust("script", "dev"))
    assert row
    body = json.dumps(json.loads(row.body) | {"successes": 99})
    await house.store.write(lambda tx: tx.set_trust([replace(row, body=body)]))
    for number in range(2):
        stream = await house.open({"a.py": b"%d\n" % number})
        assert (await house.review(stream)).outcome is None
    told = await house.store.write(lambda tx: tx.claim("w", "2026-12-01", "2026-12-02", limit=1000))
    assert [one.row.type for one in told].count("TrustDamaged") == 1


@played
async def test_a_session_is_played_through_the_gate() -> None:
    house, stream = House(), "session/s1"
    await house.do(DEV, ReceiveSignal(type="milestone", summary="Half way"), stream)
    assert (await house.refused(DEV, PauseSession(reason="No"), stream)).code is Code.HUMAN_ONLY
    await house.do(HUGO, PauseSession(reason="Wait"), stream)
    await house.do(HUGO, ResumeSession(reason="Go on"), stream)
    assert (await house.refused(CLOCK, DetectSilence(), stream)).code is Code.NOT_DUE
    house.wait(minutes=15)
    await house.do(CLOCK, DetectSilence(), stream)
    await house.do(HUGO, EndSession(reason="Done"), stream)
    assert len(await house.log(stream)) == 5
    assert (await house.refused(DEV, ReceiveSignal(type="progress"), stream)).code is Code.NOT_OPEN


@played
async def test_lessons_are_recorded_retired_and_purged_through_the_gate() -> None:
    house, stream = House(), "lessons/payments"
    lesson = RecordLesson(lesson="l1", kind=LessonKind.RULE, text="Use cents", source="hugo", severity=Severity.MINOR)
    await house.do(HUGO, lesson, stream)
    await house.do(HUGO, replace(lesson, lesson="l2", text="Round half up"), stream)
    await house.do(HUGO, RetireLesson(lesson="l1", reason="Gone"), stream)
    await house.do(HUGO, PurgeLessons(source="hugo", reason="All of it"), stream)
    assert await house.log(stream) == ["LessonRecorded", "LessonRecorded", "LessonRetired", "LessonRetired"]


@played
async def test_a_command_on_the_wrong_stream_is_refused() -> None:
    house = House()
    for command, stream in (
        (EnableSkip(), "trust/script"),
        (EnableSkip(), "session/s1"),
        (PauseSession(reason="No"), "session/"),
        (PauseSession(reason="No"), "lessons/x"),
        (RetireLesson(lesson="l", reason="No"), "lessons/" + "x" * 301),
    ):
        assert (await house.refused(HUGO, command, stream)).code is Code.UNKNOWN_WORD
