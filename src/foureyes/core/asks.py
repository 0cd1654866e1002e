"""Requests to seats, the author or a human; every request has an addressee and a due time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.assign import Assignment, Opening, assign, matrix_row, may_review, roles_for
from foureyes.core.events import ReportRequested, RequestLapsed, ReviewEvent, RevisionRequested, RulingRequested
from foureyes.core.judgement import Judgement, Owed
from foureyes.core.options import fallback_for, is_unreviewed, options_for, positions_of
from foureyes.core.recommend import recommend
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.unanswered import last_asked, lost
from foureyes.core.values import Part, SeatSpec, WhoKind

AUTHOR_REQUEST = "revision"

#: Escalations that a tie-break reviewer may settle before a human is asked. The others are about missing reviewers.
TIE_BREAKABLE = frozenset({"ConfidenceGap", "Consistency", "Resolved", "Standards", "attempts_used_up"})


def ask_seats(scene: Scene, stage: Stage, owed: list[Owed]) -> Iterator[ReviewEvent]:
    """Request what seats owe and were not asked for yet; escalate at once if no one can hold a seat."""
    new: dict[str, tuple[str, ...]] = {}
    for one in owed:
        if _is_unasked(scene, one.seat):
            new[one.seat] = tuple(dict.fromkeys((*new.get(one.seat, ()), *one.findings)))
    if not new:
        return
    trouble = _trouble(scene, stage, list(new))
    if trouble:
        yield from escalate(scene, stage, *trouble)
        return
    beside = _beside(scene, stage)
    openings = [_opening(scene, stage, seat) for seat in (*new, *beside) if not _holder_stays(scene, stage, seat)]
    found = {one.seat: one for one in assign(scene, stage, openings)}
    # A seat beside a bound one may stay empty; if there is a candidate, it is requested and then waited for.
    # If a contributor's session barred a candidate from it, a human decides.
    new |= {seat: () for seat in beside if found[seat].possible or found[seat].steered}
    found = {seat: one for seat, one in found.items() if seat in new}
    empty = [one.seat for one in found.values() if _is_empty(stage, one)]
    dear: list[str] = []
    if _is_budget_used_up(scene, stage):
        found = {one.seat: one for one in assign(replace(scene, facts=scene.facts.unpaid()), stage, openings)}
        dear = [seat for seat in new if seat not in empty and _only_for_money(scene, stage, seat, found.get(seat))]
    for seat, about in new.items():
        assignment = found.get(seat)
        # A seated reviewer is asked in any case, so that they do not learn that another seat is empty.
        if seat not in dear and (assignment is None or not (empty or _is_still_queued(scene, assignment))):
            yield _request(scene, stage, _spec(scene, stage, seat, assignment), about, assignment)
    if empty:
        steered = any(found[seat].steered for seat in empty)
        yield from escalate(scene, stage, "nobody_can_hold", lost(scene, stage, empty, steered=steered))
    elif dear:
        yield from escalate(scene, stage, "out_of_budget", "The budget for reviews is used up")


def _is_empty(stage: Stage, assignment: Assignment) -> bool:
    """True if a human is asked at once: no candidate exists, or agents are barred from the seat."""
    if assignment.steered:
        return assignment.reviewer is None
    return not assignment.possible and not stage.options.waits


def _is_unasked(scene: Scene, seat: str) -> bool:
    """True if the seat has no pending request, or its request is queued and might be served now."""
    pending = scene.review.report_request(seat)
    if pending is None:
        return True
    holder = scene.review.seats[seat]
    return bool(holder.candidates) and holder.reviewer is None


def _is_still_queued(scene: Scene, assignment: Assignment) -> bool:
    return assignment.reviewer is None and scene.review.report_request(assignment.seat) is not None


def _beside(scene: Scene, stage: Stage) -> list[str]:
    """The seats beside bound ones that were not requested yet."""
    seats = [stage.seat_id(index) for index, rule in enumerate(stage.seats) if rule.beside]
    return [one for one in seats if one not in scene.review.seats]


def _holder_stays(scene: Scene, stage: Stage, seat: str) -> bool:
    """True if the seat's reviewer is asked again: the account exists, and the seat is not bound to another program."""
    known = scene.review.seats.get(seat)
    if known is None or known.reviewer is None:
        return False
    principal = scene.facts.principal(known.reviewer.name)
    if principal is not None and principal.removed:
        return False
    rule = stage.rule_of(seat)
    return rule is None or not rule.program or known.reviewer.kind is WhoKind.PROGRAM


