"""Checks that several command handlers share: the role of the actor, and the state of the review and its findings."""

from __future__ import annotations

from foureyes.core.independence import normal
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Finding, Review, Seat
from foureyes.core.refusals import Code, Refusal, refuse, unknown_word
from foureyes.core.rules import Rules, Stage
from foureyes.core.values import Outcome, Severity, Verdict, Who

SEVERITIES = {
    "critical": Severity.CRITICAL,
    "blocker": Severity.CRITICAL,
    "important": Severity.IMPORTANT,
    "high": Severity.IMPORTANT,
    "major": Severity.IMPORTANT,
    "moderate": Severity.IMPORTANT,
    "medium": Severity.IMPORTANT,
    "minor": Severity.MINOR,
    "low": Severity.MINOR,
    "nit": Severity.MINOR,
}


#: Includes the spellings of the source systems; any case, with a hyphen or space for an underscore.
VERDICTS = {
    "approve": Verdict.APPROVE,
    "approved": Verdict.APPROVE,
    "pass": Verdict.APPROVE,
    "passed": Verdict.APPROVE,
    "concerns": Verdict.CONCERNS,
    "concern": Verdict.CONCERNS,
    "changes_requested": Verdict.CONCERNS,
    "request_changes": Verdict.CONCERNS,
    "fail": Verdict.CONCERNS,
    "failed": Verdict.CONCERNS,
    "reject": Verdict.REJECT,
    "rejected": Verdict.REJECT,
    "blocker": Verdict.REJECT,
    "veto": Verdict.REJECT,
}


def verdict_of(word: str) -> Verdict:
    """The verdict for a reviewer's word; an unknown one is refused with the list of known ones."""
    found = VERDICTS.get(word.strip().lower().replace("-", "_").replace(" ", "_"))
    if found is None:
        raise refuse(Code.UNKNOWN_WORD, what="The verdict", word=word[:80], allowed=tuple(VERDICTS), field="verdict")
    return found


def severity_of(word: str) -> Severity:
    """The severity for a reviewer's word; an unknown one is refused with the list of known ones."""
    found = SEVERITIES.get(word.strip().lower())
    if found is None:
        raise refuse(
            Code.UNKNOWN_WORD, what="The severity", word=word[:80], allowed=tuple(SEVERITIES), field="severity"
        )
    return found


def check_step(rules: Rules, step: str, field: str) -> None:
    """Refuse a step for which the policy has no chain; the default that would judge it may be the weakest."""
    known = tuple(dict.fromkeys(one.kind for one in rules.kinds))
    if step and canonical_kind(step) not in map(canonical_kind, known):
        raise unknown_word("The step", step, known, field)


def check_reason(what: str, reason: str) -> None:
    """Refuse a decision without a reason."""
    if not reason.strip():
        raise refuse(Code.REASON_MISSING, what=what)


def check_filled(what: str, text: str) -> None:
    """Refuse an empty text."""
    if not text.strip():
        raise Refusal(Code.REASON_MISSING, f"{what} is empty.", "Write it out.")


def check_open(review: Review) -> None:
    """Refuse if the review has ended."""
    if review.outcome is not None:
        raise refuse(Code.REVIEW_ENDED, outcome=review.outcome)


def check_liftable(review: Review) -> None:
    """Refuse if the review was cleared; otherwise objections to its bytes can still be lifted, even after its end."""
    if review.outcome is Outcome.CLEARED:
        raise refuse(Code.REVIEW_ENDED, outcome=review.outcome)


def check_current(review: Review, revision: int) -> None:
    """Refuse a judgement of any revision but the current one: nobody judges what they did not see."""
    if revision != review.revision:
        raise refuse(Code.STALE, named=f"version {revision}", current=f"version {review.revision}")


def check_author(review: Review, actor: Who) -> None:
    """Refuse any actor but the author."""
    if actor.name != review.author.name:
        raise refuse(Code.NOT_THE_AUTHOR, author=review.author.name)


def check_human(review: Review, actor: Who, what: str) -> None:
    """Refuse an actor who is not a human, or who made or changed this work."""
    if not actor.is_human:
        raise refuse(Code.HUMAN_ONLY, what=what)
    check_not_maker(review, actor)


def check_not_maker(review: Review, actor: Who) -> None:
    """Refuse an actor who made or changed this work."""
    makers = _makers(review)
    if normal(actor.name) in makers:
        raise refuse(Code.AUTHOR_MAY_NOT, name=actor.name)


def may_rule(review: Review, actor: Who) -> bool:
    """True if the actor may give rulings on this review, apart from the group a ruling may be limited to."""
    return actor.is_human and normal(actor.name) not in _makers(review)


def _makers(review: Review) -> frozenset[str]:
    """The normalised names of those who made or changed this work."""
    return frozenset(normal(one.name) for one in (review.author, *(revision.by for revision in review.revisions)))


def check_person_waives(review: Review, stage: Stage | None, finding: Finding, actor: Who) -> None:
    """Refuse a waiver that a person at a terminal may not give: critical findings and vetoes need a verified human."""
    if stage is None or not stage.options.person_waives:
        raise refuse(Code.SIGN_IN_NEEDED, what="A waiver here")
    if finding.severity is Severity.CRITICAL:
        raise refuse(Code.SIGN_IN_NEEDED, what="Waiving a critical finding")
    if finding.veto or (finding.seat in review.seats and review.seats[finding.seat].veto):
        raise refuse(Code.SIGN_IN_NEEDED, what="Waiving a veto")
    check_not_maker(review, actor)


def raised_by(review: Review, finding: str) -> Seat:
    """The seat named by a finding id, whether the finding exists or not: a blind reviewer must not learn that."""
    seat = review.seats.get(finding.rpartition("-F")[0])
    if seat is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=finding)
    return seat


def finding_of(review: Review, finding: str) -> Finding:
    """The finding with this id, or a refusal."""
    found = review.findings.get(finding)
    if found is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=finding)
    return found
