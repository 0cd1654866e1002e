"""U-03: findings follow unchanged text into other reviews; who settles them there, and what lifts them."""

from __future__ import annotations

from dataclasses import replace

from foureyes.core import commands as c
from foureyes.core.events import FindingInherited, FindingLifted, RulingRequested
from foureyes.core.inherited import INHERITED_MAX, STAGE, Inheritable, inherited_stage
from foureyes.core.model import Finding
from foureyes.core.objections import is_text_in, objection, stands_on_text
from foureyes.core.refusals import Code
from foureyes.core.stack import stages_of
from foureyes.core.values import CLOCK, Outcome, Place, Severity, Standing, WorkPart
from foureyes.core.views import view
from tests.cast import ANN, BOB, CHECKED, CODEX, DEV, GEMINI, HUGO, LINTER, Play, finding

PLACE = Place(path="a.py", start=3, end=3, context_hash="t1")
RAISED = Finding(
    id="solo.1-F1", seat="solo.1", stage="solo", raiser="codex", revision=1, severity=Severity.CRITICAL,
    severity_word="critical", category="security", scope="", text="it phones home", fingerprint="f1", place=PLACE,
    evidence="line 3", suggestion="", advisory="", suppressed_by="", demand=False,
)  # fmt: skip
FOUND = Inheritable(review="r0", finding=RAISED, place=PLACE)
NAME = "inherited-F1"
OWN = "solo.2-F1"


def inheriting(*found: Inheritable, kind: str = "script") -> Play:
    """A review of text that has these findings in another review."""
    play = Play()
    play.know(inheritable=found or (FOUND,))
    play.open(kind)
    return play


def different(count: int) -> tuple[Inheritable, ...]:
    """So many findings that say different things."""
    said = (replace(RAISED, id=f"solo.1-F{one}", text=f"bad {'x' * one}") for one in range(1, count + 1))
    return tuple(replace(FOUND, finding=one) for one in said)


def standing(play: Play, name: str = NAME) -> Standing:
    return play.review.findings[name].standing


def passed(play: Play) -> None:
    """A human passes the stage that the policy names."""
    digest = play.review.digest
    play.do(HUGO, c.OverrideStage(stage="solo", revision=play.review.revision, digest=digest, reason="I read it"))


def test_a_review_inherits_and_names_where_it_comes_from() -> None:
    play = inheriting(FOUND, replace(FOUND, review="r9", finding=replace(RAISED, review="r0", source="solo.1-F1")))
    events = [one for one in play.log if isinstance(one, FindingInherited)]
    assert [(one.finding, one.review, one.source, one.raiser) for one in events] == [
        (NAME, "r0", "solo.1-F1", "codex")
    ], "a copy of it in a third review is the same finding"
    assert [one.name for one in stages_of(play.rules, play.review)] == ["solo", STAGE]
    found = objection(play.review, stages_of(play.rules, play.review), "d1")
    assert found is not None
    assert found.findings == (NAME,)


def test_copies_of_one_finding_are_inherited_once() -> None:
    """U-03: each of many reviews with the same finding on the same text adds nothing."""
    copies = tuple(replace(FOUND, review=f"r{one}") for one in range(2, INHERITED_MAX + 5))
    another = replace(FOUND, review="r90", finding=replace(RAISED, raiser="gemini"))
    play = inheriting(*copies, another)
    events = [one for one in play.log if isinstance(one, FindingInherited)]
    assert [(one.review, one.raiser) for one in events] == [("r2", "codex"), ("r90", "gemini")]


def test_it_clears_only_once_its_raiser_settles_it() -> None:
    play = inheriting()
    passed(play)
    asked = play.review.ruling()
    assert asked is not None
    assert (asked.stage, asked.reason, asked.findings) == (STAGE, "Inherited", (NAME,))
    assert "solo.1-F1 of review r0 by codex" in asked.text
    word = c.SettleFinding(finding=NAME, revision=1, resolved=True, note="it is a test host")
    assert play.refused(ANN, word) is Code.UNKNOWN_FINDING
    assert play.refused(CODEX, replace(word, resolved=False)) is Code.NOT_OPEN
    play.do(CODEX, word)
    assert play.review.outcome is Outcome.CLEARED


