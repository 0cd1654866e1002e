"""Seed 001 §12 and §15 under its own policy: busy, late, silent and unsure colleagues, by a clock that is moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.http.test_seed_001 import CHANGES, FULL, GOOD, WORK
from tests.postgres.server import Server
from tests.seeds.stories.chats import Chats
from tests.seeds.stories.colleagues import (
    DOCUMENT,
    PEER,
    approve,
    asked,
    checklist,
    colleagues,
    doubt,
    judge,
    over,
    request,
    resubmit,
    ruled,
    shown,
)
from tests.seeds.stories.stage import SQLITE, Stage, done, found, places, shows, until

pytestmark = pytest.mark.door("http", policy="seed-001")

REJECTED = {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
ARGUMENT = {"reason": "creator_disagrees", "creator_argument": "It is by the book.", "request_human_decision": True}


#: Criteria for the kinds without criteria in the document.
OTHERS = dict.fromkeys(("does_what_it_says", "errors_handled", "nothing_broken"), True)


@pytest.fixture(scope="module", params=places(SQLITE))
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[tuple[Stage, Chats]]:
    """A server with the document's own policy, its colleagues, and the notification channels."""
    with colleagues(tmp_path_factory.mktemp("seed-001-clock"), request.param, on_postgres) as both:
        yield both


@pytest.fixture
def here(both: tuple[Stage, Chats]) -> Stage:
    """The server."""
    return both[0]


def is_shown(caller: Any, review: str, **wanted: Any) -> Any:
    """Wait until `get_review` has these values and return its answer."""
    return shows(caller, f"{PEER}/get_review?reviewId={review}", **wanted)


def question(here: Stage, review: str) -> Any:
    """Wait for the question to a human about a review."""
    look = lambda: found(here.human(), f"/api/v1/reviews/{review}")["review"]["ruling"]  # noqa: E731 - seen again
    return until(look, bool)


@pytest.mark.door("http", "chat", policy="seed-001")
def test_a_review_nobody_begins_goes_to_the_backup_and_then_to_a_human(both: tuple[Stage, Chats]) -> None:
    """001-72, 001-25, 001-27: reminded after 30 minutes, given on after 15 more, and the record says so."""
    here, told = both
    dev = here.agent("core-developer")
    title = "Review: core-late"
    review = asked(dev, title=title)
    here.wait(minutes=29)
    assert shown(dev, review)["reviewer"] == "auditor"
    here.wait(minutes=2)
    until(lambda: [one for one in told.texts("discord/4/auditor") if title in one], lambda seen: len(seen) >= 2)
    assert shown(dev, review)["reviewer"] == "auditor"
    here.wait(minutes=15)
    is_shown(dev, review, reviewer="tester")
    assert told.hears("discord/3/human", title), "a human hears that time ran out"
    rows = found(here.human(), "/api/v1/audit", review=review)["rows"]
    assert [row["says"] for row in rows if row["what"] == "incident"] == [
        "timeout: reminded",
        "timeout: somebody else is asked",
    ]
    assert [(row["who"], row["asks"]) for row in rows if row["type"] == "ReportRequested"] == [
        ("core-developer", "auditor"),
        ("clock", "tester"),
    ]
    here.wait(minutes=31)
    until(lambda: [one for one in told.texts("discord/5/tester") if title in one], lambda seen: len(seen) >= 2)
    here.wait(minutes=16)
    question(here, review)
    assert shown(dev, review)["status"] == "escalated"
    over(dev, review)


def test_a_reviewer_who_falls_silent_is_replaced_and_the_backup_sees_the_draft(here: Stage) -> None:
    """001-78: 60 minutes without a sign of life; what the first one says later is no vote."""
    dev, auditor, tester = (here.agent(one) for one in ("core-developer", "auditor", "tester"))
    review = asked(dev)
    shown(auditor, review)
    seat = found(auditor, f"/api/v1/reviews/{review}")["review"]["seats"][0]["seat"]
    draft = "The parser looks right, the tests are missing."
    done(auditor, f"/api/v1/reviews/{review}/seats/{seat}/renewal", draft=draft)
    here.wait(minutes=61)
    is_shown(dev, review, reviewer="tester")
    assert draft in str(found(tester, f"/api/v1/reviews/{review}"))
    late = judge(auditor, review, GOOD, checklist=FULL)
    assert (late["success"], late["status"]) == (False, "too_late")
    approve(tester, review)
    assert shown(dev, review)["status"] == "approved"


