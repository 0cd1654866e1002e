"""Every refusal has a code, a sentence with details and a next step, and changes nothing."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from foureyes.core import commands as c
from foureyes.core import refusals
from foureyes.core.facts import Mates
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.objections import Objection
from foureyes.core.peer_data import CRITERIA
from foureyes.core.refusals import Code, NextCall, Refusal, refuse
from foureyes.core.rules import Humans, SeatRule
from foureyes.core.values import CLOCK, Outcome, Place, Severity, Verdict, Who, WhoKind, WorkPart
from tests.cast import ANN, AUDITOR, BOB, CHECKED, CODEX, DEV, FULL, HARDIN, HUGO, RULES, SELDON, Play, agent, finding
from tests.seeds.shaped import protocol, shaped, stage
from tests.sim.unreachable import reachable_refusals

TERM = Who(name="tina", kind=WhoKind.PERSON)
TWIN = agent("twin", session=DEV.session)
OVERRIDE = c.OverrideStage(stage="resolve", revision=1, digest="d1", reason="I looked")
NOTHING = c.AddNote(text="hello")
Command = c.ReviewCommand | Callable[[Play], c.ReviewCommand]


def nothing() -> Play:
    return Play()


def story() -> Play:
    """A story with two open seats."""
    play = Play()
    play.open("story")
    return play


def with_a_mate() -> Play:
    """Bob works in the author's session."""
    play = story()
    play.know(mates=Mates(names=frozenset({"bob"})))
    return play


def raised() -> Play:
    """Ann has raised one finding."""
    play = story()
    play.report(ANN, findings=(finding("a gap"),))
    return play


def answered() -> Play:
    play = raised()
    play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="filled"))
    return play


def settled() -> Play:
    play = answered()
    play.do(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True))
    return play


def with_files() -> Play:
    """A work with one file."""
    play = Play()
    part = WorkPart(name="a.py", media_type="text/plain", digest="ab" * 32, size=3)
    play.open("script", parts=(part,))
    return play


def absent() -> c.Draft:
    return finding("It is not there", place=Place(path="nope.py", start=1))


def unread() -> Play:
    """A story that was served to no reviewer."""
    play = solo()
    play.reads = False
    return play


def begun() -> Play:
    """Ann has taken a seat."""
    play = story()
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    return play


def run_out() -> Play:
    play = begun()
    play.wait(minutes=61)
    return play


def noted() -> Play:
    """Ann has written as many notes as she may."""
    play = story()
    for _ in range(RULES.limits.notes_max):
        play.do(ANN, c.AddNote(text="hello"))
    return play


def withdrawn() -> Play:
    play = story()
    play.do(DEV, c.WithdrawReview(reason="I changed my mind"))
    return play


def disputed() -> Play:
    """A story about which a human is asked."""
    play = story()
    play.do(DEV, c.RequestRuling(reason="nobody comes"))
    return play


def ruled() -> Play:
    play = disputed()
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="retry", reason="wait a little"))
    return play


def peer() -> Play:
    play = Play()
    play.open("create_core", questions=("is it fast?", "is it safe?"))
    return play


def solo() -> Play:
    play = Play()
    play.open("thing")
    return play


def found_critical() -> Play:
    play = solo()
    play.report(CODEX, verdict="reject", findings=(finding("a backdoor", "critical"),))
    return play


def reported() -> Play:
    play = story()
    play.report(ANN, evidence=CHECKED, summary="fine")
    return play


def vetoed() -> Play:
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="a key in the code")
    return play


def vetoed_and_revised() -> Play:
    play = vetoed()
    play.revise("d2")
    return play


def vetoed_elsewhere() -> Play:
    play = Play()
    play.know(vetoes={"d1": "r7"})
    return play


def objected_elsewhere() -> Play:
    play = Play()
    play.know(objections={"d1": Objection(review="r7", findings=("solo.1-F1", "solo.1-F2"))})
    return play


def together(*members: str) -> Callable[[], Play]:
    """A story whose gate two of a group must open."""

    def made() -> Play:
        one = stage(Quorum(reviewers=1), Resolved(), seats=(SeatRule(),), ruling_needs=2, ruling_group="leads")
        return shaped(protocol(one), groups=(Humans(name="leads", members=frozenset(members)),))

    return made


def override(stage_name: str) -> c.OverrideStage:
    return c.OverrideStage(stage=stage_name, revision=1, digest="d1", reason="I looked")


