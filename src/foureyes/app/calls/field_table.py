"""The table of `field_words`: a meaning and an example for every field, and the words where a field has only some."""

from __future__ import annotations

from typing import NamedTuple

from foureyes.app.calls.seed_000_list import STATES
from foureyes.app.calls.seed_001_basics import CRITERIA
from foureyes.app.calls.seed_001_metrics import PERIODS
from foureyes.app.calls.seed_words import CONTENT_TYPES, EXEMPT_TYPES, REVIEW_TYPES
from foureyes.core.events import SignalType
from foureyes.core.grounds import NAMED_GROUNDS
from foureyes.core.principals import Scope
from foureyes.core.protocols import CATEGORIES
from foureyes.core.sessions import TRIGGERS
from foureyes.core.values import Outcome


class Row(NamedTuple):
    """What is said of a field."""

    meaning: str
    example: object
    allowed: tuple[str, ...] = ()


_SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_FILES = [{"path": "hello.py", "text": "print('hello')\n"}]
_PLACE = {"path": "hello.py", "start": 1}
_EVIDENCE = [{"what": "hello.py", "why": "read all of it, and it does what the title says"}]
_FINDINGS = [{"severity": "important", "text": "Nobody is greeted by name.", "place": _PLACE}]
_SETTLED = [{"finding": "solo.1-F1", "resolved": True, "note": "It greets by name now."}]
_ARTIFACTS = {"code": "def total(x): ...\n", "tests": "def test_total(): ...\n"}
_FEEDBACK = {"overall": "Read every line; errors are handled.", "concerns": ["No test for an empty list."]}
_ITEM = {"category": "causal_gap", "severity": "important", "description": "How are inland cities reached?"}
_ISSUE = {"severity": "high", "description": "MD5 is no password hash.", "file": "auth.py"}
_KINDS = ("agent", "program", "service")
_STATES = ("open", *(one.value for one in Outcome))

