"""Routes of the seeds' own calls: at the paths the seeds specify, else below the API's base path."""

from __future__ import annotations

from foureyes.http.way import GET, POST, Way

_PEER = "/peer"
_CONTENT = "/review/{content_id}"
_ITEM = "/feedback/{feedback_item_id}"
_SESSION = "/sessions/{session}"

SEED_WAYS: dict[str, Way] = {
    "check_review_required": Way(method=POST, path=f"{_PEER}/check_review_required"),
    "request_review": Way(method=POST, path=f"{_PEER}/request_review", status=201),
    "submit_review": Way(method=POST, path=f"{_PEER}/submit_review"),
    "get_review": Way(method=GET, path=f"{_PEER}/get_review"),
    "request_re_review": Way(method=POST, path=f"{_PEER}/request_re_review"),
    "escalate_review": Way(method=POST, path=f"{_PEER}/escalate_review"),
    "submit_content": Way(method=POST, path="/review/{content_type}", status=201, absolute=True),
    "list_content": Way(method=GET, path="/review", absolute=True),
    "read_content": Way(method=GET, path=_CONTENT, absolute=True),
    "can_graduate": Way(method=GET, path=f"{_CONTENT}/gate", absolute=True),
    "give_feedback": Way(method=POST, path=f"{_CONTENT}/feedback", status=201, absolute=True),
    "revise_content": Way(method=POST, path=f"{_CONTENT}/revise", absolute=True),
    "withdraw_content": Way(method=POST, path=f"{_CONTENT}/withdraw", absolute=True),
    "confirm_content": Way(method=POST, path=f"{_CONTENT}/confirm", absolute=True),
    "read_feedback": Way(method=GET, path=_ITEM, absolute=True),
    "respond_feedback": Way(method=POST, path=f"{_ITEM}/respond", status=201, absolute=True),
    "resolve_feedback": Way(method=POST, path=f"{_ITEM}/resolve", absolute=True),
    "read_session": Way(method=GET, path=_SESSION),
    "list_sessions": Way(method=GET, path="/sessions"),
    "session_issues": Way(method=GET, path=f"{_SESSION}/issues"),
    "pause_session": Way(method=POST, path=f"{_SESSION}/pause"),
    "resume_session": Way(method=POST, path=f"{_SESSION}/resume"),
    "end_session": Way(method=POST, path=f"{_SESSION}/end"),
    "signal": Way(method=POST, path=f"{_SESSION}/signals"),
    "trigger_review": Way(method=POST, path=f"{_SESSION}/review"),
    "review_requests": Way(method=GET, path=f"{_SESSION}/requests"),
    "submit_result": Way(method=POST, path=f"{_SESSION}/results"),
    "read_clarifications": Way(method=GET, path=f"{_SESSION}/clarifications"),
    "clarify": Way(method=POST, path=f"{_SESSION}/clarifications"),
    "get_review_metrics": Way(method=GET, path=f"{_PEER}/get_review_metrics"),
    "validate": Way(method=POST, path="/validate", absolute=True, also=("/seldon/validate",), query=("wait",)),
    "read_validation": Way(method=GET, path="/validate/{review}", absolute=True, also=("/seldon/validate/{review}",)),
    "read_task": Way(method=GET, path="/tasks/{review}"),
    "move_in": Way(method=POST, path="/review/import", absolute=True),
}
