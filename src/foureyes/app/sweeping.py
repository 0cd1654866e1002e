"""Deletes expired rows whose keys are hashes in small batches, starting at a random key."""

from __future__ import annotations

import json
from datetime import datetime

from foureyes.app.ports import Writing
from foureyes.app.rows import START

#: Most rows examined at a time.
SWEPT_MAX = 200


def sweep(tx: Writing, table: str, behind: str, now: datetime) -> None:
    """Remove expired rows, starting behind a key, which as a hash is a random place, and wrapping around.

    Always starting from the first row, rows that stay alive could hide expired ones behind them for ever.
    """
    rows = tx.rows(table, after=behind, limit=SWEPT_MAX)
    rows += tx.rows(table, limit=SWEPT_MAX - len(rows)) if len(rows) < SWEPT_MAX else ()
    over = {key: None for key, body in rows if now >= datetime.fromisoformat(json.loads(body)["ends"])}
    if over:
        tx.follow(table, over, START)
