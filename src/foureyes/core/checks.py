"""Is somebody who they must be, and is what they speak about there? Questions several answers ask."""

from __future__ import annotations

from foureyes.core.independence import normal
from foureyes.core.model import Finding, Review, Seat
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Stage
from foureyes.core.values import Severity, Who

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


def severity_of(word: str) -> Severity:
    """The severity behind a reviewer's own word."""
    found = SEVERITIES.get(word.strip().lower())
    if found is None:
        raise refuse(Code.UNKNOWN_WORD, what="The severity", word=word, allowed=", ".join(SEVERITIES))
    return found


def check_reason(what: str, reason: str) -> None:
    """A decision without a reason is not taken."""
    if not reason.strip():
        raise refuse(Code.REASON_MISSING, what=what)


def check_filled(what: str, text: str) -> None:
    """What has to say something is not empty."""
    if not text.strip():
        raise Refusal(Code.REASON_MISSING, f"{what} is empty.", "Write it out.")


def check_open(review: Review) -> None:
    """The review still goes on."""
    if review.outcome is not None:
        raise refuse(Code.REVIEW_ENDED, outcome=review.outcome)


def check_current(review: Review, revision: int) -> None:
    """What was judged is the current revision: nobody judges what they did not see."""
    if revision != review.revision:
        raise refuse(Code.STALE, named=f"version {revision}", current=f"version {review.revision}")


def check_author(review: Review, actor: Who) -> None:
    """Only the author speaks for the work."""
    if actor.name != review.author.name:
        raise refuse(Code.NOT_THE_AUTHOR, author=review.author.name)


def check_human(review: Review, actor: Who, what: str) -> None:
    """A human who neither made nor changed this work."""
    if not actor.is_human:
        raise refuse(Code.HUMAN_ONLY, what=what)
    check_not_maker(review, actor)


def check_not_maker(review: Review, actor: Who) -> None:
    """Somebody who neither made nor changed this work."""
    makers = {normal(one.name) for one in (review.author, *(revision.by for revision in review.revisions))}
    if normal(actor.name) in makers:
        raise refuse(Code.AUTHOR_MAY_NOT, name=actor.name)


def check_person_waives(review: Review, stage: Stage | None, finding: Finding, actor: Who) -> None:
    """Where a person at a terminal is enough: nothing proves a human, so what is critical or a veto is not theirs."""
    if stage is None or not stage.options.person_waives:
        raise refuse(Code.SIGN_IN_NEEDED, what="A waiver here")
    if finding.severity is Severity.CRITICAL:
        raise refuse(Code.SIGN_IN_NEEDED, what="Waiving a critical finding")
    if review.seats[finding.seat].veto:
        raise refuse(Code.SIGN_IN_NEEDED, what="Waiving a veto")
    check_not_maker(review, actor)


def raised_by(review: Review, finding: str) -> Seat:
    """The seat a finding's id names, whether or not there is such a finding: a blind reviewer must not learn that."""
    seat = review.seats.get(finding.rpartition("-F")[0])
    if seat is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=finding)
    return seat


def finding_of(review: Review, finding: str) -> Finding:
    """The finding of this id."""
    found = review.findings.get(finding)
    if found is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=finding)
    return found
