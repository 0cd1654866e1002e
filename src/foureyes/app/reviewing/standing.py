"""How does a review stand, for the person in front of it? From what is stored, and from what this round just did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from foureyes.app.gate import Seen
from foureyes.app.reviewers import UNJUDGED, Change, Unread
from foureyes.app.reviewing.merging import Quote, merged
from foureyes.app.reviewing.outcome import (
    Command,
    Dismissed,
    Found,
    Independence,
    Looked,
    LookedKind,
    LookedState,
    NotLooked,
    Outcome,
    Settled,
    Waiting,
)
from foureyes.app.reviewing.panel_report import panel_report
from foureyes.app.reviewing.readable import ENDLESS
from foureyes.app.reviewing.round import Ran
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.core.explain import Status
from foureyes.core.independence import level
from foureyes.core.model import Finding, Report, ReportRequest, Review, RulingRequest
from foureyes.core.rules import Rules, Stage
from foureyes.core.stack import stages_of
from foureyes.core.stages import vouching
from foureyes.core.values import Standing, Verdict, WhoKind

LEVEL_WORDS = (
    "nobody but programs vouches for this version",
    "another session looked; it may be the same model",
    "another model looked",
    "another model of another operator looked",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is known beside the review itself."""

    rules: Rules
    quote: Quote
    rulebook: Mapping[str, RuleEntry] = field(default_factory=dict)
    change: Change | None = None
    ignored: tuple[str, ...] = ()
    policy: str = "solo"
    policy_from: str = ""
    not_looked: tuple[NotLooked, ...] = ()
    notes: tuple[str, ...] = ()
    #: Why these bytes were not taken in as the next version.
    held_up: str = ""
    seconds: float = 0.0


def standing(seen: Seen, around: Around, ran: Ran | None = None) -> Outcome:
    """Everything a person is told of it."""
    review, ran = seen.view.review, ran or Ran()
    stages = stages_of(around.rules, review)
    found = merged(review, stages, around.quote, around.rulebook)
    looked = (*ran.looked, *_earlier(review, {one.reviewer for one in ran.looked}))
    known = [one.usd_micro for one in looked if one.usd_micro is not None]
    change = around.change
    shut = next((one for one in seen.explanation.requirements if one.status is not Status.MET), None)
    return Outcome(
        review=review.id,
        revision=review.revision,
        revisions_max=_revisions_max(around.rules, review),
        digest=review.digest,
        title=review.title,
        kind=review.kind,
        state=review.outcome.value if review.outcome else "open",
        gate=shut.reason if shut else "",
        waits=tuple(_waits(seen, review)),
        pending=review.ruling() is not None,
        unclear=_unclear(review, ran, change),
        interrupted=ran.interrupted,
        found=found,
        older=ran.older,
        looked=looked,
        not_looked=(*around.not_looked, *ran.not_looked),
        unread=tuple(_unread(change, looked)),
        ignored=around.ignored,
        independence=_independence(review, stages),
        usd_micro=sum(known) if known else None,
        tokens=sum(one.tokens for one in looked),
        seconds=around.seconds,
        files=len(change.files) if change else len(review.current.parts),
        lines=sum(last - first + 1 for one in change.files for first, last in one.changed) if change else 0,
        next=tuple(_next(review)),
        policy=around.policy,
        policy_from=around.policy_from,
        settled=tuple(_settled(review)),
        dismissed=tuple(_dismissed(review)),
        notes=around.notes,
        held_up=around.held_up,
        report=panel_report(around.rules, seen.view),
    )


def _unclear(review: Review, ran: Ran, change: Change | None) -> str:
    """What no program could judge in a command, in this round or before; in other work it is a note among others.

    A text that cannot be read to its end is unclear whatever it is.
    """
    endless = next((f"{one.path}: {one.why}" for one in (change.unread if change else ()) if ENDLESS in one.why), "")
    if endless or review.kind != "command":
        return endless
    known = (one.text for one in review.findings.values() if one.text.startswith(UNJUDGED) and not one.is_settled)
    return ran.unclear or next(known, "")


