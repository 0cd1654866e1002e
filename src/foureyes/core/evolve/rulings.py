"""State changes of a review by ruling requests, rulings and overrides."""

from __future__ import annotations

from foureyes.core import events as e
from foureyes.core.evolve.puts import changed, put, without
from foureyes.core.model import Finding, ReportRequest, Review, RulingRequest, Seat, StageRevision, Vote
from foureyes.core.values import Effect


def ruling_requested(review: Review, event: e.RulingRequested) -> Review:
    ruling = RulingRequest(
        id=event.request,
        stage=event.stage,
        revision=event.revision,
        reason=event.reason,
        text=event.text,
        due=event.due,
        options=event.options,
        findings=event.findings,
        needs=event.needs,
        group=event.group,
        fallback=event.fallback,
        veto=event.veto,
        by=event.by,
        argument=event.argument,
    )
    asked = review.asked | {(event.by, event.revision)} if event.by else review.asked
    kept = {key: one for key, one in review.requests.items() if isinstance(one, ReportRequest)}
    return changed(review, rulings=review.rulings + 1, asked=asked, requests={**kept, ruling.id: ruling})


def ruling_given(review: Review, event: e.RulingGiven) -> Review:
    ruling = review.requests[event.request]
    if not isinstance(ruling, RulingRequest):
        message = f"{event.request} is not a ruling"
        raise TypeError(message)
    if not event.final:
        vote = changed(ruling, votes=(*ruling.votes, Vote(by=event.by.name, option=event.option)))
        return changed(review, requests=put(review.requests, ruling.id, vote))
    bound = event.effect is Effect.REJECT and not event.by_clock
    after = changed(review, requests=without(review.requests, ruling.id), bound=bound)
    if event.effect in (Effect.REVISE, Effect.WAIVE):
        return changed(after, ruled=after.ruled | {(ruling.stage, ruling.revision, ruling.reason, ruling.findings)})
    if event.effect is Effect.RETRY:
        return asked_anew(changed(after, retried=after.retried | {(ruling.stage, ruling.revision)}), ruling.stage)
    return after


def stage_overridden(review: Review, event: e.StageOverridden) -> Review:
    ruling = review.ruling()
    requests = without(review.requests, ruling.id) if ruling and ruling.stage == event.stage else review.requests
    asked = review.revision_request()
    if asked and asked.stage == event.stage:
        requests = without(requests, asked.id)
    return changed(
        review,
        overridden=put(review.overridden, (event.stage, event.revision), event.reason),
        vetoes=review.vetoes - {(event.stage, event.digest)},
        rejected=review.rejected - {event.digest},
        requests=requests,
    )


def asked_anew(review: Review, stage: str) -> Review:
    """Drop reports and decisions of this revision so that its seats are asked again; a veto is never dropped."""

    def forgotten(seat: str, number: int) -> bool:
        one = review.seats[seat]
        vetoed = one.veto and (one.stage, review.digest) in review.vetoes
        return number == review.revision and stage in ("", one.stage) and not vetoed

    def stands(key: StageRevision) -> bool:
        return key[1] != review.revision or stage not in ("", key[0])

    return changed(
        argued_anew(review, stage),
        seats={one.id: _asked_anew(one, stage) for one in review.seats.values()},
        reports={key: one for key, one in review.reports.items() if not forgotten(*key)},
        failures={key: one for key, one in review.failures.items() if not forgotten(*key)},
        failed={key: one for key, one in review.failed.items() if not forgotten(*key)},
        overridden={key: one for key, one in review.overridden.items() if stands(key)},
        skipped={key: one for key, one in review.skipped.items() if stands(key)},
        ruled=frozenset(one for one in review.ruled if stands(one[:2])),
    )


def _asked_anew(seat: Seat, stage: str) -> Seat:
    """Let reviewers who crashed or were late be asked again, because a human said so."""
    return changed(seat, until=None, left=() if stage in ("", seat.stage) else seat.left)


def asked_again(review: Review) -> Review:
    """Ask the seats again that got no report; reports on this revision remain."""

    def before(key: StageRevision) -> bool:
        return key[1] != review.revision

    return changed(
        review,
        seats={one.id: _asked_anew(one, "") for one in review.seats.values()},
        failures={key: count for key, count in review.failures.items() if before(key)},
        failed={key: words for key, words in review.failed.items() if before(key)},
    )


def argued_anew(review: Review, stage: str) -> Review:
    """Reset how often unsettled findings were reopened, otherwise the same end would follow at once."""

    def worn(finding: Finding) -> bool:
        return finding.reopened > 0 and not finding.is_settled and stage in ("", finding.stage)

    counted = {one.id: changed(one, reopened=0) if worn(one) else one for one in review.findings.values()}
    return changed(review, findings=counted)
