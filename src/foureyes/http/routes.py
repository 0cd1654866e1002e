"""The route table: method and path of every call over HTTP.

A call without a row here, or a row without its call, fails the build.
"""

from __future__ import annotations

from foureyes.http.seed_routes import SEED_WAYS
from foureyes.http.way import BASE, GET, POST, PUT, Way

__all__ = ["BASE", "GET", "OTHERS", "POST", "WAYS", "Way"]

_REVIEW = "/reviews/{review}"
_ACCOUNT = "/accounts/{name}"

WAYS: dict[str, Way] = {
    "open_review": Way(method=POST, path="/reviews", status=201),
    "revise": Way(method=POST, path=f"{_REVIEW}/revisions"),
    "answer_finding": Way(method=POST, path=f"{_REVIEW}/findings/{{finding}}/answer"),
    "withdraw": Way(method=POST, path=f"{_REVIEW}/withdrawal"),
    "take_seat": Way(method=POST, path=f"{_REVIEW}/seats"),
    "renew_seat": Way(method=POST, path=f"{_REVIEW}/seats/{{seat}}/renewal"),
    "leave_seat": Way(method=POST, path=f"{_REVIEW}/seats/{{seat}}/leave"),
    "report": Way(method=POST, path=f"{_REVIEW}/reports"),
    "report_inconclusive": Way(method=POST, path=f"{_REVIEW}/reports/inconclusive"),
    "keep_report": Way(method=POST, path=f"{_REVIEW}/reports/kept"),
    "settle_finding": Way(method=POST, path=f"{_REVIEW}/findings/{{finding}}/settlement"),
    "verify_finding": Way(method=POST, path=f"{_REVIEW}/findings/{{finding}}/verification"),
    "escalate": Way(method=POST, path=f"{_REVIEW}/escalations"),
    "report_escape": Way(method=POST, path=f"{_REVIEW}/escapes"),
    "add_note": Way(method=POST, path=f"{_REVIEW}/notes"),
    "rule": Way(method=POST, path=f"{_REVIEW}/rulings/{{request}}"),
    "override": Way(method=POST, path=f"{_REVIEW}/overrides"),
    "waive": Way(method=POST, path=f"{_REVIEW}/findings/{{finding}}/waiver"),
    "reopen": Way(method=POST, path=f"{_REVIEW}/reopening"),
    "read_review": Way(method=GET, path=_REVIEW),
    "read_work": Way(method=GET, path=f"{_REVIEW}/work"),
    "wait": Way(method=GET, path=f"{_REVIEW}/wait"),
    "explain": Way(method=GET, path=f"{_REVIEW}/explanation"),
    "decisions": Way(method=GET, path=f"{_REVIEW}/decisions"),
    "open_reviews": Way(method=POST, path="/reviews/batch"),
    "preview": Way(method=POST, path="/preview"),
    "send_file": Way(method=POST, path="/blobs", status=201),
    "put_blob": Way(method=PUT, path="/blobs/{digest}", status=201, streamed=True),
    "record_live": Way(method=POST, path="/lives"),
    "attest_base": Way(method=POST, path="/bases"),
    "policy": Way(method=GET, path="/policy"),
    "activate_policy": Way(method=POST, path="/policy"),
    "enable_skip": Way(method=POST, path="/skips"),
    "disable_skip": Way(method=POST, path="/skips/end"),
    "track_records": Way(method=GET, path="/track-records"),
    "audit": Way(method=GET, path="/audit"),
    "list_lessons": Way(method=GET, path="/lessons"),
    "metrics": Way(method=GET, path="/metrics"),
    "list_reviews": Way(method=GET, path="/reviews", marked=True),
    "inbox": Way(method=GET, path="/inbox", marked=True),
    "gate": Way(method=GET, path="/gate/{digest}"),
    "enrol": Way(method=POST, path="/accounts", status=201),
    "enrol_many": Way(method=POST, path="/accounts/batch", status=201),
    "remove_account": Way(method=POST, path=f"{_ACCOUNT}/removal"),
    "issue_token": Way(method=POST, path=f"{_ACCOUNT}/tokens", status=201),
    "revoke_token": Way(method=POST, path=f"{_ACCOUNT}/tokens/{{token}}/revocation"),
    "list_accounts": Way(method=GET, path="/accounts"),
    "me": Way(method=GET, path="/me"),
    **SEED_WAYS,
}

#: Endpoints that are not calls, and need another kind of credential or none; the paths are absolute.
OTHERS: dict[str, Way] = {
    "feed": Way(method=GET, path=f"{BASE}/feed", absolute=True),
    "prometheus": Way(method=GET, path="/metrics", absolute=True),
    "openapi": Way(method=GET, path=f"{BASE}/openapi.json", absolute=True),
    "health": Way(method=GET, path="/health", absolute=True),
    "ready": Way(method=GET, path="/ready", absolute=True),
    # Tells clients of the removed voting what to do instead.
    "old_validation": Way(method=POST, path="/review/{content_id}/validate", absolute=True),
}
