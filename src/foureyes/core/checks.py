"""Is what somebody sent within bounds? Every text, list and number has a limit, and a refusal names it."""

from __future__ import annotations

from collections.abc import Sized

from foureyes.core.model import Finding, Review
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Limits
from foureyes.core.values import Severity, Who

PERCENT_MAX = 100

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


def check_texts(limits: Limits, **texts: str) -> None:
    """No text is longer than the limit."""
    for what, text in texts.items():
        if len(text) > limits.text_chars_max:
            raise refuse(Code.TOO_LONG, what=what, size=len(text), most=limits.text_chars_max)


def check_count(what: str, many: Sized, most: int) -> None:
    """No list is longer than its limit."""
    if len(many) > most:
        raise refuse(Code.TOO_MANY, what=what, size=len(many), most=most)


def check_percent(what: str, value: int | None) -> None:
    """A number from 0 to 100; True is not 1 here."""
    if value is not None and (isinstance(value, bool) or not 0 <= value <= PERCENT_MAX):
        raise refuse(Code.BAD_NUMBER, what=what, value=value, low=0, high=PERCENT_MAX)


def check_reason(what: str, reason: str) -> None:
    """A decision without a reason is not taken."""
    if not reason.strip():
        raise refuse(Code.REASON_MISSING, what=what)


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
    if actor.name == review.author.name or any(actor.name == one.by.name for one in review.revisions):
        raise refuse(Code.AUTHOR_MAY_NOT, name=actor.name)


def finding_of(review: Review, finding: str) -> Finding:
    """The finding of this id."""
    found = review.findings.get(finding)
    if found is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=finding)
    return found
