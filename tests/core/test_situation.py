"""U-56: the situation of a review in words: cleared and doubted since, ended, waiting for a human, waiting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.categories import common_category
from foureyes.core.checks import check_step
from foureyes.core.contexts import Context, is_same_text, read_context
from foureyes.core.events import ReportKept
from foureyes.core.evolve.rulings import asked_again
from foureyes.core.explain import explain
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.kinds import with_article
from foureyes.core.local import AUTHOR_MARK, is_local_author, local_author
from foureyes.core.model import Review
from foureyes.core.reasons import advisory, why_advisory
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rejections import is_taken_back, rejections
from foureyes.core.rules import Blind, SeatRule
from foureyes.core.situation import (
    Reader,
    Result,
    Situation,
    by_severity,
    files_of,
    open_by_severity,
    situation_of,
)
from foureyes.core.values import ChangeKind, Failure, Outcome, Part, Place, Severity, Verdict, Who, WorkPart
from foureyes.core.views import view
from tests.cast import AUDITOR, BASE, CODEX, DEV, GEMINI, HUGO, LINTER, RULES, Play, finding
from tests.seeds.shaped import protocol, shaped, stage

VERIFY = SeatRule(roles=("auditor",), part=Part.VERIFY)
AGENT = SeatRule(roles=("agent",))


def comes_to(review: Review, *unmet: str, decides: bool = False) -> Situation:
    """The situation, with each request as a wish and the way to answer it."""
    turns = tuple(("a word", "Give it.") for _ in review.requests)
    return situation_of(review, (), unmet, turns, Reader(decides=decides))


def test_a_human_who_is_asked_is_whose_turn_it_is() -> None:
    """U-56, U-28: the sentence is what the human is asked."""
    play = Play()
    play.know(pool=(play.facts.pool[0],))
    play.open("create_core")
    seen = comes_to(play.review)
    assert seen.result is Result.PENDING
    assert seen.sentence.startswith("A human must decide: ")
    assert "a human: a decision" in seen.turn
    assert seen.next_step == "Wait: a human decides ruling-1."
    assert comes_to(play.review, decides=True).next_step == "Give it."


@pytest.mark.parametrize("viewer", [DEV, CODEX, HUGO])
def test_only_a_human_who_may_decide_is_told_how_to(viewer: Who) -> None:
    """U-59: an author was told to give a ruling; a group's is asked of its members."""
    play = Play()
    play.know(pool=(play.facts.pool[0],))
    play.open("create_core")
    told = explain(play.rules, play.review, viewer=viewer).situation.next_step
    assert told.startswith("Give a ruling on ruling-1: ") == (viewer is HUGO)
    asked = play.review.ruling()
    assert asked is not None
    led = replace(play.review, requests={asked.id: replace(asked, group="leads")})
    told = explain(play.rules, led, viewer=viewer).situation.next_step
    ours, others = "Give a ruling on ruling-1 as one of leads: ", "Wait: somebody of leads decides ruling-1."
    assert told.startswith(ours if viewer is HUGO else others)


def test_a_local_review_names_no_server() -> None:
    """U-50: there is none that could be started for it, and none with a page to decide on."""
    play = Play(author=replace(DEV, name=local_author("ada")))
    play.know(pool=(play.facts.pool[0],))
    play.open("create_core")
    told = explain(play.rules, play.review, viewer=HUGO)
    assert told.situation.next_step.startswith("Drop what is not real with `foureyes dismiss")
    assert "foureyes doctor" in told.situation.sentence
    assert "server" not in told.situation.sentence


def test_work_that_was_cleared_and_is_doubted_since_says_so() -> None:
    """U-56: a late defect is told beside the clearance."""
    play = Play()
    play.open("script")
    play.report(CODEX, verdict="approve")
    play.do(HUGO, c.OverrideStage(stage="solo", revision=1, digest="d1", reason="the other seats are empty"))
    assert play.review.outcome is Outcome.CLEARED
    play.do(HUGO, c.ReportEscape(text="it deletes the wrong table", severity="critical", found_in="production"))
    seen = comes_to(play.review)
    assert seen.result is Result.INCONCLUSIVE
    assert "found something after that" in seen.sentence


