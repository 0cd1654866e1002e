"""The texts of notices: what happened and whose turn it is, with a link to the page for more."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.seed_002 import message_of
from foureyes.app.calls.seed_004 import message_of as panels_message
from foureyes.core import events as e
from foureyes.core.explain import explain
from foureyes.core.model import Review
from foureyes.core.options import NOBODY
from foureyes.core.situation import asked_of_a_human
from foureyes.core.unanswered import for_anybody
from foureyes.core.values import Step
from foureyes.notify.notices import Notice, Party, Told, Word, is_chain
from foureyes.notify.wording import line, safe

REASONS_MAX = 10
OPTIONS_MAX = 8
REASON_UNITS_MAX = 300
SENTENCE_UNITS_MAX = 1_500
_HEADS = {
    Word.APPROVED: "Approved",
    Word.CHANGES: "Changes requested",
    Word.REJECTED: "Not approved",
    Word.REQUESTED: "Review requested",
    Word.REVISED: "There is a new version to review",
    Word.ESCALATED: "A decision is asked for",
    Word.TIMEOUT: "Not done in time",
    Word.ESCAPED: "A defect was found in approved work",
}
_DECIDE = "Escalated: a human must decide."


def text_of(told: Told, notice: Notice) -> str:
    """Return the whole text without the link; safe to post."""
    if told.review is None:
        return safe(_beside(told, notice))
    if is_chain(told, _stage(told)) and (seeds := _seeds(told, notice)):
        return safe(seeds)
    return "\n".join(_lines(told, notice, told.review))


def title_of(told: Told, notice: Notice) -> str:
    """Return the text in one line, for a subject or a digest."""
    if told.review is None:
        return line(_beside(told, notice))
    return f"{_HEADS[notice.word]}: {line(told.review.title)}"


def path_of(told: Told) -> str:
    """Return the path of the page with more."""
    return f"/reviews/{told.review.id}" if told.review else "/"


def _seeds(told: Told, notice: Notice) -> str:
    """Return the message that seed 002 prescribes, word for word."""
    review = told.review
    said = message_of(review) if review and isinstance(told.event, _OF_CHAINS) else ""
    if said and notice.party is Party.HUMAN:
        return f"{said}\n\n{_DECIDE}"
    return said


_OF_CHAINS = (e.RevisionRequested, e.ReviewCleared, e.ReviewClosed, e.RulingRequested)


def _stage(told: Told) -> str:
    return told.event.stage if isinstance(told.event, (e.RevisionRequested, e.RulingRequested)) else ""


def _lines(told: Told, notice: Notice, review: Review) -> Iterator[str]:
    yield title_of(told, notice)
    # Never who reviews: other reviewers may read it, and must not know yet.
    yield f"{line(review.kind)} by {line(review.author.name)}, round {review.revision}"
    match told.event:
        case e.RevisionRequested():
            yield from _situation(told, review)
        case e.ReviewClosed() | e.ReviewCleared():
            yield from _situation(told, review)
        case e.RulingRequested() as asked:
            text = for_anybody(asked.text) if asked.reason in NOBODY else asked.text
            yield _panels(told, review) or line(asked_of_a_human(text), SENTENCE_UNITS_MAX)
            yield from _listed(tuple(one.label for one in asked.options[:OPTIONS_MAX]))
        case e.DeadlinePassed(step=step):
            yield _STEPS[step]
        case e.RulingGiven(reason=reason):
            yield line(reason, REASON_UNITS_MAX)
        case e.EscapeReported(text=text, by=by):
            yield f"{line(by)}: {line(text, REASON_UNITS_MAX)}"
        case _:
            pass


def _situation(told: Told, review: Review) -> Iterator[str]:
    """Yield the situation in the same words as on every door, or what the contract of a panel prescribes instead."""
    if said := _panels(told, review):
        yield safe(said)
        return
    if told.rules is None:
        return
    found = explain(told.rules, review, told.stricter).situation
    yield line(found.sentence, SENTENCE_UNITS_MAX)
    yield line(f"Next: {found.next_step}", REASON_UNITS_MAX)


def _panels(told: Told, review: Review) -> str:
    """Return the message that seed 004 prescribes: to the implementer before each fix, to the human after the last."""
    is_panel = words.PANEL in review.protocols and _stage(told) in (words.SPEC, words.QUALITY)
    return panels_message(review, told.rules) if is_panel and told.rules else ""


_STEPS = {
    Step.REMINDED: "This is a reminder: the report is not in yet.",
    Step.REASSIGNED: "The reviewer did not answer; somebody else is asked.",
    Step.OVERDUE: "What was asked for did not come.",
    Step.RENOTIFIED: "The decision is still waiting for a human.",
}


def _listed(reasons: tuple[str, ...]) -> Iterator[str]:
    for one in reasons[:REASONS_MAX]:
        yield f"- {line(one, REASON_UNITS_MAX)}"
    if len(reasons) > REASONS_MAX:
        yield f"- and {len(reasons) - REASONS_MAX} more"


def _beside(told: Told, notice: Notice) -> str:
    match told.event:
        case e.SkipSuggested() as one:
            good = f"{one.successes} successes, {one.confidence_percent} % sure"
            return f"{line(one.author)} could do {line(one.kind)} without reviewers: {good}. A human may enable it."
        case e.SkipDisabled() as one:
            return f"{line(one.author)} is reviewed again for {line(one.kind)}: {line(one.reason, REASON_UNITS_MAX)}"
        case e.LiveRefused() as one:
            return f"{line(one.actor)} tried to publish to {line(one.target)}: {line(one.reason, REASON_UNITS_MAX)}"
        case e.SilenceDetected(session=session):
            return f"Nobody in the session {line(session)} has said anything for a while."
        case e.PolicyActivated() as one:
            return f"{line(one.by)} put the policy {line(one.name)} into force."
        case _:
            return _WRONG[notice.word]


_WRONG = {
    Word.TRUST_DAMAGED: "A track record was damaged, so its author is reviewed. Run `foureyes rebuild trust`.",
    Word.LATER_REFUSED: "Something that waited for the database was refused when it came back.",
}