TABLE: dict[str, Row] = {
    "accounts": Row("The accounts to enrol, in one act", [{"name": "dev", "operator": "ann"}]),
    "action": Row("What is about to be done, as a type of work", "create_core", (*REVIEW_TYPES, *EXEMPT_TYPES)),
    "ValidateForm.action": Row("What the step does, for those who review it", "dispatch"),
    "ValidateForm.name": Row("What the step is called, where `step` is its number", "security_review"),
    "after": Row("Reviews that this work builds on; each must be cleared before it may start", ["q7m3kx2v9p4t"]),
    "agent": Row("The caller's own name or role; may be left out", "dev"),
    "PeriodForm.agent": Row("Only the work of this account, or of everybody with this role", "auditor"),
    "answers": Row(
        "Answers to findings that come with this version", [{"finding": "solo.1-F1", "text": "It greets by name."}]
    ),
    "SubmitReportForm.answers": Row("One answer to each of the author's questions, in their order", ["Yes."]),
    "applies_in_flight": Row("Whether open reviews must meet the new policy too", example=False),
    "argument": Row("Why the author thinks that the reviewer is wrong", "The input is checked in line 3."),
    "artifacts": Row("The work: the name of each part and its text", _ARTIFACTS),
    "author": Row("An account's name; only the caller's own where work is handed in", "dev"),
    "base": Row("What the work changes: a commit or protected ref of a repository the server reads", "main"),
    "base64": Row("The bytes in base64, where they are no text", "aGVsbG8K"),
    "base_files": Row("The files as they were before; shown as a diff, never decided by", _FILES),
    "call": Row("The call to try", "open_review"),
    "can_veto": Row("What the step says of its critic's veto; another word than the chain's is refused", example=True),
    "category": Row("What sort of finding it is; each style has its own", "causal_gap"),
    "Item.category": Row("What sort of issue it is", "causal_gap", tuple(CATEGORIES)),
    "chain": Row("The chain of critics that judges; else the policy chooses by kind or step", "security"),
    "critic_chain": Row("Another name for `chain`", "security"),
    "changes_made": Row("What was changed, in a few words", "Empty lists are refused now."),
    "checked": Row("Without items: what was looked at and why it holds", _EVIDENCE),
    "checklist": Row(
        "Each criterion and whether it is met", [{"name": "errors_handled", "passed": True, "note": "line 7"}]
    ),
    "SubmitForm.checklist": Row("Each criterion and whether it is met", {"proper_error_handling": True}),
    "commit": Row("The commit that goes live", "4f1009536a87"),
    "concerns": Row("What stops the work; begin one with `minor:` if it does not", ["No test for an empty list."]),
    "confidence": Row("How sure you are, 0 to 100", 90),
    "SubmitForm.confidence": Row("How sure you are: 95 or 0.95; a bare 1 could mean both and is refused", 95),
    "content": Row("One text, or one JSON value", "A world where tides power all cities."),
    "content_id": Row("The content, by the id it got or by the id an old system knew it by", "q7m3kx2v9p4t"),
    "content_type": Row("What sort of content it is", "story", tuple(CONTENT_TYPES)),
    "contents": Row(
        "Content of the old system, each by its old id",
        [{"content_type": "story", "content_id": "77", "proposer_id": "haku", "content": "An old story."}],
    ),
    "context": Row("Beside the work: names and values of your own", {"spec_id": "spec_042"}),
    "OpenForm.context": Row("Beside the work: pairs of a name and a value", [["spec_id", "spec_042"]]),
    "context_hash": Row("The hash of the text around a place; left out, the server makes it", ""),
    "cost": Row("What the run cost", {"usd_micro": 12000, "tokens": 4100, "seconds": 20}),
    "coverage": Row("How much of the work was read, in percent", 100),
    "creator": Row("The caller's own name or role; may be left out", "core-developer"),
    "creator_argument": Row("Why the author thinks that the reviewer is wrong", "The input is checked in line 3."),
    "creator_confidence": Row("How sure the author is: 95 or 0.95", 90),
    "cursor": Row("What the page before gave as `next`", ""),
    "day": Row("A date or the beginning of one", "2026-01"),
    "days": Row("So many days back", 30),
    "demands": Row("What the author must do, where the option sends the work back", ["Add a test."]),
    "description": Row("The issue in one sentence", "How are inland cities reached?"),
    "digest": Row("The SHA-256 of exactly the bytes that are meant, in hexadecimal", _SHA),
    "ActivateForm.digest": Row("The digest of a policy that was in force before", _SHA),
    "draft": Row("What was found so far, for whoever goes on", "Read up to line 200."),
    "end": Row("The last line, where it is more than one; lines count from 1", 3),
    "evidence": Row("What was checked and why it holds, in at least three different words", _EVIDENCE),
    "Answer.evidence": Row("What shows that the answer is right", "tests/test_hello.py covers it"),
    "AnswerFindingForm.evidence": Row("What shows that the answer is right", "tests/test_hello.py covers it"),
    "Draft.evidence": Row("What shows that the finding is right", "It prints the same for everybody."),
    "VerifyFindingForm.evidence": Row("What shows that the finding is real or not", "Ran it with an empty list."),
    "expires": Row("Until when it holds", "2027-01-31T23:59:59Z"),
    "false_positive": Row("Whether the finding is not real at all, so that it stays away", example=False),
    "feedback": Row("What the reviewer says", _FEEDBACK),
    "feedback_item_id": Row("The item, by the id that the feedback gave it", "q7m3kx2v9p4t:resolve.1-F1"),
    "file": Row("The file it is in", "auth.py"),
    "files": Row("The work: every file with its path and its whole text", _FILES),
    "finding": Row("The finding, by the id that the review gave it", "solo.1-F1"),
    "findings": Row("What was found, each with its severity", _FINDINGS),
    "focus_areas": Row("Where reviewers shall look", ["Security vulnerabilities"]),
    "form": Row("The fields of that call", {"kind": "script", "title": "Say hello", "files": _FILES}),
    "found_in": Row("Where the defect was seen", "production"),
    "glance": Row("Only look: what is given does not count as read, so nothing can be judged after it", example=False),
    "grounds": Row("What a rejection rests on", ["would_break_system"], tuple(NAMED_GROUNDS)),
    "id": Row("An id of your own: repeating it repeats nothing, and it finds the review later", "review_042"),
    "issues": Row("What was found, each with its severity", [_ISSUE]),
    "items": Row("What was found, each with its severity", [_ITEM]),
    "key": Row("A word of your own; with the same one nothing is done twice", "open-42"),
    "kind": Row("The kind of work; the policy says how each is judged", "script"),
    "EnrolForm.kind": Row("What it is", "agent", _KINDS),
    "NewAccount.kind": Row("What it is", "agent", _KINDS),
    "lease": Row("How long the seat is held without a sign of life, in microseconds", 3_600_000_000),
    "limit": Row("So many at most", 50),
    "mark": Row("The mark of what was seen last; it answers when there is another", "3b4866653bac2508.1"),
    "media_type": Row("What the bytes are", "text/plain"),
    "message": Row("A word to the reviewer", "Ready for another look."),
    "mode": Row("The mode of the file, as git writes it", "100644"),
    "model_family": Row("The family of its model; reviewers of another family count for more", "claude"),
    "name": Row("The name of an account", "dev"),
    "Criterion.name": Row("The criterion, as the review names it", "errors_handled"),
    "note": Row("A few words beside it", "Greets by name."),
    "operator": Row("Who is behind the account; a service's agents have its operator", "ann"),
    "option": Row("The option of the ruling, by its name", "as_is"),
    "origin": Row("Where the work comes from", {"task": "2"}),
    "output": Row("What is judged: one text, or one JSON value", "A plain note."),
    "overall": Row("What was checked and what you think of it, in words", "Read every line; errors are handled."),
    "passed": Row("Whether the criterion is met", example=True),
    "path": Row("The path of a file in the work", "src/hello.py"),
    "payload": Row("What goes with the signal", {"branch": "main"}),
    "ResultForm.payload": Row(
        "What the reviewer says", {"verdict": "concerns", "summary": "Salt is missing.", "issues": [_ISSUE]}
    ),
    "period": Row("Which days are counted, today among them", "week", tuple(PERIODS)),
    "pieces": Row("Digests of bytes sent before, which make up the file together", [_SHA]),
    "place": Row("Where in the work it is; without one a finding follows a text only while all of it stays", _PLACE),
    "proposer_id": Row("The proposer's account; the caller's own where it submits", "haku"),
    "protocols": Row("Styles of review to meet beside those of the policy", ["security"]),
    "provider": Row("Who runs its model", "anthropic"),
    "question_answers": Row("One answer to each of the author's questions, in their order", ["Yes, in line 3."]),
    "questions": Row("What the author asks the reviewer", ["Are the error messages clear?"]),
    "reason": Row("Why, in your own words", "The approach has changed."),
    "ReportInconclusiveForm.reason": Row("Why the run failed", "timed_out"),
    "LeaveSeatForm.reason": Row("Why the seat is given back", "declined"),
    "rebuttal": Row("Whether the answer says that the finding is wrong", example=False),
    "ref": Row("The branch, change or id it was elsewhere", "refs/heads/hello"),
    "request": Row("The ruling that is asked for, by its id in the review", "solo.ruling.1"),
    "request_human_decision": Row("Whether a human shall decide", example=True),
    "resolution_note": Row("Why it is resolved, or what is still missing", "The canals answer it."),
    "resolved": Row("Whether it is settled", example=True),
    "FeedbackForm.resolved": Row("Your word on your own earlier items", [{"feedback_item_id": "q7m3:resolve.1-F1"}]),
    "responder_id": Row("The caller's own name; may be left out", "haku"),
    "response_text": Row("How it was addressed", "Canals carry the power inland."),
    "responses": Row(
        "Answers to items that come with this version",
        [{"feedback_item_id": "q7m3kx2v9p4t:resolve.1-F1", "response_text": "See the second part."}],
    ),
    "result": Row("What the check showed", "confirmed"),
    "review": Row("The review, by the id that opening it gave", "q7m3kx2v9p4t"),
    "reviewId": Row("The review, by the id it got or by the `id` you sent", "review_042"),
    "reviewer": Row("The caller's own name or role; may be left out", "auditor"),
    "reviewer_id": Row("The caller's own name; may be left out", "ann"),
    "reviews": Row("The reviews to open, each by itself", [{"kind": "script", "title": "Say hello", "files": _FILES}]),
    "revision": Row("The version that was judged; left out where it may be, the one you were given last", 1),
    "revision_number": Row("The number of this resubmission; counted here, another one is refused", 1),
    "roles": Row("The roles it may hold", ["reviewer"]),
    "rule": Row("The rule of a program that found it", "B602"),
    "scope": Row("What the finding is about, such as security; outside the seat's own scope it is advice", "security"),
    "LessonsForm.scope": Row("What the lessons are about: a path, kind or service", "auth"),
    "scopes": Row("What the token is for", ["author", "read"], tuple(one.value for one in Scope)),
    "seat": Row("The seat, by its id in the review", "solo.2"),
    "seconds": Row("How long to wait, at most 45", 30),
    "Cost.seconds": Row("How long it took", 20),
    "self_check": Row(
        "Your own basic checks, which must hold before anybody is asked", ["syntax_valid"], tuple(CRITERIA)
    ),
    "session": Row("The group of agents that work together", "auth"),
    "settled": Row("Your own earlier findings, and whether each is settled now", _SETTLED),
    "severity": Row("How grave it is", "important"),
    "shipped": Row("A policy that ships, by its name", "team"),
    "stage": Row("A stage of the review, by its name", "solo"),
    "start": Row("The first line; lines count from 1", 1),
    "state": Row("How reviews stand", "open", _STATES),
    "ContentsForm.state": Row("Where content stands", "review", tuple(STATES)),
    "status": Row("The reviewer's decision", "APPROVED"),
    "step": Row("The step of the workflow, which chooses the chain where it names one", "security_review"),
    "strengths": Row("What is good", ["Clear names."]),
    "suggestion": Row("How it could be mended", "Take the name as an argument."),
    "suggestions": Row("What would be nicer and stops nothing", ["A shorter name."]),
    "summary": Row("What was done or found, in a few words", "Read every line; errors are handled."),
    "target": Row("Where the work shall go; it is compared with what is live there", "production"),
    "targets": Row("Whose work it is, where a session is reviewed", ["claude"]),
    "task": Row("The task it was made for", "2"),
    "task_id": Row("The task it was made for; it finds the run later", "7"),
    "text": Row("The text itself", "Nobody is greeted by name."),
    "thread": Row("The Discord thread or Telegram topic of the task, where the task id is no number", "1357924680"),
    "timestamp": Row("When it was said, as the caller's clock has it; kept as a text", "2026-01-31T10:00:00Z"),
    "title": Row("What the work is called", "Say hello"),
    "token": Row("The token, by its id in the list of accounts", "79fa6e5288"),
    "tokens": Row("How many tokens it took", 4100),
    "turns": Row("How many turns the fix took", 4),
    "type": Row("The type of work", "create_core", (*REVIEW_TYPES, *EXEMPT_TYPES)),
    "SignalForm.type": Row(
        f"What is said; {', '.join(sorted(TRIGGERS))} start a review, progress is only heard",
        "milestone",
        tuple(SignalType),
    ),
    "ResultForm.type": Row("Always review_result", "review_result", ("review_result",)),
    "PeriodForm.type": Row("Only work of this type", "create_core"),
    "undoes": Row("How the review ended", "rejected"),
    "unsettled": Row("Only issues that are not settled", example=False),
    "usd_micro": Row("Money, in millionths of a dollar", 12000),
    "verdict": Row("The reviewer's word on the version", "approve"),
    "Payload.verdict": Row("The reviewer's word on the work", "concerns"),
    "wait": Row("Seconds to wait for an answer, at most 45", 30),
    "what": Row("What was checked: a path of the work, or all of it", "hello.py"),
    "why": Row("Why it holds, in at least three different words", "read all of it twice"),
}
