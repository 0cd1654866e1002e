"""Conversations of feedback-first review and of peers; chains, sessions and panels are in `more_stories.py`."""

from __future__ import annotations

from typing import Any

from tests.doors.conversations.more_stories import CHAIN, PANEL, SESSION
from tests.doors.conversations.script import HUMAN, Act, Pause, Story, the
from tests.http.test_seed_001 import CHANGES, GOOD, WORK

GAP: dict[str, Any] = {
    "severity": "critical",
    "text": "Why did the sea rise?",
    "category": "causal_gap",
    "place": {"path": "content.md", "start": 1},
    "suggestion": "Say what melted.",
}
VAGUE = {"severity": "minor", "text": "Who governs the port?", "category": "actor_vagueness"}
CHECKED = [{"what": "the chronology of chapter one", "why": "each year follows from the one before"}]
R = the("story.review")
_GAP, _VAGUE = the("seen.review.findings.0.finding"), the("seen.review.findings.1.finding")


def files(text: str) -> list[dict[str, str]]:
    """The one file of a story."""
    return [{"path": "content.md", "text": text}]


FEEDBACK = Story(
    name="000",
    cast={"haku": ("agent",), "ann": ("agent",), "bob": ("agent",)},
    acts=(
        Act(
            who="haku",
            call="open_review",
            takes={
                "kind": "story",
                "title": "The port – Änderung 1",
                "files": files("The sea rose.\n"),
                "protocols": ["resolve"],
                "note": "  A first draft; --not an option, @nor a file.",
                "context": [["world", "islands"]],
                "questions": ["Is it clear?"],
                "confidence": 60,
                "author": "haku",
            },
            known="story",
        ),
        Act(who="ann", call="inbox"),
        Act(who="ann", call="take_seat", takes={"review": R, "stage": "resolve"}),
        Act(who="ann", call="read_work", takes={"review": R}),
        Act(who="bob", call="read_work", takes={"review": R}),
        Act(who="haku", call="read_review", takes={"review": R}, known="first"),
        Act(who="haku", call="gate", takes={"digest": the("first.review.digest")}, says={"allowed": False}),
        Pause(minutes=3),
        Act(
            who="ann",
            call="report",
            takes={"review": R, "revision": 1, "stage": "resolve", "findings": [GAP, VAGUE], "summary": "Two items."},
        ),
        Act(who="bob", call="read_review", takes={"review": R}, says={"review.findings": []}),
        Act(who="haku", call="report", takes={"review": R, "revision": 1, "findings": [GAP]}, comes="author_may_not"),
        Act(who="bob", call="report", takes={"review": R, "revision": 1}, comes="evidence_missing"),
        Act(who="bob", call="report", takes={"review": R, "revision": 1, "evidence": CHECKED}),
        Act(who="haku", call="read_review", takes={"review": R}, known="seen"),
        Act(who="haku", call="answer_finding", takes={"review": R, "finding": _GAP, "text": "The ice melted."}),
        Act(
            who="ann",
            call="settle_finding",
            takes={"review": R, "finding": _GAP, "revision": 1, "resolved": False, "note": "Which ice?"},
        ),
        Act(who="haku", call="add_note", takes={"review": R, "text": "I rewrite it."}),
        Act(
            who="haku",
            call="revise",
            takes={
                "review": R,
                "files": files("The ice of the pole melted, and the sea rose.\n"),
                "note": "The cause is named.",
                "answers": [
                    {"finding": _GAP, "text": "The ice of the pole."},
                    {
                        "finding": _VAGUE,
                        "text": "The guild does.",
                        "rebuttal": True,
                        "evidence": "Chapter two says so.",
                    },
                ],
            },
        ),
        Act(who="ann", call="read_work", takes={"review": R}),
        Act(who="bob", call="read_work", takes={"review": R}),
        Act(
            who="bob", call="keep_report", takes={"review": R, "seat": the("seen.review.reports.1.seat"), "revision": 2}
        ),
        Act(
            who="ann",
            call="report",
            takes={
                "review": R,
                "revision": 2,
                "evidence": CHECKED,
                "settled": [
                    {"finding": _GAP, "resolved": True, "note": "Clear now."},
                    {"finding": _VAGUE, "resolved": True, "note": "So it does."},
                ],
            },
        ),
        Act(who="haku", call="read_review", takes={"review": R}, known="last", says={"review.state": "cleared"}),
        Act(who="haku", call="gate", takes={"digest": the("last.review.digest")}, says={"allowed": True}),
        Act(who="bob", call="explain", takes={"review": R}),
    ),
    happens={
        "review/r1": (
            "ReviewOpened RevisionSubmitted ReportRequested ReportRequested SeatTaken FindingRaised "
            "FindingRaised ReportSubmitted RevisionRequested SeatTaken ReportSubmitted "
            "FindingAnswered ReportRequested FindingReopened NoteAdded RevisionSubmitted "
            "FindingAnswered FindingAnswered ReportRequested ReportRequested ReportKept "
            "FindingResolved FindingResolved ReportSubmitted ReviewCleared"
        ),
    },
)