def opening(digest: str = "d1") -> c.OpenReview:
    return c.OpenReview(review="r1", kind="story", title="A story", digest=digest)


def approval(**fields: object) -> c.SubmitReport:
    known = {"revision": 1, "verdict": "approve", "checklist": FULL, "confidence": 95, "answers": ("yes", "yes")}
    return c.SubmitReport(**{**known, **fields})  # type: ignore[arg-type]


def report(**fields: object) -> c.SubmitReport:
    return c.SubmitReport(**{"revision": 1, **fields})  # type: ignore[arg-type]


def settling(name: str = "resolve.1-F1", *, resolved: bool = True) -> c.SettleFinding:
    return c.SettleFinding(finding=name, revision=1, resolved=resolved)


#: The state, actor and command, the code, and what the sentence or next step must name.
CASES: list[tuple[Code, Callable[[], Play], Who, c.ReviewCommand, tuple[str, ...]]] = [
    (Code.ALREADY_ASKED, ruled, DEV, c.RequestRuling(reason="still nobody"), ("dev",)),
    (Code.ALREADY_OPEN, story, DEV, opening(), ("r1",)),
    (Code.ANSWERS_MISMATCH, peer, AUDITOR, approval(answers=("yes",)), ("2 questions", "1 answers")),
    (Code.AUTHOR_MAY_NOT, story, DEV, c.TakeSeat(stage="resolve"), ("dev",)),
    (Code.BAD_NUMBER, solo, CODEX, report(verdict="approve", confidence=101), ("confidence", "101", "0 to 100")),
    (Code.CHECKLIST_INCOMPLETE, peer, AUDITOR, approval(checklist=()), (CRITERIA[0].required[0][0],)),
    (Code.CONFIDENCE_TOO_LOW, peer, AUDITOR, approval(confidence=79), ("80", "79")),
    (
        Code.DIGEST_MISMATCH,
        story,
        HUGO,
        c.OverrideStage(stage="resolve", revision=1, digest="d9", reason="I looked"),
        ("d9", "d1"),
    ),
    (Code.DUPLICATE, reported, ANN, report(evidence=CHECKED, summary="fine"), ("This report",)),
    (Code.EMPTY_GROUP, together(), HUGO, override("shaped"), ("leads",)),
    (Code.EVIDENCE_MISSING, story, ANN, report(), ("without findings",)),
    (Code.GROUND_MISSING, solo, CODEX, report(verdict="concerns"), ("a finding that blocks",)),
    (Code.HUMAN_ONLY, story, ANN, OVERRIDE, ("override a stage",)),
    (Code.LEASE_ENDED, run_out, ANN, report(evidence=CHECKED), ("resolve.1",)),
    (Code.LIMIT_REACHED, noted, ANN, c.AddNote(text="one more"), ("100 notes",)),
    (Code.NOT_INVOLVED, story, BOB, c.RequestRuling(reason="I want to"), ("bob",)),
    (Code.NOT_DUE, story, CLOCK, c.PassDeadline(request="resolve.1"), ("resolve.1", "2026-01-06T09:00")),
    (Code.NOT_ELIGIBLE, story, TWIN, c.TakeSeat(seat="resolve.1"), ("twin", "resolve.1")),
    (Code.NOT_ENDED, story, HUGO, c.ReopenReview(reason="again", undoes=Outcome.SHELVED), ("shelved",)),
    (Code.NOT_IN_GROUP, together("hanna"), HUGO, override("shaped"), ("hugo", "leads")),
    (Code.NOT_OPEN, answered, DEV, c.AnswerFinding(finding="resolve.1-F1", text="once more"), ("answered",)),
    (Code.NOT_THE_AUTHOR, story, ANN, c.SubmitRevision(digest="d2"), ("dev",)),
    (Code.NOT_THE_CLOCK, story, ANN, c.PassDeadline(request="resolve.1"), ("server",)),
    (Code.NOT_THE_HOLDER, answered, BOB, settling(), ("resolve.1",)),
    (Code.NO_FREE_SEAT, story, TWIN, c.TakeSeat(stage="resolve"), ("resolve", "twin")),
    (Code.NO_VERDICTS_HERE, story, ANN, report(verdict="approve"), ("findings",)),
    (
        Code.NOT_YET,
        vetoed_and_revised,
        HARDIN,
        report(revision=2, verdict="approve", stage="security.security"),
        ("security.security judges after security.format",),
    ),
    (Code.NOTHING_TO_KEEP, begun, ANN, c.KeepReport(seat="resolve.1", revision=1), ("resolve.1",)),
    (
        Code.OWN_FINDING_BLOCKS,
        solo,
        CODEX,
        report(verdict="approve", findings=(finding("it leaks"),)),
        ("solo.2-F1",),
    ),
    (Code.REASON_MISSING, story, DEV, c.WithdrawReview(reason=" "), ("A withdrawal",)),
    (Code.REPORT_FIRST, begun, ANN, c.RequestRuling(reason="I am not sure"), ("own report",)),
    (Code.REVIEW_ENDED, withdrawn, ANN, report(evidence=CHECKED), ("withdrawn",)),
    (Code.REVIEW_MISSING, nothing, ANN, NOTHING, ("`inbox`",)),
    (Code.RULING_NEEDED, together("hugo", "hanna"), HUGO, override("shaped"), ("2 people",)),
    (Code.RULING_PENDING, disputed, DEV, c.SubmitRevision(digest="d2"), ("ruling-1",)),
    (Code.SAME_DIGEST, story, DEV, c.SubmitRevision(digest="d1"), ("Change the work",)),
    (Code.SEAT_TAKEN, begun, BOB, c.TakeSeat(seat="resolve.1"), ("the holder of seat resolve.1",)),
    (Code.ONE_PARTY, with_a_mate, BOB, c.TakeSeat(seat="resolve.1"), ("bob", "same session", "outside that session")),
    (Code.SETTLED, settled, ANN, settling(), ("resolve.1-F1", "resolved")),
    (Code.STALE, story, ANN, c.SubmitReport(revision=2, evidence=CHECKED), ("version 2", "version 1")),
    (Code.TOO_LONG, story, ANN, c.AddNote(text="x" * 20_001), ("text", "20001", "20000")),
    (Code.TOO_MANY, solo, CODEX, report(findings=(finding("x"),) * 201), ("findings", "201", "200")),
    (Code.UNKNOWN_FINDING, raised, DEV, c.AnswerFinding(finding="F9", text="where?"), ("F9",)),
    (
        Code.UNKNOWN_OPTION,
        disputed,
        HUGO,
        c.GiveRuling(request="ruling-1", option="maybe", reason="hm"),
        ("maybe", "as_is"),
    ),
    (Code.UNKNOWN_REQUEST, story, CLOCK, c.PassDeadline(request="ruling-1"), ("ruling-1",)),
    (Code.UNKNOWN_SEAT, story, ANN, c.TakeSeat(seat="resolve.9"), ("resolve.9",)),
    (Code.UNKNOWN_STAGE, story, ANN, c.TakeSeat(stage="spec"), ("spec",)),
    (
        Code.UNKNOWN_WORD,
        story,
        ANN,
        report(findings=(finding("a gap", "terrible"),)),
        ("severity", "'terrible'", "critical"),
    ),
    (Code.SIGN_IN_NEEDED, found_critical, TERM, c.WaiveFinding(finding="solo.2-F1", reason="not so"), ("critical",)),
    (Code.UNREAD, unread, CODEX, report(verdict="approve"), ("not given", "read_work")),
    (Code.UNKNOWN_PLACE, with_files, CODEX, report(verdict="reject", findings=(absent(),)), ("nope.py", "a.py")),
    (Code.VERDICT_MISSING, solo, CODEX, report(), ("approve, concerns or reject",)),
    (Code.VETOED, vetoed_elsewhere, DEV, opening(), ("r7",)),
    (Code.OBJECTED, objected_elsewhere, DEV, opening(), ("r7", "solo.1-F2", "ruling")),
    (Code.VETO_STANDS, vetoed, HARDIN, report(verdict="approve", stage="security.security"), ("human",)),
]