def test_a_review_that_takes_two_hours_is_a_humans(here: Stage) -> None:
    """001-22: signs of life do not stretch it."""
    app, architect = here.agent("app-developer"), here.agent("architect")
    review = asked(app, type="create_app")
    shown(architect, review)
    seat = found(architect, f"/api/v1/reviews/{review}")["review"]["seats"][0]["seat"]
    for _ in range(3):
        here.wait(minutes=39)
        done(architect, f"/api/v1/reviews/{review}/seats/{seat}/renewal", draft="Still reading.")
    assert found(here.human(), f"/api/v1/reviews/{review}")["review"]["ruling"] is None
    here.wait(minutes=4)
    question(here, review)
    over(app, review)


def test_work_that_finds_everybody_busy_waits_a_quarter_of_an_hour(here: Stage) -> None:
    """001-68, 001-25, B17, B18: then a human is asked; a reviewer who becomes free in time takes it."""
    dev, auditor, tester = (here.agent(one) for one in ("core-developer", "auditor", "tester"))
    busy = [asked(dev) for _ in range(6)]
    for number, review in enumerate(busy):
        shown((auditor, auditor, auditor, tester, tester, tester)[number], review)
    waiting, late = request(dev), request(dev)
    assert (waiting["status"], waiting["queued"], late["queued"]) == ("pending", True, True)
    here.wait(minutes=10)
    approve(auditor, busy[0])
    until(lambda: shown(dev, waiting["id"]), lambda seen: seen["reviewer"] is not None and not seen.get("queued"))
    here.wait(minutes=6)
    assert question(here, late["id"])["reason"] == "nobody_free"
    over(dev, *busy, waiting["id"], late["id"])


def test_a_creator_who_is_gone_for_a_day_is_a_humans_matter(here: Stage) -> None:
    """001-69, 001-79, 001-63: 24 hours, then 48, then 24 again: it ends on the shelf and is never cleared."""
    app, architect = here.agent("app-developer"), here.agent("architect")
    review = asked(app, type="create_app")
    doubt(architect, review, checklist=checklist("create_app"))
    here.wait(hours=23)
    assert found(here.human(), f"/api/v1/reviews/{review}")["review"]["ruling"] is None
    assert shown(app, review)["status"] == "changes_requested", "the result is kept"
    here.wait(hours=2)
    assert question(here, review)["reason"] == "author_silent"
    here.wait(hours=49)
    until(lambda: found(app, f"/api/v1/reviews/{review}")["review"]["ruling"], lambda ruling: ruling is None)
    here.wait(hours=25)
    until(lambda: found(app, f"/api/v1/reviews/{review}")["review"]["state"], lambda state: state == "shelved")
    digest = found(app, f"/api/v1/reviews/{review}")["review"]["digest"]
    assert found(app, f"/api/v1/gate/{digest}")["allowed"] is False


@pytest.mark.door("http", "chat", policy="seed-001")
def test_no_answer_in_two_days_favours_the_reviewer(both: tuple[Stage, Chats]) -> None:
    """001-24, 001-27, 001-63, 001-79: rejected stays rejected, a human is told, and may override it later."""
    here, told = both
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    title = "Review: core-silence"
    review = asked(dev, title=title)
    assert judge(auditor, review, CHANGES, **REJECTED).is_ok
    assert done(dev, f"{PEER}/escalate_review", reviewId=review, **ARGUMENT)["escalated"]
    assert told.hears("discord/3/human", title)
    here.wait(hours=47)
    assert shown(dev, review)["status"] == "escalated"
    here.wait(hours=2)
    is_shown(dev, review, status="rejected")
    until(lambda: [one for one in told.texts("discord/3/human") if title in one], lambda seen: len(seen) >= 2)
    human = here.human()
    native = f"/api/v1/reviews/{review}"
    done(human, f"{native}/reopening", reason="It deserves a look.", undoes="rejected")
    seen = found(human, native)["review"]
    override = {"stage": "peer", "revision": 1, "digest": seen["digest"], "reason": "The author is right."}
    done(human, f"{native}/overrides", **override)
    assert shown(dev, review)["status"] == "approved"
    assert "The author is right." in str(found(human, "/api/v1/audit", review=review)["rows"])


