"""Repairs in the words of the source systems' calls: their names for reading, and their fields for what was checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foureyes.core.evidence import WHOLE_WORK
from foureyes.core.refusals import Fact, NextCall, Refusal

#: The calls that some agents know and no others: they are listed nothing else.
SEVEN = frozenset(
    (
        *("check_review_required", "request_review", "submit_review", "get_review"),
        *("request_re_review", "escalate_review", "get_review_metrics"),
    )
)
#: Calls that come with a session, and what each of them reads first.
SESSION_READS = {"submit_result": "review_requests", "clarify": "read_clarifications"}
#: Where each system's report says what was checked.
SAID_IN = {"submit_review": ("feedback", "overall"), "submit_result": ("payload", "summary")}
#: Where each system's report says its verdict, and the words against the work.
AGAINST = {
    "submit_review": ("status", ("CHANGES_REQUESTED", "REJECTED")),
    "submit_result": ("payload.verdict", ("concerns", "blocker")),
}
_READS = frozenset(("read_work", "read_review"))
_CHECKED = f"{WHOLE_WORK}: <what you checked and why it holds>"


def evidence_said(name: str, sent: Mapping[str, Any]) -> dict[str, Fact] | None:
    """Evidence in the field that this call has for it; nothing where evidence is a field of its own."""
    if name not in SAID_IN:
        return None
    field, inner = SAID_IN[name]
    given = sent.get(field)
    said = {**(given if isinstance(given, dict) else {}), inner: _CHECKED}
    return {"field": f"{field}.{inner}", "add": {field: said}}


def in_their_words(name: str, sent: Mapping[str, Any], refusal: Refusal) -> None:
    """Name the next call as the callers of this one know it, and none that they are not listed."""
    step = refusal.next_call
    reads = ""
    if name in SEVEN:
        reads = "get_review"
        known = {"reviewId": sent.get("reviewId", "")}
        refusal.next_call = NextCall(call=reads, arguments=known) if step and step.call in _READS else None
    elif name in SESSION_READS and (step is None or step.call in (*_READS, "inbox")):
        reads = SESSION_READS[name]
        refusal.next_call = NextCall(call=reads, arguments={"session": sent.get("session", "")})
    if reads:
        refusal.next_step = refusal.next_step.replace("read_work", reads)
