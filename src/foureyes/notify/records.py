"""Records about notification addresses: since when the policy has each, and how delivery goes.

Addresses that are no longer in the policy share one record with a sum.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import DELIVERIES, START
from foureyes.codec.shapes import shape
from foureyes.notify.desk import Desk, Target
from foureyes.notify.letters import LIFE, addressed_type

#: The record that counts what was given up for addresses that are no longer in the policy.
GONE = "gone"
#: How many records are read at once, and the most pages.
_PAGE, _PAGES_MAX = 1_000, 100
_spelled = shape(datetime)[0]


def noted(desk: Desk, now: datetime, tx: Writing) -> None:
    """Record since when each address is in the policy, and forget removed addresses."""
    waits = _awaited(tx)
    for one in desk.targets.values():
        if tx.row(DELIVERIES, one.name) is None:
            # From before this was recorded: an address with waiting letters was there when they were written.
            since = "" if one.name in waits else str(_spelled(now))
            tx.follow(DELIVERIES, {one.name: json.dumps({"since": since, "whom": whom(one)}, sort_keys=True)}, START)
    forgotten(desk, tx)


def forgotten(desk: Desk, tx: Writing) -> None:
    """Forget the records of removed addresses as soon as no letters wait for them."""
    _forget(tx, {*desk.targets, *_awaited(tx), GONE})


def long_gone(desk: Desk, now: datetime, tx: Writing) -> None:
    """Forget the records of removed addresses that other servers may still have.

    Only if no letters wait for them, and nothing was sent or failed for long.
    """
    kept = {*desk.targets, *_awaited(tx), GONE}
    _forget(tx, {*kept, *(name for name, said in _records(tx) if _is_lately(said, now))})


def given_up(tx: Writing, count: int) -> None:
    """Count letters that are given up."""
    if count:
        before = int(str(_record(tx, GONE).get("given_up", 0)))
        said = {"given_up": before + count, "whom": "addresses that are no more"}
        tx.follow(DELIVERIES, {GONE: json.dumps(said, sort_keys=True)}, START)


def has_come_since(reading: Reading, target: str, at: str) -> bool:
    """True if the address was added to the policy after this moment, so that nothing from before was meant for it."""
    since = _record(reading, target).get("since")
    # Telling twice is better than never: an address with no record, or of that very moment, counts as added since.
    return since is None or (since != "" and datetime.fromisoformat(str(since)) >= datetime.fromisoformat(at))


def was_for(reading: Reading, target: str) -> str:
    """Return the party or person whose address this is or was."""
    return str(_record(reading, target).get("whom", ""))


def whom(target: Target) -> str:
    """Return the party or person who is told there."""
    return target.person.name if target.person else target.party


def _record(reading: Reading, target: str) -> Mapping[str, object]:
    # A record of an earlier release has no `since`: an address that was sent something then was there.
    body = reading.row(DELIVERIES, target)
    return {} if body is None else {"since": "", **json.loads(body)}


def _records(reading: Reading) -> Iterator[tuple[str, Mapping[str, object]]]:
    after = ""
    for _ in range(_PAGES_MAX):
        rows = reading.rows(DELIVERIES, after=after, limit=_PAGE)
        yield from ((name, json.loads(body)) for name, body in rows)
        if len(rows) < _PAGE:
            return
        after = rows[-1][0]


def _forget(tx: Writing, kept: set[str]) -> None:
    gone = [name for name, _ in _records(tx) if name not in kept]
    if gone:
        tx.follow(DELIVERIES, dict.fromkeys(gone), START)


def _is_lately(said: Mapping[str, object], now: datetime) -> bool:
    moments = [str(said.get(name, "")) for name in ("failing_since", "last_sent")]
    return any(now - datetime.fromisoformat(one) <= LIFE for one in moments if one)


def _awaited(reading: Reading) -> set[str]:
    """Return the addresses for which letters wait."""
    return {one.target for queued in reading.queued() if (one := addressed_type(queued.type))}
