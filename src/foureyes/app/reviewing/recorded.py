"""Reads from the log what the state of a review does not hold: costs, failures, waivers and second looks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.app.ports import Damaged, Reading
from foureyes.app.reviewing.dismissals import SOURCE, dismissals
from foureyes.app.shelf import Dated, dated
from foureyes.codec.shapes import shape
from foureyes.core.events import FindingVerified, FindingWaived, ReportFailed, ReportSubmitted
from foureyes.core.model import Review
from foureyes.core.values import Cost

_take_time = shape(datetime)[1]
REVIEW = "review/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Who said that a finding does not count, when, why, and whether they had signed in."""

    by: str
    because: str
    at: datetime
    proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What is known from the events, of the current revision."""

    #: Costs of the runs of a seat, by seat and reviewer.
    costs: Mapping[tuple[str, str], Cost] = field(default_factory=dict)
    #: Reasons of missing answers, by seat and reviewer; a later report removes them.
    failed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: By finding; also for those that were waived in another review.
    waivers: Mapping[str, Waiver] = field(default_factory=dict)
    #: What the second look said, by finding.
    verified: Mapping[str, str] = field(default_factory=dict)


def recorded(reading: Reading, review: Review) -> Recorded:
    """Read the log of this review, and of those in which its findings were waived before."""
    costs: dict[tuple[str, str], Cost] = {}
    failed: dict[tuple[str, str], str] = {}
    verified: dict[str, str] = {}
    past = dated(tuple(reading.events(REVIEW + review.id)))
    for event, _ in past:
        match event:
            case ReportSubmitted(seat=seat, reviewer=who, cost=cost) if event.revision == review.revision:
                _add(costs, (seat, who.name), cost)
                failed.pop((seat, who.name), None)
            case ReportFailed(seat=seat, reviewer=name, cost=cost) if event.revision == review.revision:
                _add(costs, (seat, name), cost)
                failed[seat, name] = event.text or event.reason.value.replace("_", " ")
            case FindingVerified(finding=finding, evidence=evidence):
                verified[finding] = evidence
            case _:
                pass
    waivers = {**_elsewhere(reading, review), **_waivers(past)}
    return Recorded(costs=costs, failed=failed, waivers=waivers, verified=verified)


def _add(costs: dict[tuple[str, str], Cost], key: tuple[str, str], cost: Cost) -> None:
    old = costs.get(key, Cost())
    costs[key] = Cost(
        usd_micro=old.usd_micro + cost.usd_micro,
        tokens=old.tokens + cost.tokens,
        seconds=old.seconds + cost.seconds,
    )


def _waivers(past: Iterable[Dated]) -> dict[str, Waiver]:
    return {
        event.finding: Waiver(by=event.by.name, because=event.reason, at=_take_time(at), proven=event.by.is_human)
        for event, at in past
        if isinstance(event, FindingWaived)
    }


def _elsewhere(reading: Reading, review: Review) -> dict[str, Waiver]:
    """Return the waivers in other reviews that suppress findings of this one; each log is read once."""
    streams: dict[str, dict[str, Waiver]] = {}
    found: dict[str, Waiver] = {}
    kept = {f"{SOURCE}{one.key}": one for one in dismissals(reading)} if review.findings else {}
    for one in review.findings.values():
        if (word := kept.get(one.suppressed_by)) is not None:
            because = f"{word.because} (in review/{word.review}:{word.finding})"
            found[one.id] = Waiver(by=word.by.name, because=because, at=word.at, proven=word.by.is_human)
            continue
        stream, _, finding = one.suppressed_by.partition(":")
        if not stream.startswith(REVIEW):
            continue  # a lesson's suppression, which has its own name
        if stream not in streams:
            streams[stream] = _read(reading, stream)
        if finding in streams[stream]:
            found[one.id] = streams[stream][finding]
    return found


def _read(reading: Reading, stream: str) -> dict[str, Waiver]:
    try:
        return _waivers(dated(tuple(reading.events(stream))))
    except Damaged:
        return {}
