"""The checker's own fold of encoded events; it shares no code with the program's fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.sim.checker.model import Counted, Finding, Request, Review, Revision, Seat
from tests.sim.checker.shapes import SEVERITY, Json


def apply(review: Review, kind: str, body: Json) -> None:
    """Apply one event to the review."""
    review.length += 1
    change = _CHANGES.get(kind)
    if change is not None:
        change(review, body)


def _opened(review: Review, body: Json) -> None:
    review.kind, review.author, review.policy = body["kind"], body["author"], body["rules"]
    review.contributors = {one["name"] for one in body["contributors"]} | {body["author"]["name"]}
    review.context = dict(body["context"])


def _revised(review: Review, body: Json) -> None:
    same = review.digest == body["digest"]
    review.revisions.append(
        Revision(
            body["number"], body["digest"], body["change"], body["changed"], body["protocols"], body.get("keeps", [])
        ),
    )
    review.contributors.add(body["by"]["name"])
    review.makers |= {body["by"]["name"], review.author["name"]}
    if review.number > 1 and not same:
        review.resubmissions += body["prompted"]
        review.unprompted += not body["prompted"]
    for seat in review.seats.values():
        seat.lease = ""
    review.requests.clear()


def _report_requested(review: Review, body: Json) -> None:
    spec = body["seat"]
    seat = review.seats.get(spec["id"])
    if seat is None:
        seat = Seat(
            spec["id"], spec["stage"], spec["part"], spec["scope"], spec["veto"], spec["required"], spec["candidates"]
        )
        review.seats[seat.id] = seat
    if seat.holder != spec["reviewer"] or seat.lease < body["due"]:
        seat.lease = ""
    seat.holder, seat.candidates = spec["reviewer"], spec["candidates"]
    review.requests[body["request"]] = Request(
        body["request"], "report", body["revision"], body["due"], seat.stage, seat.id, body["limit"], body["queued"],
        about=list(body["about"]),
    )  # fmt: skip


def _seat_taken(review: Review, body: Json) -> None:
    seat = review.seats.get(body["seat"])
    if seat is None:
        like = next(one for one in review.seats.values() if one.stage == body["stage"] and one.part == "judge")
        seat = Seat(body["seat"], body["stage"], "judge", like.scope, veto=False, required=False, candidates=[])
        review.seats[seat.id] = seat
    spoken = review.counted.get((seat.id, review.number))
    if spoken is not None and spoken.who["name"] != body["reviewer"]["name"]:
        del review.counted[seat.id, review.number]
    seat.holder, seat.lease = body["reviewer"], body["lease"]
    _alive(review, seat)


def _seat_renewed(review: Review, body: Json) -> None:
    seat = review.seats[body["seat"]]
    seat.lease = body["lease"]
    _alive(review, seat)


def _alive(review: Review, seat: Seat) -> None:
    request = review.request_of(seat.id)
    if request is not None:
        request.due, request.queued = min(seat.lease, request.limit), False


def _seat_left(review: Review, body: Json) -> None:
    seat = review.seats[body["seat"]]
    seat.holder, seat.lease = None, ""
    seat.left.append(body["reviewer"])
    _met(review, seat.id)


def _reported(review: Review, body: Json) -> None:
    seat = review.seats[body["seat"]]
    key = (seat.id, body["revision"])
    before = review.counted.get(key)
    review.counted[key] = Counted(
        body["reviewer"],
        body["verdict"],
        body["digest"],
        body["blocking"],
        before.count + 1 if before else 1,
        body.get("confidence"),
        body.get("coverage", 100),
        frozenset(one["name"] for one in body.get("checklist", ()) if one["passed"]),
    )
    seat.holder, seat.lease = body["reviewer"], ""
    _has_spoken(seat, body["revision"])
    if seat.veto and body["verdict"] == "reject":
        review.vetoes.add((seat.stage, body["digest"]))
    words = [body["summary"], *body["grounds"], *body["strengths"], *(one["what"] for one in body["evidence"])]
    _spoken(review, seat, body["reviewer"]["name"], words)
    _met(review, seat.id)


def _kept(review: Review, body: Json) -> None:
    seat = review.seats[body["seat"]]
    old = review.counted[seat.id, seat.reported]
    review.counted[seat.id, body["revision"]] = replace(old, digest=body["digest"], count=1)
    seat.lease = ""
    _has_spoken(seat, body["revision"])
    _met(review, seat.id)


def _has_spoken(seat: Seat, number: int) -> None:
    if seat.reported != number:
        seat.reported_before, seat.reported = seat.reported, number


def _report_failed(review: Review, body: Json) -> None:
    key = (body["seat"], body["revision"])
    review.failed[key] = review.failed.get(key, 0) + 1
    review.seats[body["seat"]].lease = ""
    _met(review, body["seat"])


def _raised(review: Review, body: Json) -> None:
    seat = review.seats[body["seat"]]
    seat.findings += 1
    severity = SEVERITY[body["severity"]]
    review.findings[body["finding"]] = Finding(
        body["finding"], seat.id, seat.stage, body["raiser"], severity, body["advisory"], body["suppressed_by"],
        body["revision"],
        path=body["place"]["path"] if body["place"] else "", text=body["text"],
    )  # fmt: skip
    _spoken(review, seat, body["raiser"], [body["text"]])


def _inherited(review: Review, body: Json) -> None:
    review.findings[body["finding"]] = Finding(
        body["finding"], "", INHERITED, body["raiser"], SEVERITY[body["severity"]], "", "", body["revision"],
        path=body["place"]["path"] if body["place"] else "", origin=(body["review"], body["source"]),
    )  # fmt: skip


def _lifted(review: Review, body: Json) -> None:
    finding = review.findings[body["finding"]]
    finding.standing, finding.lifted = "resolved", True
    finding.resolved_on = (body["revision"], review.revisions[body["revision"] - 1].digest)
    _answers_met(review)
    _ruling_met(review)


def _spoken(review: Review, seat: Seat, name: str, words: list[str]) -> None:
    """Remember the texts of a stage, to find them where they must not be shown."""
    said = review.tokens.setdefault(seat.stage, [])
    said.extend((seat.id, name, word) for word in words if len(word) >= _TOKEN_CHARS_MIN)


def _answered(review: Review, body: Json) -> None:
    review.findings[body["finding"]].standing = "answered"
    _answers_met(review)


def _answers_met(review: Review) -> None:
    request = review.revision_request()
    if request is not None and request.answers:
        found = (review.findings.get(one) for one in request.about)
        if not any(one is not None and one.standing == "open" for one in found):
            del review.requests[request.id]


def _resolved(review: Review, body: Json) -> None:
    finding = review.findings[body["finding"]]
    finding.standing = "resolved"
    finding.resolved_on = (body["revision"], review.revisions[body["revision"] - 1].digest)
    _answers_met(review)
    _word_given(review, finding.seat, finding.id)


def _reopened_finding(review: Review, body: Json) -> None:
    finding = review.findings[body["finding"]]
    finding.standing = "open"
    finding.reopened += 1
    _word_given(review, finding.seat, finding.id)


def _word_given(review: Review, seat: str, finding: str, *, verify: bool = False) -> None:
    request = review.request_of(seat)
    if request is not None and finding in request.about:
        request.about.remove(finding)
        if not request.about and (verify or (seat, review.number) in review.counted):
            del review.requests[request.id]
            review.seats[seat].lease = ""


def _verified(review: Review, body: Json) -> None:
    review.findings[body["finding"]].refuted = body["result"] == "refuted"
    _word_given(review, body["seat"], body["finding"], verify=True)


def _waived(review: Review, body: Json) -> None:
    finding = review.findings[body["finding"]]
    finding.standing = "waived"
    _answers_met(review)
    _word_given(review, finding.seat, finding.id)
    _ruling_met(review)


def _ruling_met(review: Review) -> None:
    ruling = review.ruling()
    about = [review.findings[one].standing for one in ruling.about] if ruling is not None else []
    if ruling is not None and about and all(one in ("resolved", "waived") for one in about):
        del review.requests[ruling.id]


def _overridden(review: Review, body: Json) -> None:
    review.overridden[body["stage"], body["revision"]] = body
    review.vetoes.discard((body["stage"], body["digest"]))
    for request in (review.ruling(), review.revision_request()):
        if request is not None and request.stage == body["stage"]:
            del review.requests[request.id]


def _skipped(review: Review, body: Json) -> None:
    for stage in body["stages"]:
        review.skipped[stage, body["revision"]] = body


def _revision_requested(review: Review, body: Json) -> None:
    review.requests[body["request"]] = Request(
        body["request"], "revision", body["revision"], body["due"], body["stage"], about=list(body["findings"]),
        ordered_by=body["ordered_by"], clarify=body["clarify"], answers=body["answers"],
    )  # fmt: skip


def _ruling_requested(review: Review, body: Json) -> None:
    """The author owes nothing while a human decides."""
    for request in [one for one in review.requests.values() if one.kind == "revision"]:
        del review.requests[request.id]
    review.requests[body["request"]] = Request(
        body["request"], "ruling", body["revision"], body["due"], body["stage"], about=list(body["findings"]),
        needs=body["needs"], group=body["group"], veto=body["veto"], reason=body["reason"], asked_by=body["by"],
    )  # fmt: skip
    if review.outcome == "rejected":
        review.outcome = ""


def _ruling_given(review: Review, body: Json) -> None:
    request = review.requests[body["request"]]
    for voters in request.votes.values():
        voters.discard(body["by"]["name"])
    request.votes.setdefault(body["option"], set()).add(body["by"]["name"])
    if not body["final"]:
        return
    del review.requests[request.id]
    if body["effect"] == "retry":
        _forget(review, request.stage)


def _forget(review: Review, stage: str) -> None:
    """Discard the reports and rulings on the current revision, because seats are asked again."""
    for passed in (review.overridden, review.skipped):
        for name, number in [one for one in passed if one[1] == review.number and stage in ("", one[0])]:
            del passed[name, number]
    for key in [one for one in review.counted if one[1] == review.number]:
        if stage in ("", review.seats[key[0]].stage):
            del review.counted[key]
    for seat in review.seats.values():
        if stage in ("", seat.stage):
            seat.left.clear()


def _lapsed(review: Review, body: Json) -> None:
    review.requests.pop(body["request"], None)


def _deadline(review: Review, body: Json) -> None:
    request = review.requests[body["request"]]
    review.fired.add((request.id, request.due))
    if body["due"] is None:
        del review.requests[request.id]
    else:
        request.due = body["due"]


def _cleared(review: Review, body: Json) -> None:
    review.outcome = "cleared"
    review.cleared[body["digest"]] = body
    review.requests.clear()


def _closed(review: Review, body: Json) -> None:
    review.outcome = body["outcome"]
    review.closed.append(body["outcome"])
    review.requests.clear()


def _reopened(review: Review, body: Json) -> None:
    review.outcome = ""
    review.reopened += 1
    review.resubmissions = review.unprompted = 0
    if body["again"]:
        for seat in review.seats.values():
            seat.left.clear()
    elif body["by"]["kind"] == "human":
        review.cleared.pop(review.digest, None)
        _forget(review, "")


def _policy_noted(review: Review, body: Json) -> None:
    if body["stricter"]:
        review.policies.append(body["digest"])
        for key in [one for one in review.skipped if one[1] == review.number]:
            del review.skipped[key]


def _matched(review: Review, body: Json) -> None:
    found = [one for group in body["contradictions"] for one in group["findings"]]
    review.contradicted[body["stage"], body["revision"]] = found


def _met(review: Review, seat: str) -> None:
    request = review.request_of(seat)
    if request is not None:
        del review.requests[request.id]


_TOKEN_CHARS_MIN = 12
INHERITED = "inherited findings"
_CHANGES: dict[str, Callable[[Review, Json], None]] = {
    "ReviewOpened": _opened,
    "RevisionSubmitted": _revised,
    "ReportRequested": _report_requested,
    "SeatTaken": _seat_taken,
    "SeatRenewed": _seat_renewed,
    "SeatLeft": _seat_left,
    "ReportSubmitted": _reported,
    "ReportKept": _kept,
    "ReportFailed": _report_failed,
    "FindingRaised": _raised,
    "FindingInherited": _inherited,
    "FindingLifted": _lifted,
    "FindingAnswered": _answered,
    "FindingResolved": _resolved,
    "FindingReopened": _reopened_finding,
    "FindingVerified": _verified,
    "FindingWaived": _waived,
    "FindingsMatched": _matched,
    "StageOverridden": _overridden,
    "StagesSkipped": _skipped,
    "RevisionRequested": _revision_requested,
    "RulingRequested": _ruling_requested,
    "RulingGiven": _ruling_given,
    "RequestLapsed": _lapsed,
    "DeadlinePassed": _deadline,
    "ReviewCleared": _cleared,
    "ReviewClosed": _closed,
    "ReviewReopened": _reopened,
    "PolicyNoted": _policy_noted,
}
