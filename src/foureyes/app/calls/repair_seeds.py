"""Repairs in the words of the source systems' calls: their names for reading, and their fields for evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foureyes.app.calls.repair_places import added
from foureyes.app.calls.seed_words import BETWEEN
from foureyes.core.evidence import WHOLE_WORK, WORDS_MIN
from foureyes.core.refusals import Code, Fact, NextCall, Refusal

#: The only calls that some agents are listed.
SEVEN = frozenset(
    (
        *("check_review_required", "request_review", "submit_review", "get_review"),
        *("request_re_review", "escalate_review", "get_review_metrics"),
    )
)
#: Calls about a session, and what each of them reads first.
SESSION_READS = {"submit_result": "review_requests", "clarify": "read_clarifications"}
#: The field of each system's report that says what was checked.
SAID_IN = {"submit_review": ("feedback", "overall"), "submit_result": ("payload", "summary")}
#: The calls about content, and where each takes the id of an item.
ITEMS = {
    "give_feedback": "resolved[].feedback_item_id",
    "revise_content": "responses[].feedback_item_id",
    **dict.fromkeys(("read_feedback", "respond_feedback", "resolve_feedback"), "feedback_item_id"),
}
CONTENT = frozenset((*ITEMS, "read_content", "can_graduate", "withdraw_content", "confirm_content"))
#: The field in which each call takes the answers to the author's questions.
_ANSWERS = {"submit_review": "feedback.question_answers", "report": "answers"}
#: The field of each system's report with its verdict, and the words against the work.
AGAINST = {
    "submit_review": ("status", ("CHANGES_REQUESTED", "REJECTED")),
    "submit_result": ("payload.verdict", ("concerns", "blocker")),
}
#: Words after which a refusal names the files of the work.
_FILES = "Its files:"
_READS = frozenset(("read_work", "read_review"))
_CHECKED = f"{WHOLE_WORK}: <what you checked and why it holds>"


def review_of(sent: Mapping[str, Any]) -> str:
    """The content that a call names by its own id or by that of an item; empty for none."""
    content, item = sent.get("content_id"), sent.get("feedback_item_id")
    if isinstance(content, str) and content:
        return content
    review, between, _ = item.partition(BETWEEN) if isinstance(item, str) else ("", "", "")
    return review if between else ""


def answers_said(name: str, sent: Mapping[str, Any], questions: Sequence[str]) -> dict[str, Fact]:
    """The answers to these questions in the field that this call has for them."""
    field = _ANSWERS.get(name)
    answers: list[Fact] = [f"<your answer to: {one}>" for one in questions]
    return {"field": field, "add": added(sent, field, answers)} if field and answers else {}


def evidence_said(name: str, sent: Mapping[str, Any]) -> dict[str, Fact] | None:
    """Evidence in the field that this call has for it; nothing where evidence is a field of its own."""
    if name == "give_feedback":
        what, _, why = _CHECKED.partition(": ")
        return {"field": "checked", "add": {"checked": [{"what": what, "why": why}]}}
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
    if name in CONTENT:
        _of_content(name, sent, refusal)
    elif name in SEVEN:
        reads = "get_review"
        known = {"reviewId": sent.get("reviewId", "")}
        refusal.next_call = NextCall(call=reads, arguments=known) if step and step.call in _READS else None
    elif name in SESSION_READS and (step is None or step.call in (*_READS, "inbox")):
        reads = SESSION_READS[name]
        refusal.next_call = NextCall(call=reads, arguments={"session": sent.get("session", "")})
    if reads:
        refusal.next_step = refusal.next_step.replace("read_work", reads)
    if refusal.code is Code.EVIDENCE_MISSING and name in SAID_IN:
        _, files, named = refusal.next_step.partition(_FILES)
        said = (
            f"Say in `{'.'.join(SAID_IN[name])}` in at least {WORDS_MIN} different words what you checked: a file of "
        )
        refusal.next_step = f"{said}this version or '{WHOLE_WORK}'.{f' {files}{named}' if files else ''}"
    if refusal.code is Code.ANSWERS_MISMATCH and (field := _ANSWERS.get(name)):
        refusal.next_step = f"Answer each question in `{field}`, in the order in which they were asked."


def _of_content(name: str, sent: Mapping[str, Any], refusal: Refusal) -> None:
    """The same at the calls about content: they read it by itself, list it, and say `checked` and `items`."""
    review, step = review_of(sent), refusal.next_call
    missing = refusal.code is Code.REVIEW_MISSING
    if missing or (not review and step and step.call in _READS):
        refusal.next_call = NextCall(call="list_content")
        refusal.next_step = "Take its id from GET /review (`list_content`)."
    elif step and step.call in _READS:
        refusal.next_call = NextCall(call="read_content", arguments={"content_id": review})
    if refusal.code is Code.UNKNOWN_FINDING and review:
        refusal.next_step = "Take the item's id from GET /review/{content_id} (`read_content`)."
    refusal.next_step = refusal.next_step.replace("read_work", "read_content")
    if refusal.code is Code.EVIDENCE_MISSING and name == "give_feedback":
        refusal.next_step = f"Say it in `checked`. {refusal.next_step}"
