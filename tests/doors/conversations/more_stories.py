"""Conversations of critic chains, of a session of agents, and of a panel of models."""

from __future__ import annotations

from typing import Any

from foureyes.core import protocols
from tests.doors.conversations.script import HUMAN, Act, Pause, Story, the
from tests.http.test_seed_002 import OUTPUT, REASON
from tests.http.test_seed_003 import APPROVED, CONCERNS, MILESTONE, result
from tests.http.test_seed_004 import CHECKED, MD5

_RUN = the("run.review")


def _said(critic: str, verdict: str, summary: str, **more: Any) -> Act:
    """A critic's report on the version that was read last."""
    revision = the("seen.review.revision")
    takes = {"review": _RUN, "revision": revision, "verdict": verdict, "summary": summary, **more}
    return Act(who=critic, call="report", takes=takes)


_LOOK = Act(who="hardin", call="read_review", takes={"review": _RUN}, known="seen")
CHAIN = Story(
    name="002",
    cast={"daneel-1": ("agent",), "seldon": ("seldon",), "hardin": ("hardin",)},
    rules={"default": ("default",)},
    acts=(
        Act(
            who="daneel-1",
            call="validate",
            takes=OUTPUT | {"kind": "security_step", "critic_chain": "security", "note": "Live today."},
            known="run",
        ),
        _LOOK,
        _said("seldon", "approve", "In order."),
        _said("hardin", "reject", REASON),
        Act(who="daneel-1", call="read_validation", takes={"review": _RUN}, says={"status": "returned"}),
        Act(
            who="daneel-1",
            call="validate",
            takes={"output": {"run": "deploy --prod", "steps": [1, 2.5, None, True]}, "review": _RUN},
            says={"retry": 1},
        ),
        _LOOK,
        _said("seldon", "approve", "Still in order."),
        _said("hardin", "reject", "It deletes the disk."),
        Act(who="daneel-1", call="read_validation", takes={"review": _RUN}, says={"status": "returned"}),
        Pause(minutes=1),
        Act(who=HUMAN, call="read_review", takes={"review": _RUN}, known="vetoed"),
        Act(
            who=HUMAN,
            call="override",
            takes={
                "review": _RUN,
                "stage": "security.security",
                "revision": the("vetoed.review.revision"),
                "digest": the("vetoed.review.digest"),
                "reason": "I looked: it deletes nothing.",
            },
        ),
        Act(who="daneel-1", call="read_validation", takes={"review": _RUN}, says={"status": "approved"}),
    ),
    happens={
        "review/r1": (
            "ReviewOpened RevisionSubmitted ReportRequested ReportSubmitted ReportRequested "
            "FindingRaised ReportSubmitted RevisionRequested RevisionSubmitted ReportRequested "
            "ReportSubmitted ReportRequested FindingRaised ReportSubmitted RevisionRequested "
            "StageOverridden ReviewCleared"
        ),
        "seen/r1": "WholeSeen",
    },
)

_S = {"session": "s1"}


def _results(payload: dict[str, Any], *names: str) -> tuple[Act, ...]:
    """Acts in which each reviewer reads its task and submits the same result."""
    return tuple(
        act
        for name in names
        for act in (
            Act(who=name, call="review_requests", takes=_S),
            Act(who=name, call="submit_result", takes={**_S, **result(payload, name)}),
        )
    )


