"""The four rules of a session: what its reviewers are sent, and the decision that follows from their verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal
from foureyes.core.sessions import Status
from foureyes.core.values import Pairs, Verdict

MAX_WORDS = 200
FOCUS_AREAS = ("Security vulnerabilities", "Spec compliance", "Integration correctness")
CONCERNS_PAUSE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One reviewer's verdict; none when it is missing. The number orders the results of one reviewer."""

    reviewer: str
    verdict: Verdict | None
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Which of the four rules applies (0: none yet), what it does, and who is named by it."""

    rule: int
    action: str
    status: Status
    reviewers: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """True if the work goes on with a concern on the issues list."""
        return bool(self.reviewers) and self.status is Status.RUNNING


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What an agent says about its own work: never believed, the work itself is looked at."""

    agent: str
    text: str
    untrusted: bool = True

    @property
    def key(self) -> str:
        """The name of this summary in the request."""
        return f"{self.agent}_summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What a reviewer of a session is sent."""

    reviewer: str
    targets: tuple[str, ...]
    context: tuple[Summary, ...]
    focus_areas: tuple[str, ...] = FOCUS_AREAS
    max_words: int = MAX_WORDS
    type: str = "review_request"


def four_rules(results: Iterable[Result], *, timed_out: bool = False) -> Decision:
    """Apply the four rules in their order; the same set of results gives the same decision in any order.

    A blocker acts at once. The other rules wait for all requested reviewers. After the time limit, a missing result is
    not an approval and the session stays paused.
    """
    latest = _latest(results)
    blockers = _who(latest, Verdict.REJECT)
    concerns = _who(latest, Verdict.CONCERNS)
    complete = bool(latest) and None not in latest.values()
    if blockers:
        return Decision(rule=1, action="STOP & ESCALATE", status=Status.PAUSED, reviewers=blockers)
    if not complete and not timed_out:
        return Decision(rule=0, action="WAIT", status=Status.RUNNING)
    if len(concerns) >= CONCERNS_PAUSE:
        return Decision(rule=2, action="PAUSE & CLARIFY", status=Status.PAUSED, reviewers=concerns)
    if not complete:
        return Decision(rule=0, action="WAIT", status=Status.PAUSED, reviewers=_who(latest, None))
    if concerns:
        return Decision(rule=3, action="LOG & CONTINUE", status=Status.RUNNING, reviewers=concerns)
    return Decision(rule=4, action="CONTINUE", status=Status.RUNNING)


def review_request(
    reviewer: str, summaries: Pairs, *, focus_areas: tuple[str, ...] = FOCUS_AREAS, max_words: int = MAX_WORDS
) -> ReviewRequest:
    """Build the request for a review of these agents' work; no agent reviews its own."""
    if not summaries:
        raise Refusal(Code.REASON_MISSING, "The request names no target.", "Name the agents whose work to review.")
    if any(normal(agent) == normal(reviewer) for agent, _ in summaries):
        raise Refusal(
            Code.NOT_ELIGIBLE, f"{reviewer} is among the targets of the review.", "Choose a reviewer who is not."
        )
    return ReviewRequest(
        reviewer=reviewer,
        targets=tuple(agent for agent, _ in summaries),
        context=tuple(Summary(agent=agent, text=text) for agent, text in summaries),
        focus_areas=focus_areas,
        max_words=max_words,
    )


def over_limit(summary: str, max_words: int = MAX_WORDS) -> bool:
    """True if a summary is longer than requested. It is flagged, and its findings are never cut."""
    return len(summary.split()) > max_words


#: If two results have the same number, the graver one counts.
_GRAVITY = {Verdict.APPROVE: 0, Verdict.CONCERNS: 1, None: 2, Verdict.REJECT: 3}


def _latest(results: Iterable[Result]) -> dict[str, Verdict | None]:
    ordered = sorted(results, key=lambda one: (one.number, _GRAVITY[one.verdict]))
    return {normal(one.reviewer): one.verdict for one in ordered}


def _who(latest: dict[str, Verdict | None], verdict: Verdict | None) -> tuple[str, ...]:
    return tuple(sorted(reviewer for reviewer, one in latest.items() if one is verdict))