def test_an_open_review_without_a_reason_says_that_it_waits() -> None:
    """U-56."""
    play = Play()
    play.open("script")
    assert comes_to(play.review).sentence == "Somebody is still asked."
    assert comes_to(play.review, "Codex has to look").sentence == "Codex has to look."


def seen_by(play: Play, who: Who) -> Situation:
    """The situation as shown to a viewer."""
    shown = view(play.rules, play.review, who)
    return explain(play.rules, shown.review, viewer=who, hidden=shown.hidden).situation


def test_what_tells_a_review_from_others_in_a_list() -> None:
    """Its files, and its open findings by severity, the gravest first."""
    play = Play()
    play.open("script")
    parts = (WorkPart(name="a.py", digest="d2", size=2), WorkPart(name="b.py", digest="d3", size=3))
    assert files_of(replace(play.review, revisions=(replace(play.review.current, parts=parts),))) == "a.py and 1 more"
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"), finding("a", "minor"), finding("b", "minor")))
    assert by_severity(open_by_severity(play.review)) == "1 important, 2 minor"
    assert [with_article(one) for one in ("aspect", "dweller_proposal")] == ["An aspect", "A dweller proposal"]


def test_whoever_may_come_is_told_the_same_before_and_after_others_reported() -> None:
    """U-56, U-26: a reviewer of content read "inconclusive", with no turn and no next step."""
    play = Play()
    play.open("story")
    first = seen_by(play, GEMINI)
    assert (first.result, first.turn) == (Result.PENDING, "yours, if you may review it: a report")
    assert first.next_step.startswith("Read version 1 with `read_work` or `read_content`, then report on it with ")
    play.report(CODEX, findings=(finding("it is dry"),))
    assert seen_by(play, GEMINI) == first
    assert seen_by(play, CODEX).result is Result.BLOCKED


def test_who_was_not_asked_is_told_that_a_reviewer_is() -> None:
    """U-56: of a review that hides something nothing else is known, and never that nobody is asked."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(AGENT,), blind=Blind.FIRST)))
    holder = play.review.seats["shaped.1"].reviewer
    assert holder is not None
    asked = seen_by(play, holder)
    assert (asked.result, asked.turn) == (Result.PENDING, "yours: a report")
    assert asked.next_step == "Read version 1 with `read_work`, then report on it with `report`."
    seen = seen_by(play, LINTER)
    assert (seen.result, seen.turn) == (Result.PENDING, "a reviewer: a report")
    assert seen.next_step == "A reviewer reports on version 1."
    blind = situation_of(replace(play.review, requests={}), (), (), (), Reader(is_blind=True))
    assert blind.sentence == "Somebody is still asked."


def test_who_is_asked_about_findings_is_told_which_and_by_which_call() -> None:
    """U-56: a second look at what others found, and a word on one's own."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT, VERIFY))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    found = "give your word on shaped.1-F1 with"
    assert seen_by(play, AUDITOR).next_step == f"Read version 1 with `read_work`, then {found} `verify_finding`."
    play.do(AUDITOR, c.VerifyFinding(finding="shaped.1-F1", revision=1, result="confirmed", evidence="I ran it"))
    play.do(DEV, c.AnswerFinding(finding="shaped.1-F1", text="It is closed now."))
    assert seen_by(play, CODEX).next_step == f"Read version 1 with `read_work`, then {found} `settle_finding`."


def test_a_finding_that_stops_nothing_says_why() -> None:
    """U-24: below what stops the work, or refuted by a second look."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT, VERIFY))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"), finding("it is slow"), finding("a", "minor")))
    first, second = "shaped.1-F1", "shaped.1-F2"
    play.do(AUDITOR, c.VerifyFinding(finding=first, revision=1, result="refuted", evidence="I ran it"))
    request = play.review.report_request("shaped.2")
    assert request is not None
    assert request.about == (second,)
    assert why_advisory(play.review.findings[first]) == "refuted by a second look"
    shown = advisory(play.review, {"shaped": Severity.IMPORTANT})
    assert shown["shaped.1-F3"] == why_advisory(play.review.findings["shaped.1-F3"])


def test_a_human_who_sets_a_finding_aside_is_why_it_stops_nothing() -> None:
    """U-24."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT,))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    known = replace(play.review.findings["shaped.1-F1"], suppressed_by="lesson-1")
    assert why_advisory(known) == "a human set the same one aside before"


