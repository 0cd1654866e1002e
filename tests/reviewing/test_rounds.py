"""A round on one machine: who is asked, what is reported, and what a person sees."""

import asyncio
from dataclasses import replace

import pytest

from foureyes.app.reviewers import Checked, Inconclusive, Look, Missing, Say, Task, Unread
from foureyes.app.reviewing.outcome import Agreement, LookedState, Options, Outcome
from foureyes.core.commands import Answer, Settlement
from foureyes.core.refusals import Code, Refusal
from foureyes.core.situation import Result
from foureyes.core.values import Cost, Failure, Standing
from tests.app.house import played
from tests.policy.reading import loaded
from tests.reviewing.desk import (
    ANNA,
    NOW,
    Desk,
    Scripted,
    Watching,
    agent,
    change,
    finds,
    issue,
    marks,
    nothing,
    reviewed,
    rounds,
    solo,
)

CLEAN, BAD = "x = 1\n", "x = bad\n"


def states(outcome: Outcome) -> dict[str, str]:
    return {one.reviewer: one.state.value for one in outcome.looked}


@played
async def test_programs_alone_find_nothing_and_clear_nothing() -> None:
    """D-23: it says so, and nobody is bothered."""
    outcome = await reviewed(solo(), change(CLEAN))
    assert outcome.result is Result.NOTHING_BLOCKS
    assert (outcome.state, outcome.independence.level) == ("open", 0)
    assert set(states(outcome).values()) == {"found nothing"}
    assert not outcome.pending


@played
async def test_an_agent_who_finds_nothing_clears_exactly_these_bytes() -> None:
    """D-02, D-05."""
    outcome = await reviewed(solo(agent("codex")), change(CLEAN))
    assert (outcome.result, outcome.state) == (Result.CLEARED, "cleared")
    assert outcome.independence.level == 2


@played
async def test_everybody_at_hand_looks_and_hears_nothing_of_the_others() -> None:
    """D-23: blind to each other."""
    first, second = agent("codex"), agent("gemini", finds(issue("a gap")), family="gemini")
    outcome = await reviewed(solo(first, second, security=finds(issue("a leak"))), change(BAD))
    assert outcome.result is Result.BLOCKED
    assert states(outcome)["gemini"] == states(outcome)["security"] == "rejects"
    for one in (*first.tasks, *second.tasks):
        assert (one.earlier, one.verify, one.revision) == ((), (), 1)


@played
async def test_the_same_issue_of_two_reviewers_is_shown_once() -> None:
    text = "the user's name goes into the SQL query without being escaped"
    desk = solo(agent("codex", finds(issue(text))), security=finds(issue(text + " here")))
    outcome = await reviewed(desk, change(BAD))
    assert [(one.raised_by, one.agreement) for one in outcome.blocking] == [(("security", "codex"), Agreement.AGREED)]


@played
async def test_who_only_disagrees_on_how_grave_it_is_sees_the_same_thing() -> None:
    text = "the user's name goes into the SQL query without being escaped"
    desk = solo(agent("codex", finds(issue(text, "minor"))), security=finds(issue(text, "critical")))
    outcome = await reviewed(desk, change(BAD))
    assert [(one.raised_by, one.agreement) for one in outcome.found] == [(("security", "codex"), Agreement.AGREED)]