@pytest.mark.parametrize(("code", "state", "actor", "command", "names"), CASES, ids=[str(one[0]) for one in CASES])
def test_a_refused_command_is_told_why_and_what_to_do_and_changes_nothing(
    code: Code, state: Callable[[], Play], actor: Who, command: c.ReviewCommand, names: tuple[str, ...]
) -> None:
    play = state()
    log, before = list(play.log), play.review if play.log else None
    with pytest.raises(Refusal) as caught:
        play.do(actor, command)
    refusal = caught.value
    assert refusal.code is code
    told = f"{refusal.sentence} {refusal.next_step}"
    assert [name for name in names if name not in told] == []
    assert str(refusal) == f"{code.value}: {told}"
    assert play.log == log
    assert (play.review if play.log else None) == before


def test_every_code_is_reached_by_a_play_of_this_table() -> None:
    """A code nobody can meet would be a promise nobody keeps."""
    assert sorted(one[0] for one in CASES) == reachable_refusals()


def test_every_code_has_a_sentence_and_a_next_step() -> None:
    assert set(refusals._TEXTS) == set(Code)
    for code, (sentence, step) in refusals._TEXTS.items():
        assert sentence[0].isupper() or sentence[0] == "{", code
        assert sentence.endswith("."), code
        assert step.endswith("."), code