P = the("asked.id")
REJECTED = CHANGES | {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
PEERS = Story(
    name="001",
    reads=False,
    cast={"core-developer": ("core_developer",), "auditor": ("auditor",), "tester": ("tester",)},
    acts=(
        Act(
            who="core-developer",
            call="check_review_required",
            takes={"action": "create_core", "context": {"lines": 12}, "creator": "core_developer"},
            says={"reviewer": "auditor"},
        ),
        Act(
            who="core-developer",
            call="request_review",
            takes=WORK | {"creator_confidence": 70},
            known="asked",
            says={"status": "pending"},
        ),
        Act(who="auditor", call="submit_review", takes={"reviewId": P, **CHANGES}, comes="unread"),
        Pause(minutes=2),
        Act(who="auditor", call="get_review", takes={"reviewId": P}, says={"status": "in_progress"}),
        Act(
            who="tester",
            call="submit_review",
            takes={"reviewId": P, **GOOD, "reviewer": "tester", "revision": 1},
            comes="not_the_holder",
        ),
        Pause(minutes=5),
        Act(
            who="auditor", call="submit_review", takes={"reviewId": P, **CHANGES}, says={"status": "changes_requested"}
        ),
        Act(
            who="core-developer",
            call="request_re_review",
            takes={
                "reviewId": P,
                "changes_made": "Empty addresses are refused.",
                "artifacts": WORK["artifacts"] | {"code": "export const valid = 2\n"},
                "revision_number": 1,
                "message": "Ready.",
                "creator_confidence": 90,
            },
        ),
        Act(who="auditor", call="get_review", takes={"reviewId": P}),
        Act(who="auditor", call="submit_review", takes={"reviewId": P, **REJECTED}, says={"status": "rejected"}),
        Act(
            who="core-developer",
            call="escalate_review",
            takes={
                "reviewId": P,
                "reason": "creator_disagrees",
                "creator_argument": "It is by the book.",
                "request_human_decision": True,
            },
        ),
        Act(who=HUMAN, call="read_review", takes={"review": P}, known="ruling"),
        Act(
            who=HUMAN,
            call="rule",
            takes={
                "review": P,
                "request": the("ruling.review.ruling.request"),
                "option": the("ruling.review.ruling.options.effect=pass_stage.id"),
                "reason": "The author is right.",
            },
        ),
        Act(who="core-developer", call="get_review", takes={"reviewId": P}, says={"status": "approved"}),
        Act(who="core-developer", call="get_review_metrics", takes={"period": "month", "agent": "core-developer"}),
    ),
    happens={
        "review/r2": (
            "ReviewOpened RevisionSubmitted ReportRequested SeatTaken FindingRaised ReportSubmitted "
            "RevisionRequested RevisionSubmitted ReportRequested SeatTaken ReportSubmitted "
            "ReviewClosed ReviewReopened RulingRequested RulingGiven StageOverridden ReviewCleared"
        ),
        "seen/r2": "WholeSeen",
    },
)

STORIES = (FEEDBACK, PEERS, CHAIN, SESSION, PANEL)
