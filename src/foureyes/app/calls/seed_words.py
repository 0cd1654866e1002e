"""The vocabulary of the seeds: the one place where their words are translated to ours, and ours to theirs.

Nothing here decides: a word is derived from what the core decided, as far as the viewer may see it.
"""

from __future__ import annotations

from collections.abc import Mapping

from foureyes.core.checks import verdict_of
from foureyes.core.four_rules import Decision, Result, four_rules
from foureyes.core.independence import normal
from foureyes.core.model import Finding, Report, Review, RulingRequest, Seat
from foureyes.core.refusals import Code, Fact, Refusal
from foureyes.core.values import Outcome, Part, Standing, Verdict

# --- seed 000: feedback first ---------------------------------------------------------------------------------------

#: The styles that carry the seeds' reviews, and the stages of the last.
#: Separator in ids: a review and what belongs to it.
BETWEEN = ":"
RESOLVE, PEER, SESSION, PANEL = "resolve", "peer", "session", "panel"
SPEC, QUALITY = "spec", "quality"
CONTENT_TYPES = ("proposal", "aspect", "dweller_proposal", "story")
IN_REVIEW, LIVE = "review", "live"


def content_state(review: Review) -> str:
    """Where content stands: in review until the gate clears it, then live; or how else it ended."""
    if review.outcome is None:
        return IN_REVIEW
    return LIVE if review.outcome is Outcome.CLEARED else review.outcome.value


def item_status(finding: Finding, ruling: RulingRequest | None) -> str:
    """Where a feedback item stands; what a human is asked about is disputed, and blocks like an open one."""
    if finding.is_settled:
        return "resolved"
    if ruling is not None and finding.id in ruling.findings:
        return "disputed"
    return "addressed" if finding.standing is Standing.ANSWERED else "open"


# --- seed 001: peers ------------------------------------------------------------------------------------------------

REVIEW_TYPES = (
    "create_core",
    "create_app",
    "architecture_decision",
    "major_refactor",
    "breaking_change",
    "security_change",
    "database_migration",
    "api_endpoint_change",
)
#: Actions that the document exempts from review; a review of them can be requested like any other.
EXEMPT_TYPES = ("fix_typo", "update_formatting", "add_comment", "update_readme")
COMPLEXITIES = ("low", "medium", "high")
PENDING, IN_PROGRESS, AGAIN = "pending", "in_progress", "pending_re_review"
APPROVED, CHANGES, REJECTED, ESCALATED = "approved", "changes_requested", "rejected", "escalated"
#: Status of a report by a reviewer who was replaced.
TOO_LATE = "too_late"
VERDICT_OF: Mapping[str, Verdict] = {
    APPROVED: Verdict.APPROVE,
    CHANGES: Verdict.CONCERNS,
    REJECTED: Verdict.REJECT,
}
STATUS_OF: Mapping[Verdict, str] = {verdict: word for word, verdict in VERDICT_OF.items()}
INVALID = "Invalid review request"
_MESSAGE = "\n\nMessage: "
#: Words that a seed's reviewer puts before a concern to say how grave it is.
GRAVITIES = ("critical", "moderate", "minor")


def peer_status(review: Review, seat: Seat | None) -> str:
    """One of the seed's seven words, or how else the review ended."""
    if review.outcome is not None:
        return APPROVED if review.outcome is Outcome.CLEARED else review.outcome.value
    if review.ruling() is not None or _waits_for_tie_break(review, seat):
        return ESCALATED
    if review.revision_request() is not None:
        return CHANGES
    if seat is not None and seat.lease is not None:
        return IN_PROGRESS
    return AGAIN if review.resubmissions else PENDING


def _waits_for_tie_break(review: Review, seat: Seat | None) -> bool:
    return seat is not None and seat.part is Part.TIE_BREAK and review.report_request(seat.id) is not None


def verdict_said(status: str) -> tuple[str, Verdict]:
    """A reviewer's word in any spelling: as the seed keeps it, and what it claims."""
    try:
        verdict = verdict_of(status)
    except Refusal as refusal:
        words = ", ".join(one.upper() for one in VERDICT_OF)
        sentence = f"The status {status[:80]!r} is no decision"
        known: dict[str, Fact] = {"field": "status", "allowed": words.split(", ")}
        fields = {**refusal.fields, **known}
        raise Refusal(Code.UNKNOWN_WORD, sentence, f"Use one of: {words}.", fields=fields) from None
    return STATUS_OF[verdict], verdict


def gravity(concern: str) -> str:
    """How grave a concern is: as its first word says, else it stops the work."""
    word = concern.partition(":")[0].strip().lower()
    return word if word in GRAVITIES else "important"


def noted(changes: str, message: str) -> str:
    """What goes with a new version: what was changed, and a word to the reviewer behind it."""
    return f"{changes}{_MESSAGE}{message}" if message or _MESSAGE in changes else changes