UNKNOWN_WORDS: list[tuple[Callable[[], Play], Who, c.ReviewCommand, str]] = [
    (story, ANN, report(findings=(finding("a gap", category="spelling"),)), "The category"),
    (solo, CODEX, report(verdict="concerns", findings=(finding("a gap", category="stars"),)), "The category"),
    (solo, CODEX, report(verdict="concerns", grounds=("I feel so",)), "A ground"),
    (begun, ANN, c.LeaveSeat(seat="resolve.1", reason="bored"), "The reason"),
    (begun, ANN, c.LeaveSeat(seat="resolve.1", reason="because"), "The reason"),
]


@pytest.mark.parametrize(("state", "actor", "command", "what"), UNKNOWN_WORDS)
def test_a_word_nobody_knows_is_refused_with_the_words_there_are(
    state: Callable[[], Play], actor: Who, command: c.ReviewCommand, what: str
) -> None:
    with pytest.raises(Refusal) as caught:
        state().do(actor, command)
    assert caught.value.code is Code.UNKNOWN_WORD
    assert caught.value.sentence.startswith(what)


def test_a_style_without_categories_of_its_own_takes_the_common_ones_and_the_scopes() -> None:
    play = solo()
    names = ("", "Bug", "quantitative")
    play.report(CODEX, verdict="concerns", findings=tuple(finding(f"a gap in {one}", category=one) for one in names))
    assert [one.category for one in play.review.findings.values()] == list(names)


EMPTY: list[tuple[Callable[[], Play], Who, c.ReviewCommand, str]] = [
    (nothing, DEV, c.OpenReview(review="r1", kind="story", title=" ", digest="d1"), "The title is empty."),
    (nothing, DEV, opening(digest=""), "The digest is empty."),
    (story, DEV, c.SubmitRevision(digest=" "), "The digest is empty."),
    (raised, DEV, c.AnswerFinding(finding="resolve.1-F1", text=""), "The answer is empty."),
    (story, ANN, report(findings=(finding("  "),)), "The finding is empty."),
    (story, ANN, c.AddNote(text=""), "The note is empty."),
    (story, DEV, c.RequestRuling(reason=""), "Asking for a decision needs a reason."),
    (disputed, HUGO, c.GiveRuling(request="ruling-1", option="as_is", reason=""), "A ruling needs a reason."),
    (raised, HUGO, c.WaiveFinding(finding="resolve.1-F1", reason=""), "A waiver needs a reason."),
    (withdrawn, HUGO, c.ReopenReview(reason="", undoes=Outcome.WITHDRAWN), "Reopening needs a reason."),
    (
        story,
        HUGO,
        c.OverrideStage(stage="resolve", revision=1, digest="d1", reason=""),
        "An override needs a reason.",
    ),
    (raised, ANN, settling(), "Taking a finding back needs a reason."),
]


@pytest.mark.parametrize(("state", "actor", "command", "sentence"), EMPTY)
def test_nothing_is_decided_or_said_without_words(
    state: Callable[[], Play], actor: Who, command: c.ReviewCommand, sentence: str
) -> None:
    with pytest.raises(Refusal) as caught:
        state().do(actor, command)
    assert caught.value.code is Code.REASON_MISSING
    assert caught.value.sentence == sentence


def test_a_lease_that_has_run_out_is_not_renewed() -> None:
    play = run_out()
    assert play.refused(ANN, c.RenewSeat(seat="resolve.1")) is Code.LEASE_ENDED
    never = story()
    never.report(ANN, findings=(finding("a gap", place=Place(path="a")),))
    assert never.refused(ANN, c.RenewSeat(seat="resolve.1", lease=timedelta(minutes=1))) is Code.LEASE_ENDED


