"""Rebuilds any data beside the log from the log, to the same bytes, while the store stays in use.

There are three ways: a following projection is built next to the one in use and switched over (`anew`), track records
are counted again in the order of the log (`recount`), and rows that are written together with the log are written
again, review by review, under its lock (`beside_log`).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.app.ports import Reading, Store
from foureyes.app.projections import PROJECTIONS, beside_log
from foureyes.app.projections.anew import Overtaken, Progress, make_anew, unwatched
from foureyes.app.projections.projection import slot_of
from foureyes.app.projections.recount import RulesOf, check_trust, recount
from foureyes.codec import canonical

TRUST = "trust"
#: Everything that can be rebuilt.
NAMES = (*sorted(PROJECTIONS), TRUST, *beside_log.NAMES)
PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What a rebuild did: the events it replayed, how long it took, and one hash over all rows where that is known."""

    name: str
    events: int
    seconds: float
    sha256: str = ""


async def rebuild(store: Store, name: str, rules_of: RulesOf, progress: Progress = unwatched) -> Rebuilt:
    """Rebuild one of `NAMES`. `rules_of` returns the rules a review was opened under.

    `progress` is told how far it is.

    Raises KeyError for another name, Damaged if the log itself was altered, Overtaken if the same rebuild was started
    again.
    """
    began = time.monotonic()
    if name not in NAMES:
        raise KeyError(name)
    if name in PROJECTIONS:
        events = await make_anew(store, PROJECTIONS[name], progress)
    elif name == TRUST:
        total = await store.read(_newest_known)
        events = await recount(store, rules_of, progress, total=total)
    else:
        events = await beside_log.write_anew(store, name, progress)
    sha256 = "" if name in beside_log.NAMES else await store.read(lambda reading: digest_of(reading, name))
    return Rebuilt(name=name, events=events, seconds=time.monotonic() - began, sha256=sha256)


def digest_of(reading: Reading, name: str) -> str:
    """Return one hash over all rows of a following projection, or of the track records, in the order of their keys."""
    found = hashlib.sha256()
    for row in _trust_rows(reading) if name == TRUST else _rows(reading, slot_of(reading, name)):
        found.update(canonical(list(row)) + b"\n")
    return found.hexdigest()


def _trust_rows(reading: Reading) -> Iterator[tuple[str, ...]]:
    return ((one.kind, one.author, one.body, one.checksum) for one in reading.trusts())


def _rows(reading: Reading, slot: str) -> Iterator[tuple[str, ...]]:
    after = ""
    while page := reading.rows(slot, after=after, limit=PAGE):
        yield from page
        after = page[-1][0]


def _newest_known(reading: Reading) -> int:
    """Return roughly how many events there are: as far as any projection has read."""
    return max((reading.cursor(slot_of(reading, name))[1] for name in PROJECTIONS), default=0)


__all__ = ["NAMES", "Overtaken", "Progress", "Rebuilt", "RulesOf", "check_trust", "digest_of", "rebuild", "unwatched"]