def test_doubts_are_taken_to_whom_the_document_names(here: Stage) -> None:
    """001-22, 001-23: a gap above 40, danger below 90 sure, and several valid options of an architecture."""
    app, architect, optimizer = here.agent("app-developer"), here.agent("architect"), here.agent("optimizer")
    human = here.human()

    def is_asked(review: str) -> bool:
        return found(human, f"/api/v1/reviews/{review}")["review"]["ruling"] is not None

    calm = {"feedback": {**CHANGES["feedback"], "concerns": []}}
    for creator_sure, sure, asks in ((95, 54, True), (95, 55, False)):
        review = asked(app, type="create_app", creator_confidence=creator_sure)
        grounds = checklist("create_app") | {"no_duplicate_logic": False}
        assert judge(architect, review, CHANGES, **calm, checklist=grounds, confidence=sure).is_ok
        assert is_asked(review) is asks, creator_sure - sure
        over(app, review)
    for kind in ("security_change", "breaking_change"):
        for sure, asks in ((89, True), (90, False)):
            review = asked(app, type=kind)
            approve(architect, review, confidence=sure, checklist=OTHERS)
            assert is_asked(review) is asks, (kind, sure)
            over(app, review)
    author = here.agent("architect")
    review = asked(author, type="architecture_decision")
    several = {"grounds": ["several_valid_options"], "checklist": checklist("architecture_decision"), "confidence": 90}
    assert judge(optimizer, review, CHANGES, **calm, **several).is_ok
    assert is_asked(review)
    over(author, review)


def test_where_both_are_unsure_a_third_is_asked_and_a_human_decides(here: Stage) -> None:
    """001-70: both below 60; the mark, the counsel in an inbox, and the human's word."""
    app, architect = here.agent("app-developer"), here.agent("architect")
    review = asked(app, type="create_app", creator_confidence=55)
    doubt(architect, review, checklist=checklist("create_app"), confidence=50)
    assert question(here, review)["text"] == "Both uncertain: author 55%, architect 50%; needs research"
    inboxes = [found(here.agent(one), "/api/v1/inbox")["waiting"] for one in ("auditor", "tester", "optimizer")]
    assert [one for waiting in inboxes for one in waiting if one["review"] == review], "counsel is asked of somebody"
    assert ruled(here.human(), review, "revise", "Find out first.").is_ok
    assert shown(app, review)["status"] == "changes_requested"
    over(app, review)


def test_a_reviewer_who_takes_back_what_was_settled_clarifies_first(here: Stage) -> None:
    """001-71: asked once, while the author owes nothing; if they insist, another reviewer is asked."""
    dev, auditor = here.agent("core-developer"), here.agent("auditor")
    failing = [{"name": name, "passed": False} for name in FULL]
    passing = [{"name": name, "passed": True} for name in FULL]
    swallowed = {"severity": "important", "text": "Errors are swallowed", "evidence": "two"}
    swallowed |= {"place": {"path": "code", "start": 2, "end": 2}}  # type: ignore[dict-item]
    nameless = {"severity": "important", "text": "The name says nothing", "evidence": "Validate"}
    nameless |= {"place": {"path": "documentation", "start": 1, "end": 1}}  # type: ignore[dict-item]

    def says(review: str, revision: int, verdict: str, **more: Any) -> None:
        shown(auditor, review)
        body = {"revision": revision, "stage": "peer", "verdict": verdict, "confidence": 85, "checklist": failing}
        done(auditor, f"/api/v1/reviews/{review}/reports", **{**body, **more})

    def revises(review: str, number: int, **artifacts: str) -> None:
        body = {"changes_made": "Mended.", "revision_number": number, "artifacts": {**WORK["artifacts"], **artifacts}}
        done(dev, f"{PEER}/request_re_review", reviewId=review, **body)

    for insists in (False, True):
        review = asked(dev, artifacts={**WORK["artifacts"], "code": f"one\ntwo\nthree {insists}\n"})
        says(review, 1, "concerns", findings=[swallowed])
        new = f"one\nzwei\nthree {insists}\n"
        revises(review, 1, code=new, documentation="# Validate it\n")
        gone = [{"finding": "peer.1-F1", "resolved": True, "note": "mended"}]
        says(review, 2, "concerns", findings=[nameless], settled=gone)
        revises(review, 2, code=new, documentation="# Validate an address\n")
        gone = [{"finding": "peer.1-F2", "resolved": True, "note": "renamed"}]
        says(review, 3, "concerns", findings=[swallowed], settled=gone, checklist=passing)
        waiting = [one["review"] for one in found(auditor, "/api/v1/inbox")["waiting"]]
        assert review in waiting, "asked to clarify"
        assert review not in [one["review"] for one in found(dev, "/api/v1/inbox")["waiting"]]
        if insists:
            says(review, 3, "concerns", findings=[swallowed], checklist=passing, summary="I insist on line two.")
            assert shown(dev, review)["status"] == "escalated"
        else:
            says(review, 3, "approve", checklist=passing, confidence=95, summary="I misread the code of line two.")
            assert shown(dev, review)["status"] == "approved"
        over(dev, review)