def test_a_rejection_without_a_finding_stands_on_all_of_the_work() -> None:
    """U-03: until its reviewer approves a version with the same text."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT,))))
    play.report(CODEX, verdict="reject", grounds=("security_risk",))
    standing = rejections(play.review, ())
    assert [one.raiser for one in standing.values()] == ["codex"]
    (rejection,) = standing.values()
    assert (rejection.severity, rejection.place) == (Severity.CRITICAL, None)
    assert not is_taken_back(play.review, rejection, ())
    reports = {key: replace(one, verdict=Verdict.APPROVE) for key, one in play.review.reports.items()}
    approved = replace(play.review, reports=reports)
    assert is_taken_back(approved, rejection, ())
    assert is_taken_back(approved, rejection, (1,))


def test_a_program_looks_again_whatever_a_rule_keeps() -> None:
    """D-02, Y18: it judges all of the bytes, and these are others."""
    seats = (SeatRule(roles=("program",)), AGENT)
    keeps = frozenset({ChangeKind.REBASE})
    play = shaped(protocol(stage(Quorum(reviewers=2), seats=seats, keeps=keeps)))
    play.report(LINTER, verdict="approve")
    play.know(change=ChangeKind.REBASE, base=BASE)
    play.revise("d2")
    assert play.count(ReportKept) == 0


def test_who_failed_is_forgotten_when_work_that_nobody_reviewed_asks_again() -> None:
    """U-15: a run that crashed is no reason not to ask the same reviewer for the same version."""
    play = Play()
    play.open("create_core")
    failed = c.ReportInconclusive(seat="peer.1", revision=1, reason=Failure.CRASHED)
    play.do(AUDITOR, failed)
    assert play.review.failed
    assert not asked_again(play.review).failed


def test_an_unknown_step_is_refused_with_those_of_the_policy() -> None:
    """U-05."""
    check_step(RULES, "", "step")
    check_step(RULES, "content_step", "step")
    with pytest.raises(Refusal) as caught:
        check_step(RULES, "nostep", "step")
    assert caught.value.code is Code.UNKNOWN_WORD
    assert "content_step" in caught.value.sentence or "content_step" in str(caught.value.fields)


@pytest.mark.parametrize(
    ("word", "common"), [(" Docs", "documentation"), ("error-handling", "error_handling"), ("vibes", "vibes")]
)
def test_a_category_is_known_by_its_common_spellings(word: str, common: str) -> None:
    """U-05."""
    assert common_category(word) == common


@pytest.mark.parametrize(
    "context",
    [
        Context(anchor="a" * 32),
        Context(anchor="a", lines=2, digest="b", before="c", behind="d"),
        Context(anchor="a", lines=1, digest="b", strength="w", is_comment=True),
    ],
)
def test_the_hash_of_a_text_is_read_as_it_was_kept(context: Context) -> None:
    """U-03."""
    assert read_context(context.text) == context


def test_the_same_lines_are_the_same_text_beside_one_side_of_what_was_around_them() -> None:
    """U-03: lines that say little alone need both sides, and no place is no text.

    What was said of lines that say enough stands whatever is beside them.
    """
    strong = Context(anchor="a", lines=1, digest="b", before="c", behind="d")
    assert strong.is_like(replace(strong, before="x"))
    assert not strong.is_like(replace(strong, before="x", behind="y"))
    assert strong.stands_as(replace(strong, before="x", behind="y"))
    assert not strong.stands_as(replace(strong, digest="z"))
    assert not strong.is_like(replace(strong, digest="z"))
    assert not replace(strong, strength="s").is_like(replace(strong, before="x"))
    assert replace(strong, before="", behind="").is_like(strong)
    place = Place(path="a.py", start=1, end=1, context_hash=strong.text)
    assert is_same_text(place, replace(place, path="b.py"))
    assert not is_same_text(place, None)
    assert read_context("t1:a:1:s:b") is None


def test_the_author_of_a_local_review_is_known_by_its_name() -> None:
    """U-50."""
    assert local_author("ann") == f"ann{AUTHOR_MARK}"
    assert is_local_author(local_author("ann"))
    assert not is_local_author(DEV.name)