SESSION = Story(
    name="003",
    cast={"claude": ("agent",), "codex": ("reviewer",), "gemini": ("reviewer",)},
    acts=(
        Act(who="claude", call="signal", takes={**_S, "type": "progress", "summary": "Half way."}),
        Act(
            who="claude",
            call="signal",
            takes={**_S, **MILESTONE, "timestamp": "2026-01-05T08:59:00Z", "focus_areas": ["Hashing"]},
            known="started",
        ),
        Act(who="claude", call="submit_result", takes={**_S, **result(APPROVED, "claude")}, comes="unknown_request"),
        *_results(CONCERNS, "codex", "gemini"),
        Act(who="claude", call="read_session", takes=_S, says={"status": "PAUSED"}),
        Act(who="claude", call="read_clarifications", takes=_S),
        Act(who="claude", call="clarify", takes={**_S, "text": "The salt is added by the database."}),
        Pause(minutes=4),
        *_results(APPROVED, "codex", "gemini"),
        Act(who="claude", call="session_issues", takes={**_S, "unsettled": False, "limit": 10}),
        Act(who=HUMAN, call="trigger_review", takes={**_S, "reason": "I want to know."}, known="triggered"),
        *_results(APPROVED, "codex", "gemini"),
        Act(who=HUMAN, call="pause_session", takes={**_S, "reason": "Lunch"}),
        Act(who=HUMAN, call="resume_session", takes={**_S, "reason": "Back"}),
        Act(who="claude", call="end_session", takes={**_S, "reason": "Done"}),
    ),
    happens={
        "session/s1": "SignalReceived SignalReceived SignalReceived SessionPaused SessionResumed SessionEnded",
        "review/r2": (
            "ReviewOpened RevisionSubmitted ReportRequested ReportRequested FindingRaised "
            "ReportSubmitted FindingRaised ReportSubmitted RevisionRequested RevisionSubmitted "
            "ReportRequested ReportRequested FindingResolved ReportSubmitted FindingResolved "
            "ReportSubmitted ReviewCleared"
        ),
        "review/r4": (
            "ReviewOpened RevisionSubmitted ReportRequested ReportRequested ReportSubmitted "
            "ReportSubmitted ReviewCleared"
        ),
    },
)

_TASK = the("task.review")


def _judged(model: str, stage: str, revision: int, **said: Any) -> Act:
    takes = {"review": _TASK, "stage": stage, "revision": revision, "evidence": CHECKED, **said}
    return Act(who=model, call="report", takes=takes)


def _gone(model: str) -> dict[str, Any]:
    finding = the(f"found.review.findings.raiser={model}.finding")
    return {"verdict": "approve", "settled": [{"finding": finding, "resolved": True, "note": "gone"}]}


_MODELS = ("haiku", "sonnet")
PANEL = Story(
    name="004",
    cast={"impl-1": ("agent",), "haiku": ("haiku",), "sonnet": ("sonnet",)},
    styles=(protocols.panel(auto_approve=True, auto_reject=True),),
    acts=(
        Act(
            who="impl-1",
            call="open_review",
            takes={
                "kind": "task",
                "title": "Log in",
                "origin": {"task": "2"},
                "files": [{"path": "auth.py", "text": "md5\n" * 20}],
            },
            known="task",
        ),
        *(
            _judged(one, "spec", 1, verdict="concerns", findings=[MD5], summary="1 finding", cost={"tokens": 1200})
            for one in _MODELS
        ),
        Act(who="impl-1", call="read_task", takes={"review": _TASK}, says={"status": "review-fix-1"}),
        Act(who="impl-1", call="read_review", takes={"review": _TASK}, known="found"),
        Act(
            who="impl-1",
            call="revise",
            takes={"review": _TASK, "files": [{"path": "auth.py", "text": "argon2\n" * 20}], "turns": 3},
        ),
        Pause(minutes=1),
        *(_judged(one, "spec", 2, summary="0 findings", **_gone(one)) for one in _MODELS),
        *(_judged(one, "quality", 2, verdict="approve", confidence=90, coverage=100) for one in _MODELS),
        Act(
            who="impl-1", call="read_task", takes={"review": _TASK}, says={"status": "complete", "fix_iterations": "1"}
        ),
    ),
    happens={
        "review/r1": (
            "ReviewOpened RevisionSubmitted ReportRequested ReportRequested ReportRequested "
            "ReportRequested FindingRaised ReportSubmitted FindingRaised ReportSubmitted "
            "FindingsMatched RevisionRequested RevisionSubmitted ReportRequested ReportRequested "
            "FindingResolved ReportSubmitted FindingResolved ReportSubmitted FindingsMatched "
            "ReportRequested ReportRequested ReportSubmitted ReportSubmitted FindingsMatched "
            "ReviewCleared"
        ),
    },
)