def test_one_finding_gets_one_word_in_one_report_and_one_answer_in_one_revision() -> None:
    play = answered()
    twice = (c.Settlement(finding="resolve.1-F1", resolved=True),) * 2
    assert play.refused(ANN, report(settled=twice)) is Code.SETTLED
    both = (c.Settlement(finding="resolve.1-F1", resolved=False),) * 2
    assert play.refused(ANN, report(settled=both)) is Code.NOT_OPEN
    again = raised()
    answers = (c.Answer(finding="resolve.1-F1", text="filled"),) * 2
    assert again.refused(DEV, c.SubmitRevision(digest="d2", answers=answers)) is Code.TOO_MANY


def test_a_refusal_does_not_tell_whether_somebody_elses_finding_exists() -> None:
    """A blind reviewer who guesses ids learns nothing: the same words, whatever Ann has raised."""
    told = []
    for play in (begun(), raised()):
        for command in (
            settling("resolve.1-F1"),
            report(evidence=CHECKED, settled=(c.Settlement(finding="resolve.1-F1", resolved=True),)),
            c.VerifyFinding(finding="resolve.1-F1", revision=1, result="refuted", evidence="I tried it"),
        ):
            with pytest.raises(Refusal) as caught:
                play.do(BOB, command)
            told.append((type(command), str(caught.value)))
    assert told[:3] == told[3:]


def test_only_where_reviewers_know_of_each_other_is_a_holder_named() -> None:
    """Whoever reviews a colleague's work openly is named; a blind panel's members are not."""
    play = peer()
    play.do(AUDITOR, c.TakeSeat(seat="peer.1"))
    for command in (c.TakeSeat(seat="peer.1"), report(seat="peer.1", verdict="approve"), c.RenewSeat(seat="peer.1")):
        with pytest.raises(Refusal) as caught:
            play.do(ANN, command)
        assert "auditor" in caught.value.sentence
    blind = begun()
    for command in (c.TakeSeat(seat="resolve.1"), report(seat="resolve.1"), c.RenewSeat(seat="resolve.1")):
        with pytest.raises(Refusal) as caught:
            blind.do(BOB, command)
        assert "ann" not in str(caught.value)


@pytest.mark.parametrize("vetoes", [{}, {"d1": "r7"}])
def test_bytes_that_another_review_hides_are_refused_alike_whether_a_veto_stands_there_or_not(
    vetoes: dict[str, str],
) -> None:
    """T13: a refusal because of a veto would tell of it."""
    play = Play()
    play.know(unseen={"d1": "r7"}, vetoes=vetoes)
    assert play.refused(DEV, opening()) is Code.UNDER_REVIEW
    play.open("story", digest="d2")
    assert play.refused(DEV, c.SubmitRevision(digest="d1")) is Code.UNDER_REVIEW


def test_a_refusal_carries_its_particulars_as_data() -> None:
    """U-42: words that are lists are joined in the sentence and stay lists beside it; nothing is an object of ours."""
    call = NextCall(call="read_work", arguments={"review": "r1"})
    allowed = (Severity.CRITICAL, Verdict.APPROVE, "plain", 3, None, {"at": (True, timedelta(hours=1))})
    no = refuse(Code.UNKNOWN_WORD, what="The word", word="x", allowed=allowed, field="word", next_call=call)
    assert no.sentence.startswith("The word is 'x', which is not one of critical, approve, plain, 3, None")
    assert no.particulars() == {
        "fields": {
            "what": "The word",
            "word": "x",
            "allowed": ["critical", "approve", "plain", 3, None, {"at": [True, "1:00:00"]}],
            "field": "word",
        },
        "next_call": {"call": "read_work", "arguments": {"review": "r1"}},
    }


def test_a_description_is_no_list_of_allowed_words() -> None:
    no = refuse(Code.UNKNOWN_WORD, what="The digest", word="x", allowed="64 hexadecimal digits")
    assert no.fields == {"what": "The digest", "word": "x", "expected": "64 hexadecimal digits"}
    assert Refusal(Code.STALE, "Old.", "Read.").particulars() == {}


def test_a_refusal_names_at_most_so_many_values() -> None:
    no = refuse(Code.UNKNOWN_WORD, what="The path", word="x", allowed=tuple(map(str, range(200))))
    assert no.fields["allowed"] == list(map(str, range(refusals.ALLOWED_MAX)))