@played
async def test_the_next_round_settles_what_is_gone_and_keeps_what_is_there() -> None:
    """D-01, D-20: the same thing on a moved line is the same finding."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BAD, "y = bad\n"))
    assert [one.id for one in first.blocking] == ["solo.2-F1", "solo.2-F2"]
    second = await reviewed(desk, change(CLEAN, "\n\ny = bad\n"))
    assert (second.review, second.revision) == (first.review, 2)
    assert [(one.id, one.line) for one in second.blocking] == [("solo.2-F2", 3)]
    assert [one.id for one in second.settled] == ["solo.2-F1"]
    third = await reviewed(desk, change(CLEAN, CLEAN))
    assert third.result is Result.NOTHING_BLOCKS


@played
async def test_the_same_bytes_again_ask_nobody_twice() -> None:
    """D-20."""
    codex = agent("codex", finds(issue("a gap")))
    desk = solo(codex)
    first = await reviewed(desk, change(BAD))
    again = await reviewed(desk, change(BAD))
    assert (again.review, again.revision, len(codex.tasks)) == (first.review, 1, 1)
    assert [one.ids for one in again.found] == [one.ids for one in first.found]
    assert states(again)["codex"] == "rejects"


@played
async def test_when_the_rounds_are_used_up_a_person_is_asked_and_the_loop_ends() -> None:
    """D-01: three rounds, then nobody goes on by themselves."""
    desk = solo(security=marks("bad"))
    for number in range(1, 4):
        outcome = await reviewed(desk, change(f"{number} bad\n"))
        assert outcome.revision == number
    last = await reviewed(desk, change("4 bad\n"))
    assert last.pending
    assert last.revision == 3
    assert last.held_up
    fresh = await reviewed(desk, change("4 bad\n"), anew=True)
    assert (fresh.review != last.review, fresh.revision) == (True, 1)


@played
async def test_an_author_who_fixes_rebuts_and_ignores() -> None:
    """D-01, D-10: what is settled does not come back, what is ignored stays, and the raiser has the last word."""

    def look(task: Task) -> Look:
        if task.revision == 1:
            return Look(findings=tuple(issue(f"gap {name}", path=f"{name}.py") for name in "abc"))
        rebutted = [one for one in task.earlier if one.rebuttal]
        fixed = [one for one in task.earlier if "fixed" in (task.change.file(one.draft.place.path).text or "")]  # type: ignore[union-attr]
        done = [Settlement(finding=one.finding, resolved=True, note="it holds") for one in (*rebutted, *fixed)]
        return Look(settled=tuple(done))

    desk = solo(agent("codex", look))
    first = await reviewed(desk, change(BAD, BAD, BAD))
    ids = {one.path: one.id for one in first.blocking}
    rebuttal = Answer(finding=ids["b.py"], text="it is escaped two lines above", rebuttal=True)
    second = await reviewed(desk, change("fixed\n", BAD, BAD), answers=(rebuttal,))
    assert [one.path for one in second.blocking] == ["c.py"]
    third = await reviewed(desk, change("fixed\n", BAD, "fixed\n"))
    assert third.result is Result.CLEARED
    assert [one.path for one in third.settled] == ["c.py"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Inconclusive(Failure.CRASHED, "it crashed"), "it crashed"),
        (Inconclusive(Failure.MALFORMED, "no JSON"), "no JSON"),
        (Inconclusive(Failure.OUT_OF_BUDGET, "over its limit until 14:00", until=NOW), "over its limit until 14:00"),
        (ZeroDivisionError(), "codex failed: ZeroDivisionError"),
    ],
)
@played
async def test_a_reviewer_without_an_answer_is_neither_yes_nor_no(error: Exception, words: str) -> None:
    """D-03: the review goes on with what is left."""

    def fails(_: Task) -> Look:
        raise error

    desk = solo(agent("codex", fails), agent("gemini", family="gemini"), security=marks("bad"))
    outcome = await reviewed(desk, change(CLEAN))
    told = next(one for one in outcome.looked if one.reviewer == "codex")
    assert (told.state, told.reason) == (LookedState.INCONCLUSIVE, words)
    assert states(outcome)["gemini"] == "found nothing"
    assert outcome.state == "cleared"


@played
async def test_a_reviewer_that_hangs_is_ended() -> None:
    """D-03."""

    class Hangs(Scripted):
        async def look(self, task: Task, say: Say) -> Look:
            del task, say
            await asyncio.Event().wait()
            raise AssertionError

    desk = solo(Hangs(who=agent("codex").who, does=nothing))
    outcome = await reviewed(desk, change(CLEAN), seconds_max=0.05)
    assert next(one.reason for one in outcome.looked if one.reviewer == "codex") == "no answer within 0 seconds"
    assert outcome.result is Result.INCONCLUSIVE
    assert [one.reviewer for one in outcome.minds_failed] == ["codex"]


@played
async def test_stopping_it_keeps_what_was_handed_in() -> None:
    started = asyncio.Event()

    class Hangs(Scripted):
        async def look(self, task: Task, say: Say) -> Look:
            del task, say
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    desk = solo(Hangs(who=agent("codex").who, does=nothing), security=marks("bad"))
    watch = Watching()
    running = asyncio.create_task(rounds(desk).run(change(BAD), options=Options(), watch=watch))
    await started.wait()
    await watch.until_ended("security")
    running.cancel()
    outcome = await running
    assert outcome.interrupted
    assert outcome.result is Result.INCONCLUSIVE
    assert [one.text for one in outcome.blocking] == ["bad stands here"]
    assert (await rounds(desk).stands()).blocking == outcome.blocking


@played
async def test_what_was_not_read_is_said_and_vouches_for_nothing() -> None:
    """D-15."""
    missed = (Unread(path="a.py", why="too large"),)
    desk = solo(agent("codex", lambda _: Look(unread=missed)))
    outcome = await reviewed(desk, change(CLEAN))
    assert outcome.state == "open"
    assert outcome.unread == missed
    assert states(outcome)["codex"] == "inconclusive"


@played
async def test_money_is_counted_and_ends() -> None:
    """D-09: who could not be paid did not look, and that is said."""
    dear = agent("codex", lambda _: Look(findings=(issue("a gap"),), cost=Cost(usd_micro=900_000, tokens=5)))
    desk = solo(dear)
    first = await reviewed(desk, change(BAD))
    assert (first.usd_micro, first.tokens) == (900_000, 5)
    second = await reviewed(desk, change("x = worse\n"))
    assert second.usd_micro == 900_000
    third = await reviewed(desk, change("x = worst\n"))
    assert [one.why for one in third.not_looked] == ["the budget for reviews is used up"]
    assert len(dear.tasks) == 2
    assert dear.tasks[1].bounds.usd_micro == 100_000


@played
async def test_who_is_missing_is_said() -> None:
    """D-23."""
    desk = replace(solo(), missing=(Missing(name="codex", why="not logged in", next_step="codex login"),))
    outcome = await reviewed(desk, change(CLEAN))
    assert [(one.who, one.why, one.next_step) for one in outcome.not_looked] == [
        ("codex", "not logged in", "codex login")
    ]


@played
async def test_a_dismissed_finding_is_gone_until_its_code_changes() -> None:
    """D-10: in later reviews too; it is listed, never silently left out."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change("x = 1\ny = bad\n"))
    await rounds(desk).dismiss(first.review, first.blocking[0].id, "it is only a name")
    after = await rounds(desk).stands(first.review)
    assert after.blocking == ()
    assert [one.because for one in after.dismissed] == ["it is only a name"]
    again = await reviewed(desk, change("z = 0\n\nx = 1\ny = bad\n"), anew=True)
    assert again.result is Result.NOTHING_BLOCKS
    assert len(again.dismissed) == 1
    changed = await reviewed(desk, change("x = 2\ny = bad\n"), anew=True)
    assert changed.result is Result.BLOCKED


