"""Nothing goes live that must not: invariants I1 to I12 and I31, checked before the event is applied."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sim.checker.judging import (
    blocking,
    count_distinct,
    counted_in,
    exempt,
    independent,
    outvoted,
    vouching,
    why_not_passed,
)
from tests.sim.checker.model import Review
from tests.sim.checker.shapes import OPENING, VERDICTS, Delivered, Json, Policy, level_between
from tests.sim.checker.world import World

Texts = Iterator[str]


def i1_only_the_current_bytes(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    if body["digest"] != review.digest or body["revision"] != review.number:
        yield f"cleared {body['digest']} (revision {body['revision']}), current is {review.digest} ({review.number})"


def i2_quorum_of_others_on_these_bytes(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    stages = 0
    for policy in world.policies_of(review):
        lost = outvoted(world, review, policy)
        for stage in world.stages_of(review, policy):
            stages += 1
            if exempt(world, review, stage, policy) or stage.name in lost:
                continue
            who = vouching(review, stage)
            have = count_distinct(who, stage, review.author)
            if have < max(1, stage.quorum) and not (stage.vote == "tally" and len(counted_in(review, stage.name))):
                yield f"{stage.name} has {have} of {stage.quorum} reviewers distinct by {stage.distinct}"
            missing = independent(review, stage, who)
            if missing:
                yield f"{stage.name}: {missing}"
    if not stages and not review.skipped:
        yield "a review without stages was cleared"
    yield from _level(world, review, body)


def _level(world: World, review: Review, body: Json) -> Texts:
    """The level of independence in the clearance is not higher than the reviewers reached."""
    found = [
        level_between(one, review.author)
        for policy in world.policies_of(review)
        for stage in world.stages_of(review, policy)
        for one in vouching(review, stage)
    ]
    if body["level"] > max(found, default=0):
        yield f"the clearance claims level {body['level']}, the reviewers reach {max(found, default=0)}"


def i3_nothing_blocking_is_unsettled(world: World, review: Review, _body: Json, _step: Delivered) -> Texts:
    for policy in world.policies_of(review):
        lost = outvoted(world, review, policy)
        for stage in world.stages_of(review, policy):
            if not exempt(world, review, stage, policy) and stage.name not in lost:
                for finding in blocking(review, stage):
                    yield f"{finding.id} is {finding.standing}"


def i4_no_veto_stands(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    for other, stage in sorted(world.vetoes.get(body["digest"], ())):
        yield f"a veto of {stage} in {other} stands on {body['digest']}"
    for stage, digest in sorted(review.vetoes):
        if digest == body["digest"]:
            yield f"a veto of {stage} stands on {digest}"


def i4_vetoed_bytes_enter_nowhere(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    standing = {other for other, _ in world.vetoes.get(body["digest"], ())}
    if standing - {review.id} or (standing and body["change"] != "clarification"):
        yield f"{body['digest']} was taken although vetoed in {sorted(standing)}"


def i5_every_required_scope_passed(world: World, review: Review, _body: Json, _step: Delivered) -> Texts:
    for policy in world.policies_of(review):
        lost = outvoted(world, review, policy)
        for stage in world.stages_of(review, policy):
            why = "" if exempt(world, review, stage, policy) else why_not_passed(review, stage, lost)
            if why:
                yield why


def i5_required_protocols_are_named(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    policy = world.policies.get(review.policy)
    if policy is None:
        return
    short = policy.required(review.kind, world.works.get(body["digest"])) - set(body["protocols"])
    if short:
        yield f"revision {body['number']} leaves out {sorted(short)}"
    gone = set(review.protocols) - set(body["protocols"])
    if gone:
        yield f"revision {body['number']} drops {sorted(gone)}"


def i5_seats_keep_their_veto(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    stage = world.stage(review, body["seat"]["stage"])
    if stage is None or body["seat"]["part"] != "judge":
        return
    number = body["seat"]["id"].rpartition(".")[2]
    # Seats of volunteers have neither number nor rule.
    index = int(number) - 1 if number.isdigit() else len(stage.seats)
    if index < len(stage.seats) and stage.seats[index].get("veto", False) != body["seat"]["veto"]:
        yield f"seat {body['seat']['id']} has veto {body['seat']['veto']}, its rule says otherwise"


def i6_only_a_human_lifts_a_veto(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    if step.principal["kind"] != "human" or body["by"]["kind"] != "human":
        yield f"{body['by']['name']} ({body['by']['kind']}) overrode {body['stage']}"
    if body["digest"] != review.digest or body["revision"] != review.number:
        yield f"the override of {body['stage']} names {body['digest']}, current is {review.digest}"
    if (body["stage"], review.digest) in review.vetoes and not body["lifts_veto"]:
        yield f"the override of {body['stage']} does not name the veto it lifts"


def i7_live_once(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    if review.outcome == "cleared" or body["digest"] in review.cleared:
        yield f"{body['digest']} was cleared before and no human reopened the review"
    elif review.outcome:
        yield f"cleared although {review.outcome}"


def i7_published_only_as_cleared(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    clearance = review.cleared.get(body["digest"])
    if review.outcome != "cleared" or clearance is None or review.digest != body["digest"]:
        yield f"{body['digest']} went live, the review is {review.outcome or 'open'} at {review.digest}"
        return
    if clearance["single_use"] and world.live.get((review.id, body["digest"]), 0):
        yield f"{body['digest']} went live a second time on a single-use clearance"
    if clearance["expires"] is not None and clearance["expires"] <= step.at:
        yield f"{body['digest']} went live after its clearance expired"
    if world.vetoes.get(body["digest"]):
        yield f"{body['digest']} went live although vetoed"


def i7_a_clearance_ends_as_the_policy_says(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    policy = world.policies.get(review.policy)
    if policy is None:
        return
    if body["single_use"] != (review.kind in policy.single_use_kinds):
        yield f"single use is {body['single_use']} for {review.kind}"
    if bool(policy.expires_seconds) != (body["expires"] is not None):
        yield f"the clearance expires {body['expires']}, the policy says {policy.expires_seconds} seconds"
    if body["expires"] is not None and body["expires"] <= step.at:
        yield "the clearance has expired already"


def i8_no_timer_or_escalation_clears(_world: World, review: Review, body: Json, step: Delivered) -> Texts:
    """A service may open a review that a recorded skip covers; none of its other acts clears work."""
    skipped = step.command == "OpenReview" and any(number == review.number for _, number in review.skipped)
    served = step.principal["kind"] == "service" and not skipped
    if step.principal["kind"] == "clock" or served or step.command in ("PassDeadline", "RequestRuling"):
        yield f"{step.command} by {step.principal['name']} cleared {body['digest']}"


def i8_a_clock_only_keeps_shut(_world: World, _review: Review, body: Json, step: Delivered) -> Texts:
    if (body["by_clock"] or step.principal["kind"] != "human") and body["effect"] in OPENING:
        yield f"the clock ruled {body['effect']}"


def i9_only_known_words_are_reports(_world: World, _review: Review, body: Json, step: Delivered) -> Texts:
    if step.command == "SubmitReport" and step.verdict is not None and step.verdict not in VERDICTS:
        yield f"the verdict {step.verdict!r} became {body['verdict']!r}"
    if step.command == "ReportInconclusive":
        yield "an inconclusive run became a report"


def i9_only_a_real_report_is_kept(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    seat = review.seats.get(body["seat"])
    old = review.counted.get((seat.id, seat.reported)) if seat else None
    if seat is None or old is None:
        yield f"{body['seat']} keeps a report it never gave"
    elif body["by"] == "rule":
        stage, change = world.stage(review, seat.stage), review.revisions[-1].change
        if seat.veto or stage is None or change not in stage.keeps:
            yield f"a rule kept the report of {seat.id} over a change of {change}"
    elif old.who["name"] != step.principal["name"]:
        yield f"{step.principal['name']} kept what {old.who['name']} reported on {seat.id}"
    if body["revision"] != review.number or body["digest"] != review.digest:
        yield f"{body['seat']} keeps its report for {body['digest']}, current is {review.digest}"


def i10_the_policy_in_force_governs(world: World, _review: Review, body: Json, _step: Delivered) -> Texts:
    force = world.in_force()
    if body["rules"] != force.digest:
        yield f"opened under {body['rules']}, in force is {force.digest}"


def i10_a_policy_set_above_is_met_too(world: World, review: Review, _body: Json, _step: Delivered) -> Texts:
    force = world.in_force()
    if force.applies_in_flight and force.digest not in (review.policy, *review.policies[-1:]):
        yield f"policy {force.digest} applies in flight and was not noted"


def i11_a_skip_has_its_human_and_no_veto(world: World, review: Review, body: Json, step: Delivered) -> Texts:
    policy, work = world.policies.get(review.policy), world.works.get(review.digest)
    learned = bool(body["pattern"])
    if policy is not None and not policy.may_skip(review.kind, work, review.context, learned=learned):
        yield f"{review.kind} of {review.digest} was skipped by {body['rule']}"
    for name in body["stages"]:
        stage = world.stage(review, name)
        if stage is not None and stage.has_veto:
            yield f"{name} has a veto seat and was skipped"
    if learned:
        yield from _lane(world, review, step)
    if body["revision"] != review.number:
        yield f"a skip for revision {body['revision']}, current is {review.number}"


def _lane(world: World, review: Review, step: Delivered) -> Texts:
    lane = world.lanes.get((review.kind, review.author["name"]))
    work = world.works.get(review.digest)
    if lane is None or lane.by_kind != "human":
        yield "a learned skip that no human enabled"
        return
    if lane.expires <= step.at:
        yield f"a learned skip that expired {lane.expires}"
    if lane.spoiled:
        yield f"a learned skip although {lane.spoiled}"
    if lane.is_doubted(step.at):
        yield "a learned skip although a reviewer spoke against such work lately"
    if work is not None and work.risk == "high":
        yield "a learned skip of bytes with high risk"


def t38_no_base_is_the_authors_word(world: World, _review: Review, body: Json, _step: Delivered) -> Texts:
    """The base of a version is known to another party than its author."""
    work, source = world.works.get(body["digest"]), body.get("known_base", {}).get("source", "unknown")
    known = source in ("live", "repository", "attested")
    if known and work is not None and not work.known:
        yield f"{body['digest']} was compared with a base of which only its author speaks"
    if body["change"] in ("rebase", "message") and not known:
        yield f"{body['digest']} counts as a {body['change']} against a base that nobody knows"


def i12_break_glass_is_marked(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    for (stage, number), override in review.overridden.items():
        if number == review.number:
            if not override["reason"].strip() or override["by"]["kind"] != "human":
                yield f"{stage} was overridden without a human's reason"
            if not any(stage in flag for flag in body["flags"]):
                yield f"the clearance does not show that {stage} was overridden"
    for stage, number in review.skipped:
        if number == review.number and not any(stage in flag for flag in body["flags"]):
            yield f"the clearance does not show that {stage} was skipped"


def y10_nothing_is_cleared_past_a_human(_world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    """Neither while a human decides, nor while new bytes are owed that a human ordered."""
    for request in review.requests.values():
        if request.kind == "ruling" or (request.kind == "revision" and request.ordered_by not in ("", "clock")):
            yield f"{body['digest']} was cleared while {request.id} is pending"


def i31_one_hostile_operator_is_not_enough(world: World, review: Review, body: Json, _step: Delivered) -> Texts:
    work = world.works.get(body["digest"])
    if work is None or not work.bad or any(number == review.number for _, number in review.overridden):
        return
    for policy in world.policies_of(review):
        yield from _honest(world, review, policy)


def _honest(world: World, review: Review, policy: Policy) -> Texts:
    for stage in world.stages_of(review, policy):
        if stage.distinct == "operator" and stage.quorum > 1 and not exempt(world, review, stage, policy):
            operators = {one["operator"] for one in vouching(review, stage)}
            if operators <= world.hostile:
                yield f"{stage.name}: only {sorted(operators)} vouch for bad bytes"


CLEARED = (
    i1_only_the_current_bytes,
    i2_quorum_of_others_on_these_bytes,
    i3_nothing_blocking_is_unsettled,
    i4_no_veto_stands,
    i5_every_required_scope_passed,
    i7_live_once,
    i7_a_clearance_ends_as_the_policy_says,
    i8_no_timer_or_escalation_clears,
    i10_a_policy_set_above_is_met_too,
    y10_nothing_is_cleared_past_a_human,
    i12_break_glass_is_marked,
    i31_one_hostile_operator_is_not_enough,
)