def test_a_human_waives_it_or_passes_its_stage() -> None:
    play = inheriting()
    play.do(HUGO, c.WaiveFinding(finding=NAME, reason="it is a test host"))
    passed(play)
    assert play.review.outcome is Outcome.CLEARED
    play = inheriting()
    passed(play)
    play.do(HUGO, c.OverrideStage(stage=STAGE, revision=1, digest="d1", reason="I know"))
    assert play.review.outcome is Outcome.CLEARED


def test_a_finding_of_a_veto_seat_needs_a_human_who_signed_in_anew() -> None:
    play = inheriting(replace(FOUND, veto=True))
    play.know(signed_in_anew=False)
    waiver = c.WaiveFinding(finding=NAME, reason="it is a test host")
    assert play.refused(HUGO, waiver) is Code.SIGN_IN_NEEDED
    play.know(signed_in_anew=True)
    play.do(HUGO, waiver)
    assert standing(play) is Standing.WAIVED


def test_what_is_settled_where_it_was_raised_is_lifted_here() -> None:
    play = inheriting()
    check = c.CheckInherited(source="review/r0")
    assert play.refused(DEV, check) is Code.NOT_THE_CLOCK
    assert play.refused(CLOCK, check) is Code.NOT_DUE
    play.know(lifted={NAME: "settled in r0"})
    play.do(CLOCK, check)
    assert (standing(play), play.review.findings[NAME].note) == (Standing.RESOLVED, "settled in r0")
    assert objection(play.review, stages_of(play.rules, play.review), "d1") is None
    other = inheriting()
    other.know(inheritable=(), lifted={NAME: "settled in r0"})
    passed(other)
    assert other.review.outcome is Outcome.CLEARED, "every command looks for it"


def test_a_new_version_without_its_text_sheds_it_and_one_with_it_has_it_again() -> None:
    play = inheriting()
    play.revise("d2")
    assert (standing(play), play.review.findings[NAME].lifted) == (Standing.RESOLVED, True)
    found = objection(play.review, stages_of(play.rules, play.review), "d1")
    assert found is not None, "the version before has the text"
    play.know(inheritable=(FOUND,))
    play.revise("d3")
    assert (standing(play), play.review.findings[NAME].lifted) == (Standing.OPEN, False)
    play.know(kept=(NAME,))
    play.revise("d4")
    assert standing(play) is Standing.OPEN
    assert play.review.inherited == (NAME,)


def test_more_than_the_limit_is_not_opened() -> None:
    many = different(INHERITED_MAX + 1)
    play = Play()
    play.know(inheritable=many)
    opening = c.OpenReview(review="r1", kind="script", title="a script", digest="d1")
    assert play.refused(DEV, opening) is Code.OBJECTED


def test_what_came_up_since_is_met_before_it_clears() -> None:
    play = Play()
    play.open("script")
    play.know(inheritable=(FOUND,))
    passed(play)
    assert standing(play) is Standing.OPEN
    assert play.review.outcome is None
    hidden = Play()
    hidden.open("script")
    hidden.know(inheritable=(replace(FOUND, hidden=True),))
    passed(hidden)
    asked = hidden.review.ruling()
    assert asked is not None
    assert asked.reason == "objected_elsewhere"
    assert (hidden.review.inherited, "r0" in asked.text) == ((), False), "of a review that hides nothing is told"


def test_its_raiser_settles_it_in_a_report_or_raises_it_anew() -> None:
    play = inheriting()
    words = {"verdict": "approve", "evidence": CHECKED}
    assert play.refused(CODEX, report_of(play, **words)) is Code.OWN_FINDING_BLOCKS
    settled = c.Settlement(finding=NAME, resolved=True, note="it is a test host")
    play.do(CODEX, report_of(play, settled=(settled,), **words))
    assert standing(play) is Standing.RESOLVED
    again = inheriting()
    draft = replace(finding("it phones home", severity="critical"), place=PLACE)
    elsewhere = replace(draft, place=replace(PLACE, context_hash="t2"), text="and so does this")
    again.report(CODEX, verdict="concerns", findings=(elsewhere, draft))
    lifted = [one for one in again.log if isinstance(one, FindingLifted)]
    assert [one.reason for one in lifted] == ["raised here as solo.2-F2"]
    placeless = inheriting(replace(FOUND, place=None))
    placeless.report(CODEX, verdict="concerns", findings=(draft,))
    assert standing(placeless) is Standing.OPEN