def test_a_policy_that_changes_meanwhile_leaves_open_reviews_alone(here: Stage) -> None:
    """001-74, 001-12: judged by the policy it was opened under; with reviews switched off nothing new needs one."""
    dev, auditor, human = here.agent("core-developer"), here.agent("auditor"), here.human()
    before = found(human, "/api/v1/policy")["digest"]
    text = DOCUMENT.read_text(encoding="utf-8")
    review = asked(dev)
    done(human, "/api/v1/policy", text=text.replace("min_confidence: 80", "min_confidence: 99"))
    approve(auditor, review, confidence=90)
    assert shown(dev, review)["status"] == "approved", "grandfathered"
    stricter = asked(dev)
    assert judge(auditor, stricter, GOOD, checklist=FULL, confidence=98).code == "confidence_too_low"
    over(dev, stricter)
    done(human, "/api/v1/policy", text=text.replace("enabled: true", "enabled: false", 1))
    plain = {"context": {}, "artifacts": {"code": "export const valid = 1\n"}}
    need = done(dev, f"{PEER}/check_review_required", action="create_core", **plain)
    assert (need["needs_review"], "switched off" in need["reason"]) == (False, True)
    danger = done(dev, f"{PEER}/check_review_required", action="security_change", **plain)
    assert danger["needs_review"] is True
    done(human, "/api/v1/policy", digest=before)
    assert resubmit(dev, review, 9).is_ok is False


def test_trivial_work_needs_no_review_where_a_program_proves_it(here: Stage) -> None:
    """001-04, 001-14: four kinds, and bold autonomy but for what is dangerous; never on the author's word alone."""
    dev = here.agent("core-developer")
    publisher = here.agent("ci", kind="program", scopes=("publish",))
    before, after = "A small corection.\n", "A small correction.\n"
    done(publisher, "/api/v1/bases", target="docs", files=[{"path": "README.md", "text": before}])
    known: dict[str, Any] = {"artifacts": {"README.md": after}, "target": "docs"}
    bold = {"autonomy_level": "aggressive"}
    for action in ("fix_typo", "update_formatting", "add_comment", "update_readme"):
        need = done(dev, f"{PEER}/check_review_required", action=action, context={}, **known)
        why = f"{action} needs no review: Proven: only prose differs in README.md"
        assert need == {"needs_review": False, "reason": why}
    skips = done(dev, f"{PEER}/check_review_required", action="create_app", context=bold, **known)
    why = "autonomy level aggressive needs no review: Proven: only prose differs in README.md"
    assert skips == {"needs_review": False, "reason": why}
    for action in ("security_change", "breaking_change"):
        assert done(dev, f"{PEER}/check_review_required", action=action, context=bold, **known)["needs_review"]
    assert done(dev, f"{PEER}/check_review_required", action="fix_typo", context={})["needs_review"]