def changes_made(note: str) -> str:
    """What was changed, whole, without the word to the reviewer."""
    before, found, after = note.rpartition(_MESSAGE)
    return before if found else after


def spelled_alike(one: str, other: str) -> bool:
    """Whether two spellings are one name: core-developer and core_developer are."""
    return normal(one).replace("-", "_") == normal(other).replace("-", "_")


def not_found(review: str) -> Refusal:
    """The seed's sentence for a review that is not there, or not for this viewer."""
    return Refusal(Code.REVIEW_MISSING, f"Review not found: {review[:80]}", "Use the id that request_review gave.")


def only(refusal: Refusal) -> Refusal:
    """The seed's sentence for somebody who is not asked; whom the core names, it names."""
    return Refusal(Code.NOT_THE_HOLDER, refusal.sentence.rstrip("."), refusal.next_step)


# --- seed 002: critic chains ----------------------------------------------------------------------------------------

APPROVE, REJECT, VETO = "approve", "reject", "veto"
#: What a layer can decide, the gravest last.
GRAVITY = (APPROVE, REJECT, VETO)


def layer_decision(report: Report, seat: Seat) -> str:
    """What a layer decided: a rejection is a veto where the seat has that power."""
    if report.verdict is Verdict.APPROVE:
        return APPROVE
    return VETO if seat.veto and report.verdict is Verdict.REJECT else REJECT


def chain_status(review: Review) -> str:
    """Where validated output stands."""
    if review.outcome is not None:
        return _CHAIN_ENDS.get(review.outcome, review.outcome.value)
    if review.ruling() is not None:
        return "escalated_to_human"
    return "returned" if review.revision_request() is not None else "pending"


_CHAIN_ENDS = {Outcome.CLEARED: "approved", Outcome.REJECTED: "failed", Outcome.RETURNED: "returned_to_author"}


def veto_message(step: str, critic: str, reason: str, *, retry: tuple[int, int], decision: str = VETO) -> str:
    """What the author and the thread of the task are told when a critic stops the work."""
    word = "VETO" if decision == VETO else "REJECT"
    ends = "" if retry[0] > retry[1] else f"\n\nReturning to agent for revision (retry {retry[0]}/{retry[1]})"
    return f":octagonal_sign: {critic} ({decision})\n{word} on step: {step}\n- {critic}: {reason}{ends}"


def approval_message(step: str, critic: str, *, by: str = "approval") -> str:
    """What the thread of the task is told when the last critic approved, or a human passed what it stopped."""
    return f":thumbsup: {critic} ({by})\nStep completed: {step}"


# --- seed 003: sessions ---------------------------------------------------------------------------------------------

SESSION_VERDICTS: Mapping[str, Verdict] = {
    "approved": Verdict.APPROVE,
    "concerns": Verdict.CONCERNS,
    "blocker": Verdict.REJECT,
}


def session_verdict(word: str) -> Verdict:
    """A reviewer's verdict in any spelling; anything else is no result at all."""
    try:
        return verdict_of(word)
    except Refusal as refusal:
        words = ", ".join(SESSION_VERDICTS)
        sentence = f"The verdict {word[:80]!r} is none."
        fields = {**refusal.fields, "allowed": list(SESSION_VERDICTS)}
        raise Refusal(Code.UNKNOWN_WORD, sentence, f"Use one of: {words}.", fields=fields) from None


def rule_for(review: Review) -> Decision:
    """Which of the four rules applies to a session's review, as far as it can be seen."""
    seats = [one for one in review.seats_of(SESSION) if one.required or review.report_of(one.id)]
    return four_rules(Result(reviewer=one.id, verdict=_said(review, one.id)) for one in seats)


def _said(review: Review, seat: str) -> Verdict | None:
    report = review.reports.get((seat, review.revision))
    return report.verdict if report else None


# --- seed 004: panels -----------------------------------------------------------------------------------------------


def task_status(review: Review) -> str:
    """The word of the plan's table: under review, in which fix, with a human, or complete."""
    if review.outcome is Outcome.CLEARED:
        return "complete"
    if review.outcome is not None:
        return review.outcome.value
    if review.ruling() is not None:
        return ESCALATED
    if review.revision_request() is not None:
        return f"review-fix-{review.retries + 1}"
    return f"review-fix-{review.retries}" if review.retries else "in-review"


def fix_iterations(review: Review, most: int) -> str:
    """The column of that name: 0, 1, and how many at most once that is reached; the one it is in counts."""
    done = review.retries + (review.revision_request() is not None)
    return f"{done} (max)" if done >= most else str(done)


def fix_attempt(number: int, most: int, issues: str) -> str:
    """What the implementer is told before a fix."""
    return f"Fix attempt {number}/{most}: {issues}"


def fixes_spent(task: str, most: int, issues: str) -> str:
    """What the human is told after the last one."""
    return f"Task {task} failed review after {most} fix attempts. Remaining issues: {issues}"
