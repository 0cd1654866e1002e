"""Removes outbox rows that nobody is told of; where servers share an outbox, only those that are too old.

Each server knows only the addresses of its own policy file, and while a change of it is rolled out they differ.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.app.ports import Writing
from foureyes.app.rows import DIGESTS, START, Changes, OutboxRow, Parcel
from foureyes.codec.shapes import shape
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE_MAX
from foureyes.notify.letters import DIGEST, LIFE, addressed
from foureyes.notify.records import forgotten, given_up

#: How long a row is claimed by one worker; what was not delivered by then is tried again.
CLAIMED_FOR = timedelta(seconds=120)
#: The most rows without a receiver that are removed at a time.
DROPPED_MAX = 1_000
#: How often a server without targets looks for rows that no other server delivered, and how many at once.
SWEEP, SWEPT_MAX, SWEEPS_MAX = timedelta(minutes=1), 32, 16
log = logging.getLogger("foureyes.notify")
_spelled = shape(datetime)[0]


def is_over(row: OutboxRow, now: datetime) -> bool:
    """True if a row has waited too long to be told."""
    return now - datetime.fromisoformat(row.at) > LIFE


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How many rows were removed without being told, and how many of them were letters."""

    parcels: int = 0
    letters: int = 0

    def logged(self) -> int:
        """Return how many rows were removed; letters among them are logged."""
        if self.letters:
            log.warning("%d letters given up: no address in the policy is theirs any more", self.letters)
        return self.parcels


def dropped(desk: Desk, worker: str, now: datetime, tx: Writing) -> Left:
    """Remove rows where no server has a target for them."""
    parcels = tx.claim(worker, spelled(now), spelled(now + CLAIMED_FOR), DROPPED_MAX)
    letters = _let_go(tx, parcels, now)
    if letters:
        forgotten(desk, tx)
    return Left(parcels=len(parcels), letters=letters)


def swept(worker: str, now: datetime, tx: Writing) -> Left:
    """Remove only rows that are too old, where other servers may deliver the rest.

    The rest is available to them as soon as this transaction ends.
    """
    count = letters = 0
    for _ in range(SWEEPS_MAX):
        parcels = tx.claim(worker, spelled(now), spelled(now + CLAIMED_FOR), SWEPT_MAX)
        over = [one for one in parcels if is_over(one.row, now)]
        letters += _let_go(tx, over, now)
        _put_off(tx, (one for one in parcels if one not in over), now)
        count += len(over)
        if not over:  # the oldest come first
            break
    return Left(parcels=count, letters=letters)


def unknown(parcels: Sequence[Parcel], now: datetime, tx: Writing) -> Left:
    """Postpone letters to a target that is not in our policy: it may be in another server's."""
    over = [one for one in parcels if is_over(one.row, now)]
    _put_off(tx, (one for one in parcels if one not in over), now + PAUSE_MAX)
    return Left(parcels=len(over), letters=_let_go(tx, over, now))


def to_digest(tx: Writing, target: str, lines: Mapping[str, str], now: datetime) -> None:
    """Add lines to a digest; the first line creates it."""
    tx.lock(f"{DIGESTS}/{target}")
    if not tx.rows(DIGESTS, prefix=f"{target}/", limit=1):
        row = OutboxRow(stream=DIGESTS, version=0, type=f"{DIGEST} {target}", at=spelled(now))
        tx.apply(Changes(outbox=(row,)))
    tx.follow(DIGESTS, lines, START)


def digested(tx: Writing, target: str, lines: Mapping[str, None], now: datetime) -> None:
    """Remove lines of a digest; lines that came meanwhile become another digest."""
    tx.lock(f"{DIGESTS}/{target}")
    tx.follow(DIGESTS, lines, START)
    if tx.rows(DIGESTS, prefix=f"{target}/", limit=1):
        row = OutboxRow(stream=DIGESTS, version=0, type=f"{DIGEST} {target}", at=spelled(now))
        tx.apply(Changes(outbox=(row,)))


def spelled(moment: datetime) -> str:
    """Return a moment as the store spells it."""
    return str(_spelled(moment))


def _let_go(tx: Writing, parcels: Sequence[Parcel], now: datetime) -> int:
    """Remove rows; return how many letters were among them, which are counted as given up."""
    tx.delivered([one.id for one in parcels])
    letters = [letter for one in parcels if (letter := addressed(one.row))]
    for target in sorted({one.target for one in letters if one.party == DIGEST}):
        # A line without its digest would keep every later digest from being created.
        lines = tx.rows(DIGESTS, prefix=f"{target}/", limit=DROPPED_MAX)
        digested(tx, target, {key: None for key, _ in lines}, now)
    given_up(tx, len(letters))
    return len(letters)


def _put_off(tx: Writing, parcels: Iterable[Parcel], until: datetime) -> None:
    for one in parcels:
        tx.postponed(one.id, spelled(until))
