"""One or more caller mistakes for every tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.use.repairing import EVIDENCE, OWN_WORDS
from tests.use.served import DOORS, HTTP, MCP
from tests.use.stages import CONCERNS, DOUBT, FINDING, GOOD, ISSUE, NOWHERE, Stage

Arguments = Callable[[Stage], dict[str, Any]]


@dataclass(frozen=True)
class Mistake:
    """A call that is refused: in which house, by whom, with which code."""

    code: str
    arguments: Arguments
    who: str = "dev"
    house: str = "solo"
    #: A path parameter cannot be omitted over HTTP.
    doors: tuple[str, ...] = DOORS
    #: The state of the work: a method of its stage.
    after: str = "begun"

    def made(self, stage: Stage) -> dict[str, Any]:
        """Bring the work so far, and return the arguments that are wrong there."""
        getattr(stage, self.after)()
        return self.arguments(stage)


def _by_id(more: Arguments = lambda _: {}, *, name: str = "review", **others: Any) -> Mistake:
    return Mistake("review_missing", lambda stage: {name: NOWHERE, **more(stage)}, **others)


def _report(*, code: str, **more: Any) -> Mistake:
    body = {"revision": 1, **CONCERNS, **more}
    return Mistake(code, lambda stage: {"review": stage.review, **body}, "codex", after="open")


def _submitted(code: str, **more: Any) -> Mistake:
    return Mistake(code, lambda stage: {"reviewId": stage.review, **GOOD, **more}, "codex", "peer", after="got")


def _result(code: str, payload: dict[str, Any], **more: Any) -> Mistake:
    body = {"payload": payload, **more}
    return Mistake(code, lambda stage: {"session": stage.session, **body}, "codex", "session", after="asked")


PLACELESS = {name: one for name, one in FINDING.items() if name != "place"}
APPROVAL: dict[str, Any] = {"verdict": "approve", "findings": []}
MISTAKES: dict[str, list[Mistake]] = {
    "inbox": [
        Mistake("bad_number", lambda _: {"limit": 100_000}),
        Mistake("unknown_word", lambda _: {"cursor": NOWHERE}),
    ],
    "read_review": [_by_id(lambda _: {}, after="open")],
    "wait": [
        _by_id(lambda _: {"seconds": 0}, after="open"),
        Mistake("bad_number", lambda stage: {"review": stage.review, "mark": "old", "seconds": 300}, after="doubted"),
    ],
    "list_reviews": [
        Mistake("unknown_word", lambda _: {"state": "living"}),
        Mistake("bad_number", lambda _: {"limit": 0}),
    ],
    "list_sessions": [
        Mistake("bad_number", lambda _: {"limit": 0}),
        Mistake("unknown_word", lambda _: {"cursor": NOWHERE}),
    ],
    "gate": [Mistake("bad_value", lambda _: {}, doors=(MCP,))],
    "escalate": [
        Mistake("reason_missing", lambda stage: {"review": stage.review, "reason": ""}, after="open"),
        Mistake("bad_value", lambda stage: {"review": stage.review}, after="open"),
    ],
    "add_note": [_by_id(lambda _: {"text": OWN_WORDS}, after="open")],
    "report_escape": [
        Mistake(
            "not_ended",
            lambda stage: {"review": stage.review, "text": OWN_WORDS, "severity": "important"},
            after="open",
        )
    ],
    "open_review": [
        Mistake("bad_value", lambda _: {"kind": "script", "title": "Hello"}),
        Mistake("parts_missing", lambda _: {"kind": "script", "title": "Hello", "files": []}),
        Mistake(
            "unknown_word",
            lambda stage: {"kind": "script", "title": "Hello", "files": [{**stage.files()[0], "mode": "777"}]},
        ),
        Mistake(
            "bad_path",
            lambda stage: {"kind": "script", "title": "Hello", "files": [{**stage.files()[0], "path": "../a/b.py"}]},
        ),
        Mistake(
            "unknown_digest",
            lambda _: {"kind": "script", "title": "Hello", "files": [{"path": "a.py", "digest": "0" * 64}]},
        ),
        Mistake("bad_value", lambda stage: stage.work(files=[{"path": "a.py", "content": f"print({stage.number})\n"}])),
        Mistake("unknown_word", lambda stage: stage.work(protocols=["vibes"])),
        Mistake("unknown_word", lambda stage: stage.work(origin={"step": "nostep"})),
        Mistake("unknown_word", lambda stage: stage.work(origin={"step": "nostep"}), house="chains"),
    ],
    "open_reviews": [
        Mistake("bad_value", lambda stage: {"reviews": [{**stage.work(), "titel": "Hello"}]}, doors=(HTTP,)),
        Mistake("bad_number", lambda _: {"reviews": []}),
        Mistake("bad_value", lambda _: {}),
    ],
    "send_file": [
        Mistake("parts_missing", lambda _: {}),
        Mistake("parts_missing", lambda _: {"text": "a", "base64": "YQ=="}),
        Mistake("bad_value", lambda _: {"base64": "%%%"}),
    ],
    "revise": [
        Mistake("same_digest", lambda stage: {"review": stage.review}, after="open"),
        Mistake(
            "bad_path", lambda stage: {"review": stage.review, "files": [{"path": "/a", "text": "a"}]}, after="open"
        ),
    ],
    "answer_finding": [
        _by_id(lambda stage: {"finding": stage.finding, "text": OWN_WORDS}, after="doubted"),
        Mistake(
            "unknown_finding",
            lambda stage: {"review": stage.review, "finding": "F9", "text": OWN_WORDS},
            after="doubted",
        ),
    ],
    "withdraw": [Mistake("reason_missing", lambda stage: {"review": stage.review, "reason": " "}, after="open")],
    "take_seat": [
        Mistake("unknown_stage", lambda stage: {"review": stage.review, "stage": "nowhere"}, "codex", after="open")
    ],
    "renew_seat": [
        _by_id(lambda stage: {"seat": stage.seat}, who="codex", after="seated"),
        Mistake("not_the_holder", lambda stage: {"review": stage.review, "seat": "solo.99"}, "codex", after="seated"),
        Mistake("bad_value", lambda stage: {"review": stage.review}, "codex", doors=(MCP,), after="seated"),
    ],
    "leave_seat": [
        _by_id(lambda stage: {"seat": stage.seat, "reason": "declined"}, who="codex", after="seated"),
    ],
    "read_work": [_by_id(lambda _: {}, who="codex", after="open")],
    "report": [
        _report(code="unknown_word", verdict="LGTM", findings=[]),
        _report(code="own_finding_blocks", verdict="approve"),
        _report(code="unknown_word", findings=[FINDING, {**FINDING, "severity": "dire"}]),
        _report(code="unknown_word", findings=[{**FINDING, "scope": "vibes"}]),
        _report(code="bad_value", findings=[{**FINDING, "place": {"path": "hello.py", "line": 1}}]),
        _report(code="bad_value", findings=[{**PLACELESS, "file": "hello.py", "line": 1}]),
        _report(
            code="bad_value", findings=[{"severity": "important", "description": OWN_WORDS, "evidence": OWN_WORDS}]
        ),
        _report(code="bad_value", findings=[FINDING, {**FINDING, "place": "hello.py"}]),
        _report(code="bad_value", findings=OWN_WORDS),
        _report(code="bad_value", findings=[FINDING], evidence=[{"what": "hello.py"}]),
        _report(code="bad_value", findings=[FINDING], confidence="95"),
        _report(code="bad_value", findings=[FINDING], evidence=["hello.py"]),
        _report(code="unknown_word", grounds=["vibes"]),
        _report(code="unknown_word", findings=[FINDING, {**FINDING, "category": "vibes"}]),
        _report(code="unknown_word", **APPROVAL, evidence=EVIDENCE, checklist=[{"name": "nope", "passed": True}]),
        _report(code="unknown_word", checklist=[{"name": "nope", "passed": False}, {"name": "yes", "passed": True}]),
        _report(code="unknown_place", findings=[{**FINDING, "place": {"path": "nope.py"}}]),
        _report(code="unknown_place", findings=[{**FINDING, "place": {"path": "hello.py", "start": 900}}]),
        _report(code="unknown_place", findings=[{**FINDING, "place": {"path": "hello.py", "start": 1, "end": 900}}]),
        _report(code="unknown_place", findings=[{**FINDING, "place": {"path": "missing: hello.py"}}]),
        _report(code="evidence_missing", findings=[{**FINDING, "evidence": ""}]),
        _report(code="evidence_missing", **APPROVAL, evidence=[]),
        _report(code="evidence_missing", **APPROVAL, evidence=[{"what": "." * 40, "why": "." * 40}]),
        _report(code="unknown_place", **APPROVAL, evidence=[{"what": "src/other.py", "why": OWN_WORDS}]),
        _report(code="unknown_place", **APPROVAL, evidence=[{**EVIDENCE[0], "place": {"path": "other.py"}}]),
        _report(code="bad_value", **APPROVAL, evidence=OWN_WORDS),
        _report(code="verdict_missing", verdict=None, findings=[], grounds=[]),
        Mistake(
            "bad_value", lambda stage: {"review": stage.review, **APPROVAL, "evidence": EVIDENCE}, "codex", after="open"
        ),
    ],
    "report_inconclusive": [
        _by_id(lambda stage: {"seat": stage.seat, "revision": 1, "reason": "timed_out"}, who="codex", after="seated"),
        Mistake(
            "unknown_place",
            lambda stage: {
                "review": stage.review,
                "seat": stage.seat,
                "revision": 1,
                "reason": "timed_out",
                "findings": [{**FINDING, "place": {"path": "nope.py"}}],
            },
            "codex",
            after="seated",
        ),
    ],
    "settle_finding": [
        _by_id(
            lambda stage: {
                "finding": stage.finding,
                "revision": 2,
                "resolved": True,
                "note": OWN_WORDS,
            },
            who="codex",
            after="reread",
        ),
        Mistake(
            "stale",
            lambda stage: {
                "review": stage.review,
                "finding": stage.finding,
                "revision": 2,
                "resolved": True,
                "note": OWN_WORDS,
            },
            "codex",
            after="revised",
        ),
    ],
    "validate": [
        Mistake("unknown_word", lambda stage: {"output": f"ls {stage.number}\n", "step": "nostep"}, house="chains"),
        Mistake("unknown_word", lambda stage: {"output": f"ls {stage.number}\n", "chain": "nochain"}, house="chains"),
        Mistake("unknown_word", lambda stage: {"output": f"ls {stage.number}\n", "step": "nostep"}),
        Mistake("parts_missing", lambda _: {"output": ""}, house="chains"),
        Mistake("bad_number", lambda stage: {"output": f"ls {stage.number}\n", "wait": -1}, house="chains"),
    ],
    "read_validation": [_by_id(lambda _: {}, after="open")],
    "explain": [_by_id(lambda _: {}, after="open")],
    "signal": [
        Mistake(
            "unknown_word",
            lambda stage: {"session": stage.session, "type": "news", "summary": OWN_WORDS, "files": stage.files()},
            house="session",
        ),
        Mistake("parts_missing", lambda stage: {"session": stage.session, "type": "milestone"}, house="session"),
    ],
    "read_session": [_by_id(lambda _: {}, name="session", house="session", after="signalled")],
    "session_issues": [
        Mistake(
            "bad_number", lambda stage: {"session": stage.session, "limit": 5_000}, house="session", after="signalled"
        )
    ],
    "review_requests": [Mistake("bad_value", lambda _: {}, "codex", "session", (MCP,), after="signalled")],
    "submit_result": [
        _result("unknown_word", {"verdict": "LGTM", "summary": OWN_WORDS}),
        _result("own_finding_blocks", {**DOUBT, "verdict": "approved"}),
        _result("unknown_word", {**DOUBT, "issues": [{**ISSUE, "severity": "terrible"}]}),
        _result("unknown_place", {**DOUBT, "issues": [ISSUE, {**ISSUE, "file": "nope.py"}]}),
        _result("unknown_word", DOUBT, type="opinion"),
        _result("evidence_missing", {"verdict": "approved", "summary": "." * 40}),
        _result("stale", DOUBT, revision=7),
        _result("bad_value", {"verdict": "concerns", "issues": [ISSUE]}),
        Mistake(
            "unread", lambda stage: {"session": stage.session, "payload": DOUBT}, "codex", "session", after="signalled"
        ),
        Mistake("unknown_request", lambda _: {"session": "s", "payload": DOUBT}, "codex", "session", after="asked"),
    ],
    "read_clarifications": [Mistake("bad_value", lambda _: {}, "dev", "session", (MCP,), after="paused")],
    "clarify": [
        Mistake("unknown_request", lambda _: {"session": "s", "text": OWN_WORDS}, house="session", after="paused"),
        Mistake(
            "reason_missing", lambda stage: {"session": stage.session, "text": ""}, house="session", after="paused"
        ),
    ],
    "end_session": [
        _by_id(lambda _: {"reason": OWN_WORDS}, name="session", house="session", after="signalled"),
        Mistake(
            "reason_missing", lambda stage: {"session": stage.session, "reason": ""}, house="session", after="signalled"
        ),
    ],
    "read_task": [_by_id(lambda _: {}, house="panel", after="open")],
    "preview": [
        Mistake("unknown_word", lambda stage: {"call": "launch", "form": stage.work()}),
        Mistake("bad_value", lambda _: {"call": "open_review", "form": {"kind": "script", "title": "Hello"}}),
    ],
    "list_lessons": [Mistake("bad_value", lambda _: {})],
    "check_review_required": [
        Mistake("bad_value", lambda _: {}, house="peer"),
        Mistake("identity_mismatch", lambda _: {"action": "create_core", "creator": "nobody"}, house="peer"),
    ],
    "request_review": [
        Mistake("bad_value", lambda _: {}, house="peer"),
        Mistake("bad_value", lambda stage: stage.request(type="poem"), house="peer"),
        Mistake("bad_value", lambda stage: stage.request(context={"estimated_complexity": "huge"}), house="peer"),
        Mistake("too_long", lambda stage: stage.request(title="x" * 5_000), house="peer"),
        Mistake("unknown_word", lambda stage: stage.request(self_check=["has_soul"]), house="peer"),
        Mistake("identity_mismatch", lambda stage: stage.request(creator="nobody"), house="peer"),
    ],
    "submit_review": [
        _by_id(lambda _: GOOD, who="codex", name="reviewId", house="peer", after="got"),
        Mistake("unread", lambda stage: {"reviewId": stage.review, **GOOD}, "codex", "peer", after="requested"),
        _submitted("unknown_word", status="LGTM"),
        _submitted("own_finding_blocks", feedback={"overall": OWN_WORDS, "concerns": [OWN_WORDS]}),
        _submitted("evidence_missing", feedback={"overall": ""}),
        _submitted("evidence_missing", feedback={"overall": "." * 40, "concerns": []}),
        _submitted("stale", revision=7),
        _submitted("identity_mismatch", reviewer="nobody"),
        Mistake("not_the_holder", lambda stage: {"reviewId": stage.review, **GOOD}, "dev", "peer", after="requested"),
    ],
    "get_review": [_by_id(lambda _: {}, name="reviewId", house="peer", after="requested")],
    "request_re_review": [
        _by_id(
            lambda stage: {"changes_made": OWN_WORDS, "artifacts": {"code": f"{stage.number}"}},
            name="reviewId",
            house="peer",
            after="sent_back",
        ),
        Mistake(
            "same_digest",
            lambda stage: {
                "reviewId": stage.review,
                "changes_made": OWN_WORDS,
                "artifacts": {"code": f"print({stage.number})\n"},
            },
            house="peer",
            after="sent_back",
        ),
        Mistake(
            "stale",
            lambda stage: {
                "reviewId": stage.review,
                "changes_made": OWN_WORDS,
                "artifacts": {"code": f"{stage.number}"},
                "revision_number": 9,
            },
            house="peer",
            after="sent_back",
        ),
        Mistake(
            "bad_value",
            lambda stage: {"reviewId": stage.review, "changes_made": OWN_WORDS},
            house="peer",
            after="sent_back",
        ),
    ],
    "escalate_review": [
        _by_id(lambda _: {"reason": OWN_WORDS}, name="reviewId", house="peer", after="requested"),
        Mistake(
            "reason_missing", lambda stage: {"reviewId": stage.review, "reason": ""}, house="peer", after="requested"
        ),
    ],
    "get_review_metrics": [Mistake("unknown_word", lambda _: {"period": "eon"}, house="peer")],
}
