"""What becomes of what nobody here is to tell? Alone we let it go; where servers share an outbox, others may know it.

Each server knows the addresses of its own policy file only, and while a change of it goes round they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from foureyes.app.ports import Writing
from foureyes.app.rows import DIGESTS, START, Changes, OutboxRow, Parcel
from foureyes.codec.shapes import shape
from foureyes.notify.health import PAUSE_MAX
from foureyes.notify.letters import DIGEST, addressed

#: What could not be told for so long is given up: it stays in the record, and on the pages.
LIFE = timedelta(days=3)
#: So long a parcel is one worker's; what was taken and not delivered by then is tried again.
CLAIMED_FOR = timedelta(seconds=120)
#: What nobody is to hear of goes so much at a time.
DROPPED_MAX = 1_000
#: How often a server that tells nobody looks for what no other told either, and how much of it at once.
SWEEP, SWEPT_MAX, SWEEPS_MAX = timedelta(minutes=1), 32, 16
_spelled = shape(datetime)[0]


def is_over(row: OutboxRow, now: datetime) -> bool:
    """Whether it could not be told for too long."""
    return now - datetime.fromisoformat(row.at) > LIFE


def dropped(worker: str, now: datetime, tx: Writing) -> int:
    """Where nobody is to be told, nothing waits for anybody."""
    parcels = tx.claim(worker, spelled(now), spelled(now + CLAIMED_FOR), DROPPED_MAX)
    _let_go(tx, parcels, now)
    return len(parcels)


def swept(worker: str, now: datetime, tx: Writing) -> int:
    """Where others may tell, only what is over goes; the rest is theirs, as soon as this transaction ends."""
    count = 0
    for _ in range(SWEEPS_MAX):
        parcels = tx.claim(worker, spelled(now), spelled(now + CLAIMED_FOR), SWEPT_MAX)
        over = [one for one in parcels if is_over(one.row, now)]
        _let_go(tx, over, now)
        _put_off(tx, (one for one in parcels if one not in over), now)
        count += len(over)
        if not over:  # the oldest come first
            break
    return count


def unknown(parcels: Sequence[Parcel], now: datetime, tx: Writing, *, shared: bool) -> None:
    """Letters to a target that is not in our policy: perhaps it is in another server's."""
    waits = [one for one in parcels if shared and not is_over(one.row, now)]
    _put_off(tx, waits, now + PAUSE_MAX)
    _let_go(tx, [one for one in parcels if one not in waits], now)


def digested(tx: Writing, target: str, lines: Mapping[str, None], now: datetime) -> None:
    """Remove lines of a digest; what came meanwhile is another digest."""
    tx.lock(f"{DIGESTS}/{target}")
    tx.follow(DIGESTS, lines, START)
    if tx.rows(DIGESTS, prefix=f"{target}/", limit=1):
        row = OutboxRow(stream=DIGESTS, version=0, type=f"{DIGEST} {target}", at=spelled(now))
        tx.apply(Changes(outbox=(row,)))


def spelled(moment: datetime) -> str:
    """A moment as a store has it."""
    return str(_spelled(moment))


def _let_go(tx: Writing, parcels: Sequence[Parcel], now: datetime) -> None:
    tx.delivered([one.id for one in parcels])
    letters = [letter for one in parcels if (letter := addressed(one.row))]
    for target in sorted({one.target for one in letters if one.party == DIGEST}):
        # A line without its digest would keep every later digest from being made.
        lines = tx.rows(DIGESTS, prefix=f"{target}/", limit=DROPPED_MAX)
        digested(tx, target, {key: None for key, _ in lines}, now)


def _put_off(tx: Writing, parcels: Iterable[Parcel], until: datetime) -> None:
    for one in parcels:
        tx.postponed(one.id, spelled(until))
