"""The best request of each of the seeds' calls that can be made in a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.doors.states import SESSION, Facts

Body = dict[str, Any]
ITEM = {"category": "other", "description": "The greeting is not translated.", "severity": "important"}
ISSUE = {"severity": "high", "description": "The greeting is not translated.", "file": "hello.py"}
HELLO = "print('hello, everybody')\n"
#: Calls that submit the caller's own report; their answer may depend on the reports of others.
SEED_OWN_WORD = frozenset({"submit_review", "give_feedback", "confirm_content", "resolve_feedback", "submit_result"})
SEED_REQUESTS: dict[str, Callable[[Facts], Body]] = {
    "submit_content": lambda _: {"content_type": "story", "content": "Another story."},
    "read_content": lambda f: {"content_id": f.review},
    "can_graduate": lambda f: {"content_id": f.review},
    "give_feedback": lambda f: {"content_id": f.review, "revision": f.revision, "items": [ITEM]},
    "revise_content": lambda f: {"content_id": f.review, "content": "Hello, everybody."},
    "withdraw_content": lambda f: {"content_id": f.review, "reason": "Not needed."},
    "confirm_content": lambda f: {"content_id": f.review, "revision": f.revision},
    "read_feedback": lambda f: {"feedback_item_id": f"{f.review}:{f.finding}"},
    "respond_feedback": lambda f: {"feedback_item_id": f"{f.review}:{f.finding}", "response_text": "It greets."},
    "resolve_feedback": lambda f: {
        "feedback_item_id": f"{f.review}:{f.finding}",
        "revision": f.revision,
        "resolution_note": "My mistake.",
    },
    "check_review_required": lambda _: {"action": "create_core"},
    "request_review": lambda _: {"type": "create_core", "title": "Another", "artifacts": {"code": "Another."}},
    "submit_review": lambda f: {
        "reviewId": f.review,
        "status": "CHANGES_REQUESTED",
        "feedback": {"overall": "Not for everybody.", "concerns": ["The greeting is not translated."]},
        "revision": f.revision,
    },
    "get_review": lambda f: {"reviewId": f.review},
    "request_re_review": lambda f: {
        "reviewId": f.review,
        "changes_made": "Greets everybody.",
        "artifacts": {"hello.py": HELLO},
    },
    "escalate_review": lambda f: {"reviewId": f.review, "reason": "We do not agree."},
    "get_review_metrics": lambda _: {},
    "validate": lambda _: {"output": "Another output."},
    "read_validation": lambda f: {"review": f.review},
    "read_session": lambda _: {"session": SESSION},
    "session_issues": lambda _: {"session": SESSION},
    "pause_session": lambda _: {"session": SESSION, "reason": "Lunch."},
    "resume_session": lambda _: {"session": SESSION, "reason": "Back."},
    "end_session": lambda _: {"session": SESSION, "reason": "Done."},
    "signal": lambda _: {"session": SESSION, "type": "progress", "summary": "Half way."},
    "trigger_review": lambda _: {"session": SESSION, "reason": "I want to know."},
    "review_requests": lambda _: {"session": SESSION},
    "submit_result": lambda f: {
        "session": SESSION,
        "payload": {"verdict": "concerns", "summary": "Not for everybody.", "issues": [ISSUE]},
        "review": f.review,
        "revision": f.revision,
    },
    "read_clarifications": lambda _: {"session": SESSION},
    "clarify": lambda f: {"session": SESSION, "text": "It is meant so.", "review": f.review},
    "read_task": lambda f: {"review": f.review},
    "move_in": lambda _: {
        "contents": [{"content_type": "story", "content_id": "7", "proposer_id": "dweller", "content": "An old story."}]
    },
}
