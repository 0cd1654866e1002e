"""The author's questions are answered by every agent and model; programs are not asked."""

from dataclasses import replace

from foureyes.app.reviewers import Look, Task
from foureyes.app.reviewing.outcome import Answered, Options
from foureyes.core.situation import Result
from foureyes.reviewers.boundary import redacted
from tests.app.house import played
from tests.reviewing.desk import Watching, agent, change, marks, reviewed, rounds, solo

CLEAN, BAD = "x = 1\n", "x = bad\n"
WHY, TWICE = "Why is x one?", "Is it safe to run twice?"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def answers(task: Task) -> Look:
    return Look(verdict="approve", summary="read it", answers=tuple(f"yes, {one}" for one in task.questions))


@played
async def test_an_agent_answers_the_author_s_questions() -> None:
    """001-30: one answer to each, told with who gave it, also when one looks again."""
    codex = agent("codex", answers)
    desk = solo(codex)
    outcome = await reviewed(desk, change(CLEAN), questions=(WHY, TWICE))
    assert codex.tasks[0].questions == (WHY, TWICE)
    told = tuple(Answered(question=one, by="codex", text=f"yes, {one}") for one in (WHY, TWICE))
    assert (outcome.result, outcome.answers) == (Result.CLEARED, told)
    assert (await rounds(desk).stands()).answers == told


@played
async def test_programs_have_no_answers_and_nothing_hangs_on_it() -> None:
    outcome = await reviewed(solo(), change(CLEAN), questions=(WHY,))
    assert (outcome.result, outcome.answers) == (Result.NOTHING_BLOCKS, ())


@played
async def test_a_question_that_comes_too_late_is_refused_before_anybody_looks() -> None:
    """A review's questions are those it was opened with; nothing is dropped silently, and nobody is paid in vain."""
    codex = agent("codex", marks("bad"))
    desk = solo(codex)
    await reviewed(desk, change(BAD), questions=(WHY,))
    late = f"Questions are asked when a review begins; start over with --anew to ask: {TWICE}"
    for text, questions in ((BAD, (WHY, TWICE)), ("y = bad\n", (TWICE,))):
        outcome = await reviewed(desk, change(text), questions=questions)
        assert (outcome.held_up, outcome.revision, outcome.result) == (late, 1, Result.INCONCLUSIVE)
    assert len(codex.tasks) == 1
    goes_on = await reviewed(desk, change("y = bad\n"), questions=(WHY,))
    assert (goes_on.held_up, goes_on.revision, len(codex.tasks)) == ("", 2, 2)


@played
async def test_a_question_about_what_was_cleared_is_answered_by_nobody_any_more() -> None:
    desk = solo(agent("codex", answers))
    await reviewed(desk, change(CLEAN), questions=(WHY,))
    again = await reviewed(desk, change(CLEAN), questions=(TWICE,))
    late = f"Questions are asked when a review begins; start over with --anew to ask: {TWICE}"
    assert (again.result, again.notes) == (Result.CLEARED, (late,))


@played
async def test_a_secret_in_a_question_is_neither_sent_nor_stored() -> None:
    """D-16."""
    codex = agent("codex", answers)
    careful = replace(rounds(solo(codex)), redact=lambda text, path: redacted(text, path)[0])
    options = Options(questions=(f"Is {TOKEN} still valid?",))
    outcome = await careful.run(change(CLEAN), options=options, watch=Watching())
    assert TOKEN not in f"{codex.tasks} {outcome}"
