"""What is kept of each address? Since when the policy has it, and how it goes there; of what is no more, one sum."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import DELIVERIES, START
from foureyes.codec.shapes import shape
from foureyes.notify.desk import Desk, Target
from foureyes.notify.letters import LIFE, addressed_type

#: Under this name stands how much was given up of what was for addresses that no policy had any more.
GONE = "gone"
#: So many records are read at once, and so often.
_PAGE, _PAGES_MAX = 1_000, 100
_spelled = shape(datetime)[0]


def noted(desk: Desk, now: datetime, tx: Writing) -> None:
    """Note since when each address is there, and forget those that the policy has no longer."""
    waits = _awaited(tx)
    for one in desk.targets.values():
        if tx.row(DELIVERIES, one.name) is None:
            # Of a time before this was noted: whoever has letters was there when they were written.
            since = "" if one.name in waits else str(_spelled(now))
            tx.follow(DELIVERIES, {one.name: json.dumps({"since": since, "whom": whom(one)}, sort_keys=True)}, START)
    forgotten(desk, tx)


def forgotten(desk: Desk, tx: Writing) -> None:
    """Forget how it went with addresses that the policy has no longer, as soon as nothing waits for them."""
    _forget(tx, {*desk.targets, *_awaited(tx), GONE})


def long_gone(desk: Desk, now: datetime, tx: Writing) -> None:
    """The same where other servers may have them: nothing waits, and nothing was sent or failed for long."""
    kept = {*desk.targets, *_awaited(tx), GONE}
    _forget(tx, {*kept, *(name for name, said in _records(tx) if _is_lately(said, now))})


def given_up(tx: Writing, count: int) -> None:
    """Count letters that nobody is to get any more."""
    if count:
        before = int(str(_record(tx, GONE).get("given_up", 0)))
        said = {"given_up": before + count, "whom": "addresses that are no more"}
        tx.follow(DELIVERIES, {GONE: json.dumps(said, sort_keys=True)}, START)


def has_come_since(reading: Reading, target: str, at: str) -> bool:
    """Whether the policy has this address only since then, so that nothing of before was for it."""
    since = _record(reading, target).get("since")
    # Twice is better than never, so what was never noted, or at that very moment, has come since.
    return since is None or (since != "" and datetime.fromisoformat(str(since)) >= datetime.fromisoformat(at))


def was_for(reading: Reading, target: str) -> str:
    """Whose address this is or was: a party or a person."""
    return str(_record(reading, target).get("whom", ""))


def whom(target: Target) -> str:
    """The party or person who is told there."""
    return target.person.name if target.person else target.party


def _record(reading: Reading, target: str) -> Mapping[str, object]:
    # What an earlier release wrote says nothing of it: whoever was sent something then was there.
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
    """The addresses for which something waits."""
    return {one.target for queued in reading.queued() if (one := addressed_type(queued.type))}
