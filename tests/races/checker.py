"""Check by the events alone, without the core, that the log matches all answers and nothing unapproved went live."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.rows import Stored

Said = dict[str, Any]
BLOCKING = frozenset({"important", "critical"})
#: The two seats of the race's stage; the second one has the veto.
SEATS = ("raced.1", "raced.2")
GUARD = "raced.2"


def check_nothing_is_lost(said: list[Said], log: list[Stored]) -> None:
    """Each acknowledged command has its events in the log, once, where its reply says; a refused one has none.

    The log has no other events.
    """
    by_cause: dict[str, list[Stored]] = {}
    for one in log:
        by_cause.setdefault(one.cause, []).append(one)
    told: dict[str, tuple[Any, ...]] = {}
    for answer in said:
        if "key" in answer:
            reply = tuple(answer.get(name) for name in ("no", "stream", "version", "events"))
            assert told.setdefault(answer["key"], reply) == reply, "the same key got two replies"
    for key, (no, stream, version, events) in told.items():
        caused = [one for one in by_cause.pop(key, []) if no or one.stream == stream]
        if no:
            assert not caused, f"{key} was refused and is in the log"
            continue
        assert [one.type for one in caused] == events, f"{key} was acknowledged and is not in the log as that"
        assert [one.version for one in caused][-1:] == [version]
    assert not by_cause, "somebody was never told"


def check_links(log: list[Stored]) -> None:
    """Check that versions have no gap, and each link is the hash of the event and the link before it."""
    ends: dict[str, tuple[int, bytes]] = {}
    for one in log:
        version, chain = ends.get(one.stream, (0, b""))
        assert one.version == version + 1, f"{one.stream} has a gap"
        assert one.chain == _link(chain, one), f"{one.stream}@{one.version} is not linked"
        ends[one.stream] = (one.version, one.chain)


def _link(before: bytes, one: Stored) -> bytes:
    fields = (one.stream, one.version, one.type, one.schema, one.at, one.actor, one.cause, one.body)
    text = "".join(f"{len(str(value))}:{value}," for value in fields)
    return hashlib.sha256(before + text.encode()).digest()


@dataclass
class Told:
    """The state of one review according to its events so far."""

    digest: str = ""
    cleared: str = ""
    #: The last verdict of each seat on the current bytes.
    verdicts: dict[str, str] = field(default_factory=dict)
    vetoed: set[str] = field(default_factory=set)
    #: Blocking findings that are not settled, by id.
    unsettled: set[str] = field(default_factory=set)
    blocking: set[str] = field(default_factory=set)
    passed: bool = False

    def why_not(self) -> str:
        """Why the current bytes may not be cleared; empty if they may."""
        if self.digest in self.vetoed:
            return "a veto stands on them"
        if self.passed:
            return ""
        if [self.verdicts.get(seat) for seat in SEATS] != ["approve"] * len(SEATS):
            return f"not everybody approved them: {self.verdicts}"
        return f"findings are not settled: {sorted(self.unsettled)}" if self.unsettled else ""

    def see(self, one: Stored, body: Said) -> None:
        """Apply one event of the review."""
        match one.type:
            case "RevisionSubmitted":
                self.digest, self.cleared, self.verdicts, self.passed = body["digest"], "", {}, False
            case "ReportSubmitted":
                assert body["digest"] == self.digest, "a report counts for other bytes"
                self.verdicts[body["seat"]] = body["verdict"]
                if body["seat"] == GUARD and body["verdict"] == "reject":
                    self.vetoed.add(self.digest)
            case "FindingRaised" if body["severity"] in BLOCKING and not body.get("advisory"):
                self.unsettled.add(body["finding"])
                self.blocking.add(body["finding"])
            case "FindingReopened":
                self.unsettled |= {body["finding"]} & self.blocking
            case "FindingResolved" | "FindingWaived":
                self.unsettled.discard(body["finding"])
            case "StageOverridden":
                assert body["digest"] == self.digest, "other bytes were passed"
                assert body["by"]["kind"] == "human", "nobody but a human passes a stage"
                self.passed = True
                self.vetoed.discard(self.digest)
            case "ReviewCleared":
                why = self.why_not() if body["digest"] == self.digest else "they are not the current ones"
                assert not why, f"unapproved bytes were cleared: {why}"
                self.cleared = self.digest
            case "ReviewReopened":
                self.cleared, self.passed = "", False
            case _:
                pass


@dataclass
class Lives:
    """The whole log in order: the reviews, what went live, and the basis of every answer."""

    reviews: dict[str, Told] = field(default_factory=dict)
    used: set[tuple[str, str, str]] = field(default_factory=set)
    #: The digest that a review had cleared after so many events.
    cleared_at: dict[tuple[str, int], str] = field(default_factory=dict)

    def see(self, one: Stored) -> None:
        body = json.loads(one.body)
        kind, _, name = one.stream.partition("/")
        if kind == "review":
            told = self.reviews.setdefault(name, Told())
            told.see(one, body)
            self.cleared_at[name, one.version] = told.cleared
            if one.type in ("ReviewReopened", "RevisionSubmitted"):
                self.used = {entry for entry in self.used if entry[0] != name}
        elif one.type == "WentLive":
            told, entry = self.reviews[body["review"]], (body["review"], body["target"], body["digest"])
            assert told.cleared == body["digest"] == told.digest, "unapproved bytes went live"
            assert entry not in self.used, "the same bytes went live twice"
            self.used.add(entry)


def check_lives(said: list[Said], log: list[Stored]) -> None:
    """Check that the bytes were current and cleared when they went live and at every yes."""
    lives = Lives()
    for one in log:
        lives.see(one)
    for answer in said:
        if answer.get("state") == "cleared":
            at = lives.cleared_at[answer["review"], answer["seen"]]
            assert at == answer["digest"], f"a yes to bytes that were not cleared after {answer['seen']} events"
        assert answer.get("state") not in ("damaged", "unavailable"), answer


def met_together(said: list[Said]) -> int:
    """How often a veto, an approval and a gate query ran on one review at the same time."""
    by_review: dict[str, list[Said]] = {}
    for one in said:
        by_review.setdefault(one["review"], []).append(one)
    return sum(_met(some) for some in by_review.values())


def _met(some: list[Said]) -> int:
    vetoes = [one for one in some if one["what"] == "vetoes"]
    approvals = [one for one in some if one["what"] == "approves"]
    questions = [one for one in some if one["what"] in ("ask", "publish")]
    return sum(
        any(
            _beside(veto, one) and any(_beside(veto, other) and _beside(one, other) for other in questions)
            for one in approvals
        )
        for veto in vetoes
    )


def _beside(one: Said, other: Said) -> bool:
    return bool(one["began"] < other["ended"] and other["began"] < one["ended"])


def kinds_of(log: list[Stored]) -> Counter[str]:
    """How many events of each type there are."""
    return Counter(one.type for one in log)
