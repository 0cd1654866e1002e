"""The options of a ruling, and the fallback if no human decides in time."""

from __future__ import annotations

from dataclasses import replace

from foureyes.core.model import Review
from foureyes.core.rules import Options, Stage
from foureyes.core.values import Effect, Option, Part, Position

AS_IS = Option(
    id="as_is",
    label="Approve as it is (the author's position)",
    effect=Effect.PASS_STAGE,
    time="now",
    risk="what the reviewers say stays in",
    pros=("nothing more to do",),
    cons=("no further safeguard",),
)
AS_REVIEWED = Option(
    id="as_reviewed",
    label="Ask for the changes (the reviewer's position)",
    effect=Effect.REVISE,
    time="one more round",
    risk="low",
    pros=("what was found is dealt with",),
    cons=("takes longer",),
)
COMPROMISE = Option(
    id="compromise",
    label="Ask for something else, in your own words",
    effect=Effect.REVISE,
    time="one more round",
    risk="as you choose",
    pros=("both sides give way",),
    cons=("takes longer",),
)
NOT_REAL = Option(
    id="not_real", label="The findings are not real", effect=Effect.WAIVE, risk="you vouch for it", time="now"
)
RETRY = Option(id="retry", label="Ask the reviewers again", effect=Effect.RETRY, time="one more review", risk="low")
REJECT = Option(id="reject", label="Reject it", effect=Effect.REJECT, time="now", risk="none")
SHELVE = Option(
    id="shelve",
    label="Shelve it; the author may come back with a new version",
    effect=Effect.SHELVE,
    time="now",
    risk="none",
)

#: The author did not answer a request in time; the ruling request lapses when the author submits again.
AUTHOR_SILENT = "author_silent"
#: A requested reviewer did not answer in time, and the work would pass without them; silence must not clear it.
UNHEARD = "unheard"
#: Without a review there is no reviewer's position to choose.
UNREVIEWED = replace(AS_IS, label="Approve as it is, without this review", risk="nobody has reviewed this step")
SEND_BACK = replace(AS_REVIEWED, label="Send it back to the author", pros=("nothing goes through unreviewed",))
NOBODY = frozenset(
    {
        "nobody_can_hold",
        "nobody_free",
        "nobody_can_act",
        "reviewers_failed",
        "out_of_budget",
        "too_long",
        AUTHOR_SILENT,
        UNHEARD,
    }
)

#: Reasons for which no override inside this review could make the work pass.
OBJECTED_ELSEWHERE = "objected_elsewhere"
NO_WAY_THROUGH = frozenset({"vetoed_elsewhere", OBJECTED_ELSEWHERE, "no_stages", "nobody_vouched"})


def options_for(reason: str, *, veto: bool, findings: tuple[str, ...]) -> tuple[Option, ...]:
    """The applicable options: a veto cannot be retried, and approving is left out where it could not help."""
    passing, back = (UNREVIEWED, SEND_BACK) if reason in NOBODY else (AS_IS, AS_REVIEWED)
    found = [] if reason in NO_WAY_THROUGH else [passing]
    found += [back, COMPROMISE]
    if findings and not veto:
        found.append(NOT_REAL)
    if not veto and reason != "no_stages":
        found.append(RETRY)
    return (*found, REJECT, SHELVE)


def is_unreviewed(review: Review, stage: str, reason: str) -> bool:
    """True if a human is asked because no reviewer came, and nobody has reported on this revision."""
    return reason in NOBODY - {AUTHOR_SILENT} and not review.reports_in(stage)


def fallback_for(
    reason: str, *, veto: bool, options: Options, clock_revisions: int, unreviewed: bool = False
) -> Effect | None:
    """The effect of silence: it never opens the gate, favours the reviewer, then shelves; None means reminders only."""
    if veto or not options.times.human_fallback:
        return None
    if unreviewed:
        return Effect.RETURN
    if reason == "creator_disagrees":
        return Effect.REJECT
    return Effect.REVISE if clock_revisions == 0 else Effect.SHELVE


def positions_of(review: Review, stage: Stage | None, argument: str) -> tuple[Position, ...]:
    """The positions of author and reviewers, with their confidence."""
    author = Position(
        party="author",
        name=review.author.name,
        confidence=review.current.confidence,
        says=argument or review.current.note,
        evidence=tuple(one.answer for one in review.findings.values() if one.answer)[:5],
    )
    seats = [one for one in review.seats.values() if stage and one.stage == stage.name and one.part is not Part.VERIFY]
    reports = [found for one in seats if (found := review.reports.get((one.id, review.revision)))]
    reviewers = [
        Position(
            party="reviewer",
            name=one.reviewer.name,
            confidence=one.confidence,
            says=one.summary,
            evidence=tuple(review.findings[f].text for f in one.blocking)[:5],
        )
        for one in reports
    ]
    return (author, *reviewers)