@played
async def test_a_critical_finding_is_not_dismissed_at_a_terminal() -> None:
    """D-10."""
    desk = solo(security=marks("bad", "critical"))
    first = await reviewed(desk, change(BAD))
    with pytest.raises(Refusal) as caught:
        await rounds(desk).dismiss(first.review, first.blocking[0].id, "no")
    assert caught.value.code is Code.SIGN_IN_NEEDED


@played
async def test_an_unclear_command_never_reads_as_nothing() -> None:
    """D-03."""
    desk = solo(security=lambda _: Look(unclear=True, findings=(issue("cannot be read", "minor"),)))
    command = await reviewed(desk, change(CLEAN, kind="command"))
    assert command.result is Result.INCONCLUSIVE
    code = await reviewed(desk, change(CLEAN, place="elsewhere"))
    assert code.result is Result.NOTHING_BLOCKS


@played
async def test_going_on_working_uses_up_no_attempts() -> None:
    """Where nothing stands against a version, the next one is new work; the old review is withdrawn, not forgotten."""
    desk = solo(security=marks("bad", "minor"))
    seen = [await reviewed(desk, change(f"{number} bad\n")) for number in range(6)]
    assert len({one.review for one in seen}) == 6
    assert {one.revision for one in seen} == {1}
    assert {one.result for one in seen} == {Result.NOTHING_BLOCKS}
    assert (await rounds(desk).stands(seen[0].review)).state == "withdrawn"


@played
async def test_two_places_are_two_reviews() -> None:
    desk = solo(security=marks("bad"))
    here, there = await reviewed(desk, change(CLEAN)), await reviewed(desk, change(CLEAN, place="there"))
    assert here.review != there.review