def _earlier(review: Review, now: set[str]) -> Iterator[Looked]:
    """Who reported on exactly this version before this round."""
    for report in review.reports.values():
        if report.revision == review.revision and report.reviewer.name not in now:
            yield _of_report(review, report)


def _of_report(review: Review, report: Report) -> Looked:
    own = [one for one in review.findings.values() if one.seat == report.seat and not one.is_settled]
    against = report.verdict not in (None, Verdict.APPROVE)
    state = LookedState.REJECTS if against else LookedState.HAS_FINDINGS if own else LookedState.FOUND_NOTHING
    kinds = {WhoKind.PROGRAM: LookedKind.PROGRAM, WhoKind.HUMAN: LookedKind.HUMAN}
    return Looked(
        reviewer=report.reviewer.name,
        kind=kinds.get(report.reviewer.kind, LookedKind.AGENT),
        state=state,
        summary=report.summary,
        findings=len(own),
    )


def _revisions_max(rules: Rules, review: Review) -> int:
    """How many versions there may be in all: the first, and as many again as the strictest style allows."""
    most = [one.revisions_max for name in review.protocols if (one := rules.protocol(name))]
    return 1 + min(most) if most else 0


def _waits(seen: Seen, review: Review) -> Iterator[Waiting]:
    for turn in seen.explanation.turns:
        request = review.requests.get(turn.request)
        if isinstance(request, ReportRequest) and request.queued:
            continue  # it waits for whoever comes; nobody owes it
        how = "Sign in and decide there." if isinstance(request, RulingRequest) else ""
        yield Waiting(who=", ".join(turn.who), what=turn.what, how=how)


def _unread(change: Change | None, looked: tuple[Looked, ...]) -> Iterator[Unread]:
    """What nobody read, and what some did not."""
    seen: dict[tuple[str, str], Unread] = {}
    for one in (*(change.unread if change else ()), *(one for look in looked for one in look.unread)):
        seen.setdefault((one.path, one.why), one)
    yield from seen.values()


def _independence(review: Review, stages: tuple[Stage, ...]) -> Independence:
    minds = [
        one.reviewer for stage in stages for one in vouching(review, stage) if one.reviewer.kind is not WhoKind.PROGRAM
    ]
    reached = level(review.author, minds, 1, review.contributors) if minds else 0
    names = ", ".join(dict.fromkeys(one.name for one in minds))
    same = f"{names} vouches, but nothing tells it apart from the author"
    return Independence(level=reached, words=same if minds and not reached else LEVEL_WORDS[reached])


def _settled(review: Review) -> Iterator[Settled]:
    for one in review.findings.values():
        if one.standing is Standing.RESOLVED and one.settled_in == review.revision and review.revision > 1:
            where = one.place
            yield Settled(
                id=one.id,
                text=one.text,
                path=where.path if where else "",
                line=where.start if where else 0,
                how=one.note or "settled",
            )


def _dismissed(review: Review) -> Iterator[Dismissed]:
    for one in review.findings.values():
        if one.standing is Standing.WAIVED or (one.suppressed_by and not one.is_settled):
            yield Dismissed(
                found=_as_found(one), by="a person", because=one.note or f"dismissed in {one.suppressed_by}"
            )


def _as_found(finding: Finding) -> Found:
    place = finding.place
    return Found(
        ids=(finding.id,),
        severity=finding.severity,
        text=finding.text,
        category=finding.category,
        rule=finding.rule,
        path=place.path if place else "",
        line=place.start if place else 0,
        end=place.end if place else 0,
        raised_by=(finding.raiser,),
        standing=finding.standing,
        fingerprint=finding.fingerprint,
        why_not_blocking="dismissed",
        is_new=False,
    )


def _next(review: Review) -> Iterator[Command]:
    if review.ruling() is not None:
        yield Command(line=f"foureyes why {review.id}", does="says what a person has to decide")
        yield Command(line="foureyes review --anew", does="leaves this review and starts over")
