"""Rebuilds the track records from the log alone, in its order, as they were counted the first time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections.anew import Progress, unwatched
from foureyes.app.projections.metrics import pairs
from foureyes.app.projections.steps import BATCH, Folds
from foureyes.app.rows import START, Cursor, Stored
from foureyes.app.trusting import ENDS, SWITCHES, Suspect, after_review, decided, examined, to_row
from foureyes.core.events import ReviewEvent, SkipDisabled, SkipEnabled, SkipSuggested
from foureyes.core.local import is_local
from foureyes.core.rules import Rules
from foureyes.core.trust import TrustRecord

#: Returns the rules with this digest, which a review was opened under.
RulesOf = Callable[[Reading, str], Rules]
Pair = tuple[str, str]


async def recount(
    store: Store, rules_of: RulesOf, progress: Progress = unwatched, batch: int = BATCH, total: int = 0
) -> int:
    """Replace every track record by what the log says; returns how many events that were.

    Other writers keep counting until the last stretch, during which they wait.
    """
    replay = Replay(rules_of=rules_of)
    while await store.read(lambda reading: replay.take(reading, reading.tail(replay.cursor, batch))):
        progress(replay.events, max(replay.events, total))
    return replay.events + await store.write(partial(_settle, replay, batch))


def check_trust(reading: Reading) -> tuple[Suspect, ...]:
    """Return the records that must not be believed: altered, missing, or with too few ends.

    Each is compared with the ends that the metrics have counted. Metrics follow the log, records are written with it:
    so a sound record never knows less.
    """
    found = tuple(examined(reading, reading.trusts()))
    suspects = [one for one in found if isinstance(one, Suspect)]
    known = {(one.kind, one.author): one.attempts for one in found if isinstance(one, TrustRecord)}
    named = {(one.kind, one.author) for one in suspects}
    for pair, ends in _counted_ends(reading):
        if pair not in named and known.get(pair, 0) < ends:
            why = f"The track record knows {known.get(pair, 0)} ends of reviews, the log has at least {ends}."
            suspects.append(Suspect(kind=pair[0], author=pair[1], why=why))
    return tuple(sorted(suspects, key=lambda one: (one.kind, one.author)))


def _counted_ends(reading: Reading) -> Iterator[tuple[Pair, int]]:
    after = ""
    while page := pairs(reading, after):
        yield from (((row["kind"], row["author"]), row.get("learned", 0)) for _, row in page)
        after = page[-1][0]


@dataclass(slots=True, kw_only=True)
class Replay:
    """Track records counted from the log so far."""

    rules_of: RulesOf
    records: dict[Pair, TrustRecord] = field(default_factory=dict)
    folds: Folds = field(default_factory=Folds)
    cursor: Cursor = START
    events: int = 0

    def take(self, reading: Reading, new: tuple[Stored, ...]) -> bool:
        """Count the next events; returns whether there were any."""
        for stored in new:
            if stored.type in SWITCHES:
                self._switched(reading, stored)
            elif stored.stream.startswith("review/"):
                self._reviewed(reading, stored)
            self.cursor, self.events = stored.cursor, self.events + 1
        return bool(new)

    def _switched(self, reading: Reading, stored: Stored) -> None:
        one = self.folds.happened(reading, stored)
        event = cast("SkipSuggested | SkipEnabled | SkipDisabled", one.event)
        pair = (event.kind, event.author)
        self.records[pair] = decided(self._record(pair), (event,), one.at)

    def _reviewed(self, reading: Reading, stored: Stored) -> None:
        one = self.folds.happened(reading, stored)
        if stored.type not in ENDS or is_local(one.review):
            return
        review, event = one.review, cast("ReviewEvent", one.event)
        pair = (review.kind, review.author.name)
        learning = self.rules_of(reading, review.rules).learning
        self.records[pair] = after_review(
            self._record(pair), review, event, opened=one.opened, at=one.at, learning=learning
        )

    def _record(self, pair: Pair) -> TrustRecord:
        return self.records.get(pair) or TrustRecord(kind=pair[0], author=pair[1])


def _settle(replay: Replay, batch: int, tx: Writing) -> int:
    """Count the remaining events while no other writer can, and replace the records."""
    # A transaction may run twice; what it counted the first time must not count again.
    last = Replay(rules_of=replay.rules_of, records=dict(replay.records), folds=replay.folds, cursor=replay.cursor)
    while last.take(tx, tx.settled(last.cursor, batch)):
        pass
    tx.set_trust(to_row(last.records[pair]) for pair in sorted(last.records))
    return last.events