def _trouble(scene: Scene, stage: Stage, seats: list[str]) -> tuple[str, str] | None:
    """Why no further request is made on this revision without a human's decision; None if there is no reason."""
    review, options = scene.review, stage.options
    for seat in seats:
        key = (seat, review.revision)
        if review.failures.get(key, 0) >= 2 * (options.failures_max + 1):
            return "reviewers_failed", f"Seat {seat} got no answer from its reviewers{last_asked(scene, [seat])}"
        if key in review.reports and review.reports[key].count >= options.reports_max:
            return "reports_used_up", f"Seat {seat} has reported {options.reports_max} times on this version"
    return None


def _is_budget_used_up(scene: Scene, stage: Stage) -> bool:
    """True if the budget is used up, the pool has paid reviewers, and no human ordered a retry."""
    review, budget = scene.review, scene.rules.budget
    # A waiting seat stays open for volunteers; the budget is then enforced where the money is spent.
    if stage.options.waits or (stage.name, review.revision) in review.retried:
        return False
    if not any(one.paid for one in scene.facts.pool):
        return False
    return 0 < budget.review_usd_micro <= review.usd_micro or 0 < budget.day_usd_micro <= sum(scene.facts.spent_today)


def _only_for_money(scene: Scene, stage: Stage, seat: str, assignment: Assignment | None) -> bool:
    """True if the seat's reviewer is paid, or only paid candidates could take it."""
    if assignment is None:
        holder = scene.review.seats[seat].reviewer
        return holder is not None and scene.facts.pays(holder.name)
    if assignment.roles or not assignment.possible:
        return not assignment.possible
    # A seat open to anyone needs an agent or a human, not a program.
    minds = (one for one in scene.facts.pool if not one.paid and one.who.kind is not WhoKind.PROGRAM)
    return not any(one.available and may_review(scene, stage, one.who, seat) for one in minds)


def _opening(scene: Scene, stage: Stage, seat: str) -> Opening:
    known = scene.review.seats.get(seat)
    if known is not None:
        return Opening(seat=seat, roles=known.candidates, left=(*known.left, *_raisers(scene, stage, known.part)))
    rule = stage.seats[int(seat.rsplit(".", 1)[1]) - 1]
    roles = roles_for(scene.review, rule, stage, scene.facts)
    return Opening(seat=seat, roles=roles, left=_raisers(scene, stage, rule.part))


def _raisers(scene: Scene, stage: Stage, part: Part) -> tuple[str, ...]:
    """For a verifying seat, the reviewers who raised a finding in the stage: they do not verify findings."""
    return tuple(one.raiser for one in scene.review.findings_of(stage.name)) if part is Part.VERIFY else ()


def _spec(scene: Scene, stage: Stage, seat: str, assignment: Assignment | None) -> SeatSpec:
    known = scene.review.seats.get(seat)
    reviewer = assignment.reviewer if assignment else (known.reviewer if known else None)
    roles = assignment.roles if assignment else (known.candidates if known else ())
    if known is not None:
        return SeatSpec(
            id=seat,
            stage=known.stage,
            part=known.part,
            scope=known.scope,
            model=known.model,
            veto=known.veto,
            required=known.required,
            candidates=roles,
            reviewer=reviewer,
        )
    rule = stage.seats[int(seat.rsplit(".", 1)[1]) - 1]
    return SeatSpec(
        id=seat,
        stage=stage.name,
        part=rule.part,
        scope=rule.scope,
        model=rule.model,
        veto=rule.veto,
        candidates=roles,
        reviewer=reviewer,
    )


def _request(
    scene: Scene, stage: Stage, spec: SeatSpec, about: tuple[str, ...], assignment: Assignment | None
) -> ReportRequested:
    times = stage.options.times
    queued = assignment is not None and assignment.queued
    wait = times.unstarted if spec.reviewer and not queued else times.unassigned if spec.candidates else times.volunteer
    limit = scene.now + max(wait, times.total) if spec.reviewer else scene.now + wait + times.total
    known = scene.review.seats.get(spec.id)
    if known and known.until:
        limit = min(limit, known.until)
    return ReportRequested(
        request=spec.id,
        seat=spec,
        revision=scene.review.revision,
        due=max(scene.now, min(scene.now + wait, limit)),
        limit=limit,
        about=about,
        queued=queued,
        draw=scene.facts.draw,
    )


def ask_revision(
    scene: Scene,
    stage: Stage,
    judgement: Judgement,
    *,
    clarify: bool = False,
    ordered_by: str = "",
    by_clock: bool = False,
) -> RevisionRequested:
    """Request a new revision or a clarification from the author."""
    return RevisionRequested(
        request=AUTHOR_REQUEST,
        stage=stage.name,
        revision=scene.review.revision,
        due=scene.now + stage.options.times.author,
        reasons=(judgement.reason,),
        findings=judgement.findings,
        clarify=clarify,
        remaining=scene.remaining(),
        ordered_by=ordered_by,
        by_clock=by_clock,
    )


