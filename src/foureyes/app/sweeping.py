"""Deletes expired rows whose keys are hashes in small batches, starting at a random key."""

from __future__ import annotations

import json
from datetime import datetime

from foureyes.app.ports import Writing
from foureyes.app.rows import START

#: So many rows are looked at in one go.
SWEPT_MAX = 200


def sweep(tx: Writing, table: str, behind: str, now: datetime) -> None:
    """Remove rows that have ended, of those behind a key and on from the first; a new row's hash is as good as a die.

    From the first on each time, rows that live on would hide for ever what is over behind them.
    """
    rows = tx.rows(table, after=behind, limit=SWEPT_MAX)
    rows += tx.rows(table, limit=SWEPT_MAX - len(rows)) if len(rows) < SWEPT_MAX else ()
    over = {key: None for key, body in rows if now >= datetime.fromisoformat(json.loads(body)["ends"])}
    if over:
        tx.follow(table, over, START)
