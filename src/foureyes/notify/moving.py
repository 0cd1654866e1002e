"""Redirects letters whose address is no longer in the policy to the addresses that the policy has now.

For a server that has its outbox to itself; for servers that share one, see `leaving`.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import DIGESTS, Changes, OutboxRow, Parcel
from foureyes.core.independence import normal
from foureyes.notify.desk import Desk
from foureyes.notify.health import PAUSE_MAX
from foureyes.notify.leaving import DROPPED_MAX, digested, spelled, to_digest
from foureyes.notify.letters import DIGEST, Letter, Sorted, addressed, id_of
from foureyes.notify.notices import Party
from foureyes.notify.records import forgotten, given_up, has_come_since, was_for

#: The most redirected letters that are remembered, so that two old addresses of one person do not lead to two letters.
REMEMBERED_MAX = 10_000
_SAID = (
    "%s is not in the policy any more: of what waited for it, %d for the addresses that are there now, "
    "%d that they had already, %d given up"
)
log = logging.getLogger("foureyes.notify")

Sort = Callable[[Reading, OutboxRow, datetime], Sorted | None]


class Fate(StrEnum):
    """What became of a letter."""

    MOVED = "moved"
    #: All targets that are to be told have a letter about it already.
    HAD = "had"
    #: No target is to be told any more.
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """A letter to a removed address, and what replaces it; `made` is None if that is unknown now."""

    parcel: Parcel
    letter: Letter
    made: Sorted | None
    fate: Fate = Fate.GIVEN_UP


@dataclass(slots=True, kw_only=True)
class Moved:
    """What became of letters, by their old address, and the letters that replace them."""

    fates: dict[str, Counter[Fate]] = field(default_factory=dict)
    rows: dict[str, OutboxRow] = field(default_factory=dict)

    def log(self) -> None:
        """Log it, once it is written."""
        for name, count in self.fates.items():
            level = logging.WARNING if count[Fate.GIVEN_UP] else logging.INFO
            log.log(level, _SAID, name, count[Fate.MOVED], count[Fate.HAD], count[Fate.GIVEN_UP])


def looked(reading: Reading, letters: Sequence[tuple[Parcel, Letter]], sort: Sort, now: datetime) -> Iterator[Moving]:
    """Yield what replaces letters: what their events become now, for targets that were added to the policy since."""
    for parcel, letter in letters:
        if letter.party == DIGEST:
            yield Moving(parcel=parcel, letter=letter, made=Sorted())
            continue
        row = parcel.row
        event = OutboxRow(stream=row.stream, version=row.version, type=letter.about, at=row.at)
        made = sort(reading, event, now)
        yield _moving(reading, parcel, letter, made) if made else Moving(parcel=parcel, letter=letter, made=None)


def moved(found: Iterable[Moving], desk: Desk, known: Mapping[str, None], now: datetime, tx: Writing) -> Moved:
    """Replace the old letters by the new ones, except for letters that are known to be written already."""
    done = Moved()
    for one in found:
        if one.made is None:
            tx.postponed(one.parcel.id, spelled(now + PAUSE_MAX))
            continue
        tx.delivered([one.parcel.id])
        fate = _digest_moved(one.letter.target, desk, now, tx) if one.letter.party == DIGEST else one.fate
        done.fates.setdefault(one.letter.target, Counter())[fate] += 1
        done.rows |= {name: row for row in one.made.letters if (name := id_of(row)) not in known}
        for target, key, body in one.made.digests:
            to_digest(tx, target, {key: body}, now)
    tx.apply(Changes(outbox=tuple(done.rows.values())))
    given_up(tx, sum(one[Fate.GIVEN_UP] for one in done.fates.values()))
    forgotten(desk, tx)
    return done


def remembered(known: Mapping[str, None], rows: Iterable[str]) -> dict[str, None]:
    """Return the ids of redirected letters; the oldest are forgotten first."""
    return dict.fromkeys([*known, *rows][-REMEMBERED_MAX:])


def _moving(reading: Reading, parcel: Parcel, letter: Letter, made: Sorted) -> Moving:
    at = parcel.row.at
    # Only notices to humans can wait for a digest.
    digests = made.digests if letter.party == Party.HUMAN else []
    letters = [(one.target, row) for row in made.letters if (one := addressed(row)) and one.party == letter.party]
    new = Sorted(
        letters=[row for target, row in letters if has_come_since(reading, target, at)],
        digests=[one for one in digests if has_come_since(reading, one[0], at)],
    )
    is_new, is_anybodys = bool(new.letters or new.digests), bool(letters or digests)
    fate = Fate.MOVED if is_new else Fate.HAD if is_anybodys else Fate.GIVEN_UP
    return Moving(parcel=parcel, letter=letter, made=new, fate=fate)


def _digest_moved(old: str, desk: Desk, now: datetime, tx: Writing) -> Fate:
    """Move the lines of a person's digest to the addresses this person has now."""
    person = normal(was_for(tx, old))
    theirs = [one.name for one in desk.targets.values() if one.person and normal(one.person.name) == person]
    lines = tx.rows(DIGESTS, prefix=f"{old}/", limit=DROPPED_MAX)
    fate = Fate.HAD if theirs else Fate.GIVEN_UP
    for key, body in lines:
        at = key.split("/")[1]
        for target in theirs:
            if has_come_since(tx, target, at):
                to_digest(tx, target, {f"{target}{key.removeprefix(old)}": body}, now)
                fate = Fate.MOVED
    digested(tx, old, {key: None for key, _ in lines}, now)
    return fate
