"""Where are the seeds' own calls found over HTTP? At their own paths where they name any, else below ours."""

from __future__ import annotations

from foureyes.http.way import GET, POST, Way

_PEER = "/peer"

SEED_WAYS: dict[str, Way] = {
    "check_review_required": Way(method=POST, path=f"{_PEER}/check_review_required"),
    "request_review": Way(method=POST, path=f"{_PEER}/request_review", status=201),
    "submit_review": Way(method=POST, path=f"{_PEER}/submit_review"),
    "get_review": Way(method=GET, path=f"{_PEER}/get_review"),
    "request_re_review": Way(method=POST, path=f"{_PEER}/request_re_review"),
    "escalate_review": Way(method=POST, path=f"{_PEER}/escalate_review"),
}