def report_of(play: Play, **more: object) -> c.SubmitReport:
    return c.SubmitReport(revision=play.review.revision, summary="I read a.py whole", **more)  # type: ignore[arg-type]


def test_a_green_run_settles_what_its_program_raised() -> None:
    found = replace(FOUND, finding=replace(RAISED, raiser=LINTER.name))
    play = inheriting(found)
    play.report(LINTER, stage="solo", verdict="approve", summary="clean: all of it", evidence=CHECKED)
    assert standing(play) is Standing.RESOLVED


def test_a_blind_reviewer_sees_it_after_their_own_report_and_its_raiser_at_once() -> None:
    play = inheriting(kind="story")
    assert view(play.rules, play.review, ANN).review.inherited == ()
    assert NAME not in view(play.rules, play.review, ANN).review.findings
    assert NAME in view(play.rules, play.review, CODEX).review.findings
    assert NAME in view(play.rules, play.review, DEV).review.findings
    play.report(ANN, findings=(finding("a gap"),))
    assert NAME in view(play.rules, play.review, ANN).review.findings
    assert NAME not in view(play.rules, play.review, BOB).review.findings
    assert NAME not in view(play.rules, play.review, GEMINI).review.findings


def test_a_stage_without_others_before_it_asks_for_a_human() -> None:
    found = inherited_stage(())
    assert (found.name, found.options.person_waives) == (STAGE, False)


def raised() -> Play:
    play = Play()
    play.open("script")
    play.report(CODEX, verdict="concerns", findings=(replace(finding("a gap", severity="critical"), place=PLACE),))
    return play


def holds(play: Play, name: str = OWN) -> bool:
    return stands_on_text(play.review, stages_of(play.rules, play.review), play.review.findings[name])


def test_a_finding_holds_against_its_text_until_somebody_passes_it_on_that_text() -> None:
    play = raised()
    assert holds(play)
    play.revise("d2")
    play.do(CODEX, c.SettleFinding(finding=OWN, revision=2, resolved=True, note="it is gone"))
    assert holds(play), "a fix that changed the text takes nothing back of it"
    kept = raised()
    kept.know(kept=(OWN,))
    kept.revise("d2")
    kept.do(CODEX, c.SettleFinding(finding=OWN, revision=2, resolved=True, note="the caller checks it"))
    assert not holds(kept)
    waived = raised()
    waived.do(HUGO, c.WaiveFinding(finding=OWN, reason="no"))
    assert not holds(waived)
    overridden = raised()
    passed(overridden)
    assert not holds(overridden)


def test_the_text_of_a_finding_is_its_file_where_nothing_else_is_known() -> None:
    play = raised()
    one = play.review.findings[OWN]
    file, other = WorkPart(name="a.py", digest="x"), WorkPart(name="b.py", digest="y")
    first = replace(play.review.revisions[0], parts=(file, other))
    second = replace(first, number=2, digest="d2", parts=(file,))
    review = replace(play.review, revisions=(first, second))
    assert is_text_in(review, one, 2)
    assert not is_text_in(review, replace(one, place=None), 2), "without a place all of the work is its text"
    assert not is_text_in(review, replace(one, revision=2), 1), "what was raised later says nothing of before"
    bare = replace(play.review, revisions=(replace(first, parts=()), replace(second, parts=())))
    assert not is_text_in(bare, one, 2)


def test_a_ruling_says_how_many_there_are() -> None:
    many = different(8)
    play = inheriting(*many)
    passed(play)
    asked = next(one for one in reversed(play.log) if isinstance(one, RulingRequested))
    assert asked.text.endswith("and 3 more")