@played
async def test_bytes_with_an_open_finding_are_held_up_in_every_place() -> None:
    """U-03: another folder, or another base, is no way to shed what was found in exactly these bytes."""
    desk = solo(security=marks("bad"))
    here = await reviewed(desk, change(BAD))
    based = await reviewed(desk, change(BAD, place="there", base="b" * 40))
    assert "still has open findings" in based.held_up
    same = await reviewed(desk, change(BAD, place="there"))
    assert (same.held_up, here.result, same.result) == ("", Result.BLOCKED, Result.BLOCKED)
    for there in (based, same):
        assert there.review == here.review
        assert there.blocking


@played
async def test_the_same_bytes_in_a_second_work_tree_are_told_as_they_were_in_the_first() -> None:
    """A copy of a repository is no new work: it said that nobody had looked, and ended with another code."""
    desk = solo(security=marks("bad"))
    here = await reviewed(desk, change(BAD))
    there = await reviewed(desk, change(BAD, place="there"))
    assert (there.found, there.state, there.revision) == (here.found, here.state, here.revision)
    assert any(note.startswith("The same bytes are under review elsewhere: ") for note in there.notes)


@played
async def test_what_the_policy_ignores_is_part_of_the_work_and_said_each_time() -> None:
    codex = agent("codex")
    desk = solo(codex)
    desk.policy = replace(desk.policy, ignore=("b.py",))
    outcome = await reviewed(desk, change(CLEAN, BAD))
    assert outcome.ignored == ("b.py",)
    assert [one.path for one in codex.tasks[0].change.files] == ["a.py"]
    other = await reviewed(desk, change(CLEAN, "y = worse\n"))
    assert other.digest != outcome.digest


@played
async def test_a_person_sees_a_review_from_the_store_alone() -> None:
    desk = solo(agent("codex", finds(issue("a gap"))), security=marks("bad"))
    ran = await reviewed(desk, change(BAD))
    seen = await rounds(desk).stands()
    assert seen.found == ran.found
    assert (seen.review, seen.digest, seen.state) == (ran.review, ran.digest, "open")
    assert {one.reviewer for one in seen.looked} == {one.reviewer for one in ran.looked}


def test_the_person_is_not_the_author() -> None:
    """D-04: the record tells them apart."""
    assert rounds(Desk(reviewers={})).author.name != ANNA.name


@played
async def test_a_thousand_findings_are_merged_in_time() -> None:
    text = "".join(f"bad {number}\n" for number in range(1000))
    many = tuple(issue(f"bad thing {number}", line=number + 1, rule=f"r{number}") for number in range(1000))
    desk = solo(agent("codex", finds(*many)), security=finds(*many), format=finds(*many))
    outcome = await reviewed(desk, change(text))
    assert len({name for one in outcome.found for name in one.ids}) == 450
    assert outcome.found[0].standing is Standing.OPEN


@played
async def test_what_was_found_until_the_budget_ended_is_kept() -> None:
    """D-09: inconclusive, with what there was."""

    def ends(_: Task) -> Look:
        raise Inconclusive(Failure.OUT_OF_BUDGET, "over its budget", found=Look(findings=(issue("a gap"),)))

    outcome = await reviewed(solo(agent("codex", ends)), change(BAD))
    assert states(outcome)["codex"] == "inconclusive"
    assert [one.text for one in outcome.blocking] == ["a gap"]


@played
async def test_a_second_look_refutes_a_finding_before_it_blocks() -> None:
    """D-11: a refuted one stays, as advice."""
    desk = solo(agent("codex", finds(issue("a gap"), issue("a hole"))))
    desk.policy = loaded(
        "version: 1\nkinds: {default: solo}\nreviewers: {agent: {command: codex}, judge: {command: gemini}}\n"
        "solo: {programs: [format], verifier: judge}\n"
    ).policy

    def judge(_: Task) -> Look:
        return Look(
            checked=(
                Checked(index=0, result="refuted", evidence="line 3 checks it"),
                Checked(index=1, result="confirmed", evidence="tried it"),
            )
        )

    desk.reviewers["judge"] = (agent("gemini", judge, family="gemini"),)
    outcome = await reviewed(desk, change(BAD))
    assert [one.text for one in outcome.blocking] == ["a hole"]
    assert next(one for one in outcome.found if one.text == "a gap").why_not_blocking == "refuted by a second look"
