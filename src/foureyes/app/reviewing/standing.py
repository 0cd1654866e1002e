"""Builds the Outcome of a local review from what is stored and from what this round just did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from foureyes.app.gate import Seen
from foureyes.app.reviewers import UNJUDGED, Unread
from foureyes.app.reviewing.coverage import nobody_read, read_by_mind
from foureyes.app.reviewing.dismissals import SOURCE
from foureyes.app.reviewing.merging import Quote, merged
from foureyes.app.reviewing.outcome import (
    Answered,
    Command,
    Dismissed,
    Found,
    Independence,
    Looked,
    LookedKind,
    LookedState,
    Outcome,
    Settled,
    Waiting,
)
from foureyes.app.reviewing.panel_report import panel_report
from foureyes.app.reviewing.readable import ENDLESS
from foureyes.app.reviewing.recorded import Recorded, Waiver
from foureyes.app.reviewing.round import Ran
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.app.reviewing.told import Told
from foureyes.core.independence import level
from foureyes.core.model import Finding, Report, ReportRequest, Review, RulingRequest
from foureyes.core.rules import Rules, Stage
from foureyes.core.situation import owes_report
from foureyes.core.stack import stages_of
from foureyes.core.stages import vouching
from foureyes.core.values import Cost, Part, Standing, Verdict, Who, WhoKind
from foureyes.core.values import Outcome as Cleared

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
    policy: str = "solo"
    #: What was told of this version, in this round and before.
    told: Told = Told()
    recorded: Recorded = Recorded()
    #: Notes of this call alone.
    notes: tuple[str, ...] = ()
    #: Why these bytes were not taken in as the next version.
    held_up: str = ""
    seconds: float = 0.0


def standing(seen: Seen, around: Around, ran: Ran | None = None) -> Outcome:
    """Return the outcome: everything a person is told of the review."""
    review, ran, told = seen.view.review, ran or Ran(), around.told
    stages = stages_of(around.rules, review)
    looked = tuple(_looked(review, told, around.recorded))
    known = [one.usd_micro for one in looked if one.usd_micro is not None]
    situation = seen.explanation.situation
    return Outcome(
        review=review.id,
        revision=review.revision,
        revisions_max=_revisions_max(around.rules, review),
        digest=review.digest,
        title=review.title,
        kind=review.kind,
        state=review.outcome.value if review.outcome else "open",
        gate=next(iter(situation.reasons), "") if review.outcome is None else "",
        situation=situation,
        waits=tuple(_waits(seen, review)),
        pending=review.ruling() is not None,
        owed=owes_report(review, stages),
        unclear=_unclear(review, ran, told) or _unanswered(looked) or nobody_read(told.unread, looked),
        late=_late(review, ran),
        interrupted=ran.interrupted,
        found=merged(review, stages, around.quote, around.rulebook, around.recorded.verified),
        older=sum(one.older for one in looked),
        looked=looked,
        not_looked=told.not_looked,
        unread=tuple(_unread(told.unread, looked)),
        ignored=told.ignored,
        unjudged=() if read_by_mind(looked) else told.unjudged,
        independence=_independence(review, stages),
        usd_micro=sum(known) if known else None,
        tokens=sum(one.tokens for one in looked),
        seconds=around.seconds,
        files=told.files or len(review.current.parts),
        lines=told.lines,
        next=tuple(_next(review)),
        named=told.named,
        policy=around.policy,
        policy_from=told.policy_from,
        settled=tuple(_settled(review)),
        dismissed=tuple(_dismissed(review, around.recorded.waivers)),
        answers=tuple(_answers(review)),
        notes=(*told.notes, *around.notes, *_more(sum(one.more for one in looked))),
        held_up=around.held_up,
        report=panel_report(around.rules, seen.view),
    )


def _more(count: int) -> tuple[str, ...]:
    return (f"{count} more of the same are not listed: mend those that are, and look again.",) if count else ()


def _unclear(review: Review, ran: Ran, told: Told) -> str:
    """Return what no program could judge in a command, in this round or before; for other work it is only a note.

    A text that cannot be read to its end is unclear in any work.
    """
    endless = next((f"{one.path}: {one.why}" for one in told.unread if ENDLESS in one.why), "")
    if endless or review.kind != "command":
        return endless
    known = (one.text for one in review.findings.values() if one.text.startswith(UNJUDGED) and not one.is_settled)
    return ran.unclear or next(known, "")


def _unanswered(looked: tuple[Looked, ...]) -> str:
    """Return the program that has no answer to this version, if no agent, model or person has read it either."""
    if any(one.kind is not LookedKind.PROGRAM and one.state is not LookedState.INCONCLUSIVE for one in looked):
        return ""
    silent = (one for one in looked if one.kind is LookedKind.PROGRAM and one.state is LookedState.INCONCLUSIVE)
    return next((f"{one.reviewer} could not say: {one.reason}" for one in silent), "")


def _late(review: Review, ran: Ran) -> str:
    """Return what was found in exactly these bytes after they were cleared."""
    if review.outcome is not Cleared.CLEARED or not review.escapes:
        return ran.late
    names = ", ".join(sorted(review.escapes))
    return ran.late or f"{names} found something after this version was cleared; `foureyes why` tells"


def _looked(review: Review, told: Told, recorded: Recorded) -> Iterator[Looked]:
    """Yield who looked at exactly this version.

    Looks told before are updated from the log; looks that only the log has are added.
    """
    now = (one for one in review.reports.values() if one.revision == review.revision)
    reports = {_where(review, one.seat, one.reviewer.name): one for one in now}
    for one in told.looked:
        report = reports.pop((one.stage, one.reviewer), None)
        yield one if report is None else _by_report(one, review, report)
    seen = {(one.stage, one.reviewer) for one in told.looked}
    for report in reports.values():
        yield _by_report(_of_log(report.seat, report.reviewer, recorded), review, report)
    for (seat, name), why in recorded.failed.items():
        where = _where(review, seat, name)
        if where not in seen | set(reports):
            failed = _of_log(seat, Who(name=name, kind=WhoKind.AGENT), recorded)
            yield replace(failed, stage=where[0], reason=why)


def _where(review: Review, seat: str, reviewer: str) -> tuple[str, str]:
    """Return the key of a look: an agent or model looks once per stage, and once more as a verifier."""
    known = review.seats.get(seat)
    return (known.stage if known and known.part is Part.JUDGE else seat), reviewer


def _of_log(seat: str, who: Who, recorded: Recorded) -> Looked:
    """Return a look that only the log has; missing details are left out."""
    cost = recorded.costs.get((seat, who.name), Cost())
    kinds = {WhoKind.PROGRAM: LookedKind.PROGRAM, WhoKind.HUMAN: LookedKind.HUMAN}
    return Looked(
        reviewer=who.name,
        kind=kinds.get(who.kind, LookedKind.AGENT),
        state=LookedState.INCONCLUSIVE,
        seconds=cost.seconds,
        usd_micro=cost.usd_micro or None,
        tokens=cost.tokens,
    )


def _by_report(one: Looked, review: Review, report: Report) -> Looked:
    """Return the look with the current state of its report."""
    own = [one for one in review.findings.values() if one.seat == report.seat and not one.is_settled]
    against = report.verdict not in (None, Verdict.APPROVE)
    state = LookedState.REJECTS if against else LookedState.HAS_FINDINGS if own else LookedState.FOUND_NOTHING
    where = _where(review, report.seat, report.reviewer.name)[0]
    return replace(one, state=state, stage=where, summary=report.summary, findings=len(own), reason="", until=None)


def _revisions_max(rules: Rules, review: Review) -> int:
    """Return the most versions in all: the first, and as many further ones as the strictest style allows."""
    most = [one.revisions_max for name in review.protocols if (one := rules.protocol(name))]
    return 1 + min(most) if most else 0


def _waits(seen: Seen, review: Review) -> Iterator[Waiting]:
    for turn in seen.explanation.turns:
        request = review.requests.get(turn.request)
        if isinstance(request, ReportRequest) and request.queued:
            continue  # it waits for a volunteer; nobody owes it
        how = "Sign in and decide there." if isinstance(request, RulingRequest) else ""
        yield Waiting(who=", ".join(turn.who), what=turn.what, how=how)


def _unread(nobody: tuple[Unread, ...], looked: tuple[Looked, ...]) -> Iterator[Unread]:
    """Yield what nobody read, and what some reviewers did not."""
    seen: dict[tuple[str, str], Unread] = {}
    for one in (*nobody, *(one for look in looked for one in look.unread)):
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


def _dismissed(review: Review, waivers: Mapping[str, Waiver]) -> Iterator[Dismissed]:
    for one in review.findings.values():
        if one.standing is not Standing.WAIVED and (not one.suppressed_by or one.is_settled):
            continue
        word = waivers.get(one.id)
        if word is None:
            yield Dismissed(found=_as_found(one), by="a person", because=one.note or f"by {one.suppressed_by}")
            continue
        is_elsewhere = one.suppressed_by and not one.suppressed_by.startswith(SOURCE)
        elsewhere = f" (in {one.suppressed_by})" if is_elsewhere else ""
        yield Dismissed(
            found=_as_found(one),
            by=word.by,
            because=f"{word.because}{elsewhere}",
            at=word.at,
            proven=word.proven,
        )


def _answers(review: Review) -> Iterator[Answered]:
    """Yield the answers to the author's questions on this version."""
    for report in review.reports.values():
        if report.revision == review.revision:
            for question, text in zip(review.questions, report.answers, strict=False):
                if text:
                    yield Answered(question=question, by=report.reviewer.name, text=text)


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
