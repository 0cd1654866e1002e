"""The lease that makes one of several processes on a store the host of reviewers, while it gives signs of life."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from foureyes.app.ports import Conflict, Reading, Store, Writing
from foureyes.app.rows import ENGINE, START
from foureyes.app.workers import held_until, lives, sign_is_due

_KEY = "place"


class Place:
    """The one place for an engine on a store; its holder takes up at once what an earlier process left behind."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Compete for the place under a random owner name."""
        self._store, self._clock = store, clock
        self._owner = secrets.token_hex(8)
        self._until: datetime | None = None

    async def is_ours(self) -> bool:
        """True if this process holds the place; asking also renews it."""
        now = self._clock()
        if self._until is not None and not sign_is_due(self._until, now):
            return True
        self._until = None
        with suppress(Conflict):
            if await self._store.write(partial(self._taken, now)):
                self._until = held_until(now)
        return self._until is not None

    async def leave(self) -> None:
        """Give the place up, so that no other process has to wait."""
        if self._until is not None:
            await self._store.write(self._left)
            self._until = None

    def _taken(self, now: datetime, tx: Writing) -> bool:
        tx.lock(ENGINE)
        owner, until = _holder(tx)
        if owner not in ("", self._owner) and lives(until, now):
            return False
        body = json.dumps({"owner": self._owner, "until": held_until(now).isoformat()})
        tx.follow(ENGINE, {_KEY: body}, START)
        return True

    def _left(self, tx: Writing) -> None:
        tx.lock(ENGINE)
        if _holder(tx)[0] == self._owner:
            tx.follow(ENGINE, {_KEY: None}, START)


def _holder(reading: Reading) -> tuple[str, datetime]:
    found = reading.row(ENGINE, _KEY)
    if found is None:
        return "", datetime.min.replace(tzinfo=UTC)
    body = json.loads(found)
    return body["owner"], datetime.fromisoformat(body["until"])