def ask_answers(scene: Scene, stage: Stage, findings: tuple[str, ...], reason: str) -> Iterator[ReviewEvent]:
    """Request answers to findings; new findings join a pending request and do not extend its due time."""
    pending = scene.review.revision_request()
    known = pending.findings if pending else ()
    if pending and set(findings) <= set(known):
        return
    yield RevisionRequested(
        request=AUTHOR_REQUEST,
        stage=stage.name,
        revision=scene.review.revision,
        due=pending.due if pending else scene.now + stage.options.times.author,
        reasons=(reason,),
        findings=findings,
        answers=True,
        remaining=scene.remaining(),
    )


def lapse(request: str, reason: str) -> RequestLapsed:
    """Cancel a request that is no longer needed."""
    return RequestLapsed(request=request, reason=reason)


def escalate(
    scene: Scene, stage: Stage | None, reason: str, text: str, judgement: Judgement | None = None
) -> Iterator[ReviewEvent]:
    """Ask the tie-break reviewer that the rules name, unless a human is required; otherwise ask a human."""
    if stage and judgement and reason in TIE_BREAKABLE and not judgement.human_only and not stage.has_veto:
        asked = tuple(_tie_break(scene, stage, reason))
        if asked or _tie_break_pending(scene, stage):
            yield from asked
            return
    yield ask_ruling(scene, stage, reason, text, judgement=judgement)
    if stage and judgement and judgement.counsel:
        yield from _counsel(scene, stage)


def _tie_break_pending(scene: Scene, stage: Stage) -> bool:
    return any(scene.review.report_request(seat.id) for seat in scene.review.seats_of(stage.name, Part.TIE_BREAK))


def _tie_break(scene: Scene, stage: Stage, reason: str) -> Iterator[ReviewEvent]:
    """Once per revision ask the matrix's escalation role if it is an agent's; for Standards ask the backup."""
    row = matrix_row(scene.review, stage, scene.facts)
    seat = f"{stage.name}.tie"
    used = (seat, scene.review.revision) in scene.review.reports or (
        seat,
        scene.review.revision,
    ) in scene.review.failures
    role = row and (row.backup if reason == "Standards" else row.escalate)
    if not role or role == WhoKind.HUMAN or used or scene.review.report_request(seat):
        return
    known = scene.review.seats.get(seat)
    opening = Opening(seat=seat, roles=(role,), left=known.left if known else ())
    found = assign(scene, stage, [opening])[0]
    if found.possible and found.reviewer:
        spec = SeatSpec(
            id=seat, stage=stage.name, part=Part.TIE_BREAK, candidates=opening.roles, reviewer=found.reviewer
        )
        yield _request(scene, stage, spec, (), found)


def _counsel(scene: Scene, stage: Stage) -> Iterator[ReviewEvent]:
    """Ask for a further opinion for the human who decides; it counts in no gate."""
    seat = f"{stage.name}.counsel"
    known = scene.review.seats.get(seat)
    heard = (seat, scene.review.revision) in scene.review.reports
    if not heard and scene.review.report_request(seat) is None:
        reviewer = known.reviewer if known else None
        spec = SeatSpec(id=seat, stage=stage.name, part=Part.COUNSEL, required=False, reviewer=reviewer)
        yield _request(scene, stage, spec, (), None)


def ask_ruling(
    scene: Scene,
    stage: Stage | None,
    reason: str,
    text: str,
    *,
    judgement: Judgement | None = None,
    by: str = "",
    argument: str = "",
) -> RulingRequested:
    """Request a ruling, with both positions, the options, past choices of humans, and the fallback on silence."""
    review = scene.review
    options = stage.options if stage else Options(style=Style.SOLO)
    veto = reason == "vetoed_elsewhere" or (stage is not None and review.is_vetoed(stage.name))
    findings = judgement.findings if judgement else ()
    choices = options_for(reason, veto=veto, findings=findings)
    return RulingRequested(
        request=f"ruling-{review.rulings + 1}",
        stage=stage.name if stage else "",
        revision=review.revision,
        reason=reason,
        text=text,
        due=scene.now + options.times.human,
        options=choices,
        by=by,
        argument=argument,
        findings=findings,
        positions=positions_of(review, stage, argument),
        recommendation=recommend(choices, reason, review.kind, scene.facts.past_rulings),
        needs=options.ruling_needs,
        group=options.ruling_group,
        fallback=fallback_for(
            reason,
            veto=veto,
            options=options,
            clock_revisions=review.clock_revisions,
            unreviewed=stage is not None and is_unreviewed(review, stage.name, reason),
        ),
        veto=veto,
        flags=judgement.flags if judgement else (),
    )
